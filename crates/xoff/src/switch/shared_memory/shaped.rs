//! Steps of a packet at a port with a shaper, where it needs tokens to leave.
//!
//! Only here the wire may be free while a packet waits that nothing pauses. The packet stays at the head of its queue and
//! counts there. The time at which there are tokens for it is an event of the port, beside the ends of transmissions.

use super::egress::Egress;
use super::lossless::Lossless;
use super::queued::Queued;
use crate::agenda::{Agenda, Context};
use crate::classes::Classes;
use crate::kernel::units::Time;
use crate::observer::{DropReason, Observer};
use crate::packet::Packet;

impl Egress {
    /// Takes the packet that leaves a port now, marked if markers say so. Otherwise returns when to look at the port again.
    fn take_shaped(
        &mut self,
        number: u32,
        lossless: Classes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Result<Packet, Time> {
        let Self { ports, memory } = self;
        let port = &mut ports[number as usize];
        loop {
            let opens = port.opens(context.now);
            if opens > context.now {
                if opens < Time::MAX {
                    context.agenda.end_of_transmission(port.id(), opens);
                }
                return Err(opens);
            }
            let packet = if memory.markers.look_at_departure(number as usize, &memory.mmu) {
                memory.dequeue_first_marked(number, lossless, port, context)
            } else {
                port.dequeue()
            };
            // Behind a packet that its marker has dropped, another may need more tokens.
            if let Some(packet) = packet {
                return Ok(packet);
            }
        }
    }
}

impl Queued {
    /// Takes in a packet at a port that looks closer.
    #[cold]
    #[inline(never)]
    pub(super) fn take_in_with_care(
        &mut self,
        number: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let port = &mut self.egress.ports[number as usize];
        if port.is_down() {
            return self.egress.lose(number, packet, DropReason::LinkDown, context);
        }
        let looked = port.look_at_arrival(packet, context.now);
        self.take_in(number, *packet, context);
        self.egress.ports[number as usize].look_on(looked, context);
    }

    /// Sends the next packet of a port with a shaper, if there are tokens for it, and returns when to look at the port
    /// again. At a port without one, returns `None` once memory is ready for the next packet.
    #[cold]
    #[inline(never)]
    pub(super) fn on_end_among_shapers(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Time> {
        let port = &self.egress.ports[number as usize];
        let (is_shaped, busy_until) = (port.is_shaped(), port.busy_until());
        if is_shaped && busy_until > context.now {
            return Some(busy_until);
        }
        self.settle_before_departure(number, Classes::NONE, context);
        is_shaped.then(|| match self.egress.take_shaped(number, Classes::NONE, context) {
            Err(opens) => opens,
            Ok(packet) => {
                self.egress.transmit_next(packet, number, false, context);
                self.egress.next_end(number)
            }
        })
    }
}

impl Lossless {
    /// Takes in a lossless packet at a port that looks closer.
    #[cold]
    #[inline(never)]
    pub(super) fn take_in_with_care(
        &mut self,
        ingress: u32,
        number: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Some(reason) = self.drop_reason(number, packet.priority()) {
            return self.queued.egress.lose(number, packet, reason, context);
        }
        let looked = self.queued.egress.ports[number as usize].look_at_arrival(packet, context.now);
        self.take_in(ingress, number, *packet, context);
        self.queued.egress.ports[number as usize].look_on(looked, context);
    }

    /// Sends the next frame of a port with a shaper, a pause frame or a packet for which there are tokens, and returns when
    /// to look at the port again. At a port without one, returns `None` once memory is ready for the next packet.
    #[cold]
    #[inline(never)]
    pub(super) fn on_end_among_shapers(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Time> {
        let port = &self.queued.egress.ports[number as usize];
        let (is_shaped, busy_until) = (port.is_shaped(), port.busy_until());
        if is_shaped && busy_until > context.now {
            return Some(busy_until);
        }
        self.settle_before_departure(number, context);
        if !is_shaped {
            return None;
        }
        if !self.queued.egress.ports[number as usize].send_pause_frame(context) {
            match self.queued.egress.take_shaped(number, self.classes, context) {
                Err(opens) => return Some(opens),
                Ok(packet) => self.transmit_next(packet, number, context),
            }
        }
        Some(self.queued.egress.next_end(number))
    }
}
