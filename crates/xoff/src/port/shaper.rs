//! Token-bucket shaper, which limits what a port sends although its link is faster (Linux `tbf`).
//!
//! A bucket holds tokens for `burst` bytes at most and fills at `rate`; it is full when the run begins. A packet leaves
//! once the bucket has a token for each byte of its frame, and takes these. So an idle port sends at once, at the rate of
//! its link, and a port that always has packets sends them L/R apart: a frame of L bytes at the rate R. Over any time t a
//! port sends at most `burst + rate t`. The packet that waits for tokens stays at the head of its queue.
//!
//! Left out: the second bucket of `tbf` (`peakrate`), and packets larger than the burst, which the layout refuses.
//! Differs: Linux rounds tokens to nanoseconds; here they are exact. Pause frames need no tokens.

use super::{CONTROL, LOOKS_CLOSER, Port, SHAPED};
use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::Observer;
use crate::packet::Packet;
use crate::scheduler::Scheduler;
use crate::scheduler::strict_priority::StrictPriority;

/// Token bucket of one port. A token is a picobit, so that every time and every rate bring a whole number.
#[derive(Clone, Debug)]
pub struct Shaper {
    rate: Rate,
    /// Tokens that the bucket can hold.
    most: u128,
    /// Tokens in the bucket at `counted`.
    tokens: u128,
    counted: Time,
    /// Bytes of the frames that have passed.
    passed: Bytes,
}

impl Shaper {
    /// Returns a full bucket for `burst` bytes, which fills at `rate`.
    pub fn new(rate: Rate, burst: Bytes) -> Self {
        let most = burst.picobits();
        Self { rate, most, tokens: most, counted: Time::ZERO, passed: Bytes::ZERO }
    }

    /// Returns the tokens in the bucket at `now`.
    fn tokens_at(&self, now: Time) -> u128 {
        (self.tokens + self.rate.picobits_in(now.since(self.counted))).min(self.most)
    }

    /// Returns the time, not before `now`, at which the bucket has tokens for a frame.
    fn opens(&self, frame: Bytes, now: Time) -> Time {
        let missing = frame.picobits().saturating_sub(self.tokens_at(now));
        let wait = missing.div_ceil(u128::from(self.rate.get()));
        let at = u128::from(now.get()) + wait;
        u64::try_from(at).map_or(Time::MAX, Time::new)
    }

    /// Takes the tokens of a frame that leaves now.
    fn take(&mut self, frame: Bytes, now: Time) {
        let tokens = self.tokens_at(now);
        debug_assert!(tokens >= frame.picobits(), "a packet leaves once there are tokens for it");
        (self.tokens, self.counted) = (tokens.saturating_sub(frame.picobits()), now);
        self.passed += frame;
    }
}

/// Classes that a port holds, and whether it looks closer, before it has looked at a packet.
#[derive(Clone, Copy, Debug)]
pub struct Looked(u16);

/// Bits of all classes in a port's state.
const CLASSES: u16 = (1 << PRIORITIES) - 1;

impl Port {
    /// Puts a shaper on the port.
    #[must_use]
    pub fn with_shaper(self, shaper: Shaper) -> Self {
        Self { state: self.state | SHAPED | LOOKS_CLOSER, shaper: Some(Box::new(shaper)), ..self }
    }

    /// Whether the port has a shaper.
    #[inline]
    pub fn is_shaped(&self) -> bool {
        self.state & SHAPED != 0
    }

    /// Picobits that have passed the port's shaper, and picobits that the shaper could have let pass by `now`: the burst
    /// and what the rate brought. Nothing for a port without a shaper.
    pub fn shaped_by(&self, now: Time) -> Option<[u128; 2]> {
        let shaper = self.shaper.as_deref()?;
        Some([shaper.passed.picobits(), shaper.most + shaper.rate.picobits_in(now.since(Time::ZERO))])
    }

    /// Looks at a packet that arrives now. If there are no tokens for it, the port holds all classes, so that the packet does
    /// not start at once. The port looks no closer until [`Port::look_on`] is told what this returns, as soon as the packet
    /// is in its queue or on the wire.
    pub fn look_at_arrival(&mut self, packet: &Packet, now: Time) -> Looked {
        let looked = Looked(self.state & (CLASSES | LOOKS_CLOSER));
        self.state &= !LOOKS_CLOSER;
        if self.shaper.as_deref().is_some_and(|shaper| shaper.opens(packet.frame(), now) > now) {
            self.state |= CLASSES;
        }
        looked
    }

