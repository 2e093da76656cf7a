//! Records of flows: before they start, while they are under way, and once they are done.

use crate::kernel::units::{Bytes, Time};
use crate::topology::NodeId;

/// A flow as it started, or is about to start.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Time of its start.
    pub start: Time,
    /// Number among the flows of its source, which are numbered as they start.
    pub number: u32,
    /// Receiving host.
    pub destination: NodeId,
    /// Number under which its destination knows it.
    pub reception: u32,
    /// Payload bytes. `Bytes::MAX` stands for a flow without end, or one whose size is not known before it ends.
    pub size: Bytes,
    /// Traffic class.
    pub priority: u8,
    /// Index of its transport in the scenario's tables.
    pub transport: u8,
    /// Position of its workload in the scenario.
    pub workload: u16,
}

/// A flow that is about to start.
#[derive(Clone, Copy, Debug)]
pub struct FlowStart {
    /// The flow.
    pub flow: Flow,
    /// Time at which it ends even if it has not sent everything, later than its start; `Time::MAX` for never.
    pub end: Time,
}

/// Record of a flow that is done.
#[derive(Clone, Copy, Debug)]
pub struct FinishedFlow {
    /// The flow as it started.
    pub flow: Flow,
    /// Time at which all was acknowledged; `Time::MAX` where the transport acknowledges nothing.
    pub finish: Time,
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of its retransmission timer.
    pub timeouts: u32,
}

/// Record of a flow that is not done.
#[derive(Clone, Copy, Debug)]
pub struct UnfinishedFlow {
    /// The flow as it started.
    pub flow: Flow,
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of its retransmission timer.
    pub timeouts: u32,
}
