//! The adapter (NIC): the host's delay on the way out, a queue with a limit, and the port to the link.
//!
//! Packets of TCP cross the host's delay and then wait in the queue of their class, where a marker may mark them.
//! Packets of RoCE are made in the adapter itself and go before the others. Where nothing but delay and order decides
//! when a packet leaves, the adapter knows the time as soon as the packet sets out: packets line up, and neither
//! entering nor leaving the queue is an event.

use super::pending::Pending;
use super::small_queues::SmallQueues;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::ring::Ring;
use crate::kernel::rng::{Rng, below};
use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Span, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ACKNOWLEDGEMENT, ECN_CAPABLE, Flight, Packet};
use crate::port::Port;
use crate::switch::marking::{Level, QueueMarker, When};

/// The adapter of one host. One cache line behind the port holds what a packet that waits touches.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Adapter {
    pub(super) port: Port,
    marker: Option<Box<QueueMarker>>,
    /// Bytes waiting in each of the port's queues.
    pub(super) queued: [Bytes; PRIORITIES],
    /// Class whose last packet has left before the port's scheduler knows that the class is empty.
    emptied: Option<Emptied>,
    last_release: Time,
    rng: Rng,
    /// Packets that line up; `None` where packets enter and leave the queue in events.
    line: Option<Line>,
    /// Flows held back by packets that line up; `None` where packets leave in events or hold no flow back.
    pub(super) small_queues: Option<SmallQueues>,
}

/// A class whose last packet is on the wire or has left the wire.
#[derive(Clone, Copy, Debug)]
struct Emptied {
    class: usize,
    /// Time at which the transmission of that packet ends.
    until: Time,
}

/// Packets that have set out for an adapter whose packets line up.
#[derive(Debug, Default)]
struct Line {
    /// Packets that wait at the port once the last one has come. Packets that have left by then and are not counted out
    /// yet do not count.
    waiting: u32,
    /// Packets that will find no room, and the time when each finds that.
    dropped: Ring<Flight>,
}

/// Whether packets line up in adapters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lines {
    /// Packets enter and leave the queue in events.
    Never,
    /// Packets line up as they set out into the host's delay, where that is above zero and no flow is held back by what
    /// it has in the adapter.
    BehindDelay,
    /// Packets enter the adapter without delay and leave at times computed in advance; a flow waits while too many of
    /// its bytes are there.
    OfSmallQueues,
}

/// Place of a packet that has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Place before every packet of the same class.
    First,
    /// Place behind every packet of the same class.
    Last,
}

/// Place to which a packet went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// Into a queue, where the packet counts as its flow's.
    Queued,
    /// Into a queue in which many packets have left meanwhile and should be counted out.
    BehindMany,
    /// Onto the wire, into the host's delay, or nowhere.
    Elsewhere,
}

impl Adapter {
    pub(super) fn new(port: Port, marker: Option<QueueMarker>, rng: Rng) -> Self {
        Self {
            port,
            marker: marker.map(Box::new),
            queued: [Bytes::ZERO; PRIORITIES],
            emptied: None,
            last_release: Time::ZERO,
            rng,
            line: None,
            small_queues: None,
        }
    }

    /// See [`super::Host::with_lines`].
    pub(super) fn with_lines(self, lines: Lines) -> Self {
        Self {
            line: (lines == Lines::BehindDelay).then(Line::default),
            small_queues: (lines == Lines::OfSmallQueues).then(SmallQueues::default),
            ..self
        }
    }

    /// Bytes waiting in all queues.
    pub(super) fn queued(&self) -> Bytes {
        self.queued.iter().copied().sum()
    }

    /// Sends a packet of a transport on its way.
    // Called at three places; as a call it copies the packet once more.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn send(
        &mut self,
        packet: Packet,
        pending: &mut Pending,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Sent {
        if self.small_queues.is_some() {
            return self.line_up_at_once(packet, context);
        }
        let host = &context.fabric.host;
        if host.delay == Span::ZERO && !host.jitter {
            return self.accept(packet, context);
        }
        self.send_later(packet, pending, context);
        Sent::Elsewhere
    }

