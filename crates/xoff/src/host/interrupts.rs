//! Interrupts and polls: packets wait until the host takes all of them from the adapter and hands them to the transports.
//!
//! With interrupt moderation the adapter interrupts the host when a packet has waited for some time, or when many wait.
//! With polls that take time (NAPI) the first packet interrupts an idle host at once. Packets that come during its poll
//! wait for the next one, which follows right behind.
//!
//! On an interrupt or poll the host joins segments of one flow (GRO). As in Linux, segments join if they follow in
//! order, are marked alike, and the later one does not say that the window was reduced. A change of marks is therefore
//! never hidden from the receiver. Joined segments are handed up at the end of their interrupt or poll.
//!
//! Left out: several receive queues (RSS), polls that go on behind a moderated interrupt, and polls that take longer the
//! more they bring. Left out: a limit on how many packets one poll brings, and on how many flows join at once.

use super::TimerKey;
use super::pending::Pending;
use crate::kernel::ring::Ring;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Span, Time};
use crate::packet::{MARKED, Packet, WINDOW_REDUCED};
use crate::scenario::InterruptModeration;

/// Packets that an adapter has received and not yet told of.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    pub(super) waiting: Ring<Packet>,
    timer: Timer,
    /// Time until which a poll lasts.
    busy_until: Time,
    /// The segments that one interrupt joins, in the order of their first packets.
    pub(super) joined: Vec<Packet>,
}

impl Interrupts {
    /// Has a packet wait that has arrived. Returns whether the adapter interrupts the host now.
    #[cold]
    pub(super) fn wait(
        &mut self,
        packet: &Packet,
        moderation: &InterruptModeration,
        now: Time,
        pending: &mut Pending,
    ) -> bool {
        self.waiting.push_back(*packet);
        let interrupts = self.waiting.len() >= moderation.packets as usize;
        if !interrupts && !self.timer.is_armed() {
            pending.arm(&mut self.timer, TimerKey::Interrupt, now + moderation.time);
        }
        interrupts
    }

    /// Has a packet wait that has arrived for a poll of this length. Returns whether the host polls now.
    #[cold]
    pub(super) fn wait_for_poll(
        &mut self,
        packet: &Packet,
        poll_time: Span,
        now: Time,
        pending: &mut Pending,
    ) -> bool {
        let is_idle = self.waiting.is_empty() && now >= self.busy_until;
        self.waiting.push_back(*packet);
        if is_idle {
            self.busy_until = now + poll_time;
        } else if !self.timer.is_armed() {
            pending.arm(&mut self.timer, TimerKey::Interrupt, self.busy_until);
        }
        is_idle
    }

    /// Begins the poll that follows another and takes what has come meanwhile.
    pub(super) fn poll_again(&mut self, poll_time: Span, now: Time) {
        self.busy_until = now + poll_time;
    }

    /// Whether the first packet has waited long enough.
    pub(super) fn expires(&mut self, time: Time, pending: &mut Pending) -> bool {
        pending.expires(&mut self.timer, TimerKey::Interrupt, time)
    }

    /// Takes the next packet that waits for the interrupt which is under way.
    pub(super) fn next(&mut self) -> Option<Packet> {
        self.timer.disarm();
        self.waiting.pop_front()
    }

    /// Joins a segment to what this interrupt has brought of its flow. If the two do not go together, the earlier is
    /// returned to be handed up.
    pub(super) fn join(&mut self, packet: Packet, most: Bytes) -> Option<Packet> {
        let of_flow = self.joined.iter_mut().find(|segment| segment.reception() == packet.reception());
        match of_flow {
            None => self.joined.push(packet),
            Some(segment) if go_together(segment, &packet, most) => segment.join(&packet),
            Some(segment) => return Some(std::mem::replace(segment, packet)),
        }
        None
    }
}

/// Whether two segments of a flow may be handed up as one.
fn go_together(segment: &Packet, next: &Packet, most: Bytes) -> bool {
    let most = most.get().min(u64::from(u32::MAX));
    let is_syn = segment.length() == 0;
    !is_syn
        && segment.sequence() + segment.length() == next.sequence()
        && segment.is(MARKED) == next.is(MARKED)
        && !next.is(WINDOW_REDUCED)
        && segment.length() + next.length() <= most
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Header, LAST};

    fn segment(number: u64, flags: u8) -> Packet {
        Header { sequence: number * 1000, length: 1000, flags, ..Header::default() }.into()
    }

    #[test]
    fn what_follows_with_the_same_mark_goes_together() {
        let together = |one: u64, next: u64, flags, next_flags, most| {
            go_together(&segment(one, flags), &segment(next, next_flags), Bytes::new(most))
        };
        assert!(together(3, 4, 0, LAST, 2000));
        assert!(together(3, 4, MARKED, MARKED, 2000));
        assert!(together(3, 4, WINDOW_REDUCED, 0, 2000));
        assert!(!together(3, 5, 0, 0, 2000), "a gap");
        assert!(!together(3, 3, 0, 0, 2000), "again");
        assert!(!together(3, 4, 0, MARKED, 2000) && !together(3, 4, MARKED, 0, 2000), "a change of marks");
        assert!(!together(3, 4, 0, WINDOW_REDUCED, 2000), "a window that was reduced");
        assert!(!together(3, 4, 0, 0, 1999), "too much");
        let syn = Header::default().into();
        assert!(!go_together(&syn, &segment(0, 0), Bytes::new(2000)), "a SYN");
    }
}
