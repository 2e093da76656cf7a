//! Follower: drain rates and numbers of congested queues, for a buffer policy that asks for them.
//!
//! The follower looks at all queues once in a while, at a packet's arrival, and compares with the time before. Only an
//! MMU whose policy follows queues has one.

use super::Mmu;
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Ratio, Span, Time};
use crate::switch::buffer_policy::{BufferPolicy, Followed, Following, Occupancy};

/// Follows the queues of one switch.
#[derive(Debug)]
pub(super) struct Follower {
    following: Following,
    /// Time of the last look at queues.
    looked: Time,
    /// Time from which on the next arrival looks at queues.
    next: Time,
    /// Bytes of a flow before the packet that asks for room.
    offset: u64,
    queues: Vec<Queue>,
    /// Congested queues of each class, pool by pool.
    congested: Vec<[u64; PRIORITIES]>,
    /// Congested queues at the look before.
    congested_before: Vec<[u64; PRIORITIES]>,
}

/// One queue since the last look.
#[derive(Clone, Copy, Debug)]
struct Queue {
    /// Whether the queue had no packets at some instant.
    was_empty: bool,
    /// Transmission time of the queue's packets that the port has begun to send.
    served: Span,
    /// Time at which the port has sent the last packet that it began to send from the queue.
    served_until: Time,
    /// Drain rate at the last look, as a share of the port's rate.
    drain_rate: Ratio,
}

impl Queue {
    const NEW: Self = Self {
        was_empty: true,
        served: Span::ZERO,
        served_until: Time::ZERO,
        drain_rate: Followed::NOTHING.drain_rate,
    };

    /// Looks at a queue `passed` after the last look. A queue that has run empty was not held back by its port.
    fn look(&mut self, now: Time, passed: Span, is_empty: bool) {
        let ahead = Span::new(self.served_until.get().saturating_sub(now.get()));
        let served = self.served - ahead;
        self.drain_rate = if self.was_empty || served >= passed {
            Followed::NOTHING.drain_rate
        } else {
            Ratio::new(served.get(), passed.get())
        };
        (self.was_empty, self.served) = (is_empty, ahead);
    }
}

impl Follower {
    pub(super) fn new(following: Following, queues: usize, pools: usize) -> Self {
        let congested = vec![[Followed::NOTHING.congested; PRIORITIES]; pools];
        Self {
            following,
            looked: Time::ZERO,
            next: Time::ZERO + following.every,
            offset: 0,
            queues: vec![Queue::NEW; queues],
            congested_before: congested.clone(),
            congested,
        }
    }

    /// Returns the drain rate of a queue, and the number of congested queues of its class on the pool.
    pub(super) fn of(&self, queue: usize, pool: usize) -> Followed {
        let (drain_rate, congested) =
            (self.queues[queue].drain_rate, self.congested[pool][queue % PRIORITIES]);
        Followed { drain_rate, congested, offset: self.offset }
    }
}

impl Mmu {
    /// Whether the policy is to be told of arrivals and departures, because it follows queues or expels from them.
    #[inline]
    pub fn is_told(&self) -> bool {
        self.is_told
    }

    /// Takes note of a packet's arrival. `offset` is the number of bytes of its flow before it.
    #[cold]
    pub fn on_arrival(&mut self, now: Time, offset: u64) {
        let Some(mut follower) = self.follower.take() else { return };
        if now >= follower.next {
            let passed = now.since(follower.looked);
            for (followed, queue) in follower.queues.iter_mut().zip(&self.queues) {
                followed.look(now, passed, queue.bytes == Bytes::ZERO);
            }
            // Of a shorter time nothing could be said: in less than a round of its scheduler a port serves not every queue.
            (follower.looked, follower.next) = (now, now + follower.following.every);
            self.count_congested(&mut follower);
        }
        follower.offset = offset;
        self.follower = Some(follower);
    }

    /// Counts congested queues anew, by thresholds that follow from the previous number.
    fn count_congested(&self, follower: &mut Follower) {
        let mut congested = std::mem::take(&mut follower.congested_before);
        congested.fill([0; PRIORITIES]);
        for (index, queue) in self.queues.iter().enumerate().filter(|(_, queue)| queue.shared > Bytes::ZERO) {
            let followed = Followed { offset: u64::MAX, ..follower.of(index, queue.pool) };
            let occupancy = Occupancy { followed, ..self.pools[queue.pool] };
            let threshold = self.policy.threshold(index % PRIORITIES, &occupancy);
            if queue.shared >= follower.following.congested_from.of(threshold) {
                congested[queue.pool][index % PRIORITIES] += 1;
            }
        }
        congested.iter_mut().flatten().for_each(|count| *count = (*count).max(Followed::NOTHING.congested));
        follower.congested_before = std::mem::replace(&mut follower.congested, congested);
    }

    /// Takes note that a port has begun to send a packet of one of its queues, until `ends`.
    #[cold]
    pub fn on_service(&mut self, queue: usize, now: Time, ends: Time) {
        if let Some(follower) = &mut self.follower {
            let queue = &mut follower.queues[queue];
            queue.served += ends.since(now);
            queue.served_until = ends;
        }
    }

