//! The receiving side of a host: flows that arrive, and their acknowledgements.

use super::adapter::{Place, Sent};
use super::by_queue_pair::key_of;
use super::credit::Turn;
use super::receptions::{Receiver, Reception, ReceptionSlots, ReturnAddress};
use super::{GONE, Host, NOT_SEEN, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::application::Plans;
use crate::congestion_control::Needs;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Span, Time};
use crate::observer::Observer;
use crate::packet::{CREDIT, ECHO, EVERYTHING, Header, NEGATIVE, PRIORITY_MASK, Packet, TRIMMED};
use crate::scenario::{QueuePairs, Transport};
use crate::topology::NodeId;
use crate::transport::constant_rate::ConstantRateReceiver;
use crate::transport::roce::{Answer, ForCredit, RoceReceiver};
use crate::transport::tcp::{Acknowledgement, TcpReceiver};

impl Host {
    /// Payload bytes that were received of a flow to this host, by the number under which it knows it: up to the first that is
    /// missing, but any of constant-rate flows. `Bytes::MAX` if it is whole.
    pub fn received_of(&self, reception: u32, plans: &Plans) -> Bytes {
        let slot = match plans.arrival(reception) {
            Some(arrival) => {
                let flows = self.applications.receptions(arrival.channel);
                flows.map_or(NOT_SEEN, |flows| flows.slot(arrival.turn))
            }
            None => self.receptions.flows.slot(reception),
        };
        match slot {
            NOT_SEEN => Bytes::ZERO,
            GONE => Bytes::MAX,
            slot => self.receptions.states[slot as usize].receiver.received(),
        }
    }

    /// Source, number there and received bytes, as above, of each flow to this host that has begun to arrive and is not whole.
    pub fn arriving(&self) -> impl Iterator<Item = (NodeId, u32, Bytes)> {
        let receptions = self.receptions.states.iter().map(|(_, reception)| reception);
        receptions.map(|Reception { back, receiver, .. }| (back.source, back.flow, receiver.received()))
    }

    #[inline]
    pub(super) fn on_data(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let slot = self.reception_slot(packet, context);
        if slot == GONE {
            self.counters.payload_in_vain += Bytes::new(packet.length());
            return self.acknowledge_everything(packet, context);
        }
        let reception = &mut self.receptions.states[slot as usize];
        match &mut reception.receiver {
            Receiver::ConstantRate(receiver) => {
                if receiver.on_data(packet) {
                    self.counters.finished += 1;
                    self.finish_reception(packet, context);
                }
            }
            Receiver::Roce(receiver) => {
                let reply = receiver.on_data(context.now, packet);
                let for_credit = receiver.asks_for_credit(context.now, packet);
                let back = reception.back;
                self.counters.payload_in_vain += Bytes::new(reply.in_vain);
                if let Some(look_at) = reply.look_at
                    && !reception.timer.is_armed()
                {
                    let key = TimerKey::Reception(packet.reception());
                    self.pending.arm(&mut reception.timer, key, look_at);
                }
                if reply.complete {
                    self.finish_reception(packet, context);
                }
                if let Some(place) = reply.marked_at {
                    self.on_marked_queue_pair(place, back, context);
                }
                if reply.cnp {
                    let late = self.send_cnp_of(back, context);
                    if !reply.complete {
                        self.put_off_cnps(slot, late);
                    }
                }
                match reply.answer {
                    Some(answer) => self.send_answer(&answer, reply.echo, back, packet, context),
                    None => context.forget(packet),
                }
                if for_credit != ForCredit::Nobody {
                    self.on_asked_for_credit(for_credit, packet, back, reply.complete, context);
                }
            }
            Receiver::Tcp(receiver) => {
                let received = receiver.on_data(packet);
                let back = reception.back;
                self.counters.payload_in_vain += Bytes::new(received.had);
                if received.now.is_none() {
                    if received.before.is_some() {
                        reception.timer.disarm();
                    }
                    self.arm_acknowledgement(slot as usize, packet.reception(), context);
                } else if received.complete {
                    self.finish_reception(packet, context);
                } else {
                    reception.timer.disarm();
                }
                if let Some(acknowledgement) = received.before {
                    self.send_acknowledgement(&acknowledgement, back, context);
                }
                if let Some(acknowledgement) = received.now {
                    self.send_acknowledgement(&acknowledgement, back, context);
                }
            }
        }
    }

