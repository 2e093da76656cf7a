//! Expulsion: packets that a switch drops from queues above their threshold, one of each such queue in turn.
//!
//! Reading a packet out of memory takes memory bandwidth, which ports need too. A token bucket holds the bandwidth that
//! ports leave, and a packet is expelled when it holds enough. The MMU has this part only if its policy expels.

use super::Mmu;
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Rate, Span, Time, TransmissionClock};
use crate::switch::buffer_policy::{self, BufferPolicy, Occupancy};

/// Expels packets from the queues of one switch.
/// The token bucket is kept as the time until which everything read is paid for. Between two events of the switch
/// nothing else changes, so the next event finds out which packets were expelled before it.
#[derive(Debug)]
pub(super) struct Expulsion {
    clock: TransmissionClock,
    /// Time in which the token bucket fills up.
    burst: Span,
    /// Time at which everything read is paid for.
    paid: Time,
    /// Time up to which all expulsions are done.
    settled: Time,
    /// The queue that had the last turn.
    turn: usize,
    /// Bytes in each pool up to which no queue can be above its threshold.
    quiet: Vec<Bytes>,
}

impl Expulsion {
    pub(super) fn new(
        memory_bandwidth: Rate,
        burst: Bytes,
        policy: &buffer_policy::Parameters,
        pools: &[Occupancy],
    ) -> Self {
        let clock = TransmissionClock::new(memory_bandwidth);
        Self {
            clock,
            burst: clock.transmission_time(burst),
            paid: Time::ZERO,
            settled: Time::ZERO,
            turn: 0,
            quiet: pools.iter().map(|pool| quiet(policy, pool)).collect(),
        }
    }

    /// Takes the memory bandwidth to read `bytes` from the token bucket.
    fn read(&mut self, now: Time, bytes: Bytes) {
        let full = Time::new(now.get().saturating_sub(self.burst.get()));
        self.paid = self.paid.max(full).later(self.clock.transmission_time(bytes));
    }
}

/// The most bytes that a pool may hold so that even one queue with all of them is below every threshold.
fn quiet(policy: &buffer_policy::Parameters, pool: &Occupancy) -> Bytes {
    let is_quiet = |used: u64| {
        let occupancy = Occupancy { shared_used: Bytes::new(used), ..*pool };
        (0..PRIORITIES).all(|priority| policy.threshold(priority, &occupancy).get() >= used)
    };
    let (mut low, mut high) = (0, pool.shared.get() + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if is_quiet(middle) { low = middle } else { high = middle }
    }
    Bytes::new(low)
}

impl Mmu {
    /// Sets the rate at which memory can be read, by ports and to expel packets, if the policy expels.
    #[must_use]
    pub fn with_memory_bandwidth(self, memory_bandwidth: Option<Rate>) -> Self {
        let expelling = self.policy.expels().zip(memory_bandwidth);
        let expulsion = expelling.map(|(expelling, memory_bandwidth)| {
            Box::new(Expulsion::new(memory_bandwidth, expelling.burst, &self.policy, &self.pools))
        });
        Self { is_told: self.is_told || expulsion.is_some(), expulsion, ..self }
    }

    /// Whether packets are expelled.
    pub fn expels(&self) -> bool {
        self.expulsion.is_some()
    }

    /// Queue that loses its first packet next and the time of the loss, if that time is not after `now`. `holds`
    /// tells in which queues a packet waits.
    pub fn expelled_by(&mut self, now: Time, holds: impl Fn(usize) -> bool) -> Option<(usize, Time)> {
        let mut expulsion = self.expulsion.take()?;
        let next = self.next_expelled(&expulsion, holds);
        let at = expulsion.paid.max(expulsion.settled);
        let found = next.filter(|_| at <= now).map(|queue| (queue, at));
        match found {
            Some((queue, at)) => (expulsion.turn, expulsion.settled) = (queue, at),
            None => expulsion.settled = now,
        }
        self.expulsion = Some(expulsion);
        found
    }

    fn next_expelled(&self, expulsion: &Expulsion, holds: impl Fn(usize) -> bool) -> Option<usize> {
        if self.pools.iter().zip(&expulsion.quiet).all(|(pool, quiet)| pool.shared_used <= *quiet) {
            return None;
        }
        let has_too_much =
            |queue: &usize| self.queues[*queue].shared > self.threshold(*queue) && holds(*queue);
        (expulsion.turn + 1..self.queues.len()).chain(0..=expulsion.turn).find(has_too_much)
    }

