//! Jobs, as totals and as columns of their operations.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Outcome, Simulation};
use crate::application::Plans;
use crate::application::job::{Names, Part, Plan, Work};
use crate::host::{Flow, Host, UnfinishedFlow};
use crate::kernel::units::{Bytes, Time};
use crate::topology::{Network, NodeId};

/// Value of a column that does not apply, or of an event that has not happened.
const NONE: u64 = u64::MAX;
const NO_INDEX: u32 = u32::MAX;

/// Columns of `job_flows.parquet`: one entry for each operation of a job, in order of workload and file.
#[derive(Clone, Debug, Default)]
pub struct JobFlowColumns {
    /// Position of the job's workload in the scenario.
    pub workload: Vec<u32>,
    /// Name of the operation, as an index into [`super::Report::job_flow_names`].
    pub flow: Vec<u32>,
    /// Sending host, or the host's adapter inside its server, as an index into [`super::Report::node_names`].
    pub source: Vec<u32>,
    /// Receiving host, or the host's adapter inside its server, as an index into [`super::Report::node_names`]. The
    /// source if the operation is no flow.
    pub destination: Vec<u32>,
    /// Application bytes; 0 of a computation.
    pub size_bytes: Vec<u64>,
    /// Number of the flow at its source; `u32::MAX` if the flow has not begun, or is none.
    pub number: Vec<u32>,
    /// Time when the operation began; `u64::MAX` if it has not begun.
    pub start_ns: Vec<u64>,
    /// Time when the receiver had the whole flow, or the operation was done; `u64::MAX` if that was not the case.
    pub received_ns: Vec<u64>,
    /// Time when the flow was acknowledged at its source, or the operation was done; `u64::MAX` if that was not the
    /// case.
    pub finish_ns: Vec<u64>,
    /// Name of the operation that this one waited for longest, as an index into [`super::Report::job_flow_names`]. It
    /// is the one before on its stream if it waited for that last. `u32::MAX` if the operation waited for none, or has
    /// not begun.
    pub waited_for: Vec<u32>,
    /// Time that the source waits after the operation in `waited_for` is done.
    pub delay_ns: Vec<u64>,
    /// Number of the stream that computes; `u32::MAX` if the operation is no computation.
    pub stream: Vec<u32>,
}

/// Record of a job's operation in the run.
#[derive(Clone, Copy, Debug)]
struct Life {
    number: u32,
    start: Time,
    received: Time,
    finish: Time,
}

/// Stands for a life that has not begun.
const UNBORN: Life = Life { number: NO_INDEX, start: Time::MAX, received: Time::MAX, finish: Time::MAX };

/// Records of jobs' operations, by plan and position. The run's own records of flows are freed once they are rows.
#[derive(Debug, Default)]
pub(super) struct Lives(BTreeMap<usize, Vec<Life>>);

impl Lives {
    /// Records a flow that is over, if it belongs to a job.
    pub(super) fn note(&mut self, simulation: &Simulation, flow: &Flow, received: Time, finish: Time) {
        let plans = &simulation.fabric().plans;
        if let Some(place) = plans.job_flow(flow.reception) {
            let life = Life { number: flow.number, start: flow.start, received, finish };
            self.of(place.plan, plans)[place.flow as usize] = life;
        }
    }

    fn of(&mut self, plan: usize, plans: &Plans) -> &mut [Life] {
        let operations = || plans.job(plan).map_or(0, Plan::operations);
        self.0.entry(plan).or_insert_with(|| vec![UNBORN; operations() as usize])
    }

    /// Records the flows that have begun and are not over.
    fn note_unfinished(
        &mut self,
        simulation: &Simulation,
        outcome: &Outcome,
        lost_in_part: &[(NodeId, UnfinishedFlow)],
    ) {
        let under_way = outcome.hosts.iter().flat_map(Host::unfinished);
        for UnfinishedFlow { flow, .. } in lost_in_part.iter().map(|(_, flow)| *flow).chain(under_way) {
            let destination = &outcome.hosts[flow.destination as usize];
            let received = destination.received_at(flow.reception, &simulation.fabric().plans);
            self.note(simulation, &flow, received.unwrap_or(Time::MAX), Time::MAX);
        }
    }

    /// Records what hosts did by themselves.
    fn note_computed(&mut self, number: usize, plan: &Plan, simulation: &Simulation, outcome: &Outcome) {
        let lives = self.of(number, &simulation.fabric().plans);
        for (operation, life) in (0..).zip(lives) {
            let Some(duration) = plan.duration(operation) else { continue };
            let part = outcome.hosts[plan.host(operation) as usize].applications().part(number);
            let Some(start) = part.and_then(|part| part.began(plan, operation)) else { continue };
            let end = start.later(duration);
            let is_done = outcome.end.is_none_or(|last| end < last);
            let end = if is_done { end } else { Time::MAX };
            *life = Life { number: NO_INDEX, start, received: end, finish: end };
        }
    }
}

/// Makes a row for each operation of a job, and the list of their names.
pub(super) fn columns(
    simulation: &Simulation,
    outcome: &Outcome,
    mut lives: Lives,
    lost_in_part: &[(NodeId, UnfinishedFlow)],
) -> (JobFlowColumns, Names) {
    let (mut columns, mut names) = (JobFlowColumns::default(), Names::default());
    let plans = &simulation.fabric().plans;
    let jobs: Vec<(usize, &Plan)> =
        (0..plans.all().len()).filter_map(|number| Some((number, plans.job(number)?))).collect();
    if !jobs.is_empty() {
        lives.note_unfinished(simulation, outcome, lost_in_part);
    }
    for (number, plan) in jobs {
        lives.note_computed(number, plan, simulation, outcome);
        let lives = lives.0.remove(&number).unwrap_or_default();
        columns.push(plan, &lives, names.len() as u32, simulation.network());
        names.append(plan.names());
    }
    (columns, names)
}

