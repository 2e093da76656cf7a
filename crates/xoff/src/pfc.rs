//! Priority flow control (IEEE 802.1Qbb): what a pause frame says, when it takes effect at the port it reaches, and when that port no
//! longer waits. Who sends one, and why, is the business of whoever does.

mod frame;
mod off_time;
mod reaction;
mod watchdog;

pub use frame::PauseFrame;
pub use off_time::{Durations, OffTime};
pub use reaction::{Change, Reactions};
pub use watchdog::{Intervention, Verdict, Watchdog, WatchdogTimes};
