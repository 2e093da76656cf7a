//! Switch whose packets wait in queues that a scheduler serves, all of lossy classes.
//!
//! A packet is routed, marked, admitted, and then queued or transmitted. Admission goes by the egress queue alone: the
//! packet takes memory if its queue or pool has room, and is dropped (or trimmed to its header) otherwise. Nothing holds a
//! sender back. The end of a transmission is an event where another packet waits for the wire.

use super::egress::Egress;
use super::memory::Memory;
use super::steps::Steps;
use crate::agenda::{Agenda, Context, Fabric};
use crate::classes::Classes;
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::port::Port;
use crate::routing::{Load, LoadBalancer, SharedTuples, SwitchRoutes};
use crate::scenario::Trimming;
use crate::switch::mmu::{Mmu, Placement};

/// A switch of lossy classes.
#[derive(Debug)]
pub struct Queued {
    pub(super) egress: Egress,
    pub(super) routes: SwitchRoutes,
    /// Chooses among next hops, where ECMP does not.
    load_balancer: Option<Box<LoadBalancer>>,
    /// Whether a packet's route depends on queues or entropies, or queues lose packets before it is routed.
    looks_closer: bool,
    /// Work to do before the next packet leaves.
    pub(super) before_departure: BeforeDeparture,
    /// Whether nothing happens before a departure, no marker looks at it, and memory is free when the first bit leaves.
    pub(super) departs_plainly: bool,
    /// Bytes below which a frame that finds its port idle concerns neither markers nor memory.
    pub(super) passes_below: Bytes,
    /// Bytes in a queue below which a packet that waits concerns no marker.
    pub(super) waits_below: Bytes,
    /// Settings of trimming, where packets without room are trimmed.
    trimming: Option<Trimming>,
}

/// Work of a switch at the end of a transmission, before the next packet leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum BeforeDeparture {
    /// The next packet leaves at once.
    Nothing,
    /// Memory changes: a packet was transmitted or expelled.
    Settles,
    /// Ports have shapers, so that the next packet may have to wait for tokens. Memory may change, too.
    Shapes,
}

impl Queued {
    pub(super) fn new(
        ports: Vec<Port>,
        memory: Memory,
        routes: SwitchRoutes,
        load_balancer: Option<LoadBalancer>,
        sprays: bool,
        trimming: Option<Trimming>,
    ) -> Self {
        let Memory { mmu, markers, .. } = &memory;
        let (expels, keeps) = (mmu.expels(), memory.keeps_transmitted());
        Self {
            looks_closer: expels || sprays || load_balancer.is_some(),
            before_departure: match (ports.iter().any(Port::is_shaped), expels || keeps) {
                (true, _) => BeforeDeparture::Shapes,
                (false, true) => BeforeDeparture::Settles,
                (false, false) => BeforeDeparture::Nothing,
            },
            departs_plainly: !(expels || keeps || mmu.is_told() || memory.has_cells())
                && markers.ignores_departures()
                && !ports.iter().any(Port::is_shaped),
            passes_below: if keeps || mmu.is_told() { Bytes::ZERO } else { markers.quiet_below() },
            waits_below: if keeps || mmu.is_told() { Bytes::ZERO } else { markers.asked_from() },
            load_balancer: load_balancer.map(Box::new),
            egress: Egress { ports, memory },
            routes,
            trimming,
        }
    }
}

impl Steps for Queued {
    fn count_ports(&self) -> usize {
        self.egress.ports.len()
    }

    #[inline]
    fn on_arrival(
        &mut self,
        _ingress: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        debug_assert!(packet.control().is_none(), "nobody pauses lossy classes");
        let number = self.route(&packet, context);
        if self.finds_idle(number, &packet, context.now) && self.has_ample_room(&packet) {
            self.egress.pass(number, packet, context);
        } else if self.waits_in_ample_room(number, &packet, context.now) {
            self.wait(number, packet, context);
        } else {
            self.take_in(number, packet, context);
        }
    }