    /// Looks closer again, and holds the classes that were held before the packet came. Has the engine look at the port in
    /// time.
    pub fn look_on(&mut self, looked: Looked, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.state = self.state & !(CLASSES | LOOKS_CLOSER) | looked.0;
        if self.is_shaped() {
            self.look_when_it_opens(context);
        }
    }

    /// Has the engine look at the port, which has a shaper, when the packet that is first now may start. Called whenever
    /// another packet may have become first.
    pub fn look_when_it_opens(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if !self.has_ready() {
            return;
        }
        // A pause frame needs no tokens, and the end of a transmission may free memory.
        let waits_for_wire = self.busy_until > context.now || self.waiting & CONTROL != 0;
        let at = if waits_for_wire { self.free_from(context.now) } else { self.opens(context.now) };
        if at < Time::MAX {
            context.agenda.end_of_transmission(self.id, at);
        }
    }

    /// Returns the time at which a port with a shaper may start the packet that its scheduler picks: the wire is free, and
    /// there are tokens. `Time::MAX` if no packet is ready.
    pub fn opens(&self, now: Time) -> Time {
        let Some(shaper) = &self.shaper else { return Time::MAX };
        let ready = Classes::from_mask((self.waiting & !self.state) as u8);
        if ready.is_empty() {
            return Time::MAX;
        }
        let head = |class: usize| self.queues[class].0.front().map_or(Bytes::ZERO, Packet::frame);
        // What is picked now may not leave now, so the scheduler itself must not hear of it.
        let picked = if self.takes_turns() {
            self.scheduler.clone().pick(ready, head)
        } else {
            StrictPriority.pick(ready, head)
        };
        shaper.opens(head(picked), self.free_from(now))
    }

    /// Takes the tokens of a packet that leaves now.
    pub(super) fn take_tokens(&mut self, packet: &Packet, now: Time) {
        if let Some(shaper) = &mut self.shaper {
            shaper.take(packet.frame(), now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::{PICOSECONDS_PER_SECOND, Span};

    /// Sends frames of these sizes as early as the bucket allows, from `start` on. Returns when each leaves.
    fn departures(shaper: &mut Shaper, start: Time, frames: &[u64]) -> Vec<u64> {
        let mut now = start;
        let mut leave = |&frame: &u64| {
            now = shaper.opens(Bytes::new(frame), now);
            shaper.take(Bytes::new(frame), now);
            now.get()
        };
        frames.iter().map(&mut leave).collect()
    }

    /// A frame of 1514 B takes 242.24 us at 50 Mb/s. Of a burst of 1600 B, 86 B are left for the second.
    #[test]
    fn packets_leave_their_length_over_the_rate_apart() {
        let mut shaper = Shaper::new(Rate::new(50_000_000), Bytes::new(1600));
        let apart = 1514 * 8 * 20_000;
        let second = (1514 - 86) * 8 * 20_000;
        let expected = [0, second, second + apart, second + 2 * apart];
        assert_eq!(departures(&mut shaper, Time::ZERO, &[1514; 4]), expected);
    }

    #[test]
    fn an_idle_port_saves_no_more_than_the_burst() {
        let mut shaper = Shaper::new(Rate::new(8_000_000), Bytes::new(3000));
        let second = Time::ZERO + Span::from_seconds(1.0);
        let after = |microseconds| (second + Span::from_microseconds(microseconds)).get();
        let left = departures(&mut shaper, second, &[1500; 4]);
        assert_eq!(left, [0, 0, 1500, 3000].map(after), "a byte takes a microsecond");
    }

    /// At 7 bit/s no byte takes a whole number of picoseconds, and 700 bytes take 800 s to the picosecond.
    #[test]
    fn nothing_is_lost_to_rounding() {
        let mut shaper = Shaper::new(Rate::new(7), Bytes::new(2));
        let left = departures(&mut shaper, Time::ZERO, &[1; 702]);
        assert_eq!(left[2], (8 * PICOSECONDS_PER_SECOND).div_ceil(7));
        assert_eq!(left[701], 800 * PICOSECONDS_PER_SECOND);
    }

    #[test]
    fn a_small_packet_needs_few_tokens() {
        let mut shaper = Shaper::new(Rate::new(8_000_000), Bytes::new(1600));
        let left = departures(&mut shaper, Time::ZERO, &[1514, 64, 64]);
        assert_eq!(left, [0, 0, Span::from_microseconds(42).get()], "22 B are left for the third");
    }

    #[test]
    fn tokens_that_come_after_every_run_are_never_there() {
        let mut shaper = Shaper::new(Rate::new(1), Bytes::new(1 << 40));
        shaper.take(Bytes::new(1 << 40), Time::ZERO);
        assert_eq!(shaper.opens(Bytes::new(1 << 40), Time::ZERO), Time::MAX);
    }
}
