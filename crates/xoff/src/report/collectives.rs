//! Collectives as columns. A collective of a group is complete when all of its ranks have received everything.

use serde::Serialize;

use super::{Outcome, Simulation};
use crate::application::collective::{Iteration, Plan, Rank};
use crate::kernel::units::Time;
use crate::topology::NodeId;

/// Columns of `collectives.parquet`: one entry for each complete collective, in order of workload, group and iteration.
#[derive(Clone, Debug, Default)]
pub struct CollectiveColumns {
    /// Position of the collective's workload in the scenario.
    pub workload: Vec<u32>,
    /// Number of the collective's group in the workload.
    pub group: Vec<u32>,
    /// Number of collectives that the group completed before.
    pub iteration: Vec<u32>,
    /// Time when the first rank began the collective.
    pub start_ns: Vec<u64>,
    /// Time when the last rank had received everything and, where pairs exchange or parts differ, had sent its own.
    pub finish_ns: Vec<u64>,
    /// `finish_ns` minus `start_ns`.
    pub completion_ns: Vec<u64>,
    /// Host that finished last, as an index into [`super::Report::node_names`]; of several the host of the least
    /// rank.
    pub last_host: Vec<u32>,
    /// Number of the collective's flows, of all ranks together.
    pub flows: Vec<u64>,
    /// Algorithm bandwidth: the collective's size over its completion time.
    pub algorithm_bandwidth_gbps: Vec<f64>,
    /// Bus bandwidth: the algorithm bandwidth times the number of times that each byte crosses a rank's link. Where
    /// parts differ, the bytes that the busiest rank sends or receives over the completion time. Compares with the rate
    /// of that link.
    pub bus_bandwidth_gbps: Vec<f64>,
    /// Whether the collective began in the measured time.
    pub measured: Vec<bool>,
}

/// Totals of the collectives of one workload.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CollectiveTotals {
    /// Position of the workload in the scenario.
    pub workload: usize,
    /// Name of the operation.
    pub operation: &'static str,
    /// Name of the algorithm.
    pub algorithm: &'static str,
    /// Number of ranks in a group.
    pub ranks: u32,
    /// Number of groups.
    pub groups: u32,
    /// Bytes that a rank begins or ends with; of a matrix the most that a rank begins with.
    pub size_bytes: u64,
    /// Collectives that any rank has begun.
    pub started: u64,
    /// Collectives that are complete.
    pub finished: u64,
    /// Collectives that were begun and not complete at the end.
    pub unfinished: u64,
}

/// Returns the rows of complete collectives, and totals.
pub(super) fn columns(
    simulation: &Simulation,
    outcome: &Outcome,
) -> (CollectiveColumns, Vec<CollectiveTotals>) {
    let (mut columns, mut totals) = (CollectiveColumns::default(), Vec::<CollectiveTotals>::new());
    let plans = &simulation.fabric().plans;
    for number in 0..plans.all().len() {
        let Some(plan) = plans.collective(number) else { continue };
        let rank = |host: &NodeId| outcome.hosts[*host as usize].applications().rank(number);
        let ranks: Vec<&Rank> = plan.ranks.iter().filter_map(rank).collect();
        let begun = ranks.iter().map(|rank| rank.iterations().len()).max().unwrap_or_default();
        let before = columns.workload.len();
        for iteration in 0..begun {
            columns.push(plan, iteration, &ranks, simulation);
        }
        if totals.last().is_none_or(|last| last.workload != plan.workload) {
            totals.push(CollectiveTotals::new(plan));
        }
        if let Some(totals) = totals.last_mut() {
            let finished = columns.workload.len() - before;
            totals.groups += 1;
            totals.started += begun as u64;
            totals.finished += finished as u64;
            totals.unfinished += (begun - finished) as u64;
        }
    }
    (columns, totals)
}

impl CollectiveTotals {
    fn new(plan: &Plan) -> Self {
        Self {
            workload: plan.workload,
            operation: plan.schedule.operation.name(),
            algorithm: plan.schedule.algorithm.name(),
            ranks: plan.schedule.ranks,
            groups: 0,
            size_bytes: plan.schedule.size.get(),
            started: 0,
            finished: 0,
            unfinished: 0,
        }
    }
}

impl CollectiveColumns {
    /// Adds an iteration if every rank has completed it.
    fn push(&mut self, plan: &Plan, iteration: usize, ranks: &[&Rank], simulation: &Simulation) {
        let of_ranks: Option<Vec<Iteration>> =
            ranks.iter().map(|rank| rank.iterations().get(iteration).copied()).collect();
        let Some(of_ranks) = of_ranks else { return };
        let start = of_ranks.iter().map(|of_rank| of_rank.start).min().unwrap_or_default();
        let finish = of_ranks.iter().map(|of_rank| of_rank.finish).max().unwrap_or_default();
        if finish == Time::MAX {
            return;
        }
        let last = of_ranks.iter().position(|of_rank| of_rank.finish == finish).unwrap_or_default();
        let bandwidth = plan.schedule.size.get() as f64 * 8.0 / finish.since(start).as_seconds() / 1e9;
        self.workload.push(plan.workload as u32);
        self.group.push(plan.group);
        self.iteration.push(iteration as u32);
        self.start_ns.push(start.as_nanoseconds());
        self.finish_ns.push(finish.as_nanoseconds());
        self.completion_ns.push(finish.as_nanoseconds() - start.as_nanoseconds());
        self.last_host.push(plan.ranks[last]);
        self.flows.push(plan.transfers().count() as u64);
        self.algorithm_bandwidth_gbps.push(bandwidth);
        self.bus_bandwidth_gbps.push(bandwidth * plan.crossings());
        self.measured.push(simulation.scenario().measure.counts(start));
    }
}
