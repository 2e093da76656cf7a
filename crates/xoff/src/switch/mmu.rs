//! Memory management unit (MMU): how many bytes each egress queue holds, and whether one more packet fits.
//!
//! Memory has three parts. A *reserve* belongs to one queue, or to one port. A *shared pool* is for the queues of its
//! ports together. Lossless packets are in neither: `ingress.rs` admits them, and here they only count as held. A lossy
//! packet goes into the reserve if it fits there. Otherwise it goes into the pool, if the pool has room and the queue's
//! shared bytes are below the threshold that the buffer policy answers. It is dropped if neither holds. When it leaves,
//! its bytes are taken from the pool first and from the reserve last.
//!
//! All counters live here and nowhere else, and debug builds check after every packet that they add up. A policy sees
//! occupancies and answers a threshold; it never counts.

mod expulsion;
mod follower;
mod quirks;

pub use quirks::Quirks;

use super::ample::Ample;
use super::buffer_policy::{self, BufferPolicy, Occupancy};
use crate::classes::PRIORITIES;
use crate::kernel::prefetch::prefetch;
use crate::kernel::room::Room;
use crate::kernel::units::Bytes;
use crate::observer::DropReason;
use expulsion::Expulsion;
use follower::Follower;

/// Bytes of one queue.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    /// All bytes.
    bytes: Bytes,
    /// Bytes in the shared pool; the rest is in the reserve.
    shared: Bytes,
    /// Index of the queue's pool.
    pool: usize,
}

/// Size of each reserve, and the queues that it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// Bytes for each queue of a class in use.
    PerQueue(Bytes),
    /// Bytes for all queues of a port together.
    PerPort(Bytes),
}

impl Reserve {
    /// Bytes of one reserve.
    pub fn size(self) -> Bytes {
        match self {
            Self::PerQueue(size) | Self::PerPort(size) => size,
        }
    }

    /// Bytes of all reserves of `ports` ports with `classes` classes in use.
    pub fn of_ports(self, ports: u64, classes: u64) -> Bytes {
        match self {
            Self::PerQueue(size) => size * (ports * classes),
            Self::PerPort(size) => size * ports,
        }
    }
}

/// A shared pool and the egress ports whose packets it holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pool {
    /// Size in bytes, reserves not counted.
    pub shared: Bytes,
    /// Numbers of the pool's ports.
    pub ports: Vec<u32>,
}

/// Part of memory in which a packet is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// The reserve of the packet's queue or port.
    Reserve,
    /// The shared pool of the packet's port.
    Shared,
}

/// Packet memory of one switch: reserves, and shared pools with ports of their own.
#[derive(Debug)]
pub struct Mmu {
    policy: buffer_policy::Parameters,
    pools: Vec<Occupancy>,
    queues: Vec<Queue>,
    /// Bytes in each reserve; a queue's reserve is its index shifted right by `reserve_shift`.
    reserves: Vec<Bytes>,
    reserve_limit: Bytes,
    reserve_shift: u32,
    /// Bytes of lossy classes, in reserves and pools.
    lossy: Bytes,
    /// Bytes of lossless classes, which are admitted by their ingress port and not here.
    lossless: Bytes,
    peak: Bytes,
    quirks: Option<Box<Quirks>>,
    /// Drain rates and congested queues, if the policy follows them.
    follower: Option<Box<Follower>>,
    /// Packets that are expelled from queues, if the policy does that.
    expulsion: Option<Box<Expulsion>>,
    /// Whether there is a follower or an expulsion.
    is_told: bool,
    /// Whether there are reserves or quirks.
    has_more_than_pools: bool,
    ample: Ample,
}

