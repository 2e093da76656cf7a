//! Queries as columns, and the query that each flow belongs to.

use serde::Serialize;

use super::{Flows, Outcome, Simulation};
use crate::application::Plans;
use crate::application::query::{Aggregator, Carries};
use crate::host::Flow;
use crate::kernel::units::{Span, Time};
use crate::topology::NodeId;

/// Columns of `queries.parquet`: one entry for each complete query, in order of start and aggregator.
#[derive(Clone, Debug, Default)]
pub struct QueryColumns {
    /// Position of the query in order of start and aggregator.
    pub query_id: Vec<u64>,
    /// Position of the query's workload in the scenario.
    pub workload: Vec<u32>,
    /// Host that sends the query, as an index into [`super::Report::node_names`].
    pub aggregator: Vec<u32>,
    /// Number of workers that the aggregator asks.
    pub fan_in: Vec<u32>,
    /// Bytes of all responses to the query together.
    pub response_bytes: Vec<u64>,
    /// Time when the query began.
    pub start_ns: Vec<u64>,
    /// Time when the last response was whole.
    pub finish_ns: Vec<u64>,
    /// `finish_ns` minus `start_ns`.
    pub completion_ns: Vec<u64>,
    /// Expiries of the retransmission timers of the query's requests and responses.
    pub timeouts: Vec<u32>,
    /// Whether the query took longer than its deadline.
    pub late: Vec<bool>,
    /// Whether the query began in the measured time.
    pub measured: Vec<bool>,
}

/// Totals of the queries of all workloads.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct QueryTotals {
    /// Queries begun.
    pub started: u64,
    /// Queries complete.
    pub finished: u64,
    /// Queries begun and not complete at the end.
    pub unfinished: u64,
    /// Complete queries with a request or response whose retransmission timer expired.
    pub with_timeouts: u64,
    /// Queries that took longer than their deadline, or had by the end.
    pub late: u64,
}

/// Key of a complete query: its start, its aggregator, and its place at the aggregator.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    start: Time,
    host: NodeId,
    plan: usize,
    number: u32,
}

/// Complete queries, in order.
pub(super) struct CompleteQueries(Vec<Key>);

impl CompleteQueries {
    pub(super) fn new(outcome: &Outcome) -> Self {
        let mut keys = Vec::new();
        for host in &outcome.hosts {
            for (plan, aggregator) in host.applications().aggregators() {
                let numbered = (0..).zip(aggregator.queries()).filter(|(_, query)| query.is_complete());
                keys.extend(numbered.map(|(number, query)| Key {
                    start: query.start,
                    host: host.id(),
                    plan,
                    number,
                }));
            }
        }
        keys.sort_unstable();
        Self(keys)
    }

    /// Position of the complete query that a flow belongs to, if it belongs to one.
    pub(super) fn of_flow(
        &self,
        source: NodeId,
        flow: &Flow,
        simulation: &Simulation,
        outcome: &Outcome,
    ) -> Option<u32> {
        let key = key_of(flow, source, &simulation.fabric().plans, outcome)?;
        self.0.binary_search(&key).ok().map(|position| position as u32)
    }
}

/// Rows and totals of queries.
pub(super) struct QueryReport {
    pub(super) columns: QueryColumns,
    pub(super) totals: QueryTotals,
}

impl QueryReport {
    pub(super) fn new(
        simulation: &Simulation,
        outcome: &Outcome,
        complete: &CompleteQueries,
        flows: &Flows,
        end: Time,
    ) -> Self {
        let plans = &simulation.fabric().plans;
        let mut columns = QueryColumns::default();
        for (id, key) in complete.0.iter().enumerate() {
            columns.push(id as u64, key, simulation, outcome);
        }
        for row in &flows.rows {
            if let Some(query) = row.query() {
                columns.timeouts[query as usize] += flows.repairs(row).timeouts;
            }
        }
        Self { totals: totals(&columns, plans, outcome, end), columns }
    }
}

impl QueryColumns {
    fn push(&mut self, id: u64, key: &Key, simulation: &Simulation, outcome: &Outcome) {
        let plans = &simulation.fabric().plans;
        let (Some(plan), Some(aggregator)) = (plans.query(key.plan), aggregator(outcome, key.host, key.plan))
        else {
            return;
        };
        let query = aggregator.queries()[key.number as usize];
        let completion = query.finish.since(query.start);
        self.query_id.push(id);
        self.workload.push(plan.workload as u32);
        self.aggregator.push(key.host);
        self.fan_in.push(plan.fan_in);
        self.response_bytes.push((plan.response * u64::from(plan.fan_in)).get());
        self.start_ns.push(query.start.as_nanoseconds());
        self.finish_ns.push(query.finish.as_nanoseconds());
        self.completion_ns.push(query.finish.as_nanoseconds() - query.start.as_nanoseconds());
        self.timeouts.push(0);
        self.late.push(is_late(completion, plan.deadline));
        self.measured.push(simulation.scenario().measure.counts(query.start));
    }
}

fn is_late(taken: Span, deadline: Option<Span>) -> bool {
    deadline.is_some_and(|deadline| taken > deadline)
}

fn aggregator(outcome: &Outcome, host: NodeId, plan: usize) -> Option<&Aggregator> {
    outcome.hosts[host as usize].applications().aggregator(plan)
}

/// Returns the key of the query that a flow belongs to, if it belongs to one.
fn key_of(flow: &Flow, source: NodeId, plans: &Plans, outcome: &Outcome) -> Option<Key> {
    let arrival = plans.arrival(flow.reception)?;
    let (plan, within) = plans.of_channel(arrival.channel);
    let query = plans.query(plan)?;
    let (host, worker) = match query.carries(within) {
        Carries::Requests(_) => (source, query.worker(flow.destination)?),
        Carries::Responses(worker) => (flow.destination, worker),
    };
    let aggregator = aggregator(outcome, host, plan)?;
    let number = aggregator.query_of(worker, arrival.turn);
    Some(Key { start: aggregator.queries()[number as usize].start, host, plan, number })
}

fn totals(columns: &QueryColumns, plans: &Plans, outcome: &Outcome, end: Time) -> QueryTotals {
    let finished = columns.query_id.len() as u64;
    let (mut started, mut late) = (0, 0);
    for (plan, aggregator) in outcome.hosts.iter().flat_map(|host| host.applications().aggregators()) {
        let deadline = plans.query(plan).and_then(|plan| plan.deadline);
        started += aggregator.queries().len() as u64;
        let taken = aggregator.queries().iter().map(|query| query.finish.min(end).since(query.start));
        late += taken.filter(|&taken| is_late(taken, deadline)).count() as u64;
    }
    QueryTotals {
        started,
        finished,
        unfinished: started - finished,
        with_timeouts: columns.timeouts.iter().filter(|&&timeouts| timeouts > 0).count() as u64,
        late,
    }
}
