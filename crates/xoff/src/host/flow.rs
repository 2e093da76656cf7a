//! Records of flows: before they start, while they are under way, and once they are done.

use crate::kernel::units::{Bytes, Time};
use crate::topology::NodeId;

/// A flow as it started, or is about to start.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Time of the flow's start.
    pub start: Time,
    /// Number of the flow among the flows of its source, which are numbered as they start.
    pub number: u32,
    /// Receiving host.
    pub destination: NodeId,
    /// Number under which the destination knows the flow.
    pub reception: u32,
    /// Payload bytes. `Bytes::MAX` stands for a flow without end, or one whose size is not known before it ends.
    pub size: Bytes,
    /// Traffic class.
    pub priority: u8,
    /// Index of the flow's transport in the scenario's tables.
    pub transport: u8,
    /// Position of the flow's workload in the scenario.
    pub workload: u16,
}

/// A flow that is about to start.
#[derive(Clone, Copy, Debug)]
pub struct FlowStart {
    /// The flow.
    pub flow: Flow,
    /// Time at which the flow ends even with bytes unsent, later than its start; `Time::MAX` for never.
    pub end: Time,
}

/// Counts of how the transport repaired the losses of a flow. Transports other than TCP count the first two alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of the flow's retransmission timer.
    pub timeouts: u32,
    /// Recoveries begun by duplicate or selective acknowledgements.
    pub recoveries: u32,
    /// Tail loss probes sent.
    pub probes: u32,
    /// Retransmissions of segments that the receiver had already received.
    pub spurious: u32,
}

/// Record of a flow that is done.
#[derive(Clone, Copy, Debug)]
pub struct FinishedFlow {
    /// The flow as it started.
    pub flow: Flow,
    /// Time at which all was acknowledged; `Time::MAX` where the transport acknowledges nothing.
    pub finish: Time,
    /// Repairs until the flow was done.
    pub repairs: Repairs,
}

/// Record of a flow that is not done.
#[derive(Clone, Copy, Debug)]
pub struct UnfinishedFlow {
    /// The flow as it started.
    pub flow: Flow,
    /// Repairs so far.
    pub repairs: Repairs,
}
