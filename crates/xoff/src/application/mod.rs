//! Applications: what hosts ask of one another, each step when the one before is done.
//! Each side lives in one host and knows of the other only what arrives; both look up the same plan.

pub mod query;

use query::Plan;

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

/// What a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carries {
    /// Requests of the aggregator in this place of the plan.
    Requests(u32),
    /// Responses of the worker in this place of the plan.
    Responses(u32),
}

/// The queries of all workloads, which every host may look up.
#[derive(Clone, Debug, Default)]
pub struct Queries {
    plans: Vec<Plan>,
    /// The first channel of each plan: its aggregators come before its workers.
    first_channels: Vec<u32>,
    channels: u32,
    /// Bits of a number that tell the turn.
    turn_bits: u32,
}

impl Queries {
    /// Those of these plans.
    pub fn new(plans: Vec<Plan>) -> Self {
        let mut channels = 0;
        let first_channels = plans.iter().map(|plan| {
            let first = channels;
            channels += (plan.aggregators.len() + plan.workers.len()) as u32;
            first
        });
        let first_channels = first_channels.collect();
        let channel_bits = u32::BITS - channels.saturating_sub(1).leading_zeros();
        Self { plans, first_channels, channels, turn_bits: OF_APPLICATION.trailing_zeros() - channel_bits }
    }

    /// The same, each aggregator of which stops before its requests can no longer be told apart.
    #[must_use]
    pub fn within_turns(mut self) -> Self {
        let most = self.most_turns();
        self.plans.iter_mut().for_each(|plan| plan.most = plan.most.min(most));
        self
    }

    /// One for each workload of queries.
    pub fn plans(&self) -> &[Plan] {
        &self.plans
    }

    /// How many channels all plans have.
    pub fn channels(&self) -> u32 {
        self.channels
    }

    /// Flows that one channel can carry.
    pub fn most_turns(&self) -> u64 {
        1 << self.turn_bits
    }

    /// The channel by which a plan's host hears of this.
    pub fn channel(&self, plan: usize, carries: Carries) -> u32 {
        let within = match carries {
            Carries::Requests(aggregator) => aggregator,
            Carries::Responses(worker) => self.plans[plan].aggregators.len() as u32 + worker,
        };
        self.first_channels[plan] + within
    }

    /// The plan that a channel is of, and what it carries.
    pub fn of_channel(&self, channel: u32) -> (usize, Carries) {
        let plan = self.first_channels.partition_point(|&first| first <= channel) - 1;
        let within = channel - self.first_channels[plan];
        let aggregators = self.plans[plan].aggregators.len() as u32;
        let carries = match within.checked_sub(aggregators) {
            None => Carries::Requests(within),
            Some(worker) => Carries::Responses(worker),
        };
        (plan, carries)
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

#[cfg(test)]
mod tests {
    use super::query::testing::plan;
    use super::*;

    #[test]
    fn queries_without_end_stop_while_they_can_be_told_apart() {
        let without_end = || Plan { most: u64::MAX, ..plan(3, 2) };
        let queries = Queries::new(vec![without_end(), plan(1, 40)]).within_turns();
        assert_eq!(queries.plans().iter().map(|plan| plan.most).collect::<Vec<_>>(), [1 << 25, 3]);
    }

    #[test]
    fn a_number_tells_channel_and_turn_and_a_channel_its_plan_and_host() {
        let queries = Queries::new(vec![plan(3, 2), plan(1, 40)]);
        assert_eq!((queries.channels(), queries.most_turns()), (46, 1 << 25));
        for (plan, carries) in [
            (0, Carries::Requests(0)),
            (0, Carries::Requests(2)),
            (0, Carries::Responses(1)),
            (1, Carries::Requests(0)),
            (1, Carries::Responses(39)),
        ] {
            let channel = queries.channel(plan, carries);
            assert_eq!(queries.of_channel(channel), (plan, carries));
            let arrival = Arrival { channel, turn: (1 << 25) - 1 };
            assert_eq!(queries.arrival(queries.number(arrival)), Some(arrival));
        }
        assert_eq!(queries.arrival(7), None);
    }
}