impl JobFlowColumns {
    /// Adds the operations of a job. `first_name` is the index of the first one's name.
    fn push(&mut self, plan: &Plan, lives: &[Life], first_name: u32, network: &Network) {
        let streams = Streams::new(plan, lives);
        for (operation, own) in (0..plan.operations()).zip(lives) {
            let (host, has_begun) = (plan.host(operation), own.start < Time::MAX);
            // Where a flow ends it is done when it is whole, where it begins when it is acknowledged.
            let done = |before: u32| {
                let life = &lives[before as usize];
                if plan.destination(before) == host { life.received } else { life.finish }
            };
            let after = plan.after(operation).iter().copied().filter(|_| has_begun);
            let last = after.max_by_key(|&before| done(before));
            let ready = last.map_or(plan.start, done).later(plan.delay(operation));
            let last = streams.before(operation, own.start).filter(|_| own.start > ready).or(last);
            let time = |time: Time| if time < Time::MAX { time.as_nanoseconds() } else { NONE };
            let (size, stream) = match plan.work(operation) {
                Work::Flow { size, .. } | Work::Local { size } => (size, NO_INDEX),
                Work::Compute { stream, .. } => (Bytes::ZERO, stream),
            };
            let [source, destination] = match plan.destination(operation) {
                own if own == host => [host; 2],
                other => network.adapters_between(host, other),
            };
            self.workload.push(plan.workload as u32);
            self.flow.push(first_name + operation);
            self.source.push(source);
            self.destination.push(destination);
            self.size_bytes.push(size.get());
            self.number.push(own.number);
            self.start_ns.push(time(own.start));
            self.received_ns.push(time(own.received));
            self.finish_ns.push(time(own.finish));
            self.waited_for.push(last.map_or(NO_INDEX, |before| first_name + before));
            self.delay_ns.push(plan.delay(operation).as_nanoseconds());
            self.stream.push(stream);
        }
    }
}

/// Computations that have begun, by host, stream and start.
struct Streams<'a> {
    plan: &'a Plan,
    began: Vec<(NodeId, u32, Time, u32)>,
}

impl<'a> Streams<'a> {
    fn new(plan: &'a Plan, lives: &[Life]) -> Self {
        let mut began = Vec::new();
        for (operation, life) in (0..).zip(lives).filter(|(_, life)| life.start < Time::MAX) {
            if let Work::Compute { stream, .. } = plan.work(operation) {
                began.push((plan.host(operation), stream, life.start, operation));
            }
        }
        began.sort_unstable();
        Self { plan, began }
    }

    /// Returns the computation that a stream did before an operation, which began at `start`.
    fn before(&self, operation: u32, start: Time) -> Option<u32> {
        let Work::Compute { stream, .. } = self.plan.work(operation) else { return None };
        let host = self.plan.host(operation);
        let place = self.began.binary_search(&(host, stream, start, operation)).ok()?;
        let &(of, on, _, before) = self.began.get(place.checked_sub(1)?)?;
        (of == host && on == stream).then_some(before)
    }
}

/// Totals of one job.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct JobTotals {
    /// Position of the job's workload in the scenario.
    pub workload: usize,
    /// Number of the job's flows.
    pub flows: u64,
    /// Flows that began.
    pub started: u64,
    /// Flows that were received whole.
    pub finished: u64,
    /// Number of computations and of operations within hosts.
    pub computations: u64,
    /// Computations and operations within hosts that were done.
    pub computed: u64,
    /// Longest chain of computing, as if flows took no time.
    pub computing_ns: u64,
    /// Time from the job's start until the last operation was done; none where some operation is not.
    pub completion_ns: Option<u64>,
}

/// Returns the totals of every job, in the order of their workloads.
pub(super) fn totals(simulation: &Simulation, outcome: &Outcome) -> Vec<JobTotals> {
    let plans = &simulation.fabric().plans;
    let jobs = (0..plans.all().len()).filter_map(|number| Some((number, plans.job(number)?)));
    jobs.map(|(number, plan)| {
        let parts = outcome.hosts.iter().filter_map(|host| host.applications().part(number));
        JobTotals::new(plan, &parts.collect::<Vec<_>>())
    })
    .collect()
}

impl JobTotals {
    fn new(plan: &Plan, parts: &[&Part]) -> Self {
        let (operations, flows) = (u64::from(plan.operations()), plan.flows());
        let finished = parts.iter().map(|part| part.received()).sum();
        let computed = parts.iter().map(|part| part.computed()).sum();
        let last = parts.iter().map(|part| part.last_whole().max(part.last_computed()));
        let last = last.max().unwrap_or_default();
        let is_complete = operations > 0 && finished + computed == operations;
        Self {
            workload: plan.workload,
            flows,
            started: parts.iter().map(|part| part.begun()).sum(),
            finished,
            computations: operations - flows,
            computed,
            computing_ns: plan.computing.as_nanoseconds(),
            completion_ns: is_complete.then(|| last.since(plan.start).as_nanoseconds()),
        }
    }
}
