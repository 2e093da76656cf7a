//! Counts of each flow between one sample and the next.

use crate::host::Host;
use crate::kernel::units::{Bytes, Time};
use crate::topology::NodeId;

/// Counts of the flows of all hosts.
#[derive(Clone, Debug, Default)]
pub struct FlowCounts {
    /// Bytes that have left each host; empty where they are not counted.
    sent: Vec<Sent>,
    /// CNMs that have reached each host; empty where they are not counted.
    cnms: Vec<Tally>,
}

impl FlowCounts {
    /// Begins to count the bytes that leave each of `hosts` hosts.
    pub fn count_sent(&mut self, hosts: u32) {
        self.sent.resize_with(hosts as usize, Sent::default);
    }

    /// Begins to count the CNMs that reach each of `hosts` hosts.
    pub fn count_cnms(&mut self, hosts: u32) {
        self.cnms.resize_with(hosts as usize, Tally::default);
    }

    /// Whether anything is counted.
    pub fn is_counting(&self) -> bool {
        !self.sent.is_empty() || !self.cnms.is_empty()
    }

    pub(super) fn on_sent(&mut self, host: NodeId, flow: u32, wire: Bytes, ends: Time) {
        if let Some(sent) = self.sent.get_mut(host as usize) {
            sent.tally.add(flow, wire.get());
            sent.last = Some(Departure { flow, ends });
        }
    }

    pub(super) fn on_cnm(&mut self, host: NodeId, flow: u32) {
        if let Some(cnms) = self.cnms.get_mut(host as usize) {
            cnms.add(flow, 1);
        }
    }

    /// Takes the bytes that flows of a host have put on the wire since the last call.
    /// Of a packet on the wire, only bytes that have left are counted.
    pub(super) fn take_sent(&mut self, now: Time, host: &Host) -> Vec<(u32, u64)> {
        let sent = &mut self.sent[host.id() as usize];
        let still_to_go = sent.last.map_or(Bytes::ZERO, |last| host.port().still_to_go(last.ends, now));
        let Some(Departure { flow, .. }) = sent.last.filter(|_| still_to_go != Bytes::ZERO) else {
            return sent.tally.take(host.flows_under_way());
        };
        sent.tally.subtract(flow, still_to_go.get());
        let counts = sent.tally.take(host.flows_under_way());
        sent.tally.add(flow, still_to_go.get());
        counts
    }

    /// Takes the number of CNMs for each flow of a host since the last call.
    pub(super) fn take_cnms(&mut self, host: &Host) -> Vec<(u32, u64)> {
        self.cnms[host.id() as usize].take(host.flows_under_way())
    }
}

/// Bytes that have left one host.
#[derive(Clone, Debug, Default)]
struct Sent {
    tally: Tally,
    last: Option<Departure>,
}

/// Last packet of data that a host put on the wire.
#[derive(Clone, Copy, Debug)]
struct Departure {
    flow: u32,
    ends: Time,
}

/// Count for each flow of one host.
#[derive(Clone, Debug, Default)]
struct Tally {
    /// Counts by the flow's number.
    counts: Vec<u64>,
    /// Flows with a count above 0.
    counted: Vec<u32>,
    /// Flows with a count in the interval before. They get a last row, of 0.
    counted_before: Vec<u32>,
}

impl Tally {
    fn add(&mut self, flow: u32, count: u64) {
        let place = flow as usize;
        if place >= self.counts.len() {
            self.counts.resize(place + 1, 0);
        }
        if self.counts[place] == 0 {
            self.counted.push(flow);
        }
        self.counts[place] += count;
    }

    /// Subtracts from the count of a flow.
    fn subtract(&mut self, flow: u32, count: u64) {
        self.counts[flow as usize] -= count;
    }

    /// Takes the counts of all flows that are under way, have a count, or had a count in the interval before.
    fn take(&mut self, under_way: impl Iterator<Item = u32>) -> Vec<(u32, u64)> {
        let mut flows: Vec<u32> = under_way.chain(self.counted_before.drain(..)).collect();
        flows.extend(&self.counted);
        flows.sort_unstable();
        flows.dedup();
        std::mem::swap(&mut self.counted, &mut self.counted_before);
        let count = |flow: u32| self.counts.get_mut(flow as usize).map_or(0, std::mem::take);
        flows.iter().copied().zip(flows.iter().copied().map(count)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_that_is_over_is_told_of_once_more() {
        let mut tally = Tally::default();
        tally.add(3, 100);
        tally.add(1, 10);
        tally.add(3, 1);
        assert_eq!(tally.take([0, 1].into_iter()), [(0, 0), (1, 10), (3, 101)]);
        assert_eq!(tally.take([7].into_iter()), [(1, 0), (3, 0), (7, 0)]);
        assert_eq!(tally.take([].into_iter()), []);
    }
}
