//! Applications: flows that hosts start in answer to one another, each step when the one before is done.
//!
//! Each side lives in one host, and knows of the other only by what arrives. Both sides look up the same plan. A flow
//! of an application carries a channel and a turn, by which its receiver knows which step of the plan it belongs to.

pub mod collective;
pub mod job;
pub mod matrix;
pub mod query;
pub mod schedule;

use std::sync::Arc;

use crate::kernel::rng::{Rng, below};
use crate::kernel::units::Span;
use crate::topology::NodeId;

/// Bit that is set in the number by which the receiver knows a flow of an application.
const OF_APPLICATION: u32 = 1 << 31;

/// Flow of an application as its receiver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Channel of the flow, which tells the plan and the role of a host in the plan.
    pub channel: u32,
    /// Number of flows that the channel carried before this flow.
    pub turn: u32,
}

/// Plan of what some hosts do together.
#[derive(Clone, Debug)]
pub enum Plan {
    /// Queries of one workload.
    Query(query::Plan),
    /// Collectives of one group of hosts.
    Collective(collective::Plan),
    /// Job of one workload.
    Job(Arc<job::Plan>),
}

impl Plan {
    /// Position of the workload in the scenario.
    pub fn workload(&self) -> usize {
        match self {
            Self::Query(plan) => plan.workload,
            Self::Collective(plan) => plan.workload,
            Self::Job(plan) => plan.workload,
        }
    }

    /// Index of the transport of the plan's flows.
    pub fn transport(&self) -> u8 {
        match self {
            Self::Query(plan) => plan.transport,
            Self::Collective(plan) => plan.transport,
            Self::Job(plan) => plan.transport,
        }
    }

    /// Whether a host has a part in the plan.
    pub fn concerns(&self, host: NodeId) -> bool {
        match self {
            Self::Query(plan) => plan.aggregator(host).or(plan.worker(host)).is_some(),
            Self::Collective(plan) => plan.rank(host).is_some(),
            Self::Job(plan) => plan.concerns(host),
        }
    }

    /// Longest time that a run may rest while a step is under way and the next one only waits for its time.
    pub fn longest_rest(&self) -> Span {
        match self {
            Self::Query(plan) => plan.longest_rest(),
            Self::Collective(plan) => plan.longest_rest(),
            Self::Job(plan) => plan.longest_rest(),
        }
    }

    /// Most flows that the plan can have.
    pub fn flows(&self) -> u64 {
        match self {
            Self::Query(plan) => plan.flows(),
            Self::Collective(plan) => plan.flows(),
            Self::Job(plan) => plan.flows(),
        }
    }

    fn channels(&self) -> u32 {
        match self {
            Self::Query(plan) => plan.channels(),
            Self::Collective(plan) => plan.channels(),
            Self::Job(plan) => plan.channels(),
        }
    }
}

/// Plans of a run, which every host may look up.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    all: Vec<Plan>,
    /// First channel of each plan.
    first_channels: Vec<u32>,
    channels: u32,
    /// Bits of a number that hold the turn.
    turn_bits: u32,
}

impl Plans {
    /// Collects `plans`, and numbers the channels of all plans one after another.
    pub fn new(plans: Vec<Plan>) -> Self {
        let mut channels = 0;
        let first_channels = plans.iter().map(|plan| {
            let first = channels;
            channels += plan.channels();
            first
        });
        let first_channels = first_channels.collect();
        let channel_bits = u32::BITS - channels.saturating_sub(1).leading_zeros();
        Self {
            all: plans,
            first_channels,
            channels,
            turn_bits: OF_APPLICATION.trailing_zeros() - channel_bits,
        }
    }

    /// Limits the queries of each aggregator to the requests that turns can tell apart.
    #[must_use]
    pub fn within_turns(mut self) -> Self {
        let most = self.most_turns();
        for plan in &mut self.all {
            if let Plan::Query(plan) = plan {
                plan.most = plan.most.min(most);
            }
        }
        self
    }

    /// Plans of all applications, in the order of the workloads.
    pub fn all(&self) -> &[Plan] {
        &self.all
    }

    /// Returns the plan with number `plan` if it is a plan of queries.
    pub fn query(&self, plan: usize) -> Option<&query::Plan> {
        if let Plan::Query(plan) = &self.all[plan] { Some(plan) } else { None }
    }

