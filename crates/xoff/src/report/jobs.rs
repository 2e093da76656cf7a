//! Jobs, as totals and as columns of their flows.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{Outcome, Simulation};
use crate::application::JobFlow;
use crate::application::job::{Part, Plan};
use crate::host::{Flow, Host, UnfinishedFlow};
use crate::kernel::units::Time;
use crate::topology::{Network, NodeId};

/// Value of a column that does not apply, or of an event that has not happened.
const NONE: u64 = u64::MAX;
const NO_INDEX: u32 = u32::MAX;

/// Columns of `job_flows.parquet`: one entry for each flow of a job, in order of workload and file.
#[derive(Clone, Debug, Default)]
pub struct JobFlowColumns {
    /// Position of the job's workload in the scenario.
    pub workload: Vec<u32>,
    /// Name of the flow, as an index into [`super::Report::job_flow_names`].
    pub flow: Vec<u32>,
    /// Sending host, or the host's adapter inside its server, as an index into [`super::Report::node_names`].
    pub source: Vec<u32>,
    /// Receiving host, or the host's adapter inside its server, as an index into [`super::Report::node_names`].
    pub destination: Vec<u32>,
    /// Application bytes.
    pub size_bytes: Vec<u64>,
    /// Number of the flow at its source; `u32::MAX` if the flow has not begun.
    pub number: Vec<u32>,
    /// Time when the flow began; `u64::MAX` if it has not begun.
    pub start_ns: Vec<u64>,
    /// Time when the receiver had the whole flow; `u64::MAX` if it had not.
    pub received_ns: Vec<u64>,
    /// Time when the flow was acknowledged at its source; `u64::MAX` if it was not.
    pub finish_ns: Vec<u64>,
    /// Name of the flow that this flow waited for longest, as an index into [`super::Report::job_flow_names`].
    /// `u32::MAX` if the flow waited for none, or has not begun.
    pub waited_for: Vec<u32>,
    /// Time that the source computes after the flow in `waited_for` is done.
    pub delay_ns: Vec<u64>,
}

/// Record of a job's flow in the run.
#[derive(Clone, Copy, Debug)]
struct Life {
    number: u32,
    start: Time,
    received: Time,
    finish: Time,
}

/// Records of jobs' flows. The run's own records are freed once they are rows.
#[derive(Debug, Default)]
pub(super) struct Lives(BTreeMap<JobFlow, Life>);

impl Lives {
    /// Records a flow that is over, if it belongs to a job.
    pub(super) fn note(&mut self, simulation: &Simulation, flow: &Flow, received: Time, finish: Time) {
        if let Some(place) = simulation.fabric().plans.job_flow(flow.reception) {
            self.0.insert(place, Life { number: flow.number, start: flow.start, received, finish });
        }
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
}

/// Makes a row for each flow of a job, and the list of the flows' names.
pub(super) fn columns(
    simulation: &Simulation,
    outcome: &Outcome,
    mut lives: Lives,
    lost_in_part: &[(NodeId, UnfinishedFlow)],
) -> (JobFlowColumns, Vec<String>) {
    let (mut columns, mut names) = (JobFlowColumns::default(), Vec::new());
    let plans = &simulation.fabric().plans;
    let jobs: Vec<(usize, &Plan)> =
        (0..plans.all().len()).filter_map(|number| Some((number, plans.job(number)?))).collect();
    if !jobs.is_empty() {
        lives.note_unfinished(simulation, outcome, lost_in_part);
    }
    for (number, plan) in jobs {
        columns.push(number, plan, &lives, names.len() as u32, simulation.network());
        names.extend_from_slice(plan.names());
    }
    (columns, names)
}

impl JobFlowColumns {
    /// Adds the flows of a job. `first_name` is the index of the first flow's name.
    fn push(&mut self, number: usize, plan: &Plan, lives: &Lives, first_name: u32, network: &Network) {
        let life = |flow: u32| lives.0.get(&JobFlow { plan: number, flow });
        for (position, flow) in (0..).zip(plan.flows()) {
            let (row, own) = (&flow.row, life(position));
            // Where a flow ends it is done when it is whole, where it begins when it is acknowledged.
            let done = |before: u32| {
                let ends_here = plan.flows()[before as usize].row.destination == row.source;
                life(before).map_or(Time::MAX, |life| if ends_here { life.received } else { life.finish })
            };
            let last = row.after.iter().copied().max_by_key(|&before| done(before)).filter(|_| own.is_some());
            let time = |of: fn(&Life) -> Time| {
                own.map(of).filter(|time| *time < Time::MAX).map_or(NONE, Time::as_nanoseconds)
            };
            self.workload.push(plan.workload as u32);
            self.flow.push(first_name + position);
            let [source, destination] = network.adapters_between(row.source, row.destination);
            self.source.push(source);
            self.destination.push(destination);
            self.size_bytes.push(row.size.get());
            self.number.push(own.map_or(NO_INDEX, |life| life.number));
            self.start_ns.push(time(|life| life.start));
            self.received_ns.push(time(|life| life.received));
            self.finish_ns.push(time(|life| life.finish));
            self.waited_for.push(last.map_or(NO_INDEX, |before| first_name + before));
            self.delay_ns.push(row.delay.as_nanoseconds());
        }
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
    /// Longest chain of computing, as if flows took no time.
    pub computing_ns: u64,
    /// Time from the job's start until the last flow was whole; none where some flow is not.
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
        let flows = plan.flows().len() as u64;
        let finished = parts.iter().map(|part| part.received()).sum();
        let last = parts.iter().map(|part| part.last_whole()).max().unwrap_or(Time::ZERO);
        Self {
            workload: plan.workload,
            flows,
            started: parts.iter().map(|part| part.begun()).sum(),
            finished,
            computing_ns: plan.computing.as_nanoseconds(),
            completion_ns: (flows > 0 && finished == flows).then(|| last.since(plan.start).as_nanoseconds()),
        }
    }
}
