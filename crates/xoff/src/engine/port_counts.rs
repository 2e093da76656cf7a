//! What is counted of each class of each port between one sample and the next.

use super::sampler::Quantity;
use crate::kernel::units::{Bytes, Time};
use crate::packet::PRIORITIES;
use crate::port::Port;
use crate::topology::PortId;

type ByClass = [u64; PRIORITIES];

/// Counts of the classes of all ports; each list is empty where that is not counted.
#[derive(Clone, Debug, Default)]
pub struct PortCounts {
    marks: Vec<ByClass>,
    drops: Vec<ByClass>,
    /// Bytes on the wire.
    sent: Vec<ByClass>,
    /// The last packet that each port put on the wire.
    last: Vec<Departure>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Departure {
    priority: usize,
    ends: Time,
}

impl PortCounts {
    /// From now on counts this of so many ports.
    pub fn count(&mut self, quantity: Quantity, ports: usize) {
        match quantity {
            Quantity::Marks => self.marks.resize(ports, ByClass::default()),
            Quantity::Drops => self.drops.resize(ports, ByClass::default()),
            Quantity::ClassThroughput => {
                self.sent.resize(ports, ByClass::default());
                self.last.resize(ports, Departure::default());
            }
            _ => unreachable!("nothing that is counted by class"),
        }
    }

    /// Whether anything is counted.
    pub fn is_counting(&self) -> bool {
        [&self.marks, &self.drops, &self.sent].iter().any(|counts| !counts.is_empty())
    }

    pub(super) fn on_mark(&mut self, port: PortId, priority: usize) {
        if let Some(of_port) = self.marks.get_mut(port as usize) {
            of_port[priority] += 1;
        }
    }

    pub(super) fn on_drop(&mut self, port: PortId, priority: usize) {
        if let Some(of_port) = self.drops.get_mut(port as usize) {
            of_port[priority] += 1;
        }
    }

    pub(super) fn on_sent(&mut self, port: PortId, priority: usize, wire: Bytes, ends: Time) {
        if let Some(of_port) = self.sent.get_mut(port as usize) {
            of_port[priority] += wire.get();
            self.last[port as usize] = Departure { priority, ends };
        }
    }

    /// What was counted of a port since this was last asked; of bytes of a packet under way only those that have left.
    pub(super) fn take(&mut self, quantity: Quantity, now: Time, port: &Port) -> ByClass {
        let counts = match quantity {
            Quantity::Marks => &mut self.marks,
            Quantity::Drops => &mut self.drops,
            _ => &mut self.sent,
        };
        let mut counted = std::mem::take(&mut counts[port.id() as usize]);
        if quantity == Quantity::ClassThroughput {
            let last = self.last[port.id() as usize];
            let still_to_go = port.still_to_go(last.ends, now).get();
            counted[last.priority] -= still_to_go;
            self.sent[port.id() as usize][last.priority] = still_to_go;
        }
        counted
    }
}
