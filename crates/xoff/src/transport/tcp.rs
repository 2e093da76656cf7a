//! TCP with recovery by RACK (RFC 8985), SACK (RFC 6675), `NewReno` (RFC 6582) or Reno (RFC 5681).
//!
//! Packets count a flow's bytes from 0, also on a persistent connection: its sender remembers the flow before, but
//! receivers begin anew with each flow, and switches hash the flow. The congestion control hears of bytes as the
//! connection numbers them, on from one flow to the next.
//!
//! Left out: FIN and RST, more than one SACK block in an acknowledgement, the receiver's window.

mod connection;
mod forward_rto;
mod handshake;
mod options;
mod rack;
mod receiver;
mod reduction;
mod round_trip;
mod schedule;
mod segmentation;
mod sender;
mod timing;

pub use connection::Connection;
pub use handshake::Handshake;
pub use receiver::{Acknowledgement, TcpReceiver};
pub use sender::{State as RecoveryState, TcpSender, TimerChange};
