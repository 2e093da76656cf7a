//! Switch whose packets leave every port in the order of arrival, so that no departure is an event (decision 22).
//!
//! All packets are of one lossy class, and nothing pauses, corrupts or observes them. When a packet leaves is then known as
//! it arrives: it is routed, marked, admitted, and handed to its link at once (it *lines up*), with the time at which it
//! starts. The end of transmission happens later, in bulk: a port *settles* when it counts out of memory the packets that
//! have started by then. Until it does, memory counts more than is there and never less. So ports settle only where less
//! could change an answer, after every few packets, and when somebody looks.

use super::egress::Egress;
use super::memory::Memory;
use crate::agenda::{Agenda, Context, LaneId};
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::port::{Departure, Port};
use crate::routing::SwitchRoutes;
use crate::switch::markers::Candidate;
use crate::switch::mmu::{Mmu, Placement};

/// A switch of one lossy class whose departures are no events.
#[derive(Debug)]
pub struct LinedUp {
    pub(super) egress: Egress,
    routes: SwitchRoutes,
    class: usize,
    /// Length below which queues surely have room and no marker answers.
    quiet_below: Bytes,
    /// Ports long enough that a marker has to look at each departure.
    long: Vec<u32>,
}

impl LinedUp {
    pub(super) fn new(ports: Vec<Port>, memory: Memory, routes: SwitchRoutes, class: usize) -> Self {
        let quiet_below = memory.mmu.ample_below(memory.markers.quiet_below());
        Self { egress: Egress { ports, memory }, routes, class, quiet_below, long: Vec::new() }
    }

    /// Prefetches the ports.
    pub fn prefetch_ports(&self) {
        self.egress.ports.iter().for_each(Port::prefetch);
    }

    /// Prefetches the queue of each port, in memory and in line.
    pub fn prefetch_queues(&self) {
        self.egress.memory.mmu.prefetch_queues(self.class);
        self.egress.ports.iter().for_each(Port::prefetch_line);
    }

    /// Names by which the engine knows the ways from the ports.
    pub fn lanes(&self) -> impl Iterator<Item = LaneId> {
        self.egress.ports.iter().map(Port::lane)
    }

