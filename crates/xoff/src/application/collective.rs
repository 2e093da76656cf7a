//! Collectives: operations of all ranks together, step by step, repeated a number of times.
//!
//! A rank begins a step when it has received everything of the step before. Where pairs exchange (`MPI_Sendrecv`), all
//! that it sent must be acknowledged as well. It waits for no other rank. Each part of a step is a flow of its own.
//! Where its transport has persistent connections, parts for one rank go one after another.

use std::collections::VecDeque;

use super::draw;
use super::schedule::Schedule;
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Span, Time};
use crate::topology::NodeId;

/// Plan of the collectives of one group of hosts.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Position of the workload in the scenario.
    pub workload: usize,
    /// Number of the group in the workload.
    pub group: u32,
    /// Hosts in order of their rank, each once.
    pub ranks: Vec<NodeId>,
    /// Steps of one collective.
    pub schedule: Schedule,
    /// Number of collectives, one after another.
    pub iterations: u32,
    /// Time that a rank computes between two collectives.
    pub compute: Span,
    /// Number of flows that carry each part.
    pub flows_per_part: u32,
    /// Time when the first collective begins.
    pub start: Time,
    /// Traffic classes from which each part draws its class.
    pub priorities: Vec<u8>,
    /// Index of the transport.
    pub transport: u8,
}

impl Plan {
    /// Returns the rank of a host, if it has one.
    pub fn rank(&self, host: NodeId) -> Option<u32> {
        self.ranks.iter().position(|&rank| rank == host).map(|rank| rank as u32)
    }

    /// Number of channels, one for each rank.
    pub fn channels(&self) -> u32 {
        self.schedule.ranks
    }

    /// Lists the transfers of one collective: sender, receiver and bytes.
    pub fn transfers(&self) -> impl Iterator<Item = (NodeId, NodeId, Bytes)> {
        let of_rank = move |(rank, &from): (u32, &NodeId)| {
            let sends = (0..self.schedule.steps()).flat_map(move |step| self.schedule.sends(rank, step));
            sends.flat_map(move |(to, size)| {
                self.divided(size).map(move |size| (from, self.ranks[to as usize], size))
            })
        };
        (0..).zip(&self.ranks).flat_map(of_rank)
    }

    /// Number of flows of all collectives.
    pub(super) fn flows(&self) -> u64 {
        u64::from(self.iterations) * self.transfers().count() as u64
    }

    /// Most flows that one rank sends to another.
    pub fn turns(&self) -> u64 {
        u64::from(self.iterations) * u64::from(self.schedule.turns()) * u64::from(self.flows_per_part)
    }

    /// Divides a part into flows of about equal size.
    fn divided(&self, part: Bytes) -> impl Iterator<Item = Bytes> + use<> {
        let (part, flows) = (part.get(), u64::from(self.flows_per_part));
        (0..flows).map(move |flow| Bytes::new(part / flows + u64::from(flow < part % flows)))
    }

    /// Number of steps of all collectives.
    fn steps(&self) -> u64 {
        u64::from(self.iterations) * u64::from(self.schedule.steps())
    }
}

/// Collective as one rank knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Iteration {
    /// Time when the rank began the collective.
    pub start: Time,
    /// Time when the rank had received everything and, where pairs exchange, had sent its own part; `Time::MAX` until
    /// then.
    pub finish: Time,
}

/// Flow that carries all or some bytes of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Rank that receives the flow.
    pub receiver: u32,
    /// Number of flows that the sender has sent to this receiver before.
    pub turn: u32,
    /// Bytes.
    pub size: Bytes,
    /// Traffic class.
    pub priority: u8,
}

/// State of one rank.
#[derive(Debug)]
pub struct Rank {
    number: u32,
    rng: Rng,
    iterations: Vec<Iteration>,
    /// Number of steps begun, over all iterations.
    begun: u64,
    /// Number of steps whose flows the rank has all received.
    complete: u64,
    /// Number of flows of the present step that must be acknowledged before the next one begins.
    unsent: u32,
    /// Number of flows missing of each step, from the first that is not complete to the last of which any has come.
    missing: VecDeque<u32>,
}

