//! Receiving side of a host: packets of data find their flow, whose receiver decides how they are answered.

use super::by_queue_pair::key_of;
use super::credit::Turn;
use super::receptions::{Receiver, Reception, ReceptionSlots, ReturnAddress};
use super::{GONE, Host, NOT_SEEN, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::application::Plans;
use crate::congestion_control::Needs;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Time};
use crate::observer::Observer;
use crate::packet::Packet;
use crate::scenario::{QueuePairs, Transport};
use crate::topology::NodeId;
use crate::transport::constant_rate::ConstantRateReceiver;
use crate::transport::roce::{ForCredit, RoceReceiver};
use crate::transport::tcp::TcpReceiver;

impl Host {
    /// Payload bytes received of a flow to this host, by the number under which the host knows it. Bytes beyond a gap
    /// do not count, except in constant-rate flows. `Bytes::MAX` stands for a flow that is whole.
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

    /// Source, number there and received bytes of each flow to this host that is arriving and not whole.
    /// [`Host::received_of`] says which bytes count.
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
                    let points = &mut self.roce.notification_points;
                    if points.on_marked(place, back, context.now, &mut self.pending) {
                        self.answer_marks(place, context);
                    }
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
                let credit = &mut self.roce.credit;
                if for_credit != ForCredit::Nobody
                    && let Some(turn) = credit.on_asked(for_credit, packet, back, reply.complete, context.now)
                {
                    self.wait_for_credit(turn, context);
                }
            }
            Receiver::Tcp(receiver) => {
                let Some(acknowledgement) = receiver.on_next(packet) else {
                    return self.on_other_segment(slot as usize, packet, context);
                };
                reception.timer.disarm();
                let back = reception.back;
                self.send_usual_acknowledgement(&acknowledgement, back, context);
            }
        }
    }

    /// Handles a segment of TCP that does more than bring the next bytes, or less.
    #[inline(never)]
    fn on_other_segment(
        &mut self,
        slot: usize,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let reception = &mut self.receptions.states[slot];
        let Receiver::Tcp(receiver) = &mut reception.receiver else { return };
        let received = receiver.on_data(packet);
        let back = reception.back;
        self.counters.payload_in_vain += Bytes::new(received.had);
        if received.now.is_none() {
            if received.before.is_some() {
                reception.timer.disarm();
            }
            self.arm_acknowledgement(slot, packet.reception(), context);
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

    /// Handles a packet whose payload a switch has cut off.
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
        if let Some(turn) = self.roce.credit.on_asked(for_credit, packet, back, false, context.now) {
            self.wait_for_credit(turn, context);
        }
    }

    #[inline]
    fn reception_slot(&mut self, packet: &Packet, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        match self.receptions.flows.slot(packet.reception()) {
            NOT_SEEN => self.other_reception_slot(packet, context),
            slot => slot,
        }
    }

    /// Slot of the flow of a packet, which is new or an application's.
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

    /// Slot of the flow to this host that has number `number`.
    pub(super) fn slot_of(&mut self, number: u32, context: &Context<'_, impl Agenda, impl Observer>) -> u32 {
        let (flows, place) = self.flows_with(number, context);
        flows.slot(place)
    }

    /// Index that knows a flow to this host, and its number there.
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
            Transport::Tcp(tcp) => Receiver::Tcp(TcpReceiver::new(tcp)),
            Transport::Roce(roce) => {
                let receiver = RoceReceiver::new(roce, context.now);
                Receiver::Roce(match roce.needs() {
                    Needs::Cnps(point)
                        if roce.connections == QueuePairs::Persistent && !roce.flags_cnps() =>
                    {
                        let key = key_of(packet, packet.priority() as u8, context.fabric);
                        receiver.answered_at(self.roce.notification_points.of(key, point, context.now))
                    }
                    Needs::Credit if roce.connections == QueuePairs::Persistent => {
                        let place = self.roce.credit.open(packet, roce, &mut self.pending, context);
                        receiver.granted_at(place)
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
            self.roce.credit.close(place);
        }
        match context.fabric.plans.arrival(last.reception()) {
            Some(arrival) => {
                let priority = last.priority() as u8;
                self.applications.on_whole(arrival, priority, self.id, &mut self.pending, context);
            }
            None => self.applications.on_other_whole(self.id, last.reception()),
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
}
