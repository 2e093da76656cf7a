//! TCP with SACK (RFC 6675) or `NewReno` (RFC 6582) recovery.
//! Left out: the handshake (flows run on connections that are open), slow-start restart (a flow is one message),
//! more than one SACK block in an acknowledgement, the receiver's window.

mod receiver;
mod round_trip;
mod segmentation;
mod sender;

pub use receiver::{Acknowledgement, Received, TcpReceiver};
pub use sender::TcpSender;
