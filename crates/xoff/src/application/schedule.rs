//! Schedules of collective operations: which rank sends how many bytes to which other, step by step.
//!
//! Ring: Patarasuk and Yuan, "Bandwidth optimal all-reduce algorithms", JPDC 2009. Halving and doubling: Thakur,
//! Rabenseifner and Gropp, "Optimization of collective communication operations in MPICH", IJHPCA 2005, sections 4.1 to
//! 4.5, for powers of two. Hierarchical: as `BlueConnect` does (Cho, Finkler, Serrano, Kung and Hunter, IBM J. Res.
//! Dev. 2019), whose two stages are inside servers and between them. All to all follows NCCL's PXN (release 2.12).
//! Rings: as NCCL's channels.
//!
//! Sizes and bandwidths are counted as in NCCL's tests (`doc/PERFORMANCE.md` of nccl-tests).
//!
//! Left out: the time that a reduction takes, and the splitting of chunks that follow one another through a ring.

mod rings;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::rings::Rings;
use crate::kernel::units::{Bytes, Ratio};

/// Collective operation, by what ranks have once it is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// Each rank has the sum of the data of all ranks.
    AllReduce,
    /// Each rank has its own part of the sum of the data of all ranks.
    ReduceScatter,
    /// Each rank has the parts of all ranks.
    AllGather,
    /// Each rank has a part of the data of every other rank.
    AllToAll,
}

/// Algorithm by which ranks carry out a collective.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// Every rank sends to the next one and receives from the one before.
    Ring,
    /// Pairs exchange halves, at half the distance with each step, and then back. The number of ranks is a power of
    /// two.
    HalvingDoubling,
    /// Every rank sends to all others at once.
    Direct,
    /// Every rank sends to one other in each step, in step n to the n-th behind it.
    Pairwise,
    /// Ranks of a server exchange directly, and rings with one rank of every server join the servers. Sums are
    /// scattered inside servers first, go round the rings, and are gathered inside last. All to all hands data inside
    /// to the rank at its receiver's place, which sends it on (PXN). With rails, nothing crosses from one rail to
    /// another. Needs `[scale_up]`; ranks of a group are put by server, in each in their order.
    Hierarchical,
    /// As many rings side by side as each server has ranks, each with an equal share, as NCCL's channels. Each enters a
    /// server by one adapter and leaves by another, so that all adapters carry the same. With rails and an even number
    /// of servers, nothing crosses from one rail to another. A rank goes on when it has its parts of all rings. Needs
    /// `[scale_up]`, and an even number of ranks in each server; ranks of a group are put by server, in each in their
    /// order.
    Rings,
}

/// Steps of one collective operation between ranks numbered from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Operation that the steps carry out.
    pub operation: Operation,
    /// Algorithm that the steps follow.
    pub algorithm: Algorithm,
    /// Number of ranks, at least 2.
    pub ranks: u32,
    /// Number of ranks in each server, where the algorithm goes by servers. They follow one another, and there are
    /// several servers.
    pub per_server: u32,
    /// Bytes of a rank before the collective; after it for an all-gather.
    pub size: Bytes,
}

impl Operation {
    /// Name of the operation in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all_reduce",
            Self::ReduceScatter => "reduce_scatter",
            Self::AllGather => "all_gather",
            Self::AllToAll => "all_to_all",
        }
    }

    /// Number of times that a part crosses a rank's link.
    const fn phases(self) -> u32 {
        if matches!(self, Self::AllReduce) { 2 } else { 1 }
    }

    /// Algorithms that can carry out the operation, the usual one first.
    pub const fn algorithms(self) -> &'static [Algorithm] {
        match self {
            Self::AllToAll => &[Algorithm::Direct, Algorithm::Pairwise, Algorithm::Hierarchical],
            _ => &[
                Algorithm::Ring,
                Algorithm::HalvingDoubling,
                Algorithm::Direct,
                Algorithm::Hierarchical,
                Algorithm::Rings,
            ],
        }
    }
}

