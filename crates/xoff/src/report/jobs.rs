//! What jobs have come to.

use serde::Serialize;

use super::{Outcome, Simulation};
use crate::application::job::{Part, Plan};
use crate::kernel::units::Time;

/// One job.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct JobTotals {
    /// Position of its workload in the scenario.
    pub workload: usize,
    /// Its flows.
    pub flows: u64,
    /// Of them, those that began.
    pub started: u64,
    /// Those that were received whole.
    pub finished: u64,
    /// The longest chain of computing, had its flows taken no time.
    pub computing_ns: u64,
    /// From its start until the last flow was whole; nothing where one is not.
    pub completion_ns: Option<u64>,
}

/// Each of them, in the order of their workloads.
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
