//! TCP with SACK (RFC 6675) or `NewReno` (RFC 6582) recovery.
//!
//! Packets count a flow's bytes from 0, also on a persistent connection: its sender remembers the flow before, but
//! receivers begin anew with each flow, and switches hash the flow. The congestion control hears of bytes as the
//! connection numbers them, on from one flow to the next.
//!
//! Left out: FIN and RST, more than one SACK block in an acknowledgement, the receiver's window.

mod connection;
mod handshake;
mod receiver;
mod round_trip;
mod segmentation;
mod sender;
mod timing;

pub use connection::Connection;
pub use handshake::Handshake;
pub use receiver::{Acknowledgement, TcpReceiver};
pub use sender::{State as RecoveryState, TcpSender};
