//! Transports: how a flow is cut into packets, acknowledged and repaired. Senders stand beside their receivers.
//!
//! A transport answers what to send next, and the host puts that on its way.

pub mod constant_rate;
mod reassembly;
pub mod roce;
mod scoreboard;
pub mod tcp;

use crate::kernel::units::Time;

/// Answer of a sender that is asked what to send next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transmit {
    /// Send a segment of payload bytes now.
    Segment {
        /// First byte.
        sequence: u64,
        /// Number of bytes.
        length: u32,
        /// Whether the segment's bytes were sent before.
        retransmission: bool,
        /// Whether the next segment surely cannot leave before an acknowledgement. False says nothing.
        fills_window: bool,
    },
    /// Nothing before this time.
    WaitUntil(Time),
    /// Nothing until an acknowledgement opens the window.
    WindowFull,
    /// Nothing more, ever.
    Idle,
}
