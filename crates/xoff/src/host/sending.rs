//! Sending side of a host: flows begin, send what their transport lets go, hear of acknowledgements and timers, and
//! end.

use super::adapter::Sent;
use super::flow::{FinishedFlow, Flow, FlowStart};
use super::limiters::NO_LIMITER;
use super::queue_pair::QueuePair;
use super::sendings::{Sender, Sending};
use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context, Fabric};
use crate::congestion_control::{Identity, Needs};
use crate::kernel::timers::Timer;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{Observer, Release};
use crate::packet::{ACKNOWLEDGEMENT, ECN_CAPABLE, Packet};
use crate::scenario::{Connections, EcnCapable, QueuePairs, Tcp, Transport};
use crate::transport::Transmit;
use crate::transport::constant_rate::ConstantRateSender;
use crate::transport::roce::RoceSender;
use crate::transport::tcp::{Handshake, TcpSender, TimerChange};

impl Host {
    pub(super) fn begin_sending(
        &mut self,
        FlowStart { flow, end }: FlowStart,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> usize {
        let mut connection = None;
        let transport = &context.fabric.transports[flow.transport as usize];
        let mut is_ecn_capable = transport.is_ecn_capable();
        let (sender, headers) = match transport {
            Transport::Tcp(settings) => {
                let sender;
                (connection, sender) = self.tcp_sender(&flow, end, settings, context);
                if matches!(sender, Sender::Handshake(_)) {
                    // SYNs, which have no byte of data.
                    is_ecn_capable &= settings.ecn_capable == EcnCapable::All;
                    (sender, settings.acknowledgement)
                } else {
                    (sender, settings.headers)
                }
            }
            Transport::Roce(settings) => {
                if end < Time::MAX {
                    self.pending.once(TimerKey::End(flow.number), end);
                }
                let is_persistent = settings.connections == QueuePairs::Persistent;
                let place = is_persistent.then(|| {
                    let number = context.fabric.shared_tuples.connection(flow.transport, flow.number);
                    self.roce.persistent.of(&flow, number)
                });
                let path = context.fabric.path(flow.transport, self.id, flow.destination);
                let is_lossless = context.fabric.lossless.contains(flow.priority.into());
                let rate = self.adapter.port.rate();
                let identity = self.identity(&flow, context.fabric);
                let sender = RoceSender::new(settings, rate, path, is_lossless, flow.size, identity);
                let mut pair = QueuePair::new(sender, settings.needs(), place);
                if let (Some(spraying), Some(sprayers)) = (&settings.spraying, &mut self.roce.sprayers) {
                    pair.sprayer = sprayers.begin(spraying);
                }
                (Sender::QueuePair(pair), settings.packet_headers())
            }
            Transport::ConstantRate(settings) => {
                let sender = ConstantRateSender::new(settings, flow.size, context.now, end);
                (Sender::ConstantRate(sender), settings.headers)
            }
        };
        let sending = Sending {
            flow,
            sender,
            connection,
            timer: Timer::default(),
            queued: Bytes::ZERO,
            held_back: false,
            limiter: NO_LIMITER,
            headers: headers.get() as u16,
            flags: flow.priority | if is_ecn_capable { ECN_CAPABLE } else { 0 },
        };
        let slot = self.sendings.begin(sending);
        if let Sender::QueuePair(QueuePair { place: Some(place), .. }) = self.sendings[slot].sender {
            self.join_queue_pair(slot, place, context);
        }
        slot
    }

    /// Lets a flow go on that may have something to send.
    pub(super) fn go_on_sending(
        &mut self,
        slot: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match self.sendings[slot].sender {
            Sender::QueuePair(_) => match self.passed_on(&self.sendings[slot]) {
                Some(place) => self.reclaim_queue_pair(slot, place, context),
                None => self.offer(slot, context),
            },
            Sender::Tcp(_) | Sender::Handshake(_) | Sender::ConstantRate(_) => self.pump(slot, context),
        }
    }

    /// Flow of this host, as its congestion control may know it.
    fn identity(&self, flow: &Flow, fabric: &Fabric) -> Identity {
        Identity { source: self.id, number: flow.number, seed: fabric.seed }
    }

    /// The sender of a flow, with the number of its connection where that is persistent.
    fn tcp_sender(
        &mut self,
        flow: &Flow,
        end: Time,
        settings: &Tcp,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> (Option<u32>, Sender) {
        if end < Time::MAX {
            self.pending.once(TimerKey::End(flow.number), end);
        }
        let host = &context.fabric.host;
        let identity = self.identity(flow, context.fabric);
        let on_new_connection = || {
            let sender = TcpSender::new(settings, host, flow.size, identity);
            if settings.handshake { Sender::Handshake(Handshake::new(sender)) } else { Sender::Tcp(sender) }
        };
        if settings.connections == Connections::PerFlow {
            return (None, on_new_connection());
        }
        let (number, connection) = self.connections.take(flow);
        let sender = connection.map_or_else(on_new_connection, |connection| {
            Sender::Tcp(TcpSender::on_connection(
                connection,
                settings,
                host,
                flow.size,
                identity,
                context.now,
            ))
        });
        (Some(number), sender)
    }

    /// Opens the connection of a flow whose SYN is answered, and begins to send.
    #[cold]
    fn on_open(
        &mut self,
        slot: usize,
        answer: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let sending = &mut self.sendings[slot];
        let Sender::Handshake(handshake) = &mut sending.sender else { return };
        let sender = handshake.open(context.now, answer);
        context.observer.on_window(context.now, self.id, answer.flow(), sender.window());
        sending.sender = Sender::Tcp(sender);
        if let Transport::Tcp(settings) = &context.fabric.transports[sending.flow.transport as usize] {
            sending.send_data(settings);
        }
        sending.timer.disarm();
        self.pump(slot, context);
    }

    /// Ends a flow at its time.
    #[cold]
    pub(super) fn on_end_timer(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sendings.slot(number) else { return };
        self.sendings[slot].end();
        self.go_on_sending(slot, context);
    }

    /// Sends everything that the flow may send now.
    #[inline(never)]
    pub(super) fn pump(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.pump_after_acknowledgement(slot, context);
    }

    /// Sends everything that the flow may send now, as after most acknowledgements.
    // Inlined, since one of its two callers handles half of all events of hosts.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn pump_after_acknowledgement(
        &mut self,
        slot: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let mut sending = &mut self.sendings[slot];
        if sending.is_limited() {
            return self.pull(slot, context);
        }
        let mut settles = false;
        loop {
            if sending.queued >= context.fabric.host.small_queue {
                if sending.held_back {
                    sending.hold_back();
                    break;
                }
                let is_held_back = self.hold_back(slot, context);
                sending = &mut self.sendings[slot];
                if is_held_back {
                    context.observer.on_waiting(context.now, self.id, sending.number());
                    break;
                }
            }
            match sending.poll_transmit(context.now) {
                Transmit::Segment { sequence, length, retransmission, fills_window } => {
                    let packet = sending.packet(self.id, sequence, length, context);
                    self.counters.data_sent += 1;
                    self.counters.data_retransmitted += u64::from(retransmission);
                    context.observer.on_handed(context.now, &packet, retransmission);
                    let sent = sending.send(packet, &mut self.adapter, &mut self.pending, context);
                    settles |= sent == Sent::BehindMany;
                    if fills_window && sending.queued < context.fabric.host.small_queue {
                        break;
                    }
                }
                Transmit::WaitUntil(time) => {
                    sending.wait_until(time, &mut self.pending);
                    break;
                }
                Transmit::WindowFull | Transmit::Idle => break,
            }
        }
        if sending.is_done_after_sending(&mut self.pending, context) {
            self.finish_sending(slot, Time::MAX, context);
        }
        if settles {
            self.settle_small_queues(context.now, context);
        }
    }

    #[inline]
    pub(super) fn on_acknowledgement(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sendings.slot(packet.flow()) else {
            return self.on_late_answer(packet, context);
        };
        context.observer.on_released(context.now, self.id, packet.flow(), Release::Acknowledgement);
        let sending = &mut self.sendings[slot];
        let Sender::Tcp(sender) = &mut sending.sender else {
            return match &sending.sender {
                Sender::Handshake(_) => self.on_open(slot, packet, context),
                _ => self.on_queue_pair_answer(slot, packet, context),
            };
        };
        let timer = sender.on_ack(context.now, packet);
        context.observer.on_window(context.now, self.id, packet.flow(), sender.window());
        if sender.is_done() {
            sender.on_done(packet);
            self.counters.finished += 1;
            return self.finish_sending(slot, context.now, context);
        }
        match timer {
            TimerChange::Restarts => {
                let due = context.now + sender.timeout();
                self.pending.arm(&mut sending.timer, TimerKey::Sending(packet.flow()), due);
            }
            TimerChange::Stops => sending.timer.disarm(),
            TimerChange::Keeps => {}
        }
        self.pump_after_acknowledgement(slot, context);
    }

    /// Handles what comes for a flow that is done.
    #[cold]
    fn on_late_answer(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        context.forget(packet);
        if packet.is_credit() {
            self.on_late_credit(packet, context);
        } else if context.fabric.is_cnp(packet) || context.fabric.has_cnp(packet) {
            self.on_late_cnp(packet, context);
        }
    }

    pub(super) fn on_sending_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sendings.slot(number) else { return };
        let sending = &mut self.sendings[slot];
        if !self.pending.expires(&mut sending.timer, TimerKey::Sending(number), time) {
            return;
        }
        let (priority, mut release, mut is_on_credit) = (sending.priority(), Release::Timeout, false);
        match &mut sending.sender {
            Sender::Tcp(sender) => {
                self.counters.timeouts += u64::from(sender.on_timer(context.now));
                context.observer.on_window(context.now, self.id, number, sender.window());
            }
            Sender::Handshake(handshake) => {
                handshake.on_timeout();
                self.counters.timeouts += 1;
            }
            Sender::QueuePair(pair) => {
                let key = TimerKey::Sending(number);
                let waits_here = |packet: &Packet| packet.flow() == number && !packet.is(ACKNOWLEDGEMENT);
                if pair.sender.packets_in_flight() == 1
                    && self.adapter.port.queued_of(priority).any(waits_here)
                    && let Some(timeout) = pair.sender.timeout()
                {
                    // Its only packet has not left: what nobody has sent nobody can have lost.
                    return self.pending.arm(&mut sending.timer, key, context.now + timeout);
                }
                if let Some(longer) = pair.sender.prolongs_timeout() {
                    return self.pending.arm(&mut sending.timer, key, context.now + longer);
                }
                is_on_credit = pair.needs == Needs::Credit;
                if is_on_credit && let Some(longer) = pair.sender.waits_for_credit(context.now) {
                    return self.pending.arm(&mut sending.timer, key, context.now + longer);
                }
                pair.sender.on_timeout(context.now);
                self.counters.timeouts += 1;
                if let Some(sprayers) = &mut self.roce.sprayers {
                    sprayers.on_timeout(pair.sprayer, context.now);
                }
            }
            Sender::ConstantRate(_) => release = Release::Rate,
        }
        context.observer.on_released(context.now, self.id, number, release);
        self.go_on_sending(slot, context);
        if is_on_credit && !self.sendings[slot].timer.is_armed() {
            // Another flow has its queue pair, or that had no credit when it was taken back.
            self.sendings[slot].arm_retransmission(&mut self.pending, context);
        }
    }

