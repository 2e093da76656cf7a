//! Applications: what hosts ask of one another, each step when the one before is done.
//! Each side lives in one host and knows of the other only what arrives; both look up the same plan.

pub mod collective;
pub mod job;
pub mod query;
pub mod schedule;

use crate::kernel::rng::{Rng, below};
use crate::kernel::units::Span;
use crate::topology::NodeId;

/// Set in the number by which the receiver knows a flow of an application.
const OF_APPLICATION: u32 = 1 << 31;

/// A flow of an application as its receiver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Whose flow, and in which role that host sent it.
    pub channel: u32,
    /// How many came by this channel before.
    pub turn: u32,
}

/// What some hosts do together.
#[derive(Clone, Debug)]
pub enum Plan {
    /// The queries of one workload.
    Query(query::Plan),
    /// The collectives of one group of hosts.
    Collective(collective::Plan),
    /// One job.
    Job(job::Plan),
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

    /// Index of the transport of its flows.
    pub fn transport(&self) -> u8 {
        match self {
            Self::Query(plan) => plan.transport,
            Self::Collective(plan) => plan.transport,
            Self::Job(plan) => plan.transport,
        }
    }

    /// Whether a host has a part in it.
    pub fn concerns(&self, host: NodeId) -> bool {
        match self {
            Self::Query(plan) => plan.aggregator(host).or(plan.worker(host)).is_some(),
            Self::Collective(plan) => plan.rank(host).is_some(),
            Self::Job(plan) => plan.concerns(host),
        }
    }

    /// The longest that a run may rest while a step is under way and the next one only waits for its time.
    pub fn longest_rest(&self) -> Span {
        match self {
            Self::Query(plan) => plan.longest_rest(),
            Self::Collective(plan) => plan.compute,
            Self::Job(plan) => plan.longest_delay(),
        }
    }

    /// The most flows that it can have.
    pub fn flows(&self) -> u64 {
        match self {
            Self::Query(plan) => plan.flows(),
            Self::Collective(plan) => plan.flows(),
            Self::Job(plan) => plan.flows().len() as u64,
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

/// All plans, which every host may look up.
#[derive(Clone, Debug, Default)]
pub struct Plans {
    all: Vec<Plan>,
    /// The first channel of each plan.
    first_channels: Vec<u32>,
    channels: u32,
    /// Bits of a number that tell the turn.
    turn_bits: u32,
}

impl Plans {
    /// These plans, whose channels are numbered one after another.
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

    /// The same, each aggregator of which stops before its requests can no longer be told apart.
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

    /// Each of them, in the order of their workloads.
    pub fn all(&self) -> &[Plan] {
        &self.all
    }

    /// The plan of this number if it is of queries.
    pub fn query(&self, plan: usize) -> Option<&query::Plan> {
        if let Plan::Query(plan) = &self.all[plan] { Some(plan) } else { None }
    }

    /// The plan of this number if it is of collectives.
    pub fn collective(&self, plan: usize) -> Option<&collective::Plan> {
        if let Plan::Collective(plan) = &self.all[plan] { Some(plan) } else { None }
    }

    /// The plan of this number if it is a job.
    pub fn job(&self, plan: usize) -> Option<&job::Plan> {
        if let Plan::Job(plan) = &self.all[plan] { Some(plan) } else { None }
    }

    /// The flow of a job that its receiver knows by this number, if it is one.
    pub fn job_flow(&self, number: u32) -> Option<JobFlow> {
        let Arrival { channel, turn } = self.arrival(number)?;
        let (plan, receiver) = self.of_channel(channel);
        Some(JobFlow { plan, flow: self.job(plan)?.flow(receiver, turn) })
    }

    /// How many channels all plans have.
    pub fn channels(&self) -> u32 {
        self.channels
    }

    /// Flows that one channel can carry.
    pub fn most_turns(&self) -> u64 {
        1 << self.turn_bits
    }

    /// The channel of this number `within` a plan.
    pub fn channel(&self, plan: usize, within: u32) -> u32 {
        self.first_channels[plan] + within
    }

    /// The plan that a channel is of, and its number there.
    pub fn of_channel(&self, channel: u32) -> (usize, u32) {
        let plan = self.first_channels.partition_point(|&first| first <= channel) - 1;
        (plan, channel - self.first_channels[plan])
    }

    /// The number by which its receiver knows a flow.
    ///
    /// # Panics
    ///
    /// After [`Self::most_turns`] flows of one channel.
    pub fn number(&self, arrival: Arrival) -> u32 {
        assert!(u64::from(arrival.turn) < self.most_turns(), "a channel has carried all flows that it can");
        OF_APPLICATION | arrival.channel << self.turn_bits | arrival.turn
    }

    /// What a number stands for; nothing where its flow is not an application's.
    pub fn arrival(&self, number: u32) -> Option<Arrival> {
        if number & OF_APPLICATION == 0 {
            return None;
        }
        let number = number & !OF_APPLICATION;
        Some(Arrival { channel: number >> self.turn_bits, turn: number & ((1 << self.turn_bits) - 1) })
    }
}

/// A flow of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobFlow {
    /// The number of the job's plan.
    pub plan: usize,
    /// Its position in the job.
    pub flow: u32,
}

/// One of some traffic classes, all equally likely.
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
