//! Packets that a host sends back to the senders of flows: acknowledgements, answers of queue pairs, CNPs and credit.

use super::adapter::{Place, Sent};
use super::credit::{Credit, Turn};
use super::receptions::{Receiver, ReturnAddress};
use super::{GONE, Host};
use crate::agenda::{Agenda, Context};
use crate::kernel::units::{Span, Time};
use crate::observer::Observer;
use crate::packet::{
    CREDIT, ECHO, EVERYTHING, Header, NEGATIVE, PRIORITY_MASK, Packet, REPEATED, TRIMMED, told_block,
};
use crate::scenario::Transport;
use crate::transport::roce::Answer;
use crate::transport::tcp::Acknowledgement;

impl Host {
    /// Acknowledges everything again for a flow that is whole: its sender has missed the last acknowledgement.
    #[cold]
    pub(super) fn acknowledge_everything(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let transport = &context.fabric.transports[packet.transport() as usize];
        let back = ReturnAddress::of(packet, transport);
        match transport {
            Transport::Tcp(_) => {
                let acknowledgement =
                    Acknowledgement { next: EVERYTHING, flags: REPEATED, stamp: packet.stamp(), block: None };
                self.send_acknowledgement(&acknowledgement, back, context);
            }
            Transport::Roce(_) => {
                let answer = Answer { next: EVERYTHING, negative: false, block: None, trimmed: false };
                self.send_answer(&answer, false, back, packet, context);
            }
            Transport::ConstantRate(_) => {}
        }
    }

    /// Sends an ACK or a NACK. Telemetry and entropy of the packet that it answers go back to the sender with it.
    pub(super) fn send_answer(
        &mut self,
        answer: &Answer,
        echo: bool,
        back: ReturnAddress,
        data: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if echo && context.fabric.transports[usize::from(back.transport)].flags_cnps() {
            self.counters.cnps_sent += 1;
        }
        let (start, length) = answer.block.map_or((0, 0), |block| told_block(answer.next, block));
        let header = Header {
            sequence: answer.next,
            stamp: data.stamp(),
            reception: start,
            length: if answer.trimmed { TRIMMED } else { length },
            flags: back.flags | if answer.negative { NEGATIVE } else { 0 } | if echo { ECHO } else { 0 },
            ..self.header_back(back)
        };
        self.put_answer(Packet::from(header).with_entropy(data.entropy()), context);
    }

    /// Puts an answer to data on queue pairs into the adapter.
    #[inline]
    fn put_answer(&mut self, answer: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.counters.acknowledgements_sent += 1;
        context.observer.on_handed(context.now, &answer, false);
        self.adapter.put(answer, Place::Last, context);
    }

