//! What a buffer policy learns that follows queues: at what rate each has drained lately, and how many are congested.
//! Apart from the memory, which tells it only where a policy asks for it.

use super::Mmu;
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Ratio, Span, Time};
use crate::switch::buffer_policy::{BufferPolicy, Followed, Following, Occupancy};

/// Follows the queues of one switch.
#[derive(Debug)]
pub(super) struct Follower {
    following: Following,
    /// When queues were looked at.
    looked: Time,
    /// When they are to be looked at next.
    next: Time,
    /// Bytes of its flow before the packet that asks.
    offset: u64,
    queues: Vec<Queue>,
    /// Congested queues of each class, pool by pool.
    congested: Vec<[u64; PRIORITIES]>,
    /// How many were before.
    congested_before: Vec<[u64; PRIORITIES]>,
}

/// One queue since queues were looked at.
#[derive(Clone, Copy, Debug)]
struct Queue {
    /// Whether it had no packets at some instant.
    was_empty: bool,
    /// How long its port takes for those that it has begun to send.
    served: Span,
    /// When it has sent the last of them.
    served_until: Time,
    /// Its drain rate when queues were looked at.
    drain_rate: Ratio,
}

impl Queue {
    const NEW: Self = Self {
        was_empty: true,
        served: Span::ZERO,
        served_until: Time::ZERO,
        drain_rate: Followed::NOTHING.drain_rate,
    };

    /// Looks at it after so long. One that has run empty was not held back by its port.
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

    /// What there is to know about a queue on a pool.
    pub(super) fn of(&self, queue: usize, pool: usize) -> Followed {
        let (drain_rate, congested) =
            (self.queues[queue].drain_rate, self.congested[pool][queue % PRIORITIES]);
        Followed { drain_rate, congested, offset: self.offset }
    }
}

impl Mmu {
    /// Whether the policy is to be told of what comes and goes, because it follows queues or expels from them.
    #[inline]
    pub fn is_told(&self) -> bool {
        self.is_told
    }

    /// A packet has come with so many bytes of its flow before it; one without data counts as late.
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

    /// Counts congested queues anew, by thresholds that go by how many there were.
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

    /// A port has begun to send a packet of one of its queues, and will have sent it then.
    #[cold]
    pub fn on_service(&mut self, queue: usize, now: Time, ends: Time) {
        if let Some(follower) = &mut self.follower {
            let queue = &mut follower.queues[queue];
            queue.served += ends.since(now);
            queue.served_until = ends;
        }
    }

    /// A packet no longer counts in a queue.
    #[cold]
    pub fn on_departure(&mut self, queue: usize) {
        let is_empty = self.queue_bytes(queue) == Bytes::ZERO;
        if let Some(follower) = &mut self.follower {
            follower.queues[queue].was_empty |= is_empty;
        }
    }
}
