//! Priority flow control (IEEE 802.1Qbb): what a pause frame says, and when it takes effect at the port it reaches.
//! Who sends one, and why, is the switch's business.

mod frame;
mod reaction;

pub use frame::PauseFrame;
pub use reaction::{Change, Reactions};
