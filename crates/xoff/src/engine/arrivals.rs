//! Arrivals: flows as the workloads draw them, numbered at both of their ends.
//! Every thread draws all flows and keeps its own, which is cheaper than messages between threads.

use crate::host::{Flow, FlowStart};
use crate::kernel::units::{Span, Time};
use crate::topology::{Network, NodeId, Servers};
use crate::workload::{FlowSpec, Source};

/// Flows still to come.
#[derive(Clone, Debug)]
pub struct Arrivals {
    sources: Vec<Source>,
    heads: Vec<Option<FlowSpec>>,
    departures: Vec<u32>,
    receptions: Vec<u32>,
    servers: Option<Servers>,
    /// Time skipped so far, by which flows start sooner on the network's clock.
    skipped: Span,
}

impl Arrivals {
    /// Returns all flows of the given workloads between hosts of a network.
    pub fn new(mut sources: Vec<Source>, network: &Network) -> Self {
        let heads = sources.iter_mut().map(Iterator::next).collect();
        let none_yet = vec![0; network.hosts as usize];
        Self {
            sources,
            heads,
            departures: none_yet.clone(),
            receptions: none_yet,
            servers: network.servers,
            skipped: Span::ZERO,
        }
    }

    /// Returns the start of the next flow; `Time::MAX` without one.
    pub fn next_start(&self) -> Time {
        let next = self.heads.iter().flatten().map(|flow| flow.start).min().unwrap_or(Time::MAX);
        next.earlier(self.skipped)
    }

    /// Brings all flows forward by `span`, which is skipped.
    pub fn skip(&mut self, span: Span) {
        self.skipped += span;
    }

    /// Announces every flow that starts before `end` to the adapter that sends it, in order of start and of workload.
    pub fn announce_until(&mut self, end: Time, mut announce: impl FnMut(NodeId, FlowStart)) {
        while let Some(earliest) = self.earliest_before(end.later(self.skipped)) {
            let head = &mut self.heads[earliest];
            let Some(drawn) = std::mem::replace(head, self.sources[earliest].next()) else { return };
            let [source, destination] = Servers::between(self.servers, drawn.source, drawn.destination);
            let flow = Flow {
                start: drawn.start.earlier(self.skipped),
                number: take_number(&mut self.departures[source as usize]),
                destination,
                reception: take_number(&mut self.receptions[destination as usize]),
                size: drawn.size,
                priority: drawn.priority,
                transport: drawn.transport,
                workload: earliest as u16,
            };
            announce(source, FlowStart { flow, end: drawn.end.earlier(self.skipped) });
        }
    }

    /// Returns the number of the next flow to a host, which no workload draws.
    pub(super) fn take_reception(&mut self, destination: NodeId) -> u32 {
        take_number(&mut self.receptions[destination as usize])
    }

    fn earliest_before(&self, end: Time) -> Option<usize> {
        let starts =
            self.heads.iter().enumerate().filter_map(|(index, flow)| Some((flow.as_ref()?.start, index)));
        starts.min().filter(|&(start, _)| start < end).map(|(_, index)| index)
    }
}

fn take_number(next: &mut u32) -> u32 {
    *next += 1;
    *next - 1
}