impl Mmu {
    /// Empty memory, divided into `pools`. Each port is in one pool, which it shares with `queues_of_port` queues.
    pub fn new(
        pools: &[Pool],
        reserve: Reserve,
        policy: buffer_policy::Parameters,
        queues_of_port: u64,
    ) -> Self {
        let ports = pools.iter().map(|pool| pool.ports.len()).sum::<usize>();
        let shift = if matches!(reserve, Reserve::PerQueue(_)) { 0 } else { PRIORITIES.trailing_zeros() };
        let mut queues = vec![Queue::default(); ports * PRIORITIES];
        for (index, pool) in pools.iter().enumerate() {
            for &port in &pool.ports {
                let first = Self::queue(port, 0);
                queues[first..first + PRIORITIES].iter_mut().for_each(|queue| queue.pool = index);
            }
        }
        let occupancy = |pool: &Pool| Occupancy::empty(pool.shared, pool.ports.len() as u64 * queues_of_port);
        let pools: Vec<Occupancy> = pools.iter().map(occupancy).collect();
        let has_more_than_pools = reserve.size() > Bytes::ZERO;
        let follower = policy.follows();
        let follower =
            follower.map(|following| Box::new(Follower::new(following, queues.len(), pools.len())));
        Self {
            ample: if has_more_than_pools { Ample::default() } else { Ample::of(&pools, &policy) },
            policy,
            pools,
            reserves: vec![Bytes::ZERO; queues.len() >> shift],
            reserve_limit: reserve.size(),
            reserve_shift: shift,
            queues,
            lossy: Bytes::ZERO,
            lossless: Bytes::ZERO,
            peak: Bytes::ZERO,
            quirks: None,
            is_told: follower.is_some(),
            follower,
            expulsion: None,
            has_more_than_pools,
        }
    }

    /// Adds deviations that published reference code has from its paper.
    #[must_use]
    pub fn with_quirks(self, quirks: Option<Quirks>) -> Self {
        let has_more_than_pools = self.has_more_than_pools || quirks.is_some();
        let ample = if has_more_than_pools { Ample::default() } else { self.ample };
        Self { quirks: quirks.map(Box::new), has_more_than_pools, ample, ..self }
    }

    /// Index of a port's queue.
    #[inline]
    pub const fn queue(port: u32, priority: usize) -> usize {
        port as usize * PRIORITIES + priority
    }

    /// Number of a queue's port.
    #[inline]
    pub const fn port(queue: usize) -> usize {
        queue / PRIORITIES
    }

    /// Bytes in a queue.
    #[inline]
    pub fn queue_bytes(&self, queue: usize) -> Bytes {
        self.queues[queue].bytes
    }

    /// Bytes in all queues of a port.
    #[inline]
    pub fn port_bytes(&self, port: usize) -> Bytes {
        let first = port * PRIORITIES;
        self.queues[first..first + PRIORITIES].iter().map(|queue| queue.bytes).sum()
    }

    /// Bytes in the shared part of a queue's pool once `leaving` bytes at the head of the queue are gone.
    #[inline]
    pub fn shared_beside(&self, queue: usize, leaving: Bytes) -> Bytes {
        self.pools[self.queues[queue].pool].shared_used - self.shared_part(queue, leaving)
    }

    /// Bytes in each shared pool, reserves not counted.
    pub fn pools(&self) -> impl Iterator<Item = Bytes> {
        self.pools.iter().map(|pool| pool.shared_used)
    }

    /// Bytes in memory.
    #[inline]
    pub fn used(&self) -> Bytes {
        self.lossy + self.lossless
    }

    /// The most bytes that were ever in memory, all pools together.
    pub fn peak(&self) -> Bytes {
        self.peak
    }

    /// Whether `frame` more bytes would be a new peak.
    #[inline]
    pub fn would_peak(&self, frame: Bytes) -> bool {
        self.used() + frame > self.peak
    }

    /// Whether a packet of `frame` bytes for a queue that has `held` surely fits into the shared pool, and leaves the
    /// queue shorter than `longest`.
    #[inline]
    pub fn has_ample_room(&self, held: Bytes, frame: Bytes, longest: Bytes) -> bool {
        self.has_ample_room_below(held, frame, self.ample_below(longest))
    }

