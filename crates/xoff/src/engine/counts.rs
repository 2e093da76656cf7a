//! Counts between one sample and the next, of events that nodes do not count themselves.

use super::flow_counts::FlowCounts;
use super::port_counts::PortCounts;
use crate::observer::{Observer, Silent};

/// Counts of flows, and of the classes of ports.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Counts of each flow.
    pub flows: FlowCounts,
    /// Counts of each class of each port.
    pub ports: PortCounts,
}

impl Counts {
    /// Whether anything is counted.
    pub fn is_counting(&self) -> bool {
        self.flows.is_counting() || self.ports.is_counting()
    }
}

/// Observer that may count for samples, and keep records.
pub(crate) trait Counting: Observer {
    /// Returns the memory of the records so far, in bytes.
    fn recorded(&self) -> u64 {
        0
    }
    /// Ends recording, and keeps the records so far.
    fn end_recording(&mut self) {}
    /// Returns the counts, if there are any.
    fn counts(&mut self) -> Option<&mut Counts> {
        None
    }
}

impl Counting for Silent {}