impl Rank {
    /// Makes a rank that has sent nothing; `rng` is its own stream.
    pub fn new(number: u32, rng: Rng) -> Self {
        Self {
            number,
            rng,
            iterations: Vec::new(),
            begun: 0,
            complete: 0,
            unsent: 0,
            missing: VecDeque::new(),
        }
    }

    /// Number of the rank.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Begins the next step, and passes its flows to `send`. Returns when the step after that begins, if everything for
    /// it is here already.
    pub fn begin(&mut self, plan: &Plan, now: Time, mut send: impl FnMut(Part)) -> Option<Time> {
        let steps = u64::from(plan.schedule.steps());
        let (iteration, step) = ((self.begun / steps) as u32, (self.begun % steps) as u32);
        if step == 0 {
            self.iterations.push(Iteration { start: now, finish: Time::MAX });
        }
        let part = iteration * plan.schedule.turns() + plan.schedule.turn_of(step);
        for (receiver, size) in plan.schedule.sends(self.number, step) {
            let priority = draw(&plan.priorities, &mut self.rng);
            for (turn, size) in (part * plan.flows_per_part..).zip(plan.divided(size)) {
                send(Part { receiver, turn, size, priority });
                self.unsent += u32::from(plan.schedule.exchanges());
            }
        }
        self.begun += 1;
        self.go_on(plan, now)
    }

    /// Takes in a flow that this rank has received whole. Returns when the next step begins, if this completes the
    /// present one.
    pub fn on_part(&mut self, plan: &Plan, sender: u32, turn: u32, now: Time) -> Option<Time> {
        let &Plan { schedule, flows_per_part, .. } = plan;
        let part = turn / flows_per_part;
        let iteration = u64::from(part / schedule.turns());
        let step = schedule.step_of(sender, self.number, part % schedule.turns());
        let ahead = (iteration * u64::from(schedule.steps()) + u64::from(step) - self.complete) as usize;
        for place in self.missing.len()..=ahead {
            let step = (self.complete + place as u64) % u64::from(schedule.steps());
            self.missing.push_back(schedule.receives(self.number, step as u32) * flows_per_part);
        }
        self.missing[ahead] -= 1;
        if ahead == 0 { self.go_on(plan, now) } else { None }
    }

    /// Takes in that a flow of this rank was acknowledged, or sent where nothing is acknowledged. Returns when the next
    /// step begins, if this completes the present one.
    pub fn on_sent(&mut self, plan: &Plan, now: Time) -> Option<Time> {
        if !plan.schedule.exchanges() {
            return None;
        }
        self.unsent -= 1;
        self.go_on(plan, now)
    }

    /// Iterations that have begun, in order.
    pub fn iterations(&self) -> &[Iteration] {
        &self.iterations
    }

