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
