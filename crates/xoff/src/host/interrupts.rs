//! The way up: packets wait until the adapter interrupts the host (interrupt moderation), which then joins segments of
//! one flow (GRO) and hands everything to the transports.
//! As in Linux, segments join if they follow in order, are marked alike and the later one does not say that the window was
//! reduced: a change of marks is never hidden from the receiver. What an interrupt has joined is handed up with it.
//! Left out: several receive queues (RSS), polling that goes on while packets come (NAPI), a limit on how many flows join
//! at once.

use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::kernel::ring::Ring;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::packet::{ACKNOWLEDGEMENT, MARKED, Packet, WINDOW_REDUCED};
use crate::scenario::InterruptModeration;

/// What an adapter has received and not yet told of.
#[derive(Debug, Default)]
pub(super) struct Interrupts {
    pub(super) waiting: Ring<Packet>,
    timer: Timer,
    /// The segments that one interrupt joins, in the order of their first packets.
    joined: Vec<Packet>,
}

impl Host {
    /// A packet has arrived, of which the host hears at the next interrupt.
    #[cold]
    pub(super) fn wait_for_interrupt(
        &mut self,
        packet: &Packet,
        moderation: &InterruptModeration,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let interrupts = &mut self.interrupts;
        interrupts.waiting.push_back(*packet);
        if interrupts.waiting.len() >= moderation.packets as usize {
            self.interrupt(context);
        } else if !interrupts.timer.is_armed() {
            self.pending.arm(&mut interrupts.timer, TimerKey::Interrupt, context.now + moderation.time);
        }
    }

    /// The first packet may have waited long enough.
    #[cold]
    pub(super) fn on_interrupt_timer(
        &mut self,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.pending.expires(&mut self.interrupts.timer, TimerKey::Interrupt, time) {
            self.interrupt(context);
        }
    }

    /// Hands up all that is waiting.
    #[cold]
    fn interrupt(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.interrupts.timer.disarm();
        let most = context.fabric.host.receive_offload;
        while let Some(packet) = self.interrupts.waiting.pop_front() {
            self.count_received(&packet, context);
            match most {
                Some(most) if !packet.is(ACKNOWLEDGEMENT) => self.join(packet, most, context),
                _ => self.hand_up(&packet, context),
            }
        }
        for index in 0..self.interrupts.joined.len() {
            let segment = self.interrupts.joined[index];
            self.hand_up(&segment, context);
        }
        self.interrupts.joined.clear();
    }

    /// Joins a segment to what this interrupt has brought of its flow, which is handed up first if the two do not go together.
    fn join(&mut self, packet: Packet, most: Bytes, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let joined = &mut self.interrupts.joined;
        let of_flow = joined.iter_mut().find(|segment| segment.reception() == packet.reception());
        match of_flow {
            None => joined.push(packet),
            Some(segment) if go_together(segment, &packet, most) => segment.join(&packet),
            Some(segment) => {
                let before = std::mem::replace(segment, packet);
                self.hand_up(&before, context);
            }
        }
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