impl Algorithm {
    /// Name of the algorithm in scenarios.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::HalvingDoubling => "halving_doubling",
            Self::Direct => "direct",
            Self::Pairwise => "pairwise",
            Self::Hierarchical => "hierarchical",
            Self::Rings => "rings",
        }
    }

    /// Whether ranks are put by server.
    pub const fn goes_by_servers(self) -> bool {
        matches!(self, Self::Hierarchical | Self::Rings)
    }
}

impl Schedule {
    /// Number of steps that a rank takes.
    pub fn steps(&self) -> u32 {
        let of_a_phase = match self.algorithm {
            Algorithm::Ring | Algorithm::Rings | Algorithm::Pairwise => self.ranks - 1,
            Algorithm::HalvingDoubling => self.ranks.ilog2(),
            Algorithm::Direct => 1,
            Algorithm::Hierarchical if self.operation == Operation::AllToAll => 2,
            Algorithm::Hierarchical => self.servers(),
        };
        self.operation.phases() * of_a_phase
    }

    /// Lists the ranks to which a rank sends in a step, and how many bytes each gets.
    pub fn sends(&self, rank: u32, step: u32) -> impl Iterator<Item = (u32, Bytes)> + use<> {
        let Self { algorithm, ranks, per_server, .. } = *self;
        let is_inside = self.is_inside_servers(step);
        let among = if is_inside { per_server } else { ranks };
        let (place, others) = (rank % among, rank - rank % among);
        let (first, count, parts) = match algorithm {
            Algorithm::Ring => (1, 1, 1),
            Algorithm::Pairwise => (step + 1, 1, 1),
            Algorithm::Direct => (1, ranks - 1, 1),
            Algorithm::HalvingDoubling => {
                let distance = self.distance(step);
                (if rank & distance == 0 { distance } else { ranks - distance }, 1, distance)
            }
            Algorithm::Hierarchical if is_inside => (1, per_server - 1, self.servers()),
            Algorithm::Hierarchical if self.operation == Operation::AllToAll => {
                (per_server, self.servers() - 1, per_server)
            }
            Algorithm::Hierarchical => (per_server, 1, 1),
            Algorithm::Rings => (0, 0, 0),
        };
        let size = self.part() * u64::from(parts);
        let in_rings = (algorithm == Algorithm::Rings).then(|| {
            let share = self.share();
            self.rings().receivers(rank).map(move |(peer, rings)| (peer, share * u64::from(rings)))
        });
        // Of several, each is as far behind the one before as the first behind the rank.
        let usual = (1..=count).map(move |number| (others + (place + number * first) % among, size));
        usual.chain(in_rings.into_iter().flatten())
    }

    /// Number of ranks from which a rank receives in a step.
    pub fn receives(&self, rank: u32, step: u32) -> u32 {
        match self.algorithm {
            Algorithm::Rings => self.rings().senders(rank),
            Algorithm::Direct => self.ranks - 1,
            Algorithm::Hierarchical if self.is_inside_servers(step) => self.per_server - 1,
            Algorithm::Hierarchical if self.operation == Operation::AllToAll => self.servers() - 1,
            _ => 1,
        }
    }

    /// Lists the ranks from which a rank receives in a step of an all to all.
    pub(super) fn senders(&self, rank: u32, step: u32) -> impl Iterator<Item = u32> + use<> {
        let Self { algorithm, ranks, .. } = *self;
        // Pairs are as far apart in either direction. With other algorithms, ranks send to those that send to them.
        self.sends(rank, step).map(move |(receiver, _)| match algorithm {
            Algorithm::Pairwise => (2 * rank + ranks - receiver) % ranks,
            _ => receiver,
        })
    }

    /// Whether a step ends only when its rank has sent its part, too. In MPICH pairs send and receive at once and wait
    /// for both.
    pub fn exchanges(&self) -> bool {
        matches!(self.algorithm, Algorithm::HalvingDoubling | Algorithm::Pairwise)
    }

