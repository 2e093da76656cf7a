//! RDMA over converged Ethernet (RoCE v2): each flow is a message on a queue pair, which the adapter sends packet by
//! packet.
//!
//! A flow has a queue pair of its own, or shares a persistent one with flows before and after it. The congestion
//! control decides the rate and how much may be in flight.
//!
//! Left out: connection set-up, work requests beyond one, credits of the receiver, the retry limit.
//! Differs: a duplicate packet is acknowledged again (InfiniBand rule C9-110); HPCC's code is silent.

mod control;
mod receiver;
mod sender;
mod shared_sequence;

pub use control::{Acknowledged, with_reading};
pub use receiver::{Answer, ForCredit, RoceReceiver};
pub use sender::RoceSender;
pub use shared_sequence::Handover;