    /// A packet has come whose payload a switch has cut off.
    #[cold]
    pub(super) fn on_trimmed(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let slot = self.reception_slot(packet, context);
        if slot == GONE {
            return self.acknowledge_everything(packet, context);
        }
        let reception = &mut self.receptions.states[slot as usize];
        let (back, Receiver::Roce(receiver)) = (reception.back, &mut reception.receiver) else { return };
        let for_credit = receiver.asks_for_credit(context.now, packet);
        self.send_answer(&RoceReceiver::on_trimmed(packet), false, back, packet, context);
        self.on_asked_for_credit(for_credit, packet, back, false, context);
    }

    #[inline]
    fn reception_slot(&mut self, packet: &Packet, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        match self.receptions.flows.slot(packet.reception()) {
            NOT_SEEN => self.other_reception_slot(packet, context),
            slot => slot,
        }
    }

    /// The slot of a flow that is new, or an application's.
    #[inline(never)]
    fn other_reception_slot(
        &mut self,
        packet: &Packet,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> u32 {
        let (flows, number) = self.flows_with(packet.reception(), context);
        match flows.slot(number) {
            NOT_SEEN => self.begin_reception(packet, context),
            slot => slot,
        }
    }

    /// Where the state is of a flow to this host that has this number.
    pub(super) fn slot_of(&mut self, number: u32, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        let (flows, place) = self.flows_with(number, context);
        flows.slot(place)
    }

    /// Where a flow to this host is known, and under which number.
    fn flows_with(
        &mut self,
        reception: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> (&mut ReceptionSlots, u32) {
        match context.fabric.plans.arrival(reception) {
            Some(arrival) => (self.applications.channel(arrival.channel), arrival.turn),
            None => (&mut self.receptions.flows, reception),
        }
    }

    #[cold]
    fn begin_reception(&mut self, packet: &Packet, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        let transport = &context.fabric.transports[packet.transport() as usize];
        let receiver = match transport {
            Transport::Tcp(tcp) => {
                let echo = tcp.congestion_control.needs().echo();
                Receiver::Tcp(TcpReceiver::new(tcp.acknowledge_every, tcp.payload, echo))
            }
            Transport::Roce(roce) => {
                let receiver = RoceReceiver::new(roce, context.now);
                Receiver::Roce(match roce.needs() {
                    Needs::Cnps(point) if roce.connections == QueuePairs::Persistent => {
                        let key = key_of(packet, packet.priority() as u8, context.fabric);
                        receiver.answered_at(self.notification_points.of(key, point, context.now))
                    }
                    Needs::Credit if roce.connections == QueuePairs::Persistent => {
                        receiver.granted_at(self.open_credit_account(packet, roce, context))
                    }
                    _ => receiver,
                })
            }
            Transport::ConstantRate(_) => Receiver::ConstantRate(ConstantRateReceiver::default()),
        };
        let mut reception =
            Reception { receiver, back: ReturnAddress::of(packet, transport), timer: Timer::default() };
        if let Transport::Roce(settings) = transport
            && reception.credit().is_some()
        {
            let due = context.now + settings.first_timeout();
            self.pending.arm(&mut reception.timer, TimerKey::Reception(packet.reception()), due);
        }
        let slot = self.receptions.states.insert(reception) as u32;
        let (flows, number) = self.flows_with(packet.reception(), context);
        flows.begin(number, slot);
        slot
    }

    fn finish_reception(&mut self, last: &Packet, context: &Context<'_, impl Agenda, impl Observer>) {
        let (flows, number) = self.flows_with(last.reception(), context);
        let slot = flows.finish(number, context.now);
        let reception = self.receptions.states.remove(slot as usize);
        if let Receiver::Roce(receiver) = &reception.receiver
            && let Some(place) = receiver.account()
        {
            self.close_credit_account(place);
        }
        if let Some(arrival) = context.fabric.plans.arrival(last.reception()) {
            let priority = last.priority() as u8;
            self.applications.on_whole(arrival, priority, self.id, &mut self.pending, context);
        }
    }

    fn arm_acknowledgement(
        &mut self,
        slot: usize,
        number: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let reception = &mut self.receptions.states[slot];
        if let Transport::Tcp(tcp) = &context.fabric.transports[reception.back.transport as usize]
            && !reception.timer.is_armed()
        {
            let deadline = context.now + tcp.acknowledge_timeout;
            self.pending.arm(&mut reception.timer, TimerKey::Reception(number), deadline);
        }
    }

    pub(super) fn on_reception_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let slot = self.slot_of(number, context);
        if slot == GONE {
            return;
        }
        let reception = &mut self.receptions.states[slot as usize];
        if !self.pending.expires(&mut reception.timer, TimerKey::Reception(number), time) {
            return;
        }
        let back = reception.back;
        match &mut reception.receiver {
            Receiver::Tcp(receiver) => {
                if let Some(acknowledgement) = receiver.on_timer() {
                    self.send_acknowledgement(&acknowledgement, back, context);
                }
            }
            Receiver::Roce(receiver) => {
                if receiver.on_cnp_timer(context.now) {
                    let late = self.send_cnp_of(back, context);
                    self.put_off_cnps(slot, late);
                } else if receiver.grants().is_some() {
                    self.look_after_credit(Turn::Flow(number), context);
                }
            }
            Receiver::ConstantRate(_) => {}
        }
    }

    /// A packet of a flow that is whole: its sender has missed the last acknowledgement.
    #[cold]
    fn acknowledge_everything(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let transport = &context.fabric.transports[packet.transport() as usize];
        let back = ReturnAddress::of(packet, transport);
        match transport {
            Transport::Tcp(_) => {
                let acknowledgement =
                    Acknowledgement { next: EVERYTHING, echo: false, stamp: packet.stamp(), block: None };
                self.send_acknowledgement(&acknowledgement, back, context);
            }
            Transport::Roce(_) => {
                let answer = Answer { next: EVERYTHING, negative: false, block: None, trimmed: false };
                self.send_answer(&answer, false, back, packet, context);
            }
            Transport::ConstantRate(_) => {}
        }
    }

    /// Sends an ACK or a NACK, which takes telemetry and entropy of the packet that it answers back to its sender.
    fn send_answer(
        &mut self,
        answer: &Answer,
        echo: bool,
        back: ReturnAddress,
        data: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (start, end) = answer.block.unwrap_or((answer.next, answer.next));
        let header = Header {
            sequence: answer.next,
            stamp: data.stamp(),
            reception: (start - answer.next) as u32,
            length: if answer.trimmed { TRIMMED } else { (end - start) as u32 },
            flags: back.flags | if answer.negative { NEGATIVE } else { 0 } | if echo { ECHO } else { 0 },
            ..self.header_back(back)
        };
        self.put_answer(Packet::from(header).with_entropy(data.entropy()), context);
    }

    /// Puts what answers data on queue pairs into the adapter.
    #[inline]
    pub(super) fn put_answer(
        &mut self,
        answer: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.counters.acknowledgements_sent += 1;
        context.observer.on_handed(context.now, &answer, false);
        self.adapter.put(answer, Place::Last, context);
    }

    /// Sends a CNP. Returns how long others keep it waiting.
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
        self.send_cnp(Packet::from(header).with_entropy(back.flow as u16), context)
    }

    /// Sends a packet of credit for a flow, or for a persistent queue pair of this class.
    pub(super) fn send_credit_of(
        &mut self,
        back: ReturnAddress,
        priority: u8,
        granted: Bytes,
        frame: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
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

    /// The interval until the next CNP of a flow begins as its last one leaves, which is so late.
    fn put_off_cnps(&mut self, slot: u32, late: Span) {
        if let Receiver::Roce(receiver) = &mut self.receptions.states[slot as usize].receiver {
            receiver.put_off_cnps(late);
        }
    }

    /// What all that goes back has in common.
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

    #[inline]
    fn send_acknowledgement(
        &mut self,
        acknowledgement: &Acknowledgement,
        back: ReturnAddress,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (start, end) = acknowledgement.block.unwrap_or((acknowledgement.next, acknowledgement.next));
        let header = Header {
            sequence: acknowledgement.next,
            stamp: acknowledgement.stamp,
            reception: (start - acknowledgement.next) as u32,
            length: (end - start) as u32,
            flags: back.flags | if acknowledgement.echo { ECHO } else { 0 },
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
