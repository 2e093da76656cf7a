//! Packet memory of a switch with its markers: the bytes that each queue holds, and the marks that follow from them.

use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::port::Port;
use crate::scenario::Release;
use crate::switch::cell::Cell;
use crate::switch::markers::{Candidate, Markers};
use crate::switch::mmu::Mmu;

/// Memory that all ports of a switch share.
#[derive(Debug)]
pub(super) struct Memory {
    pub(super) mmu: Mmu,
    pub(super) markers: Markers,
    /// Unit of allocation; without one, a packet takes the bytes of its frame.
    cell: Option<Cell>,
    /// The packet on each port's wire, where memory is released at the end of a transmission.
    transmitting: Option<Vec<Option<Packet>>>,
}

impl Memory {
    pub(super) fn new(
        mmu: Mmu,
        markers: Markers,
        cell: Option<Cell>,
        release: Release,
        ports: usize,
    ) -> Self {
        let transmitting = (release == Release::TransmissionEnd).then(|| vec![None; ports]);
        Self { mmu, markers, cell, transmitting }
    }

    /// Whether a packet keeps its memory until its last bit has left.
    #[inline]
    pub(super) fn keeps_transmitted(&self) -> bool {
        self.transmitting.is_some()
    }

    /// Whether memory is given out in cells.
    pub(super) fn has_cells(&self) -> bool {
        self.cell.is_some()
    }

    /// Whether the packet on a port's wire still has its memory.
    pub(super) fn holds_transmitted(&self, number: u32) -> bool {
        self.transmitted(number).is_some()
    }

    /// The packet on a port's wire, where it still has its memory.
    pub(super) fn transmitted(&self, number: u32) -> Option<&Packet> {
        self.transmitting.as_ref().and_then(|ports| ports[number as usize].as_ref())
    }

    /// Takes the packet whose transmission on a port has ended, where it still has its memory.
    pub(super) fn take_transmitted(&mut self, number: u32) -> Option<Packet> {
        self.transmitting.as_mut().and_then(|ports| ports[number as usize].take())
    }

    /// Bytes of memory that a packet takes.
    #[inline]
    pub(super) fn frame(&self, packet: &Packet) -> Bytes {
        Cell::taken_of(self.cell, packet.frame())
    }

    /// Bytes that wait at a port while this packet leaves.
    #[cold]
    pub(super) fn waiting(&self, number: u32, packet: &Packet) -> Bytes {
        let held = if self.keeps_transmitted() { self.frame(packet) } else { Bytes::ZERO };
        self.mmu.port_bytes(number as usize) - held
    }

    /// Whether the markers mark a packet that enters a queue.
    #[inline]
    pub(super) fn marks_at_enqueue(&mut self, packet: &Packet, queue: usize, now: Time) -> bool {
        let Self { mmu, markers, cell, .. } = self;
        markers.at_enqueue(queue, mmu, || candidate(packet, Cell::taken_of(*cell, packet.frame()), now))
    }

    /// Whether the markers mark a packet that leaves without waiting.
    // Called at two places, and nearly always there is nothing to ask.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn marks_at_dequeue(&mut self, packet: &Packet, queue: usize, now: Time) -> bool {
        if !self.markers.asks_at_dequeue(Mmu::port(queue), &self.mmu) {
            return false;
        }
        let frame = self.frame(packet);
        let held = if self.keeps_transmitted() { frame } else { Bytes::ZERO };
        self.markers.at_dequeue(queue, &self.mmu, candidate(packet, frame, now), held)
    }

    /// Takes the next packet from a port where markers look at departures, and marks it if they say so.
    /// A lossy packet that cannot be marked is dropped, and the one behind it taken. Memory still counts the packet returned.
    #[inline(never)]
    pub(super) fn dequeue_marked(
        &mut self,
        number: u32,
        lossless: Classes,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        loop {
            let packet = port.dequeue()?;
            let marked = self.mark_or_drop(packet, number, lossless, port, context);
            if marked.is_some() {
                return marked;
            }
        }
    }

    /// Takes the next packet as [`Memory::dequeue_marked`] does, and none if that packet is dropped.
    #[inline(never)]
    pub(super) fn dequeue_first_marked(
        &mut self,
        number: u32,
        lossless: Classes,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        let packet = port.dequeue()?;
        self.mark_or_drop(packet, number, lossless, port, context)
    }

    /// Marks a packet that leaves its queue if markers say so, or drops it if it is lossy and cannot be marked.
    // Called at two places, one of them for every packet that a marker looks at.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn mark_or_drop(
        &mut self,
        mut packet: Packet,
        number: u32,
        lossless: Classes,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        let (queue, frame) = (Mmu::queue(number, packet.priority()), self.frame(&packet));
        let is_lossless = lossless.contains(packet.priority());
        let marks = self.markers.at_dequeue(queue, &self.mmu, candidate(&packet, frame, context.now), frame);
        let is_dropped = marks && !port.mark(&mut packet, context) && !is_lossless;
        if is_dropped || !self.keeps_transmitted() {
            self.markers.on_departure(queue, &self.mmu, context.now, frame);
        }
        if !is_dropped {
            return Some(packet);
        }
        self.count_out(is_lossless, queue, frame);
        self.report_queue(queue, port, context);
        port.drop(&packet, DropReason::NotEcnCapable, None, context);
        None
    }

    /// Puts a packet on the wire of its port, and keeps it where memory is released at the end of the transmission.
    // Called at few places, and as a call a third of its own cost.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn transmit(
        &mut self,
        packet: Packet,
        number: u32,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        // By value: what a closure refers to is kept in memory for every packet.
        let memory = &*self;
        port.transmit(packet, move |packet| memory.waiting(number, packet), context);
        if let Some(transmitting) = &mut self.transmitting {
            transmitting[number as usize] = Some(packet);
            context.agenda.end_of_transmission(port.id(), port.busy_until());
        }
    }

    /// Counts a packet out of its queue.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn count_out(&mut self, is_lossless: bool, queue: usize, frame: Bytes) {
        if is_lossless {
            self.mmu.let_go(queue, frame);
        } else {
            self.mmu.remove(queue, frame);
            if self.mmu.is_told() {
                self.mmu.on_departure(queue);
            }
        }
    }

    /// Tells the buffer policy that a port has begun to send a packet that it held.
    #[cold]
    pub(super) fn note_service(&mut self, packet: &Packet, number: u32, port: &Port, now: Time) {
        self.mmu.on_service(Mmu::queue(number, packet.priority()), now, port.busy_until());
        self.mmu.on_read(now, self.frame(packet));
    }

    /// Drops a packet on its arrival.
    #[cold]
    pub(super) fn refuse(
        &mut self,
        packet: &Packet,
        queue: usize,
        reason: DropReason,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.markers.on_refusal(queue);
        port.drop(packet, reason, self.mmu.room(queue, reason), context);
    }

    /// Tells the observer how many bytes a queue holds.
    #[inline]
    pub(super) fn report_queue(
        &self,
        queue: usize,
        port: &Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let bytes = self.mmu.queue_bytes(queue);
        context.observer.on_queue(context.now, port.id(), queue % PRIORITIES, bytes);
    }
}

#[inline]
fn candidate(packet: &Packet, frame: Bytes, now: Time) -> Candidate {
    Candidate { now, frame, is_ecn_capable: packet.is(ECN_CAPABLE) }
}
