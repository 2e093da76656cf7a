//! Priority flow control (PFC, IEEE 802.1Qbb): pause frames, and their effect on the ports that they reach.
//!
//! `frame.rs` is the frame. `reaction.rs` holds it for the reaction time of the port that it reaches, and ends pauses
//! that run out. `watchdog.rs` no longer waits for a pause that lasts too long. `off_time.rs` sums up for how long a
//! device has told senders to pause. Switches and slow adapters decide on pauses, and send frames through
//! `pause_frames.rs`.

mod frame;
mod off_time;
mod reaction;
mod watchdog;

pub use frame::PauseFrame;
pub use off_time::{Durations, OffTime};
pub use reaction::{Change, Reactions};
pub use watchdog::{Intervention, Verdict, Watchdog, WatchdogTimes};
