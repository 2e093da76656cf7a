//! The shared-memory switch, in the order of a packet's life: receive, route, mark, admit, queue, transmit.

use super::markers::{Candidate, Markers};
use super::mmu::Mmu;
use crate::agenda::{Agenda, Context};
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ECN_CAPABLE, PRIORITIES, Packet};
use crate::port::Port;
use crate::routing::SwitchRoutes;
use crate::scenario::Release;

/// Output queues in one shared memory.
#[derive(Debug)]
pub struct SharedMemory {
    ports: Vec<Port>,
    routes: SwitchRoutes,
    memory: Memory,
}

/// What all ports share.
#[derive(Debug)]
struct Memory {
    mmu: Mmu,
    markers: Markers,
    /// Queue and size of the packet on each port's wire, where memory is released at the end of a transmission.
    transmitting: Option<Vec<Option<(usize, Bytes)>>>,
}

impl SharedMemory {
    /// A switch with empty queues.
    pub fn new(ports: Vec<Port>, routes: SwitchRoutes, mmu: Mmu, markers: Markers, release: Release) -> Self {
        let transmitting = (release == Release::TransmissionEnd).then(|| vec![None; ports.len()]);
        Self { ports, routes, memory: Memory { mmu, markers, transmitting } }
    }

    /// Its egress ports.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// Its memory.
    pub fn mmu(&self) -> &Mmu {
        &self.memory.mmu
    }

    /// A packet has arrived whole.
    #[inline]
    pub fn on_arrival(&mut self, mut packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let number = self.routes.port(packet.destination(), || packet.five_tuple());
        let queue = Mmu::queue(number, packet.priority());
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        if memory.marks_at_enqueue(&packet, queue) && !port.mark(&mut packet, context) {
            return drop(&packet, port, DropReason::NotEcnCapable, context);
        }
        let placement = match memory.mmu.place(queue, packet.frame()) {
            Ok(placement) => placement,
            Err(reason) => return drop(&packet, port, reason, context),
        };
        let starts_at_once = port.is_idle(context.now);
        // A packet that leaves as it comes takes no memory unless it keeps it until its last bit.
        if !starts_at_once || memory.transmitting.is_some() {
            memory.mmu.put(queue, packet.frame(), placement);
            memory.report_queue(queue, port, context);
        }
        if starts_at_once {
            memory.transmit(packet, number, queue, port, context);
        } else {
            port.enqueue(packet, context.agenda);
        }
    }

    /// The transmission on a port has ended and something waits for that.
    /// Returns when the end of the next one must be heard of.
    #[inline]
    pub fn on_end_of_transmission(
        &mut self,
        number: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        memory.release_transmitted(number, port, context);
        if let Some(packet) = port.dequeue() {
            let queue = Mmu::queue(number, packet.priority());
            if memory.transmitting.is_none() {
                memory.mmu.remove(queue, packet.frame());
                memory.report_queue(queue, port, context);
            }
            memory.transmit(packet, number, queue, port, context);
        }
        if memory.holds_transmitted(number) { port.busy_until() } else { port.next_end() }
    }
}

impl Memory {
    // Called at two places, and as a call a third of its own cost.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn transmit(
        &mut self,
        mut packet: Packet,
        number: u16,
        queue: usize,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.marks_at_dequeue(&packet, queue) {
            port.mark(&mut packet, context);
        }
        port.transmit(packet, context);
        if let Some(transmitting) = &mut self.transmitting {
            transmitting[number as usize] = Some((queue, packet.frame()));
            context.agenda.end_of_transmission(port.id(), port.busy_until());
        }
    }

    #[inline]
    fn marks_at_enqueue(&mut self, packet: &Packet, queue: usize) -> bool {
        self.markers.at_enqueue(queue, &self.mmu, || candidate(packet))
    }

    #[inline]
    fn marks_at_dequeue(&mut self, packet: &Packet, queue: usize) -> bool {
        let held = if self.transmitting.is_some() { packet.frame() } else { Bytes::ZERO };
        self.markers.at_dequeue(queue, &self.mmu, candidate(packet), held)
    }

    fn holds_transmitted(&self, number: u16) -> bool {
        self.transmitting.as_ref().is_some_and(|ports| ports[number as usize].is_some())
    }

    fn release_transmitted(
        &mut self,
        number: u16,
        port: &Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Some(transmitting) = &mut self.transmitting
            && let Some((queue, frame)) = transmitting[number as usize].take()
        {
            self.mmu.remove(queue, frame);
            self.report_queue(queue, port, context);
        }
    }

    #[inline]
    fn report_queue(&self, queue: usize, port: &Port, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let bytes = self.mmu.queue_bytes(queue);
        context.observer.on_queue(context.now, port.id(), queue % PRIORITIES, bytes);
    }
}

#[inline]
fn candidate(packet: &Packet) -> Candidate {
    Candidate { frame: packet.frame(), is_ecn_capable: packet.is(ECN_CAPABLE) }
}

#[cold]
fn drop(
    packet: &Packet,
    port: &mut Port,
    reason: DropReason,
    context: &mut Context<'_, impl Agenda, impl Observer>,
) {
    port.counters.count_drop(packet, reason);
    context.observer.on_drop(context.now, port.id(), packet.priority(), reason);
}