    /// Returns when the next step begins, if the present one is complete and there is a next.
    fn go_on(&mut self, plan: &Plan, now: Time) -> Option<Time> {
        if self.begun == self.complete || self.unsent > 0 || self.missing.front() != Some(&0) {
            return None;
        }
        self.missing.pop_front();
        self.complete += 1;
        let is_last_step = self.complete.is_multiple_of(plan.schedule.steps().into());
        if is_last_step {
            self.iterations.last_mut()?.finish = now;
        }
        let next = if is_last_step { now + plan.compute } else { now };
        (self.complete < plan.steps()).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::super::schedule::{Algorithm, Operation};
    use super::*;
    use crate::kernel::rng::{Purpose, stream};

    fn plan(algorithm: Algorithm, ranks: u32) -> Plan {
        let size = Bytes::new(1_200);
        let operation = algorithm_of(algorithm);
        Plan {
            workload: 0,
            group: 0,
            ranks: (10..10 + ranks).rev().collect(),
            schedule: Schedule { operation, algorithm, ranks, per_server: 1, size },
            iterations: 2,
            compute: Span::new(50),
            flows_per_part: 1,
            start: Time::ZERO,
            priorities: vec![3],
            transport: 0,
        }
    }

    fn algorithm_of(algorithm: Algorithm) -> Operation {
        if algorithm == Algorithm::Pairwise { Operation::AllToAll } else { Operation::AllReduce }
    }

    fn rank(number: u32) -> Rank {
        Rank::new(number, stream(1, Purpose::Collectives, number.into()))
    }

    fn begin(rank: &mut Rank, plan: &Plan, now: u64) -> (Vec<(u32, u32)>, Option<Time>) {
        let mut parts = Vec::new();
        let next = rank.begin(plan, Time::new(now), |part| parts.push((part.receiver, part.turn)));
        (parts, next)
    }

    #[test]
    fn a_rank_begins_a_step_when_the_one_before_is_here_and_an_iteration_after_computing() {
        let plan = plan(Algorithm::Ring, 3);
        assert_eq!((plan.rank(12), plan.rank(10), plan.rank(13)), (Some(0), Some(2), None));
        let mut rank = rank(1);
        for turn in 0..8 {
            assert_eq!(begin(&mut rank, &plan, u64::from(turn) * 100), (vec![(2, turn)], None));
            let now = Time::new(u64::from(turn) * 100 + 30);
            let next = match turn {
                3 => Some(Time::new(380)),
                7 => None,
                _ => Some(now),
            };
            assert_eq!(rank.on_part(&plan, 0, turn, now), next, "{turn}");
        }
        let times = rank.iterations().iter().map(|iteration| (iteration.start.get(), iteration.finish.get()));
        assert_eq!(times.collect::<Vec<_>>(), [(0, 330), (400, 730)]);
    }

    /// A part of 400 bytes comes in three flows.
    #[test]
    fn a_part_is_whole_when_all_its_flows_are() {
        let plan = Plan { flows_per_part: 3, ..plan(Algorithm::Ring, 3) };
        assert_eq!((plan.turns(), plan.flows()), (24, 72));
        let mut rank = rank(1);
        let mut flows = Vec::new();
        rank.begin(&plan, Time::ZERO, |part| flows.push((part.turn, part.size.get())));
        assert_eq!(flows, [(0, 134), (1, 133), (2, 133)]);
        // One of the next step comes before the last of this one.
        for flow in [2, 0, 4] {
            assert_eq!(rank.on_part(&plan, 0, flow, Time::new(30)), None, "{flow}");
        }
        assert_eq!(rank.on_part(&plan, 0, 1, Time::new(40)), Some(Time::new(40)));
    }

    #[test]
    fn a_ring_waits_for_nothing_that_it_sends() {
        let plan = plan(Algorithm::Ring, 3);
        let mut rank = rank(1);
        assert_eq!(begin(&mut rank, &plan, 0), (vec![(2, 0)], None));
        assert_eq!(rank.on_part(&plan, 0, 0, Time::new(30)), Some(Time::new(30)));
        assert_eq!(rank.on_sent(&plan, Time::new(40)), None);
    }

    #[test]
    fn parts_that_come_early_in_any_order_are_kept_until_what_was_sent_is_acknowledged() {
        let plan = plan(Algorithm::Pairwise, 4);
        let mut rank = rank(0);
        // From 3 in step 0, from 2 in step 1, from 1 in step 2; the last of them first, and one of the next iteration.
        assert_eq!(begin(&mut rank, &plan, 0), (vec![(1, 0)], None));
        for (sender, turn) in [(1, 0), (2, 0), (3, 1)] {
            assert_eq!(rank.on_part(&plan, sender, turn, Time::new(5)), None);
        }
        assert_eq!(rank.on_part(&plan, 3, 0, Time::new(9)), None, "its own part is still on its way");
        assert_eq!(rank.on_sent(&plan, Time::new(12)), Some(Time::new(12)));
        assert_eq!(begin(&mut rank, &plan, 12), (vec![(2, 0)], None));
        assert_eq!(rank.on_sent(&plan, Time::new(15)), Some(Time::new(15)));
        assert_eq!(begin(&mut rank, &plan, 15), (vec![(3, 0)], None));
        assert_eq!(rank.on_sent(&plan, Time::new(20)), Some(Time::new(70)), "after computing");
        assert_eq!(rank.iterations()[0].finish, Time::new(20));
        assert_eq!(begin(&mut rank, &plan, 70), (vec![(1, 1)], None));
        assert_eq!(rank.on_sent(&plan, Time::new(75)), Some(Time::new(75)));
    }
}
