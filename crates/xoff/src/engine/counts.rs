//! What is counted between one sample and the next, because nothing else counts it.

use super::flow_counts::FlowCounts;
use super::port_counts::PortCounts;
use crate::observer::{Observer, Silent};

/// Counts of flows, and of the classes of ports.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Of each flow.
    pub flows: FlowCounts,
    /// Of each class of each port.
    pub ports: PortCounts,
}

impl Counts {
    /// Whether anything is counted.
    pub fn is_counting(&self) -> bool {
        self.flows.is_counting() || self.ports.is_counting()
    }
}

/// An observer that may count what samples tell of.
pub(crate) trait Counting: Observer {
    /// What it counts, if anything.
    fn counts(&mut self) -> Option<&mut Counts> {
        None
    }
}

impl Counting for Silent {}
