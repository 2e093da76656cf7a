//! Quirks: deviations of BCC's ns-2 code (baiwei0427/buffer-management, `myred.cc`) from BCC's paper.
//!
//! A scenario that reproduces numbers of that code asks for them; the MMU counts right without.
//! Differs: a full pool takes no packet here, while that code does not look at it.

use std::collections::VecDeque;

use super::{Mmu, Placement};
use crate::classes::PRIORITIES;
use crate::kernel::units::Bytes;
use crate::observer::DropReason;

/// Deviations that a scenario asks for.
#[derive(Debug)]
pub struct Quirks {
    threshold_with_packet: bool,
    leaking: Option<LeakingReserve>,
}

impl Quirks {
    /// Quirks of a memory with `ports` ports.
    /// With `threshold_with_packet` a packet is dropped if its whole queue and itself exceed the threshold. With
    /// `leaking_reserve` the reserve's counter takes more than it gives back.
    pub fn new(threshold_with_packet: bool, leaking_reserve: bool, ports: usize) -> Self {
        let queues = ports * PRIORITIES;
        let leaking = leaking_reserve.then(|| LeakingReserve {
            counters: vec![Bytes::ZERO; queues],
            placements: vec![VecDeque::new(); queues],
        });
        Self { threshold_with_packet, leaking }
    }

    /// Whether the threshold is for all bytes of a queue, and not for its shared bytes.
    pub(super) const fn go_by_whole_queue(&self) -> bool {
        self.threshold_with_packet
    }

    /// Finds a place for a packet, as [`Mmu::place`] does.
    #[cold]
    pub(super) fn place(&self, mmu: &Mmu, queue: usize, frame: Bytes) -> Result<Placement, DropReason> {
        let counters = &mmu.queues[queue];
        let with_packet = counters.bytes + frame;
        let in_reserve = match &self.leaking {
            Some(leaking) => leaking.counters[mmu.reserve(queue)] + with_packet <= mmu.reserve_limit,
            None => mmu.fits_reserve(queue, frame),
        };
        if in_reserve {
            return Ok(Placement::Reserve);
        }
        let pool = &mmu.pools[counters.pool];
        if pool.shared_used + frame > pool.shared {
            return Err(DropReason::PoolFull);
        }
        let threshold = mmu.threshold(queue);
        let is_above =
            if self.threshold_with_packet { with_packet > threshold } else { counters.shared >= threshold };
        if is_above { Err(DropReason::Threshold) } else { Ok(Placement::Shared) }
    }

    /// Counts in a packet that brings its queue to `with_packet` bytes. `reserve` is the index of its reserve.
    #[cold]
    pub(super) fn on_admission(
        &mut self,
        queue: usize,
        reserve: usize,
        frame: Bytes,
        with_packet: Bytes,
        placement: Placement,
    ) {
        if let Some(leaking) = &mut self.leaking {
            leaking.placements[queue].push_back((frame, placement));
            if placement == Placement::Reserve {
                leaking.counters[reserve] += with_packet;
            }
        }
    }

    /// Counts a packet of a queue out.
    #[cold]
    pub(super) fn on_departure(&mut self, queue: usize, reserve: usize, frame: Bytes) {
        if let Some(leaking) = &mut self.leaking
            && leaking.take(queue, frame) == Some(Placement::Reserve)
        {
            leaking.counters[reserve] -= frame;
        }
    }

    /// Bytes of a queue's packet in the shared pool, where the whole queue has `shared` bytes there.
    #[cold]
    pub(super) fn shared_part(&self, queue: usize, frame: Bytes, shared: Bytes) -> Bytes {
        match &self.leaking {
            Some(leaking) if leaking.placement(queue, frame) == Some(Placement::Reserve) => Bytes::ZERO,
            _ => frame.min(shared),
        }
    }
}

/// A reserve that adds a packet's whole queue to its counter and takes only the packet away again.
#[derive(Debug)]
struct LeakingReserve {
    /// Bytes that each reserve believes to hold.
    counters: Vec<Bytes>,
    /// Sizes and places of the packets of each queue, from the first.
    placements: Vec<VecDeque<(Bytes, Placement)>>,
}

impl LeakingReserve {
    /// Index of the packet that leaves a queue: the first of its size. A packet that waits may be lost before the one on
    /// the wire has left memory.
    fn leaves(&self, queue: usize, frame: Bytes) -> Option<usize> {
        self.placements[queue].iter().position(|&(of, _)| of == frame)
    }

    fn placement(&self, queue: usize, frame: Bytes) -> Option<Placement> {
        self.leaves(queue, frame).map(|at| self.placements[queue][at].1)
    }

    fn take(&mut self, queue: usize, frame: Bytes) -> Option<Placement> {
        let at = self.leaves(queue, frame)?;
        self.placements[queue].remove(at).map(|(_, placement)| placement)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pool, Reserve};
    use super::*;
    use crate::kernel::units::Ratio;
    use crate::switch::buffer_policy::{self, dynamic_threshold::DynamicThreshold};

    const FRAME: Bytes = Bytes::new(9_000);

    fn port(quirks: Quirks) -> Mmu {
        let pools = [Pool { shared: Bytes::new(3 << 20), ports: vec![0] }];
        let policy = buffer_policy::Parameters::DynamicThreshold(DynamicThreshold {
            alpha: Ratio::new(4, 1),
            alpha_by_priority: None,
        });
        Mmu::new(&pools, Reserve::PerPort(Bytes::new(128 << 10)), policy, 1).with_quirks(Some(quirks))
    }

