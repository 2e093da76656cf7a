//! Links with credits, which join switches to a fabric: a port sends only packets that have room at the other end.
//! Credits also tell how full buffers farther on are. With reliable delivery, inputs of the fabric keep a copy of every
//! packet until it has come to its output.

use super::Cioq;
use super::signal::{Credit, Delivery, Signal};
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::units::Bytes;
use crate::observer::Observer;
use crate::packet::Packet;
use crate::port::Port;
use crate::routing::SharedTuples;

/// Buffer at the other end of a link with credits.
#[derive(Clone, Copy, Debug)]
pub struct Downstream {
    /// Bytes of one unit of the buffer.
    pub unit: Bytes,
    /// Units for each class.
    pub units: u32,
    /// Units of the largest frame.
    pub largest: u32,
}

/// Credits of a port: the units that it may send on its link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Credits {
    downstream: Downstream,
    /// Units left, by class.
    left: [u32; PRIORITIES],
}

impl Credits {
    pub(super) fn new(downstream: Downstream) -> Self {
        Self { downstream, left: [downstream.units; PRIORITIES] }
    }

    /// Spends the credits of a packet that goes onto the wire. Its class goes on while there is room for the largest
    /// frame.
    pub(super) fn spend(
        &mut self,
        packet: &Packet,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let units = packet.frame().get().div_ceil(self.downstream.unit.get()) as u32;
        let left = &mut self.left[packet.priority()];
        *left -= units;
        if *left < self.downstream.largest {
            port.withhold(packet.priority(), true, context);
        }
    }

    fn refund(
        &mut self,
        credit: &Credit,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let left = &mut self.left[credit.priority];
        *left += credit.units;
        debug_assert!(*left <= self.downstream.units, "no more comes back than was spent");
        if *left >= self.downstream.largest {
            port.withhold(credit.priority, false, context);
        }
    }
}

impl Cioq {
    /// Whether the link of a port has credits, so that both its ends are of one fabric.
    #[inline]
    pub(super) fn is_internal(&self, port: u32) -> bool {
        self.credits[port as usize].is_some()
    }

    fn tell(&self, port: u32, signal: Signal, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let port = &self.ports[port as usize];
        context.agenda.signal(port.id(), context.now + port.delay(), signal.into());
    }

    /// Tells the other end of a link with credits that a frame has left its input for its output.
    pub(super) fn on_left_internal_input(
        &self,
        input: u32,
        output: u32,
        packet: &Packet,
        units: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let destination = packet.destination();
        let congestion = self.path_congestion(output, destination).max(self.congestion_at(output));
        let credit = Credit { priority: packet.priority(), units, destination, congestion };
        self.tell(input, Signal::Credit(credit), context);
        if self.reliable_delivery && !self.is_internal(output) {
            let delivery = Delivery::of(packet);
            self.tell(self.way_to_input(&delivery), Signal::Delivery(delivery), context);
        }
    }

    /// Port towards the input by which a packet has entered the fabric: the way back to its source.
    fn way_to_input(&self, delivery: &Delivery) -> u32 {
        let back = Packet::from(Signal::Delivery(*delivery));
        self.routes.port(delivery.source, || back.five_tuple(&SharedTuples::NONE))
    }

    /// Takes in a signal that has arrived over the link of a port.
    pub fn on_signal(
        &mut self,
        port: u32,
        signal: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match Signal::from(signal) {
            Signal::Credit(credit) => {
                self.congestion_to[credit.destination as usize] = credit.congestion;
                if let Some(credits) = &mut self.credits[port as usize] {
                    credits.refund(&credit, &mut self.ports[port as usize], context);
                }
            }
            Signal::Delivery(delivery) => {
                let towards = self.way_to_input(&delivery);
                if self.is_internal(towards) {
                    self.tell(towards, Signal::Delivery(delivery), context);
                } else {
                    self.free_copy(towards, &delivery, context);
                }
            }
        }
    }

    fn free_copy(
        &mut self,
        input: u32,
        delivery: &Delivery,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let is_copy = |packet: &Packet| Delivery::of(packet) == *delivery;
        if let Some((priority, units)) = self.inputs[input as usize].free_copy(&mut self.slots, is_copy) {
            self.used -= u64::from(units);
            self.control_flow(input, priority, context);
        }
    }
}
