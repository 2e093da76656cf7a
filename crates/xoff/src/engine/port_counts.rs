//! Counts of each class of each port between one sample and the next.

use super::samples::Quantity;
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Time};
use crate::port::Port;
use crate::topology::PortId;

type ByClass = [u64; PRIORITIES];

/// Counts of the classes of all ports.
#[derive(Clone, Debug, Default)]
pub struct PortCounts {
    /// Counts by quantity and port, bytes for throughput; empty where a quantity is not counted.
    counts: [Vec<ByClass>; Quantity::ALL.len()],
    /// Last packet that each port put on the wire.
    last: Vec<Departure>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Departure {
    priority: usize,
    ends: Time,
}

impl PortCounts {
    /// Begins to count a quantity at each of `ports` ports.
    pub fn count(&mut self, quantity: Quantity, ports: usize) {
        self.counts[quantity as usize].resize(ports, ByClass::default());
        if quantity == Quantity::ClassThroughput {
            self.last.resize(ports, Departure::default());
        }
    }

    /// Whether anything is counted.
    pub fn is_counting(&self) -> bool {
        self.counts.iter().any(|of_ports| !of_ports.is_empty())
    }

    /// Adds to the count of a class of a port, where the quantity is counted.
    pub(super) fn add(&mut self, quantity: Quantity, port: PortId, priority: usize, count: u64) {
        if let Some(of_port) = self.counts[quantity as usize].get_mut(port as usize) {
            of_port[priority] += count;
        }
    }

    pub(super) fn on_sent(&mut self, port: PortId, priority: usize, wire: Bytes, ends: Time) {
        if let Some(last) = self.last.get_mut(port as usize) {
            *last = Departure { priority, ends };
            self.add(Quantity::ClassThroughput, port, priority, wire.get());
        }
    }

    /// Takes the counts of a port since the last call. Of a packet on the wire, only bytes that have left are counted.
    pub(super) fn take(&mut self, quantity: Quantity, now: Time, port: &Port) -> ByClass {
        let of_port = &mut self.counts[quantity as usize][port.id() as usize];
        let mut counted = std::mem::take(of_port);
        if quantity == Quantity::ClassThroughput {
            let Departure { priority, ends } = self.last[port.id() as usize];
            of_port[priority] = port.still_to_go(ends, now).get();
            counted[priority] -= of_port[priority];
        }
        counted
    }
}