    /// Returns the length below which a queue may take more of any pool, or `longest` if that is less.
    pub fn ample_below(&self, longest: Bytes) -> Bytes {
        self.ample.queue.min(longest)
    }

    /// Whether a packet has ample room and leaves its queue shorter than `below`, a length that `ample_below` has told.
    #[inline]
    pub fn has_ample_room_below(&self, held: Bytes, frame: Bytes, below: Bytes) -> bool {
        debug_assert!(below <= self.ample.queue, "as told");
        self.lossy + frame <= self.ample.used && held + frame < below
    }

    /// Finds a place for a packet of `frame` bytes in `queue`, or the reason to drop it.
    /// The reserve comes first, then the shared pool while the queue's shared bytes are below the policy's threshold.
    // As a call a third of its own cost.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn place(&self, queue: usize, frame: Bytes) -> Result<Placement, DropReason> {
        if self.has_ample_room(self.queue_bytes(queue), frame, Bytes::MAX) {
            debug_assert_eq!(self.place_narrowly(queue, frame), Ok(Placement::Shared), "asked or not");
            return Ok(Placement::Shared);
        }
        self.place_narrowly(queue, frame)
    }

    /// Finds a place for a packet where room may be short.
    #[inline(never)]
    fn place_narrowly(&self, queue: usize, frame: Bytes) -> Result<Placement, DropReason> {
        if self.has_more_than_pools
            && let Some(decision) = self.place_beside_pools(queue, frame)
        {
            return decision;
        }
        let counters = &self.queues[queue];
        let pool = &self.pools[counters.pool];
        if pool.shared_used + frame > pool.shared {
            return Err(DropReason::PoolFull);
        }
        if counters.shared >= self.threshold(queue) {
            return Err(DropReason::Threshold);
        }
        Ok(Placement::Shared)
    }

    /// Prefetches the counters of each port's queue of one class.
    pub fn prefetch_queues(&self, class: usize) {
        self.queues.iter().skip(class).step_by(PRIORITIES).for_each(|queue| prefetch(queue));
    }

    /// Finds the place that a packet would have also if less were in its queue: the reserve, or the pool where there is
    /// no reserve.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn place_unsettled(&self, queue: usize, frame: Bytes) -> Option<Placement> {
        debug_assert!(self.quirks.is_none(), "they go by the whole queue");
        if self.has_more_than_pools {
            self.fits_reserve(queue, frame).then_some(Placement::Reserve)
        } else {
            self.place(queue, frame).ok()
        }
    }

    /// Bytes of the shared pool that the policy lets a queue have.
    #[inline]
    fn threshold(&self, queue: usize) -> Bytes {
        let index = self.queues[queue].pool;
        let pool = &self.pools[index];
        match &self.follower {
            None => self.policy.threshold(queue % PRIORITIES, pool),
            Some(follower) => {
                let occupancy = Occupancy { followed: follower.of(queue, index), ..*pool };
                self.policy.threshold(queue % PRIORITIES, &occupancy)
            }
        }
    }

    /// Whether an arriving packet pushes out other packets from a full pool.
    pub fn pushes_out(&self) -> bool {
        self.policy.pushes_out()
    }

    /// Queue that loses a packet to make room for one that has found its pool full.
    /// It is the longest queue of the pool by shared bytes, the arriving packet included. Only queues in which a packet
    /// waits, as `holds` tells, can lose one. `None` if the arriving packet's own queue is the longest and no packet
    /// waits there.
    pub fn pushed_out(&self, queue: usize, frame: Bytes, holds: impl Fn(usize) -> bool) -> Option<usize> {
        let with_packet = |index: usize| if index == queue { frame } else { Bytes::ZERO };
        let beside = |index: &usize| self.queues[*index].pool == self.queues[queue].pool;
        let can_lose = |index: &usize| *index == queue || holds(*index);
        let queues = (0..self.queues.len()).filter(|index| beside(index) && can_lose(index));
        // Of several the first.
        let longest = queues.rev().max_by_key(|&index| self.queues[index].shared + with_packet(index));
        longest.filter(|&index| self.queues[index].shared > Bytes::ZERO && holds(index))
    }

    /// Bytes held and their limit where a packet for a queue was dropped for this reason.
    pub fn room(&self, queue: usize, reason: DropReason) -> Option<Room> {
        let (counters, pool) = (&self.queues[queue], &self.pools[self.queues[queue].pool]);
        match reason {
            DropReason::Threshold => {
                let by_whole_queue = self.quirks.as_ref().is_some_and(|quirks| quirks.go_by_whole_queue());
                let held = if by_whole_queue { counters.bytes } else { counters.shared };
                Some(Room { held, limit: self.threshold(queue) })
            }
            DropReason::PushedOut if self.expels() => {
                Some(Room { held: counters.shared, limit: self.threshold(queue) })
            }
            DropReason::PoolFull | DropReason::PushedOut => {
                Some(Room { held: pool.shared_used, limit: pool.shared })
            }
            _ => None,
        }
    }

    /// Decision of reserves and quirks on a packet, if they have one.
    #[inline]
    fn place_beside_pools(&self, queue: usize, frame: Bytes) -> Option<Result<Placement, DropReason>> {
        match &self.quirks {
            Some(quirks) => Some(quirks.place(self, queue, frame)),
            None => self.fits_reserve(queue, frame).then_some(Ok(Placement::Reserve)),
        }
    }

    #[inline]
    fn fits_reserve(&self, queue: usize, frame: Bytes) -> bool {
        self.reserves[self.reserve(queue)] + frame <= self.reserve_limit
    }

    /// Index of a queue's reserve.
    #[inline]
    fn reserve(&self, queue: usize) -> usize {
        queue >> self.reserve_shift
    }

    /// Takes in a packet if it fits.
    pub fn admit(&mut self, queue: usize, frame: Bytes) -> Result<(), DropReason> {
        let placement = self.place(queue, frame)?;
        self.put(queue, frame, placement);
        Ok(())
    }

    /// Counts a packet in, at the place that was found for it.
    // Of every packet that waits; as calls the two cost eight instructions a packet-hop more.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn put(&mut self, queue: usize, frame: Bytes, placement: Placement) {
        if let Some(quirks) = &mut self.quirks {
            let with_packet = self.queues[queue].bytes + frame;
            quirks.on_admission(queue, queue >> self.reserve_shift, frame, with_packet, placement);
        }
        let counters = &mut self.queues[queue];
        counters.bytes += frame;
        match placement {
            Placement::Reserve => self.reserves[queue >> self.reserve_shift] += frame,
            Placement::Shared => {
                counters.shared += frame;
                self.pools[counters.pool].shared_used += frame;
            }
        }
        self.lossy += frame;
        self.peak = self.peak.max(self.used());
        self.check(queue);
    }

    /// Counts a packet in where there is ample room and no new peak.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn put_where_ample(&mut self, queue: usize, frame: Bytes) {
        debug_assert!(
            !self.has_more_than_pools && !self.would_peak(frame),
            "the pool takes it, and that is all"
        );
        let counters = &mut self.queues[queue];
        counters.bytes += frame;
        counters.shared += frame;
        self.pools[counters.pool].shared_used += frame;
        self.lossy += frame;
        self.check(queue);
    }

    /// Counts a packet out, from the shared pool first and from the reserve last.
    // Of every packet that waits; as calls the two cost eight instructions a packet-hop more.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn remove(&mut self, queue: usize, frame: Bytes) {
        let from_shared = self.shared_part(queue, frame);
        if let Some(quirks) = &mut self.quirks {
            quirks.on_departure(queue, queue >> self.reserve_shift, frame);
        }
        let counters = &mut self.queues[queue];
        counters.bytes -= frame;
        counters.shared -= from_shared;
        self.pools[counters.pool].shared_used -= from_shared;
        if from_shared < frame {
            self.reserves[queue >> self.reserve_shift] -= frame - from_shared;
        }
        self.lossy -= frame;
        self.check(queue);
    }

    /// Counts in a packet of a lossless class, which its ingress port has admitted.
    #[inline]
    pub fn hold(&mut self, queue: usize, frame: Bytes) {
        self.queues[queue].bytes += frame;
        self.lossless += frame;
        self.peak = self.peak.max(self.used());
        self.check(queue);
    }

    /// Counts out a packet of a lossless class.
    #[inline]
    pub fn let_go(&mut self, queue: usize, frame: Bytes) {
        self.queues[queue].bytes -= frame;
        self.lossless -= frame;
        self.check(queue);
    }

    /// Bytes of the first `frame` bytes of a queue that are in the shared pool.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn shared_part(&self, queue: usize, frame: Bytes) -> Bytes {
        match &self.quirks {
            Some(quirks) => quirks.shared_part(queue, frame, self.queues[queue].shared),
            None => frame.min(self.queues[queue].shared),
        }
    }

    /// Asserts in debug builds that the counters add up.
    fn check(&self, queue: usize) {
        if cfg!(debug_assertions) {
            let sum = |bytes: fn(&Queue) -> Bytes| self.queues.iter().map(bytes).sum::<Bytes>();
            let reserved = self.reserves.iter().copied().sum::<Bytes>();
            let shared_used = self.pools().sum::<Bytes>();
            let index = self.queues[queue].pool;
            let of_pool = self.queues.iter().filter(|queue| queue.pool == index);
            let pool = &self.pools[index];
            assert_eq!(
                pool.shared_used,
                of_pool.map(|queue| queue.shared).sum(),
                "the pool holds what its queues hold"
            );
            assert_eq!(self.used(), sum(|queue| queue.bytes), "memory holds what its queues hold");
            assert_eq!(self.lossy, shared_used + reserved, "each byte is in one place");
            assert!(pool.shared_used <= pool.shared, "the pool is not overfull");
            assert!(self.reserves.iter().all(|&bytes| bytes <= self.reserve_limit), "no reserve is overfull");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::buffer_policy::complete_sharing::CompleteSharing;
    use super::super::buffer_policy::dynamic_threshold::DynamicThreshold;
    use super::*;
    use crate::kernel::units::Ratio;
    use crate::reading::from_text;

    const FRAME: Bytes = Bytes::new(1000);

    fn pool(shared: u64, ports: std::ops::Range<u32>) -> Pool {
        Pool { shared: Bytes::new(shared), ports: ports.collect() }
    }

    fn complete_sharing(pools: &[Pool], reserve: Reserve) -> Mmu {
        let policy = buffer_policy::Parameters::CompleteSharing(CompleteSharing {});
        Mmu::new(pools, reserve, policy, 1)
    }

    fn fill(mmu: &mut Mmu, queue: usize) -> (u64, DropReason) {
        for packets in 0.. {
            if let Err(reason) = mmu.admit(queue, FRAME) {
                return (packets, reason);
            }
        }
        unreachable!("memory is finite")
    }

    #[test]
    fn the_reserve_is_used_first_and_given_back_last() {
        let mut mmu = complete_sharing(&[pool(6_000, 0..2)], Reserve::PerQueue(Bytes::new(2_000)));
        for shared in [0, 0, 1] {
            mmu.admit(0, FRAME).unwrap();
            assert_eq!(mmu.pools[0].shared_used, FRAME * shared);
        }
        mmu.remove(0, FRAME);
        assert_eq!(mmu.pools[0].shared_used, Bytes::ZERO);
        assert_eq!(mmu.reserves[0], Bytes::new(2_000));
    }

    #[test]
    fn one_queue_can_take_the_pool_but_not_another_queues_reserve() {
        let mut mmu = complete_sharing(&[pool(6_000, 0..2)], Reserve::PerQueue(Bytes::new(2_000)));
        assert_eq!(fill(&mut mmu, 0), (8, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 8), (2, DropReason::PoolFull));
        assert_eq!(mmu.peak(), Bytes::new(10_000));
    }

    /// A packet on the wire cannot be pushed out: the next longest queue loses one, and a packet that would make its
    /// own queue the longest is dropped.
    #[test]
    fn the_longest_queue_that_has_a_packet_to_lose_is_pushed_out() {
        let mut mmu = complete_sharing(&[pool(10_000, 0..3)], Reserve::PerQueue(Bytes::ZERO));
        for (queue, packets) in [(0, 5), (8, 3), (16, 2)] {
            (0..packets).for_each(|_| mmu.admit(queue, FRAME).unwrap());
        }
        let pushed_out = |queue, on_wire: usize| mmu.pushed_out(queue, FRAME, |other| other != on_wire);
        assert_eq!(pushed_out(16, 8), Some(0));
        assert_eq!(pushed_out(16, 0), Some(8));
        assert_eq!(pushed_out(0, 0), None);
        mmu.remove(0, FRAME);
        mmu.admit(16, FRAME).unwrap();
        let pushed_out = |queue| mmu.pushed_out(queue, FRAME, |other| other != 0);
        assert_eq!([8, 16].map(pushed_out), [Some(8), Some(16)], "with the packet itself");
    }

    #[test]
    fn under_longest_queue_drop_a_queue_has_no_limit_but_the_pool() {
        let policy = from_text("policy = 'longest_queue_drop'");
        let mut mmu = Mmu::new(&[pool(10_000, 0..2)], Reserve::PerQueue(Bytes::ZERO), policy, 1);
        assert!(mmu.pushes_out());
        assert_eq!(fill(&mut mmu, 0), (10, DropReason::PoolFull));
    }

    #[test]
    fn what_is_in_a_reserve_is_not_pushed_out() {
        let mut mmu = complete_sharing(&[pool(0, 0..2)], Reserve::PerQueue(FRAME));
        mmu.admit(0, FRAME).unwrap();
        assert_eq!(mmu.pushed_out(0, FRAME, |_| true), None, "the pool would be as full as before");
    }

    #[test]
    fn queues_of_a_port_share_its_reserve() {
        let mut mmu = complete_sharing(&[pool(0, 0..2)], Reserve::PerPort(Bytes::new(2_000)));
        assert_eq!(fill(&mut mmu, 0), (2, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 1), (0, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 8), (2, DropReason::PoolFull));
    }

    #[test]
    fn a_full_pool_leaves_the_others_alone() {
        let pools = [pool(4_000, 0..1), pool(6_000, 1..3)];
        let mut mmu = complete_sharing(&pools, Reserve::PerPort(Bytes::new(1_000)));
        assert_eq!(fill(&mut mmu, 0), (5, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 8), (7, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 16), (1, DropReason::PoolFull));
        assert_eq!(mmu.pools().map(Bytes::get).collect::<Vec<_>>(), [4_000, 6_000]);
        mmu.remove(0, FRAME);
        assert_eq!(fill(&mut mmu, 16), (0, DropReason::PoolFull));
        assert_eq!(mmu.peak(), Bytes::new(13_000));
    }

    fn dynamic_threshold(pools: &[Pool], alpha: u64, alpha_by_priority: Option<[u64; PRIORITIES]>) -> Mmu {
        let whole = |alpha| Ratio::new(alpha, 1);
        let policy = buffer_policy::Parameters::DynamicThreshold(DynamicThreshold {
            alpha: whole(alpha),
            alpha_by_priority: alpha_by_priority.map(|alphas| Box::new(alphas.map(whole))),
        });
        Mmu::new(pools, Reserve::PerQueue(Bytes::ZERO), policy, 1)
    }

    /// A queue is admitted while it is below the threshold, so it ends at most one packet above.
    #[test]
    fn dynamic_threshold_stops_a_queue_at_its_fixed_point() {
        let mut mmu = dynamic_threshold(&[pool(100_000, 0..4)], 1, None);
        assert_eq!(fill(&mut mmu, 0), (50, DropReason::Threshold));
    }

    /// `alpha B / (1 + alpha)` with alpha 1, 4 and 1 again in a pool that the first two have left 10 packets of.
    #[test]
    fn each_class_has_an_alpha_of_its_own() {
        let alphas = Some([1, 1, 1, 4, 1, 1, 1, 1]);
        let mut mmu = dynamic_threshold(&[pool(100_000, 0..4)], 9, alphas);
        assert_eq!(fill(&mut mmu, 0), (50, DropReason::Threshold));
        assert_eq!(fill(&mut mmu, 3), (40, DropReason::Threshold));
        assert_eq!(fill(&mut mmu, 9), (5, DropReason::Threshold));
    }

    #[test]
    fn what_is_beside_a_packet_of_a_port_or_pool_is_all_of_it_but_the_packet() {
        let mut mmu = complete_sharing(&[pool(9_000, 0..2)], Reserve::PerQueue(FRAME));
        for queue in [0, 0, 0, 1, 1, 8] {
            mmu.admit(queue, FRAME).unwrap();
        }
        assert_eq!((mmu.port_bytes(0), mmu.port_bytes(1)), (FRAME * 5, FRAME));
        assert_eq!(mmu.shared_beside(0, Bytes::ZERO), FRAME * 3);
        assert_eq!(mmu.shared_beside(0, FRAME), FRAME * 2);
        // The whole of queue 8 is in its reserve.
        assert_eq!(mmu.shared_beside(8, FRAME), FRAME * 3);
    }

    /// Two packets of 1000 bytes are in the reserve of port 1 and one in the pool, of which 1500 bytes leave.
    #[test]
    fn what_the_pool_has_too_little_of_is_taken_from_the_reserve_of_the_port() {
        let mut mmu = complete_sharing(&[pool(6_000, 0..2)], Reserve::PerPort(Bytes::new(2_000)));
        (0..3).for_each(|_| mmu.admit(9, FRAME).unwrap());
        mmu.remove(9, Bytes::new(1_500));
        assert_eq!((mmu.pools[0].shared_used, mmu.reserves[1]), (Bytes::ZERO, Bytes::new(1_500)));
    }

    #[test]
    fn lossless_packets_count_as_held_and_in_no_pool() {
        let mut mmu = complete_sharing(&[pool(6_000, 0..2)], Reserve::PerQueue(Bytes::ZERO));
        mmu.hold(3, FRAME);
        mmu.hold(3, FRAME);
        mmu.admit(0, FRAME).unwrap();
        assert_eq!((mmu.queue_bytes(3), mmu.used(), mmu.peak()), (FRAME * 2, FRAME * 3, FRAME * 3));
        mmu.let_go(3, FRAME);
        assert_eq!((mmu.queue_bytes(3), mmu.used(), mmu.lossless), (FRAME, FRAME * 2, FRAME));
        assert_eq!(mmu.pools().collect::<Vec<_>>(), [FRAME]);
    }

    #[test]
    fn a_peak_is_more_than_ever_was_in_memory() {
        let mut mmu = complete_sharing(&[pool(6_000, 0..2)], Reserve::PerQueue(Bytes::ZERO));
        assert!(mmu.would_peak(FRAME));
        (0..2).for_each(|_| mmu.admit(0, FRAME).unwrap());
        mmu.remove(0, FRAME);
        assert!(!mmu.would_peak(FRAME) && mmu.would_peak(Bytes::new(1_001)));
        mmu.put_where_ample(8, FRAME);
        assert_eq!((mmu.queue_bytes(8), mmu.used(), mmu.pools[0].shared_used), (FRAME, FRAME * 2, FRAME * 2));
        mmu.remove(8, FRAME);
        assert_eq!(mmu.used(), FRAME);
    }

    /// With at most half of 100 kB in use, Dynamic Threshold with alpha 1 lets every queue have half of it.
    #[test]
    fn room_is_ample_below_what_a_half_full_pool_lets_any_queue_have() {
        let mmu = dynamic_threshold(&[pool(100_000, 0..4)], 1, None);
        let is_ample = |held, longest| mmu.has_ample_room(Bytes::new(held), FRAME, longest);
        assert_eq!([48_999, 49_000, 49_001].map(|held| is_ample(held, Bytes::MAX)), [true, false, false]);
        assert_eq!([2_001, 2_000, 1_999].map(|most| is_ample(1_000, Bytes::new(most))), [true, false, false]);
        let without_threshold = complete_sharing(&[pool(10_000, 0..2)], Reserve::PerQueue(Bytes::ZERO));
        let fits = |frame| without_threshold.has_ample_room(Bytes::ZERO, Bytes::new(frame), Bytes::MAX);
        assert!(fits(5_000) && !fits(5_001));
    }

    /// The pool of 100 kB has none of the lossless bytes.
    #[test]
    fn lossless_packets_leave_room_as_ample_as_it_was() {
        let mut mmu = dynamic_threshold(&[pool(100_000, 0..4)], 1, None);
        mmu.hold(3, Bytes::new(90_000));
        assert!(mmu.has_ample_room(Bytes::ZERO, FRAME, Bytes::MAX) && !mmu.would_peak(Bytes::ZERO));
        (0..50).for_each(|packet| mmu.admit(8 * (packet % 4), FRAME).unwrap());
        assert!(!mmu.has_ample_room(Bytes::ZERO, FRAME, Bytes::MAX));
    }

    /// A reserve comes first, and a policy that follows queues may lower a threshold at any time.
    #[test]
    fn room_is_never_ample_beside_a_reserve_or_under_a_policy_that_follows_queues() {
        let pools = [pool(100_000, 0..2)];
        let with_reserve = complete_sharing(&pools, Reserve::PerQueue(FRAME));
        let abm = buffer_policy::Parameters::Abm(buffer_policy::abm::Abm::default());
        let following = Mmu::new(&pools, Reserve::PerQueue(Bytes::ZERO), abm, 1);
        for mmu in [with_reserve, following] {
            assert!(!mmu.has_ample_room(Bytes::ZERO, FRAME, Bytes::MAX));
        }
    }

    #[test]
    fn a_reserve_is_used_first_where_no_quirks_are_asked_for() {
        let pools = [pool(1_000, 0..1)];
        let mut mmu = complete_sharing(&pools, Reserve::PerQueue(FRAME)).with_quirks(None);
        assert_eq!(mmu.place_unsettled(0, FRAME), Some(Placement::Reserve));
        mmu.admit(0, FRAME).unwrap();
        assert_eq!(mmu.pools[0].shared_used, Bytes::ZERO);
        assert_eq!(mmu.place_unsettled(0, FRAME), None, "the pool is not for certain");
        let mut mmu = complete_sharing(&pools, Reserve::PerQueue(Bytes::ZERO));
        assert_eq!(mmu.place_unsettled(0, FRAME), Some(Placement::Shared));
        mmu.admit(0, FRAME).unwrap();
        assert_eq!(mmu.place_unsettled(0, FRAME), None);
    }

    /// Of 10 kB, 5 kB are in queue 0 and 1 kB of queue 8 is in its reserve.
    #[test]
    fn a_drop_tells_of_the_level_that_caused_it() {
        let room = |held, limit| Some(Room { held: Bytes::new(held), limit: Bytes::new(limit) });
        let mut mmu = dynamic_threshold(&[pool(10_000, 0..2)], 1, None);
        assert_eq!(fill(&mut mmu, 0), (5, DropReason::Threshold));
        assert_eq!(mmu.room(0, DropReason::Threshold), room(5_000, 5_000));
        for reason in [DropReason::PoolFull, DropReason::PushedOut] {
            assert_eq!(mmu.room(0, reason), room(5_000, 10_000));
        }
        assert_eq!(mmu.room(0, DropReason::HeadroomFull), None, "that is not memory of egress queues");
        assert!(!mmu.pushes_out() && !mmu.expels());
    }
}