    /// Takes note that a packet has been counted out of a queue.
    #[cold]
    pub fn on_departure(&mut self, queue: usize) {
        let is_empty = self.queue_bytes(queue) == Bytes::ZERO;
        if let Some(follower) = &mut self.follower {
            follower.queues[queue].was_empty |= is_empty;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Placement, Pool, Reserve};
    use super::*;
    use crate::reading::from_text;

    const FRAME: Bytes = Bytes::new(1000);

    /// Two ports on a pool of 100 kB, under ABM with alpha 2 for class 1 and alpha 1 for the others.
    fn mmu() -> Mmu {
        let policy = from_text(
            "policy = 'abm'\nalpha_by_priority = [1, 2, 1, 1, 1, 1, 1, 1]\nalpha_unscheduled = 3\n\
             unscheduled = '20kB'\ninterval = '100us'\ncongested_from = '1/2'",
        );
        let pools = [Pool { shared: Bytes::new(100_000), ports: vec![0, 1] }];
        Mmu::new(&pools, Reserve::PerQueue(Bytes::ZERO), policy, 2)
    }

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(microseconds)
    }

    fn take_in(mmu: &mut Mmu, packets: &[(usize, u64)]) {
        for &(queue, count) in packets {
            (0..count).for_each(|_| mmu.admit(queue, FRAME).unwrap());
        }
    }

    fn thresholds(mmu: &Mmu) -> [u64; 3] {
        [0, 1, 8].map(|queue| mmu.threshold(queue).get())
    }

    /// Computed by hand (SIGCOMM 2022, equation 9). 10, 5 and 40 kB wait in classes 0 and 1 of port 0 and in class 0 of
    /// port 1, so that 45 kB are free.
    #[test]
    fn thresholds_follow_drain_rates_and_congested_queues() {
        let mut mmu = mmu();
        assert!(mmu.is_told());
        take_in(&mut mmu, &[(0, 10), (1, 5), (8, 40)]);
        mmu.on_arrival(at(100), 20_000);
        assert_eq!(thresholds(&mmu), [45_000, 90_000, 45_000], "no packet had waited all the time");

        mmu.on_service(0, at(110), at(120));
        mmu.on_service(1, at(120), at(195));
        mmu.on_service(0, at(195), at(205));
        mmu.on_service(8, at(100), at(200));
        mmu.on_arrival(at(199), 20_000);
        assert_eq!(thresholds(&mmu), [45_000, 90_000, 45_000], "not an interval later");
        // Served for 15, 75 and 100 of 100 us. Both queues of class 0 hold at least half of 6750 and of 45,000.
        mmu.on_arrival(at(200), 20_000);
        assert_eq!(thresholds(&mmu), [6_750 / 2, 67_500, 45_000 / 2]);
        mmu.on_arrival(at(200), 19_999);
        // Alpha 3, the first bytes of a flow.
        assert_eq!(thresholds(&mmu), [20_250 / 2, 101_250, 135_000 / 2]);
        // The end of the packet that was on the wire, and nothing else.
        mmu.on_arrival(at(300), 20_000);
        assert_eq!(thresholds(&mmu), [2_250 / 2, 0, 0]);
    }

    /// Two queues have waited for a look and a look more: the first runs empty in between, the second does not.
    #[test]
    fn a_queue_that_ran_empty_was_not_held_back() {
        let mut mmu = mmu();
        take_in(&mut mmu, &[(1, 5), (8, 40)]);
        mmu.on_arrival(at(100), 20_000);
        for (queue, packets) in [(1, 5), (8, 5)] {
            for _ in 0..packets {
                mmu.remove(queue, FRAME);
                mmu.on_departure(queue);
            }
        }
        take_in(&mut mmu, &[(1, 5), (8, 5)]);
        mmu.on_arrival(at(200), 20_000);
        assert_eq!(thresholds(&mmu)[1..], [110_000, 0]);
        mmu.on_arrival(at(300), 20_000);
        assert_eq!(thresholds(&mmu)[1..], [0, 0], "it waits again");
    }

    #[test]
    fn a_queue_that_is_served_all_the_time_drains_at_the_rate_of_its_port() {
        let mut mmu = mmu();
        take_in(&mut mmu, &[(8, 5)]);
        mmu.on_arrival(at(100), 20_000);
        mmu.on_service(8, at(100), at(200));
        mmu.on_arrival(at(200), 20_000);
        assert_eq!(mmu.threshold(8), Bytes::new(95_000));
        mmu.on_service(8, at(200), at(299));
        mmu.on_arrival(at(300), 20_000);
        assert_eq!(mmu.threshold(8), Bytes::new(94_050));
    }

    /// Queue 0 holds the whole pool at the look, so that all thresholds are 0.
    #[test]
    fn an_empty_queue_is_not_congested_however_full_the_pool_is() {
        let mut mmu = mmu();
        (0..100).for_each(|_| mmu.put(0, FRAME, Placement::Shared));
        mmu.on_arrival(at(100), 20_000);
        (0..50).for_each(|_| mmu.remove(0, FRAME));
        assert_eq!(thresholds(&mmu), [50_000, 100_000, 50_000]);
    }
}
