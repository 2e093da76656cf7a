//! The memory management unit: who holds how many bytes, and whether one more packet fits.
//! Counters and their invariants live here and nowhere else; the policy only answers a threshold.

use super::buffer_policy::{self, BufferPolicy, Occupancy};
use crate::kernel::units::Bytes;
use crate::observer::DropReason;
use crate::packet::PRIORITIES;

/// Bytes of one queue.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    /// All of them.
    bytes: Bytes,
    /// Those in the shared pool; the rest is in the reserve.
    shared: Bytes,
}

/// What each reserve serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// So many bytes for each queue of a class in use.
    PerQueue(Bytes),
    /// So many bytes for all queues of a port together.
    PerPort(Bytes),
}

/// Where a packet is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// In the reserve of its queue or port.
    Reserve,
    /// In the shared pool.
    Shared,
}

/// Packet memory of one switch: reserves and one shared pool.
#[derive(Debug)]
pub struct Mmu {
    policy: buffer_policy::Parameters,
    occupancy: Occupancy,
    queues: Vec<Queue>,
    /// Bytes in each reserve; a queue's reserve is its index shifted right by `reserve_shift`.
    reserves: Vec<Bytes>,
    reserve_limit: Bytes,
    reserve_shift: u32,
    used: Bytes,
    peak: Bytes,
}

impl Mmu {
    /// Empty memory of `total` bytes for `ports` ports that use `classes` classes.
    pub fn new(
        total: Bytes,
        reserve: Reserve,
        policy: buffer_policy::Parameters,
        ports: u64,
        classes: u64,
    ) -> Self {
        let (limit, reserves, shift) = match reserve {
            Reserve::PerQueue(limit) => (limit, ports * classes, 0),
            Reserve::PerPort(limit) => (limit, ports, PRIORITIES.trailing_zeros()),
        };
        let queues = ports as usize * PRIORITIES;
        Self {
            policy,
            occupancy: Occupancy {
                shared: total.saturating_sub(limit * reserves),
                shared_used: Bytes::ZERO,
                queues: ports * classes,
            },
            queues: vec![Queue::default(); queues],
            reserves: vec![Bytes::ZERO; queues >> shift],
            reserve_limit: limit,
            reserve_shift: shift,
            used: Bytes::ZERO,
            peak: Bytes::ZERO,
        }
    }

    /// The index of a port's queue.
    #[inline]
    pub const fn queue(port: u16, priority: usize) -> usize {
        port as usize * PRIORITIES + priority
    }

    /// Bytes in a queue.
    #[inline]
    pub fn queue_bytes(&self, queue: usize) -> Bytes {
        self.queues[queue].bytes
    }

    /// Bytes in memory.
    pub fn used(&self) -> Bytes {
        self.used
    }

    /// The most bytes that were ever in memory.
    pub fn peak(&self) -> Bytes {
        self.peak
    }

    /// Where a packet of `frame` bytes for `queue` fits: in the reserve, or else in the shared pool while the queue's
    /// shared bytes are below the policy's threshold.
    #[inline]
    pub fn place(&self, queue: usize, frame: Bytes) -> Result<Placement, DropReason> {
        if self.reserve_limit > Bytes::ZERO
            && self.reserves[queue >> self.reserve_shift] + frame <= self.reserve_limit
        {
            return Ok(Placement::Reserve);
        }
        if self.occupancy.shared_used + frame > self.occupancy.shared {
            return Err(DropReason::PoolFull);
        }
        if self.queues[queue].shared >= self.policy.threshold(&self.occupancy) {
            return Err(DropReason::Threshold);
        }
        Ok(Placement::Shared)
    }

    /// Takes in a packet where it fits.
    #[inline]
    pub fn admit(&mut self, queue: usize, frame: Bytes) -> Result<(), DropReason> {
        let placement = self.place(queue, frame)?;
        let counters = &mut self.queues[queue];
        counters.bytes += frame;
        match placement {
            Placement::Reserve => self.reserves[queue >> self.reserve_shift] += frame,
            Placement::Shared => {
                counters.shared += frame;
                self.occupancy.shared_used += frame;
            }
        }
        self.used += frame;
        self.peak = self.peak.max(self.used);
        self.check();
        Ok(())
    }

    /// Counts a packet out: the shared pool is undone before the reserve.
    #[inline]
    pub fn remove(&mut self, queue: usize, frame: Bytes) {
        let counters = &mut self.queues[queue];
        counters.bytes -= frame;
        let from_shared = frame.min(counters.shared);
        counters.shared -= from_shared;
        self.occupancy.shared_used -= from_shared;
        if from_shared < frame {
            self.reserves[queue >> self.reserve_shift] -= frame - from_shared;
        }
        self.used -= frame;
        self.check();
    }

    /// The invariants, checked after every packet in debug builds.
    fn check(&self) {
        if cfg!(debug_assertions) {
            let sum = |bytes: fn(&Queue) -> Bytes| self.queues.iter().map(bytes).sum::<Bytes>();
            let reserved = self.reserves.iter().copied().sum::<Bytes>();
            assert_eq!(
                self.occupancy.shared_used,
                sum(|queue| queue.shared),
                "the pool holds what its queues hold"
            );
            assert_eq!(self.used, sum(|queue| queue.bytes), "memory holds what its queues hold");
            assert_eq!(self.used, self.occupancy.shared_used + reserved, "each byte is in one place");
            assert!(self.occupancy.shared_used <= self.occupancy.shared, "the pool is not overfull");
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

    const FRAME: Bytes = Bytes::new(1000);

    fn complete_sharing(total: u64, reserve: Reserve, ports: u64) -> Mmu {
        let policy = buffer_policy::Parameters::CompleteSharing(CompleteSharing {});
        Mmu::new(Bytes::new(total), reserve, policy, ports, 1)
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
        let mut mmu = complete_sharing(10_000, Reserve::PerQueue(Bytes::new(2_000)), 2);
        for shared in [0, 0, 1] {
            mmu.admit(0, FRAME).unwrap();
            assert_eq!(mmu.occupancy.shared_used, FRAME * shared);
        }
        mmu.remove(0, FRAME);
        assert_eq!(mmu.occupancy.shared_used, Bytes::ZERO);
        assert_eq!(mmu.reserves[0], Bytes::new(2_000));
    }

    #[test]
    fn one_queue_can_take_the_pool_but_not_another_queues_reserve() {
        let mut mmu = complete_sharing(10_000, Reserve::PerQueue(Bytes::new(2_000)), 2);
        assert_eq!(fill(&mut mmu, 0), (8, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 8), (2, DropReason::PoolFull));
        assert_eq!(mmu.peak(), Bytes::new(10_000));
    }

    #[test]
    fn queues_of_a_port_share_its_reserve() {
        let mut mmu = complete_sharing(4_000, Reserve::PerPort(Bytes::new(2_000)), 2);
        assert_eq!(fill(&mut mmu, 0), (2, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 1), (0, DropReason::PoolFull));
        assert_eq!(fill(&mut mmu, 8), (2, DropReason::PoolFull));
    }

    /// A queue is admitted while it is below the threshold, so it ends at most one packet above.
    #[test]
    fn dynamic_threshold_stops_a_queue_at_its_fixed_point() {
        let policy =
            buffer_policy::Parameters::DynamicThreshold(DynamicThreshold { alpha: Ratio::new(1, 1) });
        let mut mmu = Mmu::new(Bytes::new(100_000), Reserve::PerQueue(Bytes::ZERO), policy, 4, 1);
        assert_eq!(fill(&mut mmu, 0), (50, DropReason::Threshold));
    }
}
