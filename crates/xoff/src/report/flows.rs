//! Finished flows, with sender and receiver of each put together.
//!
//! A run may leave millions of flows. So a row keeps only the values from which its other columns follow, and the run's
//! own records are freed as rows are made.

use std::collections::BTreeMap;

use super::jobs::Lives;
use super::queries::CompleteQueries;
use super::{Outcome, Simulation};
use crate::host::{FinishedFlow, Repairs, UnfinishedFlow};
use crate::ideal;
use crate::kernel::units::{Bytes, Rate, Span, Time};
use crate::topology::NodeId;

/// Query of a flow that belongs to no query, or to a query that is not complete.
const NO_QUERY: u32 = u32::MAX;

/// Number of a host's records that are freed at a time. One host may have half of all records.
const GIVEN_BACK: usize = 1 << 14;

/// Finished flow.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(test, derive(Default))]
pub struct FlowRow {
    /// Time when the application handed the flow to the transport.
    pub start: Time,
    /// Time when the last byte was at the receiver.
    pub received: Time,
    /// Time when the last byte was acknowledged at the sender. Equal to `received` where nothing is acknowledged.
    pub finish: Time,
    /// Completion time of the same flow alone with an unlimited window.
    pub ideal: Span,
    /// Application bytes.
    pub size: Bytes,
    /// Sending host.
    pub source: NodeId,
    /// Receiving host.
    pub destination: NodeId,
    /// Number of the flow at its source, by which series and pauses name it: `host0.flow3`.
    pub number: u32,
    /// Position of the flow's path in [`Flows::paths`].
    path: u32,
    /// Position of the flow's repairs in [`Flows::repairs`]; 0 for none.
    repairs: u32,
    /// Position of the flow's query, or [`NO_QUERY`].
    query: u32,
    /// Traffic class.
    pub priority: u8,
    /// Index into [`super::Report::transport_names`].
    pub transport: u8,
    /// Position of the flow's workload in the scenario.
    pub workload: u16,
    /// Whether the flow finished after the condition that stops the run was met.
    pub after_stop: bool,
    /// Whether the flow counts in the summary: it started in the measured time, and finished before the stop
    /// condition was met.
    pub measured: bool,
}

impl FlowRow {
    /// Completion time: `finish` minus `start`.
    pub fn completion(&self) -> Span {
        self.finish.since(self.start)
    }

    /// Returns the slowdown: completion time over the ideal completion time.
    pub fn slowdown(&self) -> f64 {
        self.completion().get() as f64 / self.ideal.get() as f64
    }

    /// Position of the complete query that the flow is a request or response of, if it is one.
    pub fn query(&self) -> Option<u32> {
        (self.query != NO_QUERY).then_some(self.query)
    }
}

/// Properties that the paths of many flows share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PathProperties {
    /// Propagation and host delays of the round trip.
    pub base_round_trip: Span,
    /// Rate of the slowest link.
    pub bottleneck: Rate,
}

/// Finished flows of a run.
#[derive(Clone, Debug)]
pub struct Flows {
    /// Row of each flow, in order of start and source.
    pub rows: Vec<FlowRow>,
    paths: Vec<PathProperties>,
    /// Repairs of the flows that had any, after an entry without any for all others.
    repairs: Vec<Repairs>,
}

impl Flows {
    /// Takes the finished flows out of an outcome.
    ///
    /// Also returns the flows that were sent and never received whole, with their sources, and the records of jobs'
    /// flows.
    pub(super) fn take(
        simulation: &Simulation,
        outcome: &mut Outcome,
        complete_queries: &CompleteQueries,
    ) -> (Self, Vec<(NodeId, UnfinishedFlow)>, Lives) {
        let mut rows = Vec::with_capacity(outcome.hosts.iter().map(|host| host.finished().len()).sum());
        let (mut paths, mut lost_in_part, mut lives) = (Paths::default(), Vec::new(), Lives::default());
        let mut repairs = vec![Repairs::default()];
        for source in 0..outcome.hosts.len() {
            let mut finished = outcome.hosts[source].take_finished();
            let source = source as NodeId;
            while !finished.is_empty() {
                let part = finished.split_off(finished.len().saturating_sub(GIVEN_BACK));
                finished.shrink_to_fit();
                rows.extend(part.iter().filter_map(|finished| {
                    let Some(received) = received(simulation, outcome, finished) else {
                        let &FinishedFlow { flow, repairs, .. } = finished;
                        lost_in_part.push((source, UnfinishedFlow { flow, repairs }));
                        return None;
                    };
                    lives.note(simulation, &finished.flow, received, finish(finished, received));
                    let query = complete_queries.of_flow(source, &finished.flow, simulation, outcome);
                    let row = row(simulation, source, finished, received, query, &mut paths);
                    Some(FlowRow { repairs: position(&mut repairs, finished.repairs), ..row })
                }));
            }
        }
        rows.sort_unstable_by_key(|row| (row.start, row.source, row.number));
        if let Some(enough) = simulation.scenario().stop.after_flows {
            flag_after_stop(&mut rows, enough as usize);
        }
        (Self { rows, paths: paths.in_order, repairs }, lost_in_part, lives)
    }