    /// Returns the plan with number `plan` if it is a plan of collectives.
    pub fn collective(&self, plan: usize) -> Option<&collective::Plan> {
        if let Plan::Collective(plan) = &self.all[plan] { Some(plan) } else { None }
    }

    /// Returns the plan with number `plan` if it is the plan of a job.
    pub fn job(&self, plan: usize) -> Option<&job::Plan> {
        if let Plan::Job(plan) = &self.all[plan] { Some(plan) } else { None }
    }

    /// Returns the flow that its receiver knows by `number`, if the flow belongs to a job.
    pub fn job_flow(&self, number: u32) -> Option<JobFlow> {
        let Arrival { channel, turn } = self.arrival(number)?;
        let (plan, receiver) = self.of_channel(channel);
        Some(JobFlow { plan, flow: self.job(plan)?.flow(receiver, turn) })
    }

    /// Number of channels of all plans.
    pub fn channels(&self) -> u32 {
        self.channels
    }

    /// Number of flows that one channel can carry.
    pub fn most_turns(&self) -> u64 {
        1 << self.turn_bits
    }

    /// Number of a plan's channel among all channels.
    pub fn channel(&self, plan: usize, within: u32) -> u32 {
        self.first_channels[plan] + within
    }

    /// Returns the plan of a channel, and the channel's number there.
    pub fn of_channel(&self, channel: u32) -> (usize, u32) {
        let plan = self.first_channels.partition_point(|&first| first <= channel) - 1;
        (plan, channel - self.first_channels[plan])
    }

    /// Number by which the receiver knows a flow.
    ///
    /// # Panics
    ///
    /// Panics after [`Self::most_turns`] flows of one channel.
    pub fn number(&self, arrival: Arrival) -> u32 {
        assert!(u64::from(arrival.turn) < self.most_turns(), "a channel has carried all flows that it can");
        OF_APPLICATION | arrival.channel << self.turn_bits | arrival.turn
    }

    /// Returns what a number stands for; none if its flow does not belong to an application.
    pub fn arrival(&self, number: u32) -> Option<Arrival> {
        if number & OF_APPLICATION == 0 {
            return None;
        }
        let number = number & !OF_APPLICATION;
        Some(Arrival { channel: number >> self.turn_bits, turn: number & ((1 << self.turn_bits) - 1) })
    }
}

/// Flow of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobFlow {
    /// Number of the job's plan.
    pub plan: usize,
    /// Position of the flow in the job.
    pub flow: u32,
}

/// Draws one of some traffic classes, all equally likely.
fn draw(priorities: &[u8], rng: &mut Rng) -> u8 {
    match priorities {
        [priority] => *priority,
        several => several[below(rng, several.len() as u64) as usize],
    }
}

#[cfg(test)]
mod tests {
    use super::query::Carries;
    use super::query::testing::plan;
    use super::*;

    #[test]
    fn queries_without_end_stop_while_they_can_be_told_apart() {
        let without_end = query::Plan { most: u64::MAX, ..plan(3, 2) };
        let plans = Plans::new([without_end, plan(1, 40)].map(Plan::Query).to_vec()).within_turns();
        assert_eq!([0, 1].map(|index| plans.query(index).unwrap().most), [1 << 25, 3]);
    }

    #[test]
    fn a_number_tells_channel_and_turn_and_a_channel_its_plan_and_host() {
        let queries = [plan(3, 2), plan(1, 40)];
        let plans = Plans::new(queries.clone().map(Plan::Query).to_vec());
        assert_eq!((plans.channels(), plans.most_turns()), (46, 1 << 25));
        for (index, carries) in [
            (0, Carries::Requests(0)),
            (0, Carries::Requests(2)),
            (0, Carries::Responses(1)),
            (1, Carries::Requests(0)),
            (1, Carries::Responses(39)),
        ] {
            let channel = plans.channel(index, queries[index].channel(carries));
            let (plan, within) = plans.of_channel(channel);
            assert_eq!((plan, queries[plan].carries(within)), (index, carries));
            let arrival = Arrival { channel, turn: (1 << 25) - 1 };
            assert_eq!(plans.arrival(plans.number(arrival)), Some(arrival));
        }
        assert_eq!(plans.arrival(7), None);
    }
}