    /// Sends a CNP. Returns how long CNPs before it keep it waiting.
    pub(super) fn send_cnp_of(
        &mut self,
        back: ReturnAddress,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Span {
        let Transport::Roce(roce) = &context.fabric.transports[back.transport as usize] else {
            return Span::ZERO;
        };
        let priority = roce.cnp_priority.unwrap_or(roce.control_priority);
        let header = Header {
            frame: roce.cnp.get() as u16,
            flags: back.flags & !PRIORITY_MASK | priority | ECHO,
            stamp: context.now.get(),
            ..self.header_back(back)
        };
        // Of a sprayed flow they all go one way, as if it were not.
        let cnp = Packet::from(header).with_entropy(back.flow as u16);
        let made = self.roce.cnps.make(cnp, context.now, &context.fabric.host, &mut self.pending);
        if made.at_once {
            self.put_cnp(cnp, context);
        }
        made.late
    }

    fn put_cnp(&mut self, cnp: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.counters.cnps_sent += 1;
        self.put_answer(cnp, context);
    }

    /// Sends the CNPs that are ready, if the engine's timer expires.
    pub(super) fn on_cnp_timer(&mut self, time: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if !self.roce.cnps.expires(time, &mut self.pending) {
            return;
        }
        while let Some(cnp) = self.roce.cnps.next_ready(context.now, &mut self.pending) {
            self.put_cnp(cnp, context);
        }
    }

    /// Answers marks of a persistent queue pair if the interval between its CNPs is over.
    #[cold]
    pub(super) fn on_notification_timer(
        &mut self,
        place: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.roce.notification_points.on_timer(place, time, context.now, &mut self.pending) {
            self.answer_marks(place, context);
        }
    }

    /// Answers marks of a persistent queue pair by a CNP.
    #[cold]
    pub(super) fn answer_marks(&mut self, place: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(back) = self.roce.notification_points.back(place) else { return };
        let late = self.send_cnp_of(back, context);
        self.roce.notification_points.put_off(place, late);
    }

    /// Lets a turn wait for credit, which is given at once if the link is free.
    pub(super) fn wait_for_credit(
        &mut self,
        turn: Turn,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.roce.credit.wait(turn) {
            self.give_credit(context);
        }
    }

    /// Gives credit to the next turn if the timer expires: then the link is free for it.
    pub(super) fn on_credit_timer(
        &mut self,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.roce.credit.expires(time, &mut self.pending) {
            self.give_credit(context);
        }
    }

    fn give_credit(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) {
        while let Some(turn) = self.roce.credit.next(context.now, &mut self.pending) {
            let slot = self.slot_of_turn(turn, context);
            let states = &mut self.receptions.states;
            let credit = self.roce.credit.give(turn, slot, states, &mut self.pending, context);
            if let Some(credit) = credit {
                self.send_credit(credit, context);
            }
        }
    }

    /// Lets a flow or queue pair ask for credit again if more of its data is overdue.
    pub(super) fn look_after_credit(
        &mut self,
        turn: Turn,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let slot = self.slot_of_turn(turn, context);
        let states = &mut self.receptions.states;
        if self.roce.credit.look_after(turn, slot, states, &mut self.pending, context) {
            self.wait_for_credit(turn, context);
        }
    }

    /// Lets a persistent queue pair ask for credit again if more of its data is overdue.
    pub(super) fn on_account_timer(
        &mut self,
        place: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.roce.credit.account_expires(place, time, &mut self.pending) {
            self.look_after_credit(Turn::QueuePair(place), context);
        }
    }

    fn slot_of_turn(&mut self, turn: Turn, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        match turn {
            Turn::Flow(number) => self.slot_of(number, context),
            Turn::QueuePair(_) => GONE,
        }
    }

    /// Sends a packet of credit to a flow or a persistent queue pair.
    fn send_credit(&mut self, credit: Credit, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Credit { back, priority, granted, frame } = credit;
        let header = Header {
            sequence: granted.get(),
            stamp: context.now.get(),
            reception: priority.into(),
            length: CREDIT,
            frame: frame.get() as u16,
            ..self.header_back(back)
        };
        self.counters.credits_sent += 1;
        // All of a flow go one way, as its CNPs would.
        self.put_answer(Packet::from(header).with_entropy(back.flow as u16), context);
    }

    /// Begins the interval until the next CNP of a flow when its last CNP leaves, which is so `late`.
    pub(super) fn put_off_cnps(&mut self, slot: u32, late: Span) {
        if let Receiver::Roce(receiver) = &mut self.receptions.states[slot as usize].receiver {
            receiver.put_off_cnps(late);
        }
    }

    /// Header of everything that goes back to an address.
    #[inline]
    fn header_back(&self, back: ReturnAddress) -> Header {
        Header {
            source: self.id,
            destination: back.source,
            flow: back.flow,
            frame: back.frame,
            transport: back.transport,
            flags: back.flags,
            ..Header::default()
        }
    }

    /// Sends an acknowledgement of TCP.
    #[inline(never)]
    pub(super) fn send_acknowledgement(
        &mut self,
        acknowledgement: &Acknowledgement,
        back: ReturnAddress,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.send_usual_acknowledgement(acknowledgement, back, context);
    }

    /// Sends an acknowledgement of TCP, as most data is answered.
    // Inlined, since one of its two callers handles half of all events of hosts.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn send_usual_acknowledgement(
        &mut self,
        acknowledgement: &Acknowledgement,
        back: ReturnAddress,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (start, length) =
            acknowledgement.block.map_or((0, 0), |block| told_block(acknowledgement.next, block));
        let header = Header {
            sequence: acknowledgement.next,
            stamp: acknowledgement.stamp,
            reception: start,
            length,
            flags: back.flags | acknowledgement.flags,
            ..self.header_back(back)
        };
        self.counters.acknowledgements_sent += 1;
        let packet = header.into();
        context.observer.on_handed(context.now, &packet, false);
        let sent = self.adapter.send(packet, &mut self.pending, context);
        if sent == Sent::BehindMany {
            self.settle_small_queues(context.now, context);
        }
    }
}