    #[inline]
    fn on_end_of_transmission(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        if self.before_departure != BeforeDeparture::Nothing {
            if self.before_departure == BeforeDeparture::Settles {
                self.settle_before_departure(number, Classes::NONE, context);
            } else if let Some(next) = self.on_end_among_shapers(number, context) {
                return next;
            }
        }
        let Egress { ports, memory } = &mut self.egress;
        if memory.markers.look_at_departure(number as usize, &memory.mmu) {
            self.transmit_next_marked(number, context);
        } else if let Some(packet) = ports[number as usize].dequeue() {
            self.egress.transmit_next(packet, number, false, context);
        }
        self.egress.next_end(number)
    }
}

impl Queued {
    /// Routes a packet: returns the port by which it leaves.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn route(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> u32 {
        if self.looks_closer {
            self.look_and_route(packet, context)
        } else {
            self.routes.port(packet.destination(), || packet.five_tuple(&context.fabric.shared_tuples))
        }
    }

    /// Whether a packet finds its port idle and its queue empty, and would start at once.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn finds_idle(&self, number: u32, packet: &Packet, now: Time) -> bool {
        self.egress.ports[number as usize].lets_pass(packet.priority(), now)
    }

    /// Whether memory is so empty that nothing has to be asked about a packet that finds its port idle.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn has_ample_room(&self, packet: &Packet) -> bool {
        let memory = &self.egress.memory;
        memory.mmu.has_ample_room(Bytes::ZERO, memory.frame(packet), self.passes_below)
    }

    /// Whether a packet waits for the end of a transmission, and memory is so empty that nothing else has to be asked.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn waits_in_ample_room(&self, number: u32, packet: &Packet, now: Time) -> bool {
        let Egress { ports, memory } = &self.egress;
        let held = memory.mmu.queue_bytes(Mmu::queue(number, packet.priority()));
        ports[number as usize].makes_wait(now)
            && memory.mmu.has_ample_room(held, memory.frame(packet), self.waits_below)
    }

    /// Queues a packet for which there is ample room.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn wait(
        &mut self,
        number: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Egress { ports, memory } = &mut self.egress;
        let (port, queue) = (&mut ports[number as usize], Mmu::queue(number, packet.priority()));
        memory.mmu.put(queue, memory.frame(&packet), Placement::Shared);
        memory.report_queue(queue, port, context);
        port.enqueue(packet, context.agenda);
    }

    /// Marks a packet and admits it, then queues or transmits it.
    #[inline(never)]
    pub(super) fn take_in(
        &mut self,
        number: u32,
        mut packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Egress { ports, memory } = &mut self.egress;
        let (port, queue) = (&mut ports[number as usize], Mmu::queue(number, packet.priority()));
        if port.looks_closer() {
            return self.take_in_with_care(number, &packet, context);
        }
        let marks = memory.marks_at_enqueue(&packet, queue, context.now);
        if marks && !packet.is(ECN_CAPABLE) {
            return memory.refuse(&packet, queue, DropReason::NotEcnCapable, port, context);
        }
        let starts_at_once = port.starts_at_once(packet.priority(), context.now);
        // A packet that leaves as it comes takes no memory unless it keeps it until its last bit (decision 9).
        let takes_memory = !starts_at_once || memory.keeps_transmitted();
        let placement = match self.admit(&packet, queue, takes_memory, context) {
            Ok(placement) => placement,
            Err(reason) => return self.refuse_or_trim(number, packet, reason, context),
        };
        let Egress { ports, memory } = &mut self.egress;
        let port = &mut ports[number as usize];
        if marks {
            port.mark(&mut packet, context);
        }
        if takes_memory {
            memory.mmu.put(queue, memory.frame(&packet), placement);
            memory.report_queue(queue, port, context);
        }
        if starts_at_once {
            self.egress.transmit_at_once(number, packet, takes_memory, context);
        } else {
            port.enqueue(packet, context.agenda);
        }
    }
}

