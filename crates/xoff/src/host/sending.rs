//! The sending side of a host: flows under way, what they send and when they are done.

use super::adapter::{Adapter, Sent};
use super::limiters::NO_LIMITER;
use super::queue_pairs::QueuePair;
use super::{GONE, Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Bytes, Rate, Time};
use crate::observer::Observer;
use crate::packet::{ECN_CAPABLE, Header, LAST, Packet, WINDOW_REDUCED};
use crate::scenario::{Connections, Tcp, Transport};
use crate::topology::NodeId;
use crate::transport::Transmit;
use crate::transport::constant_rate::ConstantRateSender;
use crate::transport::roce::RoceSender;
use crate::transport::tcp::TcpSender;

/// A flow that is about to start.
#[derive(Clone, Copy, Debug)]
pub struct FlowStart {
    /// When.
    pub start: Time,
    /// Its number among the flows of its source, which are numbered as they start.
    pub number: u32,
    /// Its receiving host.
    pub destination: NodeId,
    /// The number under which its destination knows it.
    pub reception: u32,
    /// Payload bytes; `Bytes::MAX` is without end, or not known before it ends.
    pub size: Bytes,
    /// When it ends if it has not sent them by then; `Time::MAX` for never.
    pub end: Time,
    /// Traffic class.
    pub priority: u8,
    /// Index of its transport.
    pub transport: u8,
}

/// What is kept of a flow that is done.
#[derive(Clone, Copy, Debug)]
pub struct FinishedFlow {
    /// The flow as it started.
    pub flow: FlowStart,
    /// When all was acknowledged; `Time::MAX` where nothing is.
    pub finish: Time,
    /// Payload bytes sent again.
    pub retransmitted: Bytes,
    /// Expiries of its retransmission timer.
    pub timeouts: u32,
}

#[derive(Debug)]
pub(super) enum Sender {
    Tcp(TcpSender),
    QueuePair(QueuePair),
    ConstantRate(ConstantRateSender),
}

/// One flow under way.
#[derive(Debug)]
pub(super) struct Sending {
    flow: FlowStart,
    pub(super) sender: Sender,
    /// Number of its persistent connection among those to its destination.
    connection: Option<u32>,
    /// Until what is in flight is given up.
    pub(super) timer: Timer,
    /// Bytes of this flow waiting in the adapter.
    queued: Bytes,
    held_back: bool,
    /// The place of its limiter, or [`NO_LIMITER`].
    pub(super) limiter: u32,
    /// What every packet adds to its payload.
    headers: u32,
    /// Flags of every packet.
    flags: u8,
}

impl Sending {
    pub(super) fn number(&self) -> u32 {
        self.flow.number
    }

    pub(super) fn window(&self) -> Option<Bytes> {
        match &self.sender {
            Sender::Tcp(sender) => Some(sender.window()),
            Sender::QueuePair(pair) => pair.sender.window(),
            Sender::ConstantRate(_) => None,
        }
    }

    pub(super) fn rate(&self) -> Option<Rate> {
        match &self.sender {
            Sender::QueuePair(pair) => Some(pair.sender.rate()),
            Sender::Tcp(_) | Sender::ConstantRate(_) => None,
        }
    }

    pub(super) fn priority(&self) -> usize {
        self.flow.priority.into()
    }

    /// Whether the adapter limits its rate.
    #[inline]
    pub(super) fn is_limited(&self) -> bool {
        self.limiter != NO_LIMITER
    }

    pub(super) fn waits_in_adapter(&self) -> bool {
        self.queued > Bytes::ZERO
    }

    fn key(&self) -> TimerKey {
        TimerKey::Sending(self.flow.number)
    }

    #[inline]
    pub(super) fn poll_transmit(&mut self, now: Time) -> Transmit {
        match &mut self.sender {
            Sender::Tcp(sender) => sender.poll_transmit(),
            Sender::ConstantRate(sender) => {
                let transmit = sender.poll_transmit(now);
                self.flow.size = sender.size();
                transmit
            }
            Sender::QueuePair(_) => Transmit::Idle,
        }
    }

    #[inline]
    pub(super) fn send(
        &mut self,
        packet: Packet,
        adapter: &mut Adapter,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if adapter.send(packet, context) == Sent::Queued {
            self.queued += packet.frame();
        }
    }

    pub(super) fn wait_until(&mut self, time: Time, timers: &mut Timers<TimerKey>) {
        let key = self.key();
        timers.arm(&mut self.timer, key, time);
    }

