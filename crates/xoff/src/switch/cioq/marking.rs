//! Marking (ECN) on the length of virtual output queues, and of the queues of outputs, at ports whose links have no
//! credits.
//! A packet that is to be marked and is not ECN-capable is dropped instead, except in lossless classes.

use super::Cioq;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::switch::marking::{Level, QueueMarker, When};

/// Markers of one switch.
#[derive(Debug, Default)]
pub struct Marking {
    /// Marker on the virtual output queues, input by input.
    pub inputs: Option<QueueMarker>,
    /// Marker on the queues of outputs, by port and class.
    pub outputs: Option<QueueMarker>,
}

/// Whether a packet that enters or leaves a queue beside so many others is marked.
fn marks(
    marker: &mut QueueMarker,
    moment: When,
    queue: usize,
    packet: &Packet,
    others: Bytes,
    now: Time,
) -> bool {
    marker.marks(moment, queue, &Level { now, others, frame: packet.frame() }, packet.is(ECN_CAPABLE))
}

impl Cioq {
    /// Whether a frame that enters or has left a virtual output queue of an input is marked.
    #[inline(never)]
    pub(super) fn marks_at_input(
        &mut self,
        ingress: u32,
        voq: u32,
        packet: &Packet,
        moment: When,
        now: Time,
    ) -> bool {
        if self.is_internal(ingress) {
            return false;
        }
        let Self { marking: Some(marking), inputs, .. } = self else { return false };
        let Some(marker) = &mut marking.inputs else { return false };
        let input = &inputs[ingress as usize];
        marks(marker, moment, input.number_among_all(ingress, voq), packet, input.bytes_of(voq), now)
    }

    /// Marks a frame that has left a virtual output queue and begins to cross, if its marker says so.
    #[inline(never)]
    pub(super) fn mark_leaving_input(
        &mut self,
        ingress: u32,
        egress: u32,
        (voq, slot): (u32, u32),
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (&packet, _) = self.slots.at(slot);
        if self.marks_at_input(ingress, voq, &packet, When::Dequeue, context.now) {
            self.ports[egress as usize].mark(self.slots.packet_mut(slot), context);
        }
    }

    /// Marks or drops a frame that has crossed to an output. Returns whether it stays.
    #[inline(never)]
    pub(super) fn mark_entering_output(
        &mut self,
        output: u32,
        packet: &mut Packet,
        units: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        if !self.marks_at_output(output, packet, When::Enqueue, context.now)
            || self.ports[output as usize].mark(packet, context)
            || self.is_lossless(packet.priority())
        {
            return true;
        }
        self.ports[output as usize].drop(packet, DropReason::NotEcnCapable, None, context);
        self.free_output(output, packet.priority(), units, context);
        false
    }

    /// Marks a frame that is about to leave an output, if its marker says so.
    #[inline(never)]
    pub(super) fn mark_leaving_output(
        &mut self,
        output: u32,
        packet: &mut Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.marks_at_output(output, packet, When::Dequeue, context.now) {
            self.ports[output as usize].mark(packet, context);
        }
    }

    /// Tells the marker of an output of a CNM from its own input, which is neither marked nor dropped.
    #[cold]
    pub(super) fn tell_output(&mut self, output: u32, cnm: &Packet, now: Time) {
        let (number, class) = (output as usize, cnm.priority());
        let others = self.outputs[number].queued[class];
        if let Some(marker) = self.marking.as_mut().and_then(|marking| marking.outputs.as_mut()) {
            let level = Level { now, others, frame: cnm.frame() };
            marker.tell(When::Enqueue, number * PRIORITIES + class, &level);
        }
    }

    fn marks_at_output(&mut self, output: u32, packet: &Packet, moment: When, now: Time) -> bool {
        if self.is_internal(output) {
            return false;
        }
        let (number, class) = (output as usize, packet.priority());
        let Self { marking: Some(marking), outputs, .. } = self else { return false };
        let Some(marker) = &mut marking.outputs else { return false };
        marks(marker, moment, number * PRIORITIES + class, packet, outputs[number].queued[class], now)
    }
}