    /// Takes in a packet that has arrived whole: routes it, and lines it up where there is ample room.
    // Called at two places, for most of all events.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_arrival(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let shared = &context.fabric.shared_tuples;
        let number = self.routes.port(packet.destination(), || packet.five_tuple(shared));
        let Egress { ports, memory: Memory { mmu, .. } } = &mut self.egress;
        let (port, frame) = (&mut ports[number as usize], packet.frame());
        if port.busy_until() <= context.now {
            // Whatever its queue has held has left.
            if mmu.has_ample_room_below(Bytes::ZERO, frame, self.quiet_below) {
                return port.lead(packet, context);
            }
        } else {
            let queue = Mmu::queue(number, packet.priority());
            if mmu.has_ample_room_below(mmu.queue_bytes(queue), frame, self.quiet_below)
                && !port.has_many_lined_up()
                && !mmu.would_peak(frame)
            {
                mmu.put_where_ample(queue, frame);
                return port.line_up(packet, port.busy_until(), context);
            }
        }
        self.take_in(number, packet, context);
    }

    /// Marks a packet and admits it, then lines it up.
    #[inline(never)]
    fn take_in(
        &mut self,
        number: u32,
        mut packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Mmu::queue(number, packet.priority());
        let Egress { ports, memory } = &mut self.egress;
        let (port, frame) = (&mut ports[number as usize], packet.frame());
        let placement = if let Some(placement) = memory.place_unsettled(queue, port, frame) {
            placement
        } else {
            memory.settle(queue, port, context.now, context);
            let marks = memory.marks_at_enqueue(&packet, queue, context.now);
            if marks && !packet.is(ECN_CAPABLE) {
                return memory.refuse(&packet, queue, DropReason::NotEcnCapable, port, context);
            }
            let placement = memory.mmu.place(queue, frame);
            let placement = placement.or_else(|_| self.place_settled(queue, frame, context));
            let Egress { ports, memory } = &mut self.egress;
            let port = &mut ports[number as usize];
            match placement {
                Ok(placement) => {
                    if marks {
                        port.mark(&mut packet, context);
                    }
                    placement
                }
                Err(reason) => return memory.refuse(&packet, queue, reason, port, context),
            }
        };
        if self.egress.ports[number as usize].busy_until() <= context.now {
            return self.egress.ports[number as usize].lead(packet, context);
        }
        if self.egress.memory.mmu.would_peak(frame) {
            self.settle(context.now, context);
        }
        self.egress.memory.mmu.put(queue, frame, placement);
        if self.egress.memory.may_mark_departures(queue) {
            self.note_long(number);
        }
        let port = &mut self.egress.ports[number as usize];
        port.line_up(packet, port.busy_until(), context);
    }

    /// Settles all ports: counts out the packets that have started by `now`.
    #[cold]
    pub(super) fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Egress { ports, memory } = &mut self.egress;
        for (number, port) in (0..).zip(ports) {
            memory.settle(Mmu::queue(number, self.class), port, now, context);
        }
    }

    /// Marks packets that have started by `now` on their way, before they arrive. Returns when to look again.
    pub(super) fn mark_departed(
        &mut self,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        let Self { egress: Egress { ports, memory }, long, class, .. } = self;
        let mut next = Time::MAX;
        long.retain(|&number| {
            let (queue, port) = (Mmu::queue(number, *class), &mut ports[number as usize]);
            memory.settle(queue, port, now, context);
            let stays = memory.may_mark_departures(queue);
            next = if stays { next.min(port.next_start()) } else { next };
            stays
        });
        next
    }

    #[cold]
    fn note_long(&mut self, number: u32) {
        if !self.long.contains(&number) {
            self.long.push(number);
        }
    }

    /// Finds a place for a packet that seemed to have none, once all ports have settled.
    #[cold]
    fn place_settled(
        &mut self,
        queue: usize,
        frame: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Result<Placement, DropReason> {
        self.settle(context.now, context);
        self.egress.memory.mmu.place(queue, frame)
    }
}

impl Memory {
    /// Finds a place for a packet where departures not counted yet make no difference; `None` where they may, or
    /// where many packets have lined up.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn place_unsettled(&self, queue: usize, port: &Port, frame: Bytes) -> Option<Placement> {
        let is_quiet = self.mmu.queue_bytes(queue) + frame < self.markers.quiet_below();
        if is_quiet && !port.has_many_lined_up() { self.mmu.place_unsettled(queue, frame) } else { None }
    }

    /// Settles one port: counts out the packets that have started by `now`.
    // Called for every packet that lines up; as a call it costs a tenth of all.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn settle(
        &mut self,
        queue: usize,
        port: &mut Port,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if port.next_start() > now {
            return;
        }
        if self.may_mark_departures(queue) {
            self.settle_one_by_one(queue, port, now, context);
        } else {
            let mut started = Bytes::ZERO;
            port.settle(now, context.fabric, |departure| started += departure.packet.frame());
            self.mmu.remove(queue, started);
        }
    }

    /// Settles one port packet by packet, and asks the markers about each.
    #[inline(never)]
    fn settle_one_by_one(
        &mut self,
        queue: usize,
        port: &mut Port,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        while let Some(departure) = port.settle_next(now, context.fabric) {
            let Departure { starts, packet, .. } = departure;
            let (frame, is_ecn_capable) = (packet.frame(), packet.is(ECN_CAPABLE));
            let candidate = Candidate { now: starts, frame, is_ecn_capable };
            if self.markers.at_dequeue(queue, &self.mmu, candidate, frame) {
                port.mark_departed(&departure, context);
            }
            self.mmu.remove(queue, frame);
        }
    }

    /// Whether a packet that leaves the only queue of its port may be marked.
    #[inline]
    fn may_mark_departures(&self, queue: usize) -> bool {
        self.markers.may_mark_departures(|| self.mmu.queue_bytes(queue))
    }
}
