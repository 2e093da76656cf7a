//! The shared-memory switch, in the order of a packet's life: receive, route, admit, queue, transmit, mark.

use super::marking::{self, Level, Marker, Signal, When};
use super::mmu::Mmu;
use crate::agenda::{Agenda, Context};
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ACKNOWLEDGEMENT, ECN_CAPABLE, MARKED, PRIORITIES, Packet};
use crate::port::Port;
use crate::routing::SwitchRoutes;
use crate::scenario::Release;

/// Output queues in one shared memory.
#[derive(Debug)]
pub struct SharedMemory {
    ports: Vec<Port>,
    routes: SwitchRoutes,
    mmu: Mmu,
    marker: Option<marking::Parameters>,
    /// Queue and size of the packet on each port's wire, where memory is released at the end of a transmission.
    transmitting: Option<Vec<Option<(usize, Bytes)>>>,
    rng: Rng,
}

impl SharedMemory {
    /// A switch with empty queues; `rng` is the stream of its markers.
    pub fn new(
        ports: Vec<Port>,
        routes: SwitchRoutes,
        mmu: Mmu,
        marker: Option<marking::Parameters>,
        release: Release,
        rng: Rng,
    ) -> Self {
        let transmitting = (release == Release::TransmissionEnd).then(|| vec![None; ports.len()]);
        Self { ports, routes, mmu, marker, transmitting, rng }
    }

    /// Its egress ports.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Its memory.
    pub fn mmu(&self) -> &Mmu {
        &self.mmu
    }

    /// A packet has arrived whole.
    #[inline]
    pub fn on_arrival(&mut self, mut packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let port = self.routes.port(packet.destination, || packet.five_tuple());
        let queue = Mmu::queue(port, packet.priority());
        if self.marks(When::Enqueue, &packet, queue) && !self.mark(&mut packet, port, context) {
            return self.drop(&packet, port, DropReason::NotEcnCapable, context);
        }
        if let Err(reason) = self.mmu.admit(queue, packet.frame()) {
            return self.drop(&packet, port, reason, context);
        }
        if self.ports[port as usize].is_idle(context.now) {
            self.transmit(packet, port, context);
        } else {
            self.ports[port as usize].enqueue(packet, context.agenda);
            self.report_queue(port, queue, context);
        }
    }

    /// The transmission on `port` has ended and something waits for that.
    /// Returns when the end of the next one must be heard of.
    #[inline]
    pub fn on_end_of_transmission(
        &mut self,
        port: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        self.release_transmitted(port, context);
        if let Some(packet) = self.ports[port as usize].dequeue() {
            self.transmit(packet, port, context);
        }
        let egress = &self.ports[port as usize];
        let holds_memory = self.transmitting.as_ref().is_some_and(|ports| ports[port as usize].is_some());
        if holds_memory { egress.busy_until() } else { egress.next_end() }
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn transmit(
        &mut self,
        mut packet: Packet,
        port: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Mmu::queue(port, packet.priority());
        if let Some(transmitting) = &mut self.transmitting {
            transmitting[port as usize] = Some((queue, packet.frame()));
        } else {
            self.mmu.remove(queue, packet.frame());
            self.report_queue(port, queue, context);
        }
        if self.marks(When::Dequeue, &packet, queue) {
            self.mark(&mut packet, port, context);
        }
        let egress = &mut self.ports[port as usize];
        egress.transmit(packet, context);
        if self.transmitting.is_some() {
            context.agenda.end_of_transmission(egress.id(), egress.busy_until());
        }
    }

    /// Whether the marker says yes. One that looks at dequeue is asked at enqueue about packets that it would have to
    /// drop: memory that is taken is not given up half-way.
    #[inline]
    fn marks(&mut self, when: When, packet: &Packet, queue: usize) -> bool {
        let Some(marker) = &mut self.marker else { return false };
        let asked_at = if packet.is(ECN_CAPABLE) { marker.when() } else { When::Enqueue };
        if asked_at != when {
            return false;
        }
        let held_by_itself =
            if when == When::Dequeue && self.transmitting.is_some() { packet.frame() } else { Bytes::ZERO };
        let level = Level { others: self.mmu.queue_bytes(queue) - held_by_itself };
        marker.signal(&level, &mut self.rng) == Signal::Mark
    }

    /// Marks the packet if it can be marked.
    fn mark(
        &mut self,
        packet: &mut Packet,
        port: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        if !packet.is(ECN_CAPABLE) {
            return false;
        }
        if !packet.is(ACKNOWLEDGEMENT) {
            let egress = &mut self.ports[port as usize];
            egress.counters.marked += 1;
            context.observer.on_mark(context.now, egress.id(), packet.priority());
        }
        packet.flags |= MARKED;
        true
    }

    #[cold]
    fn drop(
        &mut self,
        packet: &Packet,
        port: u16,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let egress = &mut self.ports[port as usize];
        egress.counters.count_drop(packet, reason);
        context.observer.on_drop(context.now, egress.id(), packet.priority(), reason);
    }

    fn release_transmitted(&mut self, port: u16, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(transmitting) = &mut self.transmitting else { return };
        if let Some((queue, frame)) = transmitting[port as usize].take() {
            self.mmu.remove(queue, frame);
            self.report_queue(port, queue, context);
        }
    }

    #[inline]
    fn report_queue(&self, port: u16, queue: usize, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let bytes = self.mmu.queue_bytes(queue);
        context.observer.on_queue(context.now, self.ports[port as usize].id(), queue % PRIORITIES, bytes);
    }
}
