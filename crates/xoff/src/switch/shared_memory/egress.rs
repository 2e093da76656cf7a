//! Egress of a switch: its ports, whose queues lie in the memory that they share.

use super::memory::Memory;
use crate::agenda::{Agenda, Context};
use crate::classes::Classes;
use crate::kernel::units::Time;
use crate::observer::{DropReason, Observer};
use crate::packet::Packet;
use crate::port::Port;
use crate::switch::mmu::Mmu;

/// Egress ports of a switch, and the memory of their queues.
#[derive(Debug)]
pub(super) struct Egress {
    pub(super) ports: Vec<Port>,
    pub(super) memory: Memory,
}

impl Egress {
    /// Puts a packet on the wire of an idle port without counting it in memory.
    // Called at few places, and as a call a copy of the packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn pass(
        &mut self,
        number: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (port, memory) = (&mut self.ports[number as usize], &self.memory);
        port.transmit(packet, move |packet| memory.waiting(number, packet), context);
    }

    /// Puts an admitted packet on the wire of an idle port, marked if a marker looks at departures and says so.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn transmit_at_once(
        &mut self,
        number: u32,
        mut packet: Packet,
        takes_memory: bool,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Mmu::queue(number, packet.priority());
        let Self { ports, memory } = self;
        let port = &mut ports[number as usize];
        if memory.marks_at_dequeue(&packet, queue, context.now) {
            port.mark(&mut packet, context);
        }
        memory.transmit(packet, number, port, context);
        if takes_memory && memory.mmu.is_told() {
            memory.note_service(&packet, number, port, context.now);
        }
    }

    /// Puts a packet from its queue on the wire, and counts it out unless it keeps its memory until its last bit.
    // Called at two places for each kind, and as a call a copy of the packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn transmit_next(
        &mut self,
        packet: Packet,
        number: u32,
        is_lossless: bool,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Self { ports, memory } = self;
        let port = &mut ports[number as usize];
        if !memory.keeps_transmitted() {
            let queue = Mmu::queue(number, packet.priority());
            memory.count_out(is_lossless, queue, memory.frame(&packet));
            memory.report_queue(queue, port, context);
        }
        memory.transmit(packet, number, port, context);
        if memory.mmu.is_told() {
            memory.note_service(&packet, number, port, context.now);
        }
    }

    /// Counts out the packet whose transmission on a port has ended, if it kept its memory until then.
    pub(super) fn release_transmitted(
        &mut self,
        number: u32,
        lossless: Classes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        let Self { ports, memory } = self;
        let packet = memory.take_transmitted(number)?;
        let (queue, frame) = (Mmu::queue(number, packet.priority()), memory.frame(&packet));
        memory.markers.on_departure(queue, &memory.mmu, context.now, frame);
        memory.count_out(lossless.contains(packet.priority()), queue, frame);
        memory.report_queue(queue, &ports[number as usize], context);
        Some(packet)
    }

    /// Time at which the end of a port's transmission must be heard of; `Time::MAX` if nothing waits for it.
    #[inline]
    pub(super) fn next_end(&self, number: u32) -> Time {
        let port = &self.ports[number as usize];
        if self.memory.holds_transmitted(number) { port.busy_until() } else { port.next_end() }
    }

    /// Drops the packet that waits first in a queue, and returns it.
    pub(super) fn lose_first(
        &mut self,
        number: u32,
        priority: usize,
        is_lossless: bool,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        let Self { ports, memory } = self;
        let (queue, port) = (Mmu::queue(number, priority), &mut ports[number as usize]);
        let packet = port.take(priority)?;
        if port.is_shaped() {
            port.look_when_it_opens(context);
        }
        let (frame, room) = (memory.frame(&packet), memory.mmu.room(queue, reason));
        memory.markers.on_loss(queue);
        memory.markers.on_departure(queue, &memory.mmu, context.now, frame);
        memory.count_out(is_lossless, queue, frame);
        memory.report_queue(queue, port, context);
        port.drop(&packet, reason, room, context);
        Some(packet)
    }

    /// Drops a packet that has arrived for a port, or was on the wire of one, whatever room there is.
    #[cold]
    pub(super) fn lose(
        &mut self,
        number: u32,
        packet: &Packet,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.ports[number as usize].drop(packet, reason, None, context);
    }

    /// Packets of a class that a port holds.
    pub(super) fn packets_to(&self, number: u32, priority: usize) -> impl Iterator<Item = &Packet> {
        let transmitted = self.memory.transmitted(number).filter(move |packet| packet.priority() == priority);
        transmitted.into_iter().chain(self.ports[number as usize].queued_of(priority))
    }
}