    #[inline(never)]
    fn send_later(
        &mut self,
        packet: Packet,
        pending: &mut Pending,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let delay = context.fabric.host.delay + self.draw_jitter(&packet, context);
        let release = (context.now + delay).max(self.last_release);
        self.last_release = release;
        if self.line.is_some() {
            self.line_up(packet, release, context);
        } else {
            pending.send_out(Flight { arrives: release, packet });
        }
    }

    /// Decides what becomes of a packet that will enter the adapter at `release`, after all that have set out before
    /// it.
    fn line_up(
        &mut self,
        packet: Packet,
        release: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.port.has_many_lined_up() {
            self.settle(context.now, context);
        }
        let (class, frame) = (packet.priority(), packet.frame());
        let starts = self.port.free_from(release);
        if starts > release {
            let limit = context.fabric.host.adapter_queue.unwrap_or(Bytes::MAX) - frame;
            if self.queued[class] > limit {
                self.leave(release);
            }
            let Self { queued, line: Some(line), .. } = self else { return };
            if queued[class] > limit {
                return line.dropped.push_back(Flight { arrives: release, packet });
            }
            queued[class] += frame;
            line.waiting += 1;
        } else if let Some(line) = &mut self.line {
            (self.queued[class], line.waiting) = (Bytes::ZERO, 0);
        }
        self.port.line_up(packet, starts, context);
    }

    /// Takes a packet that enters the adapter as it sets out: it starts, or lines up.
    // Called at two places; as a call it reads the packet from memory.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn line_up_at_once(
        &mut self,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Sent {
        if self.port.busy_until() <= context.now {
            self.port.lead(packet, context);
            return Sent::Elsewhere;
        }
        self.port.line_up(packet, self.port.busy_until(), context);
        if self.port.has_many_lined_up() { Sent::BehindMany } else { Sent::Queued }
    }

    /// Counts out packets of the line that have left by `time`.
    fn leave(&mut self, time: Time) {
        let Self { port, queued, line: Some(line), .. } = self else { return };
        while line.waiting > 0 {
            let first = port.lined_up_before(line.waiting - 1);
            if first.starts > time {
                break;
            }
            queued[first.packet.priority()] -= first.packet.frame();
            line.waiting -= 1;
        }
    }