    /// Returns the path of a flow.
    pub fn path(&self, row: &FlowRow) -> PathProperties {
        self.paths[row.path as usize]
    }

    /// Returns the repairs of a flow.
    pub fn repairs(&self, row: &FlowRow) -> Repairs {
        self.repairs[row.repairs as usize]
    }
}

/// Returns the position of the repairs of a flow. Most flows have none, and share the first entry.
fn position(repairs: &mut Vec<Repairs>, of_flow: Repairs) -> u32 {
    if of_flow == Repairs::default() {
        return 0;
    }
    repairs.push(of_flow);
    repairs.len() as u32 - 1
}

fn received(simulation: &Simulation, outcome: &Outcome, finished: &FinishedFlow) -> Option<Time> {
    let destination = &outcome.hosts[finished.flow.destination as usize];
    destination.received_at(finished.flow.reception, &simulation.fabric().plans)
}

/// Returns the time when a flow was acknowledged at its source, or received where nothing is acknowledged.
fn finish(finished: &FinishedFlow, received: Time) -> Time {
    if finished.finish == Time::MAX { received } else { finished.finish }
}

fn row(
    simulation: &Simulation,
    source: NodeId,
    finished: &FinishedFlow,
    received: Time,
    query: Option<u32>,
    paths: &mut Paths,
) -> FlowRow {
    let flow = &finished.flow;
    let transport = flow.transport as usize;
    let ideal = ideal::of_flow(simulation, source, flow.destination, flow.number, flow.size, transport);
    let path = PathProperties { base_round_trip: ideal.base_round_trip, bottleneck: ideal.bottleneck };
    FlowRow {
        start: flow.start,
        received,
        finish: finish(finished, received),
        ideal: ideal.finished,
        size: flow.size,
        source,
        destination: flow.destination,
        number: flow.number,
        path: paths.position(path),
        repairs: 0,
        query: query.unwrap_or(NO_QUERY),
        priority: flow.priority,
        transport: flow.transport,
        workload: flow.workload,
        after_stop: false,
        measured: simulation.scenario().measure.counts(flow.start),
    }
}

/// Flags flows that finished after the stop condition was met, since the run goes on to its next check.
fn flag_after_stop(rows: &mut [FlowRow], enough: usize) {
    if enough >= rows.len() {
        return;
    }
    let mut by_finish: Vec<u32> = (0..rows.len() as u32).collect();
    by_finish.select_nth_unstable_by_key(enough, |&index| (rows[index as usize].finish, index));
    for &index in &by_finish[enough..] {
        let row = &mut rows[index as usize];
        (row.after_stop, row.measured) = (true, false);
    }
}

/// Set of paths, each once.
#[derive(Default)]
struct Paths {
    in_order: Vec<PathProperties>,
    positions: BTreeMap<PathProperties, u32>,
}

impl Paths {
    fn position(&mut self, path: PathProperties) -> u32 {
        *self.positions.entry(path).or_insert_with(|| {
            self.in_order.push(path);
            self.in_order.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_flow_takes_seventy_two_bytes() {
        assert_eq!(size_of::<FlowRow>(), 72);
    }

    #[test]
    fn flows_without_repairs_share_an_entry() {
        let mut repairs = vec![Repairs::default()];
        let of_flows = [0, 2, 0, 1].map(|timeouts| Repairs { timeouts, ..Repairs::default() });
        assert_eq!(of_flows.map(|of_flow| position(&mut repairs, of_flow)), [0, 1, 0, 2]);
        assert_eq!(repairs, [of_flows[0], of_flows[1], of_flows[3]]);
    }
}
