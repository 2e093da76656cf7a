//! Collectives: operations of all ranks together, step by step, repeated a number of times.
//!
//! A rank begins a step when it has received everything of the step before. Where pairs exchange (`MPI_Sendrecv`) or
//! parts differ (`MPI_Alltoallv`), all that it sent must be acknowledged as well. It waits for no other rank. Each part
//! of a step is a flow of its own. Where its transport has persistent connections, parts for one rank go one after
//! another.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use super::draw;
use super::matrix::Matrix;
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
    /// Bytes of each rank for each other, where these differ. Parts without a byte are not sent.
    pub matrix: Option<Arc<Matrix>>,
    /// Number of collectives, one after another.
    pub iterations: u32,
    /// Time that a rank computes between two collectives.
    pub compute: Span,
    /// Ranks that are later than others.
    pub stragglers: BTreeMap<u32, Straggler>,
    /// Number of flows that carry each part.
    pub flows_per_part: u32,
    /// Time when the first collective begins.
    pub start: Time,
    /// Traffic classes from which each part draws its class.
    pub priorities: Vec<u8>,
    /// Index of the transport.
    pub transport: u8,
}

/// Rank that is later than others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Straggler {
    /// Time by which the rank begins its first collective later.
    pub late: Span,
    /// Time that the rank computes longer between two collectives.
    pub compute: Span,
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
        self.parts().flat_map(move |(from, to, size)| {
            self.divided(size).map(move |size| (self.ranks[from as usize], self.ranks[to as usize], size))
        })
    }

    /// Lists the parts of one collective: ranks of sender and receiver, and bytes.
    pub fn parts(&self) -> impl Iterator<Item = (u32, u32, Bytes)> {
        (0..self.schedule.ranks).flat_map(move |rank| {
            let sends = (0..self.schedule.steps()).flat_map(move |step| self.sends(rank, step));
            sends.map(move |(to, size)| (rank, to, size))
        })
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

    /// Lists the ranks to which a rank sends in a step, and how many bytes each gets.
    fn sends(&self, rank: u32, step: u32) -> impl Iterator<Item = (u32, Bytes)> {
        let sends = self.schedule.sends(rank, step);
        let sized = sends.map(move |(to, size)| {
            let of_matrix = self.matrix.as_ref().map(|matrix| matrix.part(&self.schedule, rank, to, step));
            (to, of_matrix.unwrap_or(size))
        });
        sized.filter(|&(_, size)| size > Bytes::ZERO)
    }

    /// Number of flows that a rank receives in a step.
    fn arrivals(&self, rank: u32, step: u32) -> u32 {
        let parts = self.matrix.as_ref().map_or_else(
            || self.schedule.receives(rank, step),
            |matrix| {
                let senders = self.schedule.senders(rank, step);
                let parts = senders.map(|sender| matrix.part(&self.schedule, sender, rank, step));
                parts.filter(|&size| size > Bytes::ZERO).count() as u32
            },
        );
        parts * self.flows_per_part
    }

    /// Whether a step ends only when its rank has sent its part, too. Where parts differ, a rank that receives little
    /// would otherwise be collectives ahead of what it sends.
    pub fn waits_for_sent(&self) -> bool {
        self.schedule.exchanges() || self.matrix.is_some()
    }

    /// Returns the time when a rank begins its first collective.
    pub fn start_of(&self, rank: u32) -> Time {
        self.start + self.stragglers.get(&rank).copied().unwrap_or_default().late
    }

    /// Returns the time that a rank computes between two collectives.
    fn compute_of(&self, rank: u32) -> Span {
        self.compute + self.stragglers.get(&rank).copied().unwrap_or_default().compute
    }

    /// Returns the longest time that ranks may wait while another only waits for its time.
    pub(super) fn longest_rest(&self) -> Span {
        let latest = self.stragglers.values().map(|straggler| straggler.late).max();
        let longest = self.stragglers.keys().map(|&rank| self.compute_of(rank)).max();
        self.compute.max(latest.unwrap_or_default()).max(longest.unwrap_or_default())
    }

    /// Returns the most bytes that cross the link of a rank one way, over the bytes of the collective.
    pub fn crossings(&self) -> f64 {
        let busiest =
            self.matrix.as_ref().map(|matrix| matrix.busiest().as_f64() / matrix.largest().as_f64());
        busiest.unwrap_or_else(|| self.schedule.crossings().as_f64())
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
    /// Time when the rank had received everything and, where pairs exchange or parts differ, had sent its own;
    /// `Time::MAX` until then.
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
        for (receiver, size) in plan.sends(self.number, step) {
            let priority = draw(&plan.priorities, &mut self.rng);
            for (turn, size) in (part * plan.flows_per_part..).zip(plan.divided(size)) {
                send(Part { receiver, turn, size, priority });
                self.unsent += u32::from(plan.waits_for_sent());
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
        self.expect(plan, ahead);
        self.missing[ahead] -= 1;
        if ahead == 0 { self.go_on(plan, now) } else { None }
    }

    /// Takes in that a flow of this rank was acknowledged, or sent where nothing is acknowledged. Returns when the next
    /// step begins, if this completes the present one.
    pub fn on_sent(&mut self, plan: &Plan, now: Time) -> Option<Time> {
        if !plan.waits_for_sent() {
            return None;
        }
        self.unsent -= 1;
        self.go_on(plan, now)
    }

    /// Iterations that have begun, in order.
    pub fn iterations(&self) -> &[Iteration] {
        &self.iterations
    }

    /// Writes every time as `reported` has it.
    pub fn report_times(&mut self, reported: impl Fn(Time) -> Time) {
        for iteration in &mut self.iterations {
            (iteration.start, iteration.finish) = (reported(iteration.start), reported(iteration.finish));
        }
    }

    /// Counts the flows of the steps up to the one that is `ahead` of the first that is not complete.
    fn expect(&mut self, plan: &Plan, ahead: usize) {
        for place in self.missing.len()..=ahead {
            let step = (self.complete + place as u64) % u64::from(plan.schedule.steps());
            self.missing.push_back(plan.arrivals(self.number, step as u32));
        }
    }

    /// Returns when the next step begins, if the present one is complete and there is a next.
    fn go_on(&mut self, plan: &Plan, now: Time) -> Option<Time> {
        if self.begun == self.complete || self.unsent > 0 {
            return None;
        }
        // Where parts differ, nothing may have to come.
        self.expect(plan, 0);
        if self.missing[0] > 0 {
            return None;
        }
        self.missing.pop_front();
        self.complete += 1;
        let is_last_step = self.complete.is_multiple_of(plan.schedule.steps().into());
        if is_last_step {
            self.iterations.last_mut()?.finish = now;
        }
        let next = if is_last_step { now + plan.compute_of(self.number) } else { now };
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
            matrix: None,
            iterations: 2,
            compute: Span::new(50),
            stragglers: BTreeMap::new(),
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

    #[test]
    fn a_straggler_begins_later_and_computes_longer() {
        let late = Straggler { late: Span::new(7), compute: Span::new(20) };
        let plan = Plan { stragglers: BTreeMap::from([(1, late)]), ..plan(Algorithm::Ring, 2) };
        assert_eq!([0, 1].map(|rank| plan.start_of(rank).get()), [0, 7]);
        assert_eq!(plan.longest_rest(), Span::new(70));
        for (number, compute) in [(0, 50), (1, 70)] {
            let mut rank = rank(number);
            begin(&mut rank, &plan, 10);
            assert_eq!(rank.on_part(&plan, 1 - number, 0, Time::new(30)), Some(Time::new(30)));
            begin(&mut rank, &plan, 30);
            assert_eq!(rank.on_part(&plan, 1 - number, 1, Time::new(40)), Some(Time::new(40 + compute)));
        }
    }

    /// Rank 0 has 9 bytes for rank 1, and rank 2 has 5 for rank 0.
    #[test]
    fn a_step_without_a_byte_is_over_at_once() {
        let matrix = Some(Arc::new(Matrix::new(3, vec![4, 9, 0, 0, 0, 0, 5, 0, 0])));
        let plan = Plan { matrix, ..plan(Algorithm::Pairwise, 3) };
        assert_eq!(plan.flows(), 4);
        // Rank 1 receives in step 0, and has nothing to do in step 1.
        let mut one = rank(1);
        assert_eq!(begin(&mut one, &plan, 0), (vec![], None));
        assert_eq!(one.on_part(&plan, 0, 0, Time::new(6)), Some(Time::new(6)));
        assert_eq!(begin(&mut one, &plan, 6), (vec![], Some(Time::new(56))), "after computing");
        assert_eq!(one.iterations(), [Iteration { start: Time::ZERO, finish: Time::new(6) }]);
        // Rank 2 sends to rank 0 in step 0.
        let mut two = rank(2);
        assert_eq!(begin(&mut two, &plan, 0), (vec![(0, 0)], None));
        assert_eq!(two.on_sent(&plan, Time::new(8)), Some(Time::new(8)));
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