    /// Counts what has happened by `now` to packets that line up.
    pub(super) fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.leave(now);
        let Self { port, line: Some(line), .. } = self else { return };
        let mut last = None;
        port.settle(now, context.fabric, |departure| last = Some(*departure));
        port.note_last(last.as_ref(), context.fabric);
        while line.dropped.front().is_some_and(|dropped| dropped.arrives <= now) {
            // Nobody observes where packets line up.
            port.drop(&line.dropped.take_front().packet, DropReason::AdapterFull, None, context);
        }
    }

    fn draw_jitter(&mut self, packet: &Packet, context: &Context<'_, impl Agenda, impl Observer>) -> Span {
        if !context.fabric.host.jitter {
            return Span::ZERO;
        }
        let packet_time = self.port.transmission_time(context.fabric.wire(packet));
        Span::new(below(&mut self.rng, packet_time.get()))
    }

    /// Takes a packet that has crossed the host's delay.
    #[inline]
    pub(super) fn accept(
        &mut self,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Sent {
        self.tell_emptied_before(context.now);
        if self.port.starts_at_once(packet.priority(), context.now) {
            self.transmit(packet, context);
            return Sent::Elsewhere;
        }
        if self.marker.is_some() {
            self.mark_and_enqueue(&packet, context)
        } else {
            self.enqueue(packet, context)
        }
    }

    #[cold]
    fn mark_and_enqueue(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Sent {
        let mut packet = *packet;
        if self.marks(When::Enqueue, context.now, &packet) && !self.port.mark(&mut packet, context) {
            self.port.drop(&packet, DropReason::NotEcnCapable, None, context);
            return Sent::Elsewhere;
        }
        self.enqueue(packet, context)
    }

    /// Whether a packet that now enters or leaves its queue is to be marked.
    fn marks(&mut self, moment: When, now: Time, packet: &Packet) -> bool {
        let level = self.level(now, packet);
        let is_ecn_capable = packet.is(ECN_CAPABLE);
        let marker = self.marker.as_mut();
        marker.is_some_and(|marker| marker.marks(moment, packet.priority(), &level, is_ecn_capable))
    }

    /// Level of the queue that a packet finds, or leaves behind.
    fn level(&self, now: Time, packet: &Packet) -> Level {
        Level { now, others: self.queued[packet.priority()], frame: packet.frame() }
    }

    /// Takes a packet of a transport that is in the adapter, which nothing delays, limits or marks here.
    pub(super) fn put(
        &mut self,
        packet: Packet,
        place: Place,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.tell_emptied_before(context.now);
        let queue = packet.priority();
        if self.port.starts_at_once(queue, context.now) {
            return self.transmit(packet, context);
        }
        if self.marker.is_some() {
            self.tell_marker(&packet, context.now);
        }
        let goes_before_others = place == Place::First && self.queued[queue] > Bytes::ZERO;
        self.queued[queue] += packet.frame();
        if goes_before_others {
            self.port.enqueue_first(packet);
        } else {
            self.port.enqueue(packet, context.agenda);
        }
        context.observer.on_queue(context.now, self.port.id(), queue, self.queued[queue]);
    }

    #[cold]
    fn tell_marker(&mut self, packet: &Packet, now: Time) {
        let level = self.level(now, packet);
        if let Some(marker) = &mut self.marker {
            marker.tell(When::Enqueue, packet.priority(), &level);
        }
    }

    #[inline]
    fn enqueue(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) -> Sent {
        let queue = packet.priority();
        let limit = context.fabric.host.adapter_queue;
        if let Some(limit) = limit
            && self.queued() + packet.frame() > limit
        {
            let room = Room { held: self.queued(), limit };
            self.port.drop(&packet, DropReason::AdapterFull, Some(room), context);
            return Sent::Elsewhere;
        }
        self.queued[queue] += packet.frame();
        self.port.enqueue(packet, context.agenda);
        context.observer.on_queue(context.now, self.port.id(), queue, self.queued[queue]);
        Sent::Queued
    }

    /// Tells the port's scheduler that a class is empty, once the transmission of its last packet has ended. No
    /// earlier: a transport in the adapter makes its next packet while the last one is on the wire.
    #[cold]
    fn tell_emptied(&mut self) {
        if let Some(Emptied { class, .. }) = self.emptied.take()
            && self.queued[class] == Bytes::ZERO
        {
            self.port.tell_empty(class);
        }
    }

    /// Tells the port's scheduler of a class that became empty before a time without any packet, as the next one comes.
    /// Nothing has told it when that transmission ended.
    #[inline]
    fn tell_emptied_before(&mut self, now: Time) {
        if let Some(Emptied { until, .. }) = self.emptied
            && until <= now
            && !self.port.has_ready()
        {
            self.tell_emptied();
        }
    }

    /// Sends the next packet, since the wire is free, and returns it.
    #[inline]
    pub(super) fn transmit_next(
        &mut self,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        if self.emptied.is_some() {
            self.tell_emptied();
        }
        let packet = self.port.dequeue_quietly()?;
        let queue = packet.priority();
        self.queued[queue] -= packet.frame();
        if self.port.takes_turns() && self.queued[queue] == Bytes::ZERO {
            let until = context.now + self.port.transmission_time(context.fabric.wire(&packet));
            self.emptied = Some(Emptied { class: queue, until });
        }
        context.observer.on_queue(context.now, self.port.id(), queue, self.queued[queue]);
        if self.marker.is_some() {
            self.mark_and_transmit(&packet, context);
        } else {
            self.transmit(packet, context);
        }
        Some(packet)
    }

    #[cold]
    fn mark_and_transmit(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let mut packet = *packet;
        if self.marks(When::Dequeue, context.now, &packet) {
            self.port.mark(&mut packet, context);
        }
        self.transmit(packet, context);
    }

    /// Transmits a packet. Only switches tell in telemetry of the bytes that wait.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn transmit(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.port.transmit(packet, |_| Bytes::ZERO, context);
        if !packet.is(ACKNOWLEDGEMENT) {
            let wire = context.fabric.wire(&packet);
            context.observer.on_flow_sent(packet.source(), packet.flow(), wire, self.port.busy_until());
        }
    }
}
