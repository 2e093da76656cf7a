//! Outputs that send in the order of arrival and are never paused: packets line up there (`port.rs`).
//! No departure is an event then, unless a frame waits for the room that it leaves.

use super::Cioq;
use crate::agenda::{Agenda, Context, Fabric};
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::packet::Packet;

impl Cioq {
    /// Has packets line up at outputs, if all are of one class and leave every port in the order of arrival.
    #[must_use]
    pub fn with_fifo(self, class: Option<usize>) -> Self {
        Self { fifo: class, ..self }
    }

    /// Lines up a packet that waits in the buffer of its output.
    pub(super) fn line_up(
        &mut self,
        output: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = output as usize;
        if self.ports[number].has_many_lined_up() {
            self.settle_output(number, context.now, context.fabric);
        }
        self.outputs[number].queued[packet.priority()] += packet.frame();
        let port = &mut self.ports[number];
        let is_next = port.next_start() == Time::MAX;
        port.line_up(packet, port.busy_until(), context);
        // Where others are ahead of it, the first of them is an event already.
        if is_next && !self.crossbar.has_room(self.ranks.rank[packet.priority()], output) {
            self.expect_room(output, context);
        }
    }

    /// Whether there is room for a frame of this class at an output.
    #[inline]
    pub(super) fn has_room(
        &mut self,
        output: u32,
        priority: usize,
        context: &Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        let (number, largest) = (output as usize, self.sizes.largest);
        if self.outputs[number].has_room(priority, largest) {
            return true;
        }
        self.settle_output(number, context.now, context.fabric);
        self.outputs[number].has_room(priority, largest)
    }

    /// Makes the next departure from an output an event, since the departure may leave room in a full buffer.
    #[cold]
    pub(super) fn expect_room(&mut self, output: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if self.fifo.is_none() {
            return;
        }
        self.settle_output(output as usize, context.now, context.fabric);
        let port = &self.ports[output as usize];
        context.agenda.end_of_transmission(port.id(), port.next_start().min(port.next_end()));
    }

    /// Sends a pause frame that has waited for the end of a transmission, or gives its room to the crossbar. Returns
    /// when the next end must be heard of.
    pub(super) fn on_end_in_line(
        &mut self,
        output: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        let (number, Some(class)) = (output as usize, self.fifo) else { return Time::MAX };
        self.ports[number].send_pause_frame(context);
        let rank = self.ranks.rank[class];
        if self.crossbar.has_room(rank, output) {
            return Time::MAX;
        }
        if !self.has_room(output, class, context) {
            return self.ports[number].next_start();
        }
        self.crossbar.set_room(rank, output, true);
        if self.crossbar.is_awaited(rank, output) {
            context.agenda.crossbar_due(self.ports[0].id(), context.now);
        }
        Time::MAX
    }

    /// Counts out the packets that have left by now and were no events.
    #[cold]
    pub fn settle(&mut self, now: Time, fabric: &Fabric) {
        for number in 0..self.ports.len() {
            self.settle_output(number, now, fabric);
        }
    }

    /// Counts out the packets that have left one output by now.
    #[inline]
    fn settle_output(&mut self, number: usize, now: Time, fabric: &Fabric) {
        let Self { ports, outputs, sizes, used, .. } = self;
        let (port, buffer) = (&mut ports[number], &mut outputs[number]);
        while let Some(departure) = port.settle_next(now, fabric) {
            let (priority, frame) = (departure.packet.priority(), departure.packet.frame());
            let units = sizes.units(frame);
            buffer.units[priority] -= units;
            buffer.queued[priority] -= frame;
            *used -= u64::from(units);
        }
    }
}