    /// `myred.cc` followed by hand: bursts of six packets into an empty port, each gone before the next.
    #[test]
    fn the_reserve_leaks_until_one_packet_of_a_burst_fits() {
        let mut mmu = port(Quirks::new(false, true, 1));
        let burst = |_| {
            (0..6).for_each(|_| mmu.admit(0, FRAME).unwrap());
            let kept = mmu.reserves[0].get() / FRAME.get();
            (0..6).for_each(|_| mmu.remove(0, FRAME));
            let counter = mmu.quirks.as_ref().and_then(|quirks| quirks.leaking.as_ref()).unwrap().counters[0];
            (kept, counter.get())
        };
        let (kept, counters): (Vec<_>, Vec<_>) = (0..8).map(burst).unzip();
        assert_eq!(kept, [4, 3, 2, 2, 2, 1, 1, 1]);
        assert_eq!(counters, [54_000, 81_000, 90_000, 99_000, 108_000, 108_000, 108_000, 108_000]);
    }

    /// Two packets of 9000 bytes into a reserve of 18,000: the first takes 9000, the second would take 27,000.
    #[test]
    fn a_leaking_reserve_gives_back_the_packets_that_it_holds() {
        let pools = [Pool { shared: Bytes::new(1 << 20), ports: vec![0, 1] }];
        let policy = buffer_policy::Parameters::DynamicThreshold(DynamicThreshold::default());
        let quirks = Quirks::new(false, true, 2);
        let mut mmu = Mmu::new(&pools, Reserve::PerPort(FRAME * 2), policy, 1).with_quirks(Some(quirks));
        for queue in [Mmu::queue(0, 0), Mmu::queue(1, 0)] {
            (0..2).for_each(|_| mmu.admit(queue, FRAME).unwrap());
            let held = |mmu: &Mmu| (mmu.reserves[Mmu::port(queue)], mmu.pools[0].shared_used);
            assert_eq!(held(&mmu), (FRAME, FRAME));
            mmu.remove(queue, FRAME);
            assert_eq!(held(&mmu), (Bytes::ZERO, FRAME), "the first packet was in the reserve");
            mmu.remove(queue, FRAME);
            assert_eq!(held(&mmu), (Bytes::ZERO, Bytes::ZERO));
        }
    }

    /// A pool of three packets takes three.
    #[test]
    fn a_full_pool_takes_no_packet() {
        let pools = [Pool { shared: FRAME * 3, ports: vec![0] }];
        let policy = buffer_policy::Parameters::DynamicThreshold(DynamicThreshold {
            alpha: Ratio::new(100, 1),
            alpha_by_priority: None,
        });
        let mmu = Mmu::new(&pools, Reserve::PerPort(Bytes::ZERO), policy, 1);
        let mut mmu = mmu.with_quirks(Some(Quirks::new(false, true, 1)));
        (0..3).for_each(|_| mmu.admit(0, FRAME).unwrap());
        assert_eq!(mmu.admit(0, FRAME), Err(DropReason::PoolFull));
    }

    /// Of 19 packets of pool, the tenth makes a queue of ten, which is what its threshold then is: 19 less nine.
    #[test]
    fn a_queue_may_reach_its_threshold_with_the_packet() {
        let pools = [Pool { shared: FRAME * 19, ports: vec![0] }];
        let policy = buffer_policy::Parameters::DynamicThreshold(DynamicThreshold::default());
        let mmu = Mmu::new(&pools, Reserve::PerPort(Bytes::ZERO), policy, 1);
        let mut mmu = mmu.with_quirks(Some(Quirks::new(true, false, 1)));
        assert_eq!((0..19).filter(|_| mmu.admit(0, FRAME).is_ok()).count(), 10);
        let room = mmu.room(0, DropReason::Threshold).unwrap();
        assert_eq!((room.held, room.limit), (FRAME * 10, FRAME * 9));
    }

    /// The second packet is lost while the first, which is in the reserve, is on the wire.
    #[test]
    fn the_reserve_gives_back_what_it_has_of_the_packet_that_leaves() {
        let pools = [Pool { shared: Bytes::new(20_000), ports: vec![0] }];
        let policy =
            buffer_policy::Parameters::CompleteSharing(buffer_policy::complete_sharing::CompleteSharing {});
        let quirks = Quirks::new(false, true, 1);
        let mut mmu =
            Mmu::new(&pools, Reserve::PerPort(Bytes::new(1_000)), policy, 1).with_quirks(Some(quirks));
        let [small, large] = [100, 9_000].map(Bytes::new);
        mmu.admit(0, small).unwrap();
        mmu.admit(0, large).unwrap();
        assert_eq!((mmu.reserves[0], mmu.pools().sum::<Bytes>()), (small, large));
        mmu.remove(0, large);
        assert_eq!((mmu.reserves[0], mmu.pools().sum::<Bytes>()), (small, Bytes::ZERO));
        mmu.remove(0, small);
        assert_eq!(mmu.used(), Bytes::ZERO);
    }

    /// Alone with 14 packets in the reserve, of F = 9000 bytes, and n in a pool of B = 3 MiB. The next is refused once
    /// (14 + n + 1) F > 4 (B - n F), that is from n = 277 on; without the option once n F >= 4 (B - n F), from n = 280.
    #[test]
    fn the_threshold_can_be_held_against_the_whole_queue_and_the_packet() {
        let admitted = |with_packet| {
            let mut mmu = port(Quirks::new(with_packet, false, 1));
            (0..400).filter(|_| mmu.admit(0, FRAME).is_ok()).count()
        };
        assert_eq!((admitted(true), admitted(false)), (14 + 277, 14 + 280));
    }
}