    /// Most times that one rank sends to another.
    pub fn turns(&self) -> u32 {
        match self.algorithm {
            Algorithm::Ring | Algorithm::Rings => self.steps(),
            Algorithm::Hierarchical => self.steps() - self.operation.phases(),
            _ => self.operation.phases(),
        }
    }

    /// Number of times that a rank has sent before to its receivers in a step.
    pub fn turn_of(&self, step: u32) -> u32 {
        match self.algorithm {
            Algorithm::Ring | Algorithm::Rings | Algorithm::Direct => step,
            Algorithm::Pairwise => 0,
            Algorithm::HalvingDoubling => step / self.ranks.ilog2(),
            Algorithm::Hierarchical if self.is_inside_servers(step) => {
                u32::from(step > 0 && self.operation == Operation::AllReduce)
            }
            Algorithm::Hierarchical => step - self.first_between_servers(),
        }
    }

    /// Returns the step in which one rank sends to another, having done so `turn` times before.
    pub fn step_of(&self, sender: u32, receiver: u32, turn: u32) -> u32 {
        match self.algorithm {
            Algorithm::Ring | Algorithm::Rings | Algorithm::Direct => turn,
            Algorithm::Pairwise => (receiver + self.ranks - sender) % self.ranks - 1,
            Algorithm::HalvingDoubling => {
                let doubling = (sender ^ receiver).ilog2();
                let halving = self.ranks.ilog2() - 1 - doubling;
                match (self.operation, turn) {
                    (Operation::AllReduce, 1) => self.ranks.ilog2() + doubling,
                    (Operation::AllGather, _) => doubling,
                    _ => halving,
                }
            }
            Algorithm::Hierarchical if sender / self.per_server != receiver / self.per_server => {
                self.first_between_servers() + turn
            }
            Algorithm::Hierarchical if turn > 0 || self.operation == Operation::AllGather => self.steps() - 1,
            Algorithm::Hierarchical => 0,
        }
    }

    fn rings(&self) -> Rings {
        Rings { ranks: self.ranks, per_server: self.per_server }
    }

    fn servers(&self) -> u32 {
        self.ranks / self.per_server
    }

    /// Whether ranks send only to ranks of their own server in a step.
    fn is_inside_servers(&self, step: u32) -> bool {
        let scatters = step == 0 && self.operation != Operation::AllGather;
        let ends_inside = matches!(self.operation, Operation::AllReduce | Operation::AllGather);
        let gathers = step + 1 == self.steps() && ends_inside;
        self.algorithm == Algorithm::Hierarchical && (scatters || gathers)
    }

    /// First step in which ranks send to other servers.
    fn first_between_servers(&self) -> u32 {
        u32::from(self.operation != Operation::AllGather)
    }

    /// Bytes that a rank sends in all, over `size`. The algorithm bandwidth times this is the bandwidth of a rank's
    /// link.
    pub fn crossings(&self) -> Ratio {
        Ratio::new((self.operation.phases() * (self.ranks - 1)).into(), self.ranks.into())
    }

    /// Bytes of one rank's part.
    pub fn part(&self) -> Bytes {
        Bytes::new(self.size.get().div_ceil(self.ranks.into()))
    }

    /// Bytes of one rank's part in one of several rings.
    fn share(&self) -> Bytes {
        Bytes::new(self.part().get().div_ceil(self.per_server.into()))
    }