impl Queued {
    /// Finds memory for a packet, where the buffer policy pushes out also at the cost of others.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn admit(
        &mut self,
        packet: &Packet,
        queue: usize,
        takes_memory: bool,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Result<Placement, DropReason> {
        let memory = &mut self.egress.memory;
        let frame = memory.frame(packet);
        if memory.mmu.is_told() {
            memory.mmu.on_arrival(context.now, packet.offset());
        }
        match memory.mmu.place(queue, frame) {
            Err(DropReason::PoolFull) if memory.mmu.pushes_out() => {
                if takes_memory {
                    self.egress.place_pushing_out(queue, frame, context)
                } else {
                    Ok(Placement::Shared)
                }
            }
            placement => placement,
        }
    }

    /// Drops a packet that has no room, or only its payload where the rest, the trimmed header, is taken in.
    #[cold]
    fn refuse_or_trim(
        &mut self,
        number: u32,
        packet: Packet,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Egress { ports, memory } = &mut self.egress;
        let (port, queue) = (&mut ports[number as usize], Mmu::queue(number, packet.priority()));
        let trimmed = self.trimming.as_ref().and_then(|trimming| trimmed(packet, trimming, context.fabric));
        let Some(trimmed) = trimmed else {
            return memory.refuse(&packet, queue, reason, port, context);
        };
        memory.markers.on_refusal(queue);
        port.trim(&packet, memory.mmu.room(queue, reason), context);
        self.take_in(number, trimmed, context);
    }

    /// Routes a packet once queues have lost what they were to lose by now: by load, or by its entropy.
    #[inline(never)]
    fn look_and_route(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> u32 {
        self.settle(context.now, context);
        if self.load_balancer.is_some() {
            self.balance(packet, &context.fabric.shared_tuples, context.now)
        } else {
            let tuple = || packet.sprayed_five_tuple(&context.fabric.shared_tuples);
            self.routes.port(packet.destination(), tuple)
        }
    }

    /// Routes a packet by the load of its next hops.
    fn balance(&mut self, packet: &Packet, shared: &SharedTuples, now: Time) -> u32 {
        let Self { routes, load_balancer: Some(balancer), egress: Egress { ports, memory }, .. } = self
        else {
            unreachable!()
        };
        if let Some(port) = routes.local_port(packet.destination()) {
            return port;
        }
        let hash = || packet.five_tuple(shared).hash(routes.seed());
        balancer.choose(routes.equal_cost_ports(packet.destination()), now, hash, |number| {
            let port = &ports[number as usize];
            let queued = memory.mmu.port_bytes(number as usize);
            Load { is_down: port.is_down(), queued, is_busy: port.free_from(now) > now }
        })
    }

    /// Sends the next packet of a port where markers look at departures.
    #[inline(never)]
    fn transmit_next_marked(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Egress { ports, memory } = &mut self.egress;
        let next = memory.dequeue_marked(number, Classes::NONE, &mut ports[number as usize], context);
        if let Some(packet) = next {
            self.egress.transmit_next(packet, number, false, context);
        }
    }

    /// Expels what is due and counts out the packet transmitted last, which it returns, before the next packet leaves.
    #[inline(never)]
    pub(super) fn settle_before_departure(
        &mut self,
        number: u32,
        lossless: Classes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        self.settle(context.now, context);
        self.egress.release_transmitted(number, lossless, context)
    }

    /// Expels the packets that queues have lost by `then`, which is no event.
    pub(super) fn settle(&mut self, then: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if self.egress.memory.mmu.expels() {
            self.egress.expel(then, context);
        }
    }
}

/// Cuts the payload off a packet whose sender's adapter asks for missing data itself; `None` for all other packets, and for
/// those hardly longer than a header.
fn trimmed(packet: Packet, trimming: &Trimming, fabric: &Fabric) -> Option<Packet> {
    let is_understood =
        packet.has_payload() && fabric.transports[usize::from(packet.transport())].understands_trimming();
    (is_understood && packet.frame() > trimming.size)
        .then(|| packet.trimmed(trimming.size, trimming.priority))
}