    pub(super) fn hold_back(&mut self) {
        self.held_back = true;
        if let Sender::Tcp(sender) = &mut self.sender {
            sender.on_held_back();
        }
    }

    #[inline]
    pub(super) fn arm_retransmission(
        &mut self,
        timers: &mut Timers<TimerKey>,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) {
        let timeout = match &self.sender {
            Sender::Tcp(sender) => sender.timeout(),
            Sender::QueuePair(pair) => pair.sender.timeout(),
            Sender::ConstantRate(_) => return,
        };
        let key = self.key();
        timers.arm(&mut self.timer, key, context.now + timeout);
    }

    /// It has sent what it may send now. Returns whether that was all of it, and nothing will be acknowledged.
    #[inline]
    pub(super) fn is_done_after_sending(
        &mut self,
        timers: &mut Timers<TimerKey>,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        match &self.sender {
            Sender::Tcp(sender) => {
                if sender.is_waiting() && !self.timer.is_armed() {
                    self.arm_retransmission(timers, context);
                }
                false
            }
            Sender::ConstantRate(sender) => sender.is_done(),
            Sender::QueuePair(_) => false,
        }
    }

    #[inline]
    pub(super) fn packet(
        &self,
        source: NodeId,
        sequence: u64,
        length: u32,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> Packet {
        let mut flags = self.flags;
        if sequence + u64::from(length) == self.flow.size.get() {
            flags |= LAST;
        }
        if let Sender::Tcp(sender) = &self.sender
            && sender.tells_of_reduction(sequence)
        {
            flags |= WINDOW_REDUCED;
        }
        Header {
            sequence,
            stamp: context.now.get(),
            source,
            destination: self.flow.destination,
            flow: self.flow.number,
            reception: self.flow.reception,
            length,
            frame: (length + self.headers) as u16,
            transport: self.flow.transport,
            flags,
        }
        .into()
    }
}

impl Host {
    pub(super) fn begin_sending(
        &mut self,
        flow: &FlowStart,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> usize {
        let mut connection = None;
        let (sender, headers, ecn_capable) = match &context.fabric.transports[flow.transport as usize] {
            Transport::Tcp(settings) => {
                let ecn_capable = settings.congestion_control.needs().marks();
                let sender;
                (connection, sender) = self.tcp_sender(flow, settings, context);
                (Sender::Tcp(sender), settings.headers, ecn_capable)
            }
            Transport::Roce(settings) => {
                let path = context.fabric.longest_paths[flow.transport as usize];
                let sender = RoceSender::new(settings, self.adapter.port.rate(), path, flow.size);
                let needs = settings.needs();
                (Sender::QueuePair(QueuePair::new(sender, needs)), settings.packet_headers(), needs.marks())
            }
            Transport::ConstantRate(settings) => {
                let sender = ConstantRateSender::new(settings, flow.size, context.now, flow.end);
                (Sender::ConstantRate(sender), settings.headers, false)
            }
        };
        let sending = Sending {
            flow: *flow,
            sender,
            connection,
            timer: Timer::default(),
            queued: Bytes::ZERO,
            held_back: false,
            limiter: NO_LIMITER,
            headers: headers.get() as u32,
            flags: flow.priority | if ecn_capable { ECN_CAPABLE } else { 0 },
        };
        let slot = self.sendings.insert(sending);
        self.sending_slots.push(slot as u32);
        slot
    }

    /// A flow may have something to send.
    pub(super) fn go_on_sending(
        &mut self,
        slot: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match self.sendings[slot].sender {
            Sender::QueuePair(_) => self.offer(slot, context),
            Sender::Tcp(_) | Sender::ConstantRate(_) => self.pump(slot, context),
        }
    }

    /// A flow's sender, on a connection of its own or on a persistent one, whose number it tells.
    fn tcp_sender(
        &mut self,
        flow: &FlowStart,
        settings: &Tcp,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> (Option<u32>, TcpSender) {
        let host = &context.fabric.host;
        if settings.connections == Connections::PerFlow {
            return (None, TcpSender::new(settings, host, flow.size));
        }
        let (number, connection) = self.connections.take(flow);
        let sender = match connection {
            Some(connection) => TcpSender::on_connection(connection, settings, host, flow.size, context.now),
            None => TcpSender::new(settings, host, flow.size),
        };
        (Some(number), sender)
    }

    /// Sends what the flow may send now.
    #[inline]
    pub(super) fn pump(&mut self, slot: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let sending = &mut self.sendings[slot];
        if sending.is_limited() {
            return self.pull(slot, context);
        }
        loop {
            if sending.queued >= context.fabric.host.small_queue {
                sending.hold_back();
                break;
            }
            match sending.poll_transmit(context.now) {
                Transmit::Segment { sequence, length, retransmission } => {
                    let packet = sending.packet(self.id, sequence, length, context);
                    self.counters.data_sent += 1;
                    self.counters.data_retransmitted += u64::from(retransmission);
                    sending.send(packet, &mut self.adapter, context);
                }
                Transmit::WaitUntil(time) => {
                    sending.wait_until(time, &mut self.timers);
                    break;
                }
                Transmit::WindowFull | Transmit::Idle => break,
            }
        }
        if sending.is_done_after_sending(&mut self.timers, context) {
            self.finish_sending(slot, Time::MAX);
        }
    }

    #[inline]
    pub(super) fn on_acknowledgement(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sending_slot(packet.flow()) else { return context.forget(packet) };
        let sending = &mut self.sendings[slot];
        let Sender::Tcp(sender) = &mut sending.sender else {
            return self.on_queue_pair_answer(slot, packet, context);
        };
        let progress = sender.on_ack(context.now, packet);
        context.observer.on_window(context.now, self.id, packet.flow(), sender.window());
        if sender.is_done() {
            self.counters.finished += 1;
            return self.finish_sending(slot, context.now);
        }
        if progress {
            if sender.is_waiting() {
                sending.arm_retransmission(&mut self.timers, context);
            } else {
                sending.timer.disarm();
            }
        }
        self.pump(slot, context);
    }

    pub(super) fn on_sending_timer(
        &mut self,
        number: u32,
        time: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sending_slot(number) else { return };
        let sending = &mut self.sendings[slot];
        if !self.timers.expires(&mut sending.timer, TimerKey::Sending(number), time) {
            return;
        }
        match &mut sending.sender {
            Sender::Tcp(sender) => {
                sender.on_timeout(context.now);
                self.counters.timeouts += 1;
                context.observer.on_window(context.now, self.id, number, sender.window());
            }
            Sender::QueuePair(pair) => {
                pair.sender.on_timeout();
                self.counters.timeouts += 1;
            }
            Sender::ConstantRate(_) => {}
        }
        self.go_on_sending(slot, context);
    }

    #[inline]
    pub(super) fn on_entered_adapter(&mut self, packet: &Packet) {
        if let Some(slot) = self.sending_slot(packet.flow()) {
            self.sendings[slot].queued += packet.frame();
        }
    }

    /// A data packet has left the adapter's queue: its flow may send again if that held it back.
    #[inline]
    pub(super) fn on_left_adapter(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Some(slot) = self.sending_slot(packet.flow()) else { return };
        let sending = &mut self.sendings[slot];
        if matches!(sending.sender, Sender::QueuePair(_)) {
            return;
        }
        sending.queued -= packet.frame();
        if sending.held_back && sending.queued < context.fabric.host.small_queue {
            sending.held_back = false;
            self.pump(slot, context);
        }
    }

    /// Where a flow's state is, unless it is done.
    #[inline]
    pub(super) fn sending_slot(&self, number: u32) -> Option<usize> {
        let slot = self.sending_slots[number as usize];
        (slot != GONE).then_some(slot as usize)
    }

    pub(super) fn finish_sending(&mut self, slot: usize, finish: Time) {
        let sending = self.sendings.remove(slot);
        if sending.is_limited() {
            self.limiters.remove(sending.limiter as usize);
        }
        self.sending_slots[sending.flow.number as usize] = GONE;
        let flow = sending.flow;
        let (retransmitted, timeouts) = match sending.sender {
            Sender::Tcp(sender) => {
                let done = (sender.retransmitted, sender.timeouts);
                if let Some(number) = sending.connection {
                    self.connections.give_back(&flow, number, sender.into_connection(finish));
                }
                done
            }
            Sender::QueuePair(pair) => (pair.sender.retransmitted, pair.sender.timeouts),
            Sender::ConstantRate(_) => (Bytes::ZERO, 0),
        };
        self.finished.push(FinishedFlow { flow, finish, retransmitted, timeouts });
    }
}