    /// Takes note of a packet of `frame` bytes that is read out of memory, to be sent or expelled.
    #[cold]
    pub fn on_read(&mut self, now: Time, frame: Bytes) {
        if let Some(expulsion) = &mut self.expulsion {
            expulsion.read(now, frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Placement, Pool, Reserve};
    use super::*;
    use crate::kernel::units::Ratio;
    use crate::observer::DropReason;
    use crate::switch::buffer_policy::occamy::Occamy;

    const FRAME: Bytes = Bytes::new(1000);

    /// Of 100 kB for three ports, a queue may take what is free; 8 Gb/s read a byte in a nanosecond, and two packets at once.
    fn mmu() -> Mmu {
        let policy = Occamy { alpha: Ratio::new(1, 1), burst: Bytes::new(2000), ..Occamy::default() };
        let pool = Pool { shared: Bytes::new(100_000), ports: (0..3).collect() };
        Mmu::new(&[pool], Reserve::PerQueue(Bytes::ZERO), buffer_policy::Parameters::Occamy(policy), 1)
            .with_memory_bandwidth(Some(Rate::from_gbps(8)))
    }

    fn put(mmu: &mut Mmu, queue: usize, packets: u64) {
        (0..packets).for_each(|_| mmu.put(queue, FRAME, Placement::Shared));
    }

    fn at(nanoseconds: u64) -> Time {
        Time::ZERO + Span::from_nanoseconds(nanoseconds)
    }

    /// Takes packets out as the switch does. Returns the port of each, and when.
    fn expelled(mmu: &mut Mmu, by: Time) -> Vec<(usize, u64)> {
        let mut all = Vec::new();
        while let Some((queue, then)) = mmu.expelled_by(by, |_| true) {
            mmu.remove(queue, FRAME);
            mmu.on_read(then, FRAME);
            all.push((Mmu::port(queue), then.as_nanoseconds()));
        }
        all
    }

    /// By hand. Of two queues of 33 kB each may hold 34. With 29 kB in a third one it may hold 5: each packet that goes lets it hold 1 kB
    /// more. At 10 us the bucket holds two packets, and one goes while it is not empty; after these three there is one every microsecond.
    #[test]
    fn queues_take_turns_to_lose_a_packet_as_fast_as_memory_is_read() {
        let mut mmu = mmu();
        put(&mut mmu, 0, 33);
        put(&mut mmu, 8, 33);
        assert_eq!(expelled(&mut mmu, at(10_000)), []);
        put(&mut mmu, 16, 29);
        let all = expelled(&mut mmu, at(13_000));
        assert_eq!(all, [(1, 10_000), (2, 10_000), (0, 10_000), (1, 11_000), (2, 12_000), (0, 13_000)]);
        assert_eq!(expelled(&mut mmu, at(13_999)), []);
        assert_eq!(expelled(&mut mmu, at(14_000)), [(1, 14_000)]);
    }

    /// Two packets sent at 10 us are paid for at 10 us, since the bucket held them; the third one at 11 us.
    #[test]
    fn what_ports_read_is_not_there_to_expel() {
        let mut mmu = mmu();
        put(&mut mmu, 0, 80);
        for _ in 0..3 {
            mmu.on_read(at(10_000), FRAME);
        }
        assert_eq!(expelled(&mut mmu, at(12_000)), [(0, 11_000), (0, 12_000)]);
    }

    /// 80 kB are held by one, so that a queue may hold 20 kB: of 60 kB above that, half go, because what goes is free.
    #[test]
    fn it_ends_where_nobody_holds_more_than_what_is_free() {
        let mut mmu = mmu();
        put(&mut mmu, 0, 80);
        assert_eq!(expelled(&mut mmu, at(1_000_000)).len(), 30);
        assert_eq!(mmu.queue_bytes(0), Bytes::new(50_000));
    }

    /// With alpha 8, one queue may hold 8/9 of the pool.
    #[test]
    fn a_pool_is_quiet_while_one_queue_may_hold_all_that_it_holds() {
        let policy = buffer_policy::Parameters::Occamy(Occamy::default());
        assert_eq!(quiet(&policy, &Occupancy::empty(Bytes::new(90_000), 3)), Bytes::new(80_000));
    }

    /// Each of two queues holds 5 kB of 15 kB: with alpha 1 that is their threshold, and a packet more is too much.
    #[test]
    fn a_queue_at_its_threshold_loses_nothing() {
        let pools = [Pool { shared: FRAME * 15, ports: vec![0, 1] }];
        let policy = Occamy { alpha: Ratio::new(1, 1), burst: FRAME * 9, ..Occamy::default() };
        let policy = buffer_policy::Parameters::Occamy(policy);
        let mmu = Mmu::new(&pools, Reserve::PerQueue(Bytes::ZERO), policy, 1);
        assert!(!mmu.is_told() && !mmu.expels());
        let mut mmu = mmu.with_memory_bandwidth(Some(Rate::from_gbps(10)));
        assert!(mmu.is_told() && mmu.expels());
        for queue in [0, 8] {
            (0..5).for_each(|_| mmu.put(queue, FRAME, Placement::Shared));
        }
        let at = Time::ZERO + Span::from_microseconds(100);
        assert_eq!(mmu.expelled_by(at, |_| true), None);
        mmu.put(8, FRAME, Placement::Shared);
        assert_eq!(mmu.expelled_by(at, |_| true).map(|(queue, _)| queue), Some(8));
        let room = mmu.room(8, DropReason::PushedOut).map(|room| (room.held, room.limit));
        assert_eq!(room, Some((FRAME * 6, FRAME * 4)), "its threshold, not the pool");
    }
}
