//! Workloads: open-loop sources of flows, drawn before they are needed and never influenced by the network.

use crate::kernel::units::{Bytes, Time};
use crate::topology::NodeId;

/// One flow before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowSpec {
    /// When the application hands it to the transport.
    pub start: Time,
    /// The sending host.
    pub source: NodeId,
    /// The receiving host, never the sending one.
    pub destination: NodeId,
    /// Application bytes, at least 1; `Bytes::MAX` is without end.
    pub size: Bytes,
    /// Traffic class, 0 to 7.
    pub priority: u8,
    /// Index of the transport in the scenario's tables, in order of name.
    pub transport: u8,
}
