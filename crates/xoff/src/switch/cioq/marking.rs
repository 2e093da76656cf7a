//! Marking (ECN) on the length of virtual output queues, and of the queues of outputs, at ports whose links have no credits.
//! What is to be marked and is not ECN-capable is dropped instead, but in lossless classes.

use super::Cioq;
use super::input::Place;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::switch::marking::{Level, QueueMarker, When};

/// The markers of one switch.
#[derive(Debug, Default)]
pub struct Marking {
    /// On the virtual output queues, input by input.
    pub inputs: Option<QueueMarker>,
    /// On the queues of outputs, by port and class.
    pub outputs: Option<QueueMarker>,
}

/// Whether a packet that enters or leaves a queue beside so many others is to be marked.
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
    /// A frame comes to a virtual output queue of an input. Returns whether it enters.
    #[inline(never)]
    pub(super) fn mark_entering_input(
        &mut self,
        ingress: u16,
        place: Place,
        packet: &mut Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        if self.is_internal(ingress) {
            return true;
        }
        let Self { marking: Some(marking), inputs, ports, .. } = self else { return true };
        let Some(marker) = &mut marking.inputs else { return true };
        let input = &inputs[usize::from(ingress)];
        let queue = input.queue(ingress, place.voq);
        let port = &mut ports[usize::from(place.egress)];
        if !marks(marker, When::Enqueue, queue, packet, input.bytes_of(place.voq), context.now)
            || port.mark(packet, context)
            || place.is_pausable
        {
            return true;
        }
        port.drop(packet, DropReason::NotEcnCapable, None, context);
        false
    }

    /// A frame has left a virtual output queue, and begins to cross to an output.
    #[inline(never)]
    pub(super) fn mark_leaving_input(
        &mut self,
        ingress: u16,
        egress: u16,
        (voq, slot): (u32, u32),
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.is_internal(ingress) {
            return;
        }
        let Self { marking: Some(marking), inputs, slots, ports, .. } = self else { return };
        let Some(marker) = &mut marking.inputs else { return };
        let input = &inputs[usize::from(ingress)];
        let packet = slots.packet_mut(slot);
        if marks(marker, When::Dequeue, input.queue(ingress, voq), packet, input.bytes_of(voq), context.now) {
            ports[usize::from(egress)].mark(packet, context);
        }
    }

    /// A frame has crossed to an output. Returns whether it stays.
    #[inline(never)]
    pub(super) fn mark_entering_output(
        &mut self,
        output: u16,
        packet: &mut Packet,
        units: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> bool {
        if !self.marks_at_output(output, packet, When::Enqueue, context.now)
            || self.ports[usize::from(output)].mark(packet, context)
            || self.is_lossless(packet.priority())
        {
            return true;
        }
        self.ports[usize::from(output)].drop(packet, DropReason::NotEcnCapable, None, context);
        self.free_output(output, packet.priority(), units, context);
        false
    }

    /// A frame is about to leave an output.
    #[inline(never)]
    pub(super) fn mark_leaving_output(
        &mut self,
        output: u16,
        packet: &mut Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.marks_at_output(output, packet, When::Dequeue, context.now) {
            self.ports[usize::from(output)].mark(packet, context);
        }
    }

    fn marks_at_output(&mut self, output: u16, packet: &Packet, moment: When, now: Time) -> bool {
        if self.is_internal(output) {
            return false;
        }
        let (number, class) = (usize::from(output), packet.priority());
        let Self { marking: Some(marking), outputs, .. } = self else { return false };
        let Some(marker) = &mut marking.outputs else { return false };
        marks(marker, moment, number * PRIORITIES + class, packet, outputs[number].queued[class], now)
    }
}