    #[inline]
    pub(super) fn on_entered_adapter(&mut self, packet: &Packet) {
        if let Some(slot) = self.sendings.slot(packet.flow()) {
            self.sendings[slot].queued += packet.frame();
        }
    }

    /// Handles a data packet that has left the adapter's queue. Its flow may send again if it was held back.
    #[inline]
    pub(super) fn on_left_adapter(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sendings.slot(packet.flow()) else { return };
        let sending = &mut self.sendings[slot];
        // What queue pairs have in the adapter is not counted.
        if sending.queued == Bytes::ZERO {
            return;
        }
        if sending.on_left_adapter(packet.frame(), context.fabric.host.small_queue) {
            context.observer.on_released(context.now, self.id, packet.flow(), Release::Turn);
            self.pump(slot, context);
        }
    }

    pub(super) fn finish_sending(
        &mut self,
        slot: usize,
        finish: Time,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let sending = self.sendings.end(slot);
        if sending.held_back
            && let Some(queues) = &mut self.adapter.small_queues
        {
            queues.held_back -= 1;
        }
        if sending.is_limited() {
            self.limiters.remove(sending.limiter as usize);
        }
        let flow = sending.flow;
        let repairs = sending.repairs();
        match (sending.sender, sending.connection) {
            (Sender::Tcp(sender), Some(number)) => {
                self.connections.give_back(&flow, number, sender.into_connection());
            }
            (Sender::QueuePair(pair), _) => {
                if let Some(sprayers) = &mut self.roce.sprayers {
                    sprayers.end(pair.sprayer);
                }
                self.leave_queue_pair(flow.number, pair);
            }
            _ => {}
        }
        self.finished.push(FinishedFlow { flow, finish, repairs });
        match context.fabric.plans.arrival(flow.reception) {
            Some(arrival) => {
                self.applications.on_sent(arrival, self.id, &mut self.pending, context);
            }
            None => self.applications.on_other_sent(&flow),
        }
    }
}
