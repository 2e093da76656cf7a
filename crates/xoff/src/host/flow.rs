//! Records of flows: as one starts, and what there is of it while it is under way and once it is done.

use crate::kernel::units::{Bytes, Time};
use crate::topology::NodeId;

/// A flow as it started, or is about to.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// When it starts.
    pub start: Time,
    /// Its number among the flows of its source, which are numbered as they start.
    pub number: u32,
    /// Its receiving host.
    pub destination: NodeId,
    /// The number under which its destination knows it.
    pub reception: u32,
    /// Payload bytes; `Bytes::MAX` is without end, or not known before it ends.
    pub size: Bytes,
    /// Traffic class.
    pub priority: u8,
    /// Index of its transport.
    pub transport: u8,
    /// Position of its workload in the scenario.
    pub workload: u16,
}

/// A flow that is about to start.
#[derive(Clone, Copy, Debug)]
pub struct FlowStart {
    /// The flow.
    pub flow: Flow,
    /// When it ends if it has not sent all by then; `Time::MAX` for never. It has started before.
    pub end: Time,
}

/// What is kept of a flow that is done.
#[derive(Clone, Copy, Debug)]
pub struct FinishedFlow {
    /// The flow as it started.
    pub flow: Flow,
    /// When all was acknowledged; `Time::MAX` where nothing is.
    pub finish: Time,
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of its retransmission timer.
    pub timeouts: u32,
}

/// What there is of a flow that is not done.
#[derive(Clone, Copy, Debug)]
pub struct UnfinishedFlow {
    /// The flow as it started.
    pub flow: Flow,
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of its retransmission timer.
    pub timeouts: u32,
}
