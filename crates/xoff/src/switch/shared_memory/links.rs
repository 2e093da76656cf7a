//! What becomes of a shared-memory switch whose links fail, come back or get another rate.

use super::SharedMemory;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Rate, Span};
use crate::observer::{DropReason, Observer};
use crate::packet::Packet;
use crate::routing::SwitchRoutes;
use crate::switch::mmu::Mmu;

impl SharedMemory {
    /// The link of a port fails: what either end has told the other of pauses is forgotten, and what comes for the port from now on
    /// is lost. What waits there already, see [`SharedMemory::lose_queued`].
    pub fn on_link_down(&mut self, number: u16, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.reactions.forget(number);
        self.forget_storms(number, context);
        self.ports[usize::from(number)].take_down(context);
    }

    /// What waits for a link that has failed is lost.
    pub fn lose_queued(&mut self, number: u16, context: &mut Context<'_, impl Agenda, impl Observer>) {
        for priority in 0..PRIORITIES {
            self.lose_queue(number, priority, DropReason::LinkDown, context);
        }
    }

    /// What waits in a queue is lost. Returns how many packets those are.
    pub(super) fn lose_queue(
        &mut self,
        number: u16,
        priority: usize,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> u64 {
        let mut lost = 0;
        while self.lose_first(number, priority, reason, context).is_some() {
            lost += 1;
        }
        lost
    }

    /// The packet that waits first in a queue is lost. Returns what it took of memory, if one waits.
    pub(super) fn lose_first(
        &mut self,
        number: u16,
        priority: usize,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Bytes> {
        let (queue, is_lossless) = (Mmu::queue(number, priority), self.lossless.contains(priority));
        let port = &mut self.ports[usize::from(number)];
        let packet = port.take(priority)?;
        let (frame, room) = (self.memory.frame(&packet), self.memory.mmu.room(queue, reason));
        self.memory.markers.on_loss(queue);
        self.memory.markers.on_departure(queue, &self.memory.mmu, context.now, frame);
        self.memory.count_out(is_lossless, queue, frame);
        self.memory.report_queue(queue, port, context);
        port.drop(&packet, reason, room, context);
        if is_lossless {
            self.remove_lossless(&packet, context);
        }
        Some(frame)
    }

    /// A packet that has come is for a link that has failed, or was on its way over one.
    #[cold]
    pub fn lose(
        &mut self,
        number: u16,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.lose_for(DropReason::LinkDown, number, packet, context);
    }

    /// A packet that has come is lost.
    #[cold]
    pub(super) fn lose_for(
        &mut self,
        reason: DropReason,
        number: u16,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.ports[usize::from(number)].drop(packet, reason, None, context);
    }

    /// The link of a port works again. Its sender hears at once of the classes that are to pause.
    pub fn on_link_up(&mut self, number: u16, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.ports[usize::from(number)].bring_up();
        if let Some(pausing) = &mut self.pausing {
            pausing.tell_all(number, &mut self.ports, context);
        }
    }

    /// The link of a port has another rate, at which pause frames take effect after `reaction` and in other quanta. What was said
    /// in the quanta of before may now hold for too short a time, so its sender hears again of the classes that are to pause.
    pub fn on_link_rate(
        &mut self,
        number: u16,
        rate: Rate,
        (reaction, quantum): (Span, Span),
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.ports[usize::from(number)].set_rate(rate, context.now);
        self.reactions.set_pace(number, reaction, quantum);
        if let Some(pausing) = &mut self.pausing {
            pausing.frames().set_quantum(number, quantum);
            pausing.tell_all(number, &mut self.ports, context);
        }
    }

    /// From now on it sends packets by another table.
    pub fn reroute(&mut self, routes: SwitchRoutes) {
        self.routes = routes;
    }
}