    /// Distance between the ranks of a pair in a step, which is also the number of parts that each sends.
    fn distance(&self, step: u32) -> u32 {
        let steps = self.ranks.ilog2();
        match (self.operation, step.checked_sub(steps)) {
            (Operation::AllReduce, Some(doubling)) => 1 << doubling,
            (Operation::AllGather, _) => 1 << step,
            _ => 1 << (steps - 1 - step),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATIONS: [Operation; 4] =
        [Operation::AllReduce, Operation::ReduceScatter, Operation::AllGather, Operation::AllToAll];

    fn schedules() -> impl Iterator<Item = Schedule> {
        let of = |operation: Operation| operation.algorithms().iter().map(move |&of| (operation, of));
        OPERATIONS.into_iter().flat_map(of).flat_map(|(operation, algorithm)| {
            let size = Bytes::new(1_000_000);
            let fits = move |&(ranks, per_server): &(u32, u32)| match algorithm {
                Algorithm::HalvingDoubling => per_server == 1 && ranks.is_power_of_two(),
                _ if algorithm.goes_by_servers() => per_server > 1 && ranks.is_multiple_of(per_server),
                _ => per_server == 1,
            };
            let sizes = (2..=17).flat_map(|ranks| (1..=ranks / 2).map(move |per_server| (ranks, per_server)));
            sizes.filter(fits).map(move |(ranks, per_server)| Schedule {
                operation,
                algorithm,
                ranks,
                per_server,
                size,
            })
        })
    }

    #[test]
    fn every_rank_sends_and_receives_in_every_step_and_as_much_as_it_must() {
        for schedule in schedules() {
            let mut sent = vec![Bytes::ZERO; schedule.ranks as usize];
            for step in 0..schedule.steps() {
                let mut received = vec![0; schedule.ranks as usize];
                for rank in 0..schedule.ranks {
                    for (peer, size) in schedule.sends(rank, step) {
                        assert_ne!(peer, rank, "{schedule:?}");
                        received[peer as usize] += 1;
                        sent[rank as usize] += size;
                    }
                }
                for (rank, count) in (0..).zip(received) {
                    assert_eq!(count, schedule.receives(rank, step), "{schedule:?}");
                }
            }
            let (ranks, per_server) = (u64::from(schedule.ranks), u64::from(schedule.per_server));
            let parts = match (schedule.operation, schedule.algorithm) {
                (Operation::AllReduce, _) => 2 * (ranks - 1),
                // What goes to another place in another server is sent twice.
                (Operation::AllToAll, Algorithm::Hierarchical) => {
                    ranks - 1 + (per_server - 1) * (ranks / per_server - 1)
                }
                _ => ranks - 1,
            };
            let part = match schedule.algorithm {
                Algorithm::Rings => schedule.share() * per_server,
                _ => schedule.part(),
            };
            assert!(sent.iter().all(|&sent| sent == part * parts), "{schedule:?}: {sent:?}");
            if schedule.operation != Operation::AllToAll {
                let whole = part * ranks;
                assert_eq!(sent[0], schedule.crossings().of(whole), "{schedule:?}");
            }
        }
    }

    #[test]
    fn senders_of_an_all_to_all_are_those_that_send() {
        for schedule in schedules().filter(|schedule| schedule.operation == Operation::AllToAll) {
            for (rank, step) in
                (0..schedule.ranks).flat_map(|rank| (0..schedule.steps()).map(move |step| (rank, step)))
            {
                let sends = |&sender: &u32| schedule.sends(sender, step).any(|(to, _)| to == rank);
                let mut found: Vec<u32> = schedule.senders(rank, step).collect();
                found.sort_unstable();
                assert_eq!(found, (0..schedule.ranks).filter(sends).collect::<Vec<_>>(), "{schedule:?}");
            }
        }
    }

    #[test]
    fn a_turn_tells_the_step() {
        for schedule in schedules() {
            let mut turns = vec![vec![0; schedule.ranks as usize]; schedule.ranks as usize];
            for step in 0..schedule.steps() {
                for rank in 0..schedule.ranks {
                    for (peer, _) in schedule.sends(rank, step) {
                        let turn = &mut turns[rank as usize][peer as usize];
                        assert_eq!(schedule.turn_of(step), *turn, "{schedule:?}");
                        assert_eq!(schedule.step_of(rank, peer, *turn), step, "{schedule:?}");
                        *turn += 1;
                    }
                }
            }
            assert_eq!(turns.iter().flatten().max(), Some(&schedule.turns()), "{schedule:?}");
        }
    }

    #[test]
    fn in_the_end_each_rank_has_heard_of_every_other() {
        for schedule in schedules() {
            let everyone = (1_u32 << schedule.ranks) - 1;
            let mut heard: Vec<u32> = (0..schedule.ranks).map(|rank| 1 << rank).collect();
            for step in 0..schedule.steps() {
                // What goes round in several rings is heard of before the last of it comes.
                let may_know =
                    schedule.operation == Operation::AllReduce || schedule.algorithm == Algorithm::Rings;
                assert!(heard.iter().any(|&of| of != everyone) || may_know, "{schedule:?}");
                let before = heard.clone();
                for rank in 0..schedule.ranks {
                    for (peer, _) in schedule.sends(rank, step) {
                        // What is exchanged pair by pair is not passed on.
                        let is_direct = schedule.algorithm != Algorithm::Hierarchical;
                        let passed_on = if schedule.operation == Operation::AllToAll && is_direct {
                            1 << rank
                        } else {
                            before[rank as usize]
                        };
                        heard[peer as usize] |= passed_on;
                    }
                }
            }
            assert!(heard.iter().all(|&of| of == everyone), "{schedule:?}");
        }
    }

    #[test]
    fn halves_become_smaller_and_then_larger_again() {
        let (operation, algorithm) = (Operation::AllReduce, Algorithm::HalvingDoubling);
        let schedule = Schedule { operation, algorithm, ranks: 8, per_server: 1, size: Bytes::new(800) };
        let of = |rank| (0..schedule.steps()).flat_map(move |step| schedule.sends(rank, step));
        let sent = |rank| of(rank).map(|(peer, size)| (peer, size.get())).collect::<Vec<_>>();
        assert_eq!(sent(0), [(4, 400), (2, 200), (1, 100), (1, 100), (2, 200), (4, 400)]);
        assert_eq!(sent(5), [(1, 400), (7, 200), (4, 100), (4, 100), (7, 200), (1, 400)]);
    }

    /// Two servers have three ranks each.
    #[test]
    fn sums_are_scattered_inside_servers_go_round_between_them_and_are_gathered_inside() {
        let (operation, algorithm) = (Operation::AllReduce, Algorithm::Hierarchical);
        let size = Bytes::new(600);
        let schedule = Schedule { operation, algorithm, ranks: 6, per_server: 3, size };
        let of = |rank| (0..schedule.steps()).map(move |step| schedule.sends(rank, step));
        let sent = |rank| {
            of(rank)
                .map(|sends| sends.map(|(peer, size)| (peer, size.get())).collect())
                .collect::<Vec<Vec<_>>>()
        };
        assert_eq!(
            sent(1),
            [vec![(2, 200), (0, 200)], vec![(4, 100)], vec![(4, 100)], vec![(2, 200), (0, 200)]]
        );
        assert_eq!(sent(5)[..2], [vec![(3, 200), (4, 200)], vec![(2, 100)]]);
    }

    /// A rank sends its own server a part for each rank, and the parts that the ranks there hand on. It sends its place
    /// in other servers the parts that its own server's ranks have for it.
    #[test]
    fn what_all_send_to_all_goes_inside_to_the_place_of_its_receiver_first() {
        let (operation, algorithm) = (Operation::AllToAll, Algorithm::Hierarchical);
        let schedule = Schedule { operation, algorithm, ranks: 6, per_server: 2, size: Bytes::new(600) };
        let sends = |step| schedule.sends(3, step).map(|(peer, size)| (peer, size.get())).collect::<Vec<_>>();
        assert_eq!((sends(0), sends(1)), (vec![(2, 300)], vec![(5, 200), (1, 200)]));
        assert_eq!((schedule.steps(), schedule.receives(3, 0), schedule.receives(3, 1)), (2, 1, 2));
    }

    #[test]
    fn parts_that_do_not_divide_are_rounded_up() {
        let (operation, algorithm) = (Operation::AllGather, Algorithm::Ring);
        let schedule = Schedule { operation, algorithm, ranks: 3, per_server: 1, size: Bytes::new(1_000) };
        assert_eq!(schedule.sends(2, 1).collect::<Vec<_>>(), [(0, Bytes::new(334))]);
        assert_eq!(schedule.crossings(), Ratio::new(2, 3));
    }
}
