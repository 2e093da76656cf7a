//! The shared-memory switch, in the order of a packet's life: receive, route, mark, admit, queue, transmit.
//! `links.rs` tells what becomes of it when links fail, and `watchdog.rs` when they are paused for too long.

mod links;
mod watchdog;

use super::cell::Cell;
use super::ingress::Ingress;
use super::markers::{Candidate, Markers};
use super::mmu::{Mmu, Placement};
use super::pausing::Pausing;
use super::xoff;
use crate::agenda::{Agenda, Context, Fabric};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::{Bytes, Time};
use crate::observer::{DropReason, Observer, Xoff};
use crate::packet::{ECN_CAPABLE, Packet};
use crate::pause_frames::{self, PfcRequest};
use crate::pfc::Reactions;
use crate::port::{Departure, Port};
use crate::routing::{Load, LoadBalancer, SharedTuples, SwitchRoutes};
use crate::scenario::{Release, Trimming};
use watchdog::LetGo;

/// Output queues in one shared memory.
#[derive(Debug)]
pub struct SharedMemory {
    ports: Vec<Port>,
    routes: SwitchRoutes,
    /// What chooses among next hops, where not ECMP does.
    load_balancer: Option<Box<LoadBalancer>>,
    /// Whether queues or entropies decide where a packet goes, or queues lose packets before it comes.
    looks_closer: bool,
    memory: Memory,
    reactions: Reactions,
    lossless: Classes,
    pausing: Option<Pausing>,
    /// Whether it hears of lossless packets that leave as they come.
    watches_passing: bool,
    /// What no longer waits because it was paused for too long, where a watchdog looks.
    watchdog: Option<Box<LetGo>>,
    /// The class of all packets, where they leave every port in the order in which they come.
    fifo: Option<usize>,
    /// Of those the ports that hold so much that packets may be marked as they leave.
    long: Vec<u16>,
    /// Frames below this that leave as they come concern neither markers nor memory, nor who pauses.
    passes_below: Bytes,
}

/// What all ports share.
#[derive(Debug)]
struct Memory {
    mmu: Mmu,
    markers: Markers,
    /// What it is given out in; frames take their exact bytes where nothing is said.
    cell: Option<Cell>,
    /// The packet on each port's wire, where memory is released at the end of a transmission.
    transmitting: Option<Vec<Option<Packet>>>,
    /// Whether there is something to do before a packet leaves.
    is_to_settle: bool,
    /// How packets are trimmed that have no room, if they are.
    trimming: Option<Trimming>,
}

impl SharedMemory {
    /// A switch with empty queues.
    pub fn new(
        ports: Vec<Port>,
        reactions: Reactions,
        routes: SwitchRoutes,
        mmu: Mmu,
        markers: Markers,
        release: Release,
    ) -> Self {
        let transmitting = (release == Release::TransmissionEnd).then(|| vec![None; ports.len()]);
        let looks_closer = mmu.expels();
        let is_to_settle = transmitting.is_some() || looks_closer;
        let passes_below =
            if transmitting.is_some() || mmu.is_told() { Bytes::ZERO } else { markers.quiet_below() };
        let memory = Memory { mmu, markers, cell: None, transmitting, is_to_settle, trimming: None };
        Self {
            looks_closer,
            ports,
            routes,
            load_balancer: None,
            memory,
            reactions,
            lossless: Classes::NONE,
            pausing: None,
            watches_passing: false,
            watchdog: None,
            fifo: None,
            long: Vec::new(),
            passes_below,
        }
    }

    /// The same switch, which balances load, if it does.
    #[must_use]
    pub fn with_load_balancer(self, load_balancer: Option<LoadBalancer>) -> Self {
        let looks_closer = self.looks_closer || load_balancer.is_some();
        Self { load_balancer: load_balancer.map(Box::new), looks_closer, ..self }
    }

    /// The same switch, which hashes entropies, if flows are sprayed.
    #[must_use]
    pub fn with_entropies(self, sprays: bool) -> Self {
        let looks_closer = self.looks_closer || sprays;
        Self { looks_closer, ..self }
    }

    /// The same switch whose memory is given out in cells, if it is.
    #[must_use]
    pub fn with_cell(mut self, cell: Option<Cell>) -> Self {
        self.memory.cell = cell;
        self
    }

    /// The same switch, which trims packets that have no room, if it does.
    #[must_use]
    pub fn with_trimming(mut self, trimming: Option<Trimming>) -> Self {
        self.memory.trimming = trimming;
        self
    }

    /// The same switch with lossless classes, whose senders it pauses.
    #[must_use]
    pub fn with_lossless(self, classes: Classes, pausing: Pausing) -> Self {
        let watches_passing = pausing.ingress().watches_passing();
        Self { lossless: classes, pausing: Some(pausing), watches_passing, ..self }
    }

    /// The same switch where packets are of one lossy class, if they are, and nothing looks at one as it leaves: when it will is
    /// known as it comes, and no event.
    #[must_use]
    pub fn with_fifo(self, class: Option<usize>) -> Self {
        Self { fifo: class, ..self }
    }

    /// How it pauses senders of lossless classes.
    pub fn pausing(&self) -> Option<&Pausing> {
        self.pausing.as_ref()
    }

    /// The packets of a class that an egress port holds.
    pub fn packets_to(&self, egress: u16, priority: usize) -> impl Iterator<Item = &Packet> {
        let transmitting = self.memory.transmitting.as_ref();
        let transmitting = transmitting.and_then(|ports| ports[usize::from(egress)].as_ref());
        let of_class = transmitting.filter(move |packet| packet.priority() == priority);
        of_class.into_iter().chain(self.ports[usize::from(egress)].queued_of(priority))
    }

    /// The packets of lossless ones of some classes that came in by a port and have not left, each with the number of its egress
    /// port.
    pub fn packets_from(&self, ingress: u16, classes: Classes) -> impl Iterator<Item = (u16, &Packet)> {
        (0..self.ports.len() as u16).flat_map(move |egress| {
            let held = (classes & self.lossless).iter().flat_map(move |class| self.packets_to(egress, class));
            held.filter(move |packet| packet.ingress() == ingress).map(move |packet| (egress, packet))
        })
    }

    /// Its egress ports.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// The same.
    pub fn ports_mut(&mut self) -> &mut [Port] {
        &mut self.ports
    }

    /// Its memory.
    pub fn mmu(&self) -> &Mmu {
        &self.memory.mmu
    }

    /// A packet has arrived whole at a port.
    #[inline]
    pub fn on_arrival(
        &mut self,
        ingress: u16,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Some(control) = packet.control() {
            return pause_frames::on_arrival(ingress, control, &mut self.reactions, &self.ports, context);
        }
        let number = if self.looks_closer {
            self.look_and_route(&packet, context)
        } else {
            self.route(&packet, &context.fabric.shared_tuples)
        };
        let queue = Mmu::queue(number, packet.priority());
        if self.fifo.is_some() {
            return self.take_in(number, queue, packet, context);
        }
        if self.lets_pass(number, &packet, context.now) {
            let (port, memory) = (&mut self.ports[number as usize], &self.memory);
            port.transmit(packet, move |packet| memory.waiting(number, packet), context);
            if self.watches_passing && self.lossless.contains(packet.priority()) {
                self.pass_lossless(ingress, &packet, context);
            }
            return;
        }
        self.put_in_queue(ingress, number, queue, packet, context);
    }

    /// Whether a packet leaves as it comes, and nobody has anything to say about that.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn lets_pass(&self, number: u16, packet: &Packet, now: Time) -> bool {
        let (port, memory) = (&self.ports[number as usize], &self.memory);
        port.lets_pass(packet.priority(), now)
            && if self.lossless.contains(packet.priority()) {
                packet.frame() < self.passes_below
            } else {
                memory.mmu.has_ample_room(Bytes::ZERO, memory.frame(packet), self.passes_below)
            }
    }

    /// A packet has come for a port, with every question asked.
    #[inline(never)]
    fn put_in_queue(
        &mut self,
        ingress: u16,
        number: u16,
        queue: usize,
        mut packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.is_lossless(queue) {
            return self.on_lossless_arrival(ingress, number, packet, context);
        }
        if self.ports[number as usize].is_down() {
            return self.lose(number, &packet, context);
        }
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        let marks = memory.marks_at_enqueue(&packet, queue, context.now);
        if marks && !packet.is(ECN_CAPABLE) {
            return memory.refuse(&packet, queue, DropReason::NotEcnCapable, port, context);
        }
        let frame = memory.frame(&packet);
        if memory.mmu.is_told() {
            memory.mmu.on_arrival(context.now, packet.offset());
        }
        let starts_at_once = port.starts_at_once(packet.priority(), context.now);
        // A packet that leaves as it comes takes no memory unless it keeps it until its last bit.
        let takes_memory = !starts_at_once || memory.transmitting.is_some();
        let placement = match memory.mmu.place(queue, frame) {
            Err(DropReason::PoolFull) if memory.mmu.pushes_out() => {
                if takes_memory {
                    self.place_pushing_out(queue, frame, context)
                } else {
                    Ok(Placement::Shared)
                }
            }
            placement => placement,
        };
        let placement = match placement {
            Ok(placement) => placement,
            Err(reason) => return self.refuse_or_trim(ingress, number, packet, reason, context),
        };
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        if marks {
            port.mark(&mut packet, context);
        }
        if takes_memory {
            memory.mmu.put(queue, frame, placement);
            memory.report_queue(queue, port, context);
        }
        if starts_at_once {
            if memory.marks_at_dequeue(&packet, queue, context.now) {
                port.mark(&mut packet, context);
            }
            memory.transmit(packet, number, port, context);
            if takes_memory && memory.mmu.is_told() {
                memory.note_service(&packet, number, port, context.now);
            }
        } else {
            port.enqueue(packet, context.agenda);
        }
    }

    /// A packet that has come has no room; what is left of it without its payload may have some.
    #[cold]
    fn refuse_or_trim(
        &mut self,
        ingress: u16,
        number: u16,
        packet: Packet,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        let queue = Mmu::queue(number, packet.priority());
        let trimmed = memory.trimming.as_ref().and_then(|trimming| trimmed(packet, trimming, context.fabric));
        let Some(trimmed) = trimmed else {
            return memory.refuse(&packet, queue, reason, port, context);
        };
        memory.markers.on_refusal(queue);
        port.trim(&packet, memory.mmu.room(queue, reason), context);
        self.put_in_queue(ingress, number, Mmu::queue(number, trimmed.priority()), trimmed, context);
    }

    /// Where a packet fits that has found its pool full, once the longest queues have made room for it, if they do.
    #[cold]
    fn place_pushing_out(
        &mut self,
        queue: usize,
        frame: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Result<Placement, DropReason> {
        while let Some(longest) = self.memory.mmu.pushed_out(queue, frame, holds(&self.ports)) {
            self.lose_first(Mmu::port(longest) as u16, longest % PRIORITIES, DropReason::PushedOut, context);
            let placement = self.memory.mmu.place(queue, frame);
            if placement != Err(DropReason::PoolFull) {
                return placement;
            }
        }
        Err(DropReason::PoolFull)
    }

    /// Queues that hold too much lose what they have lost by then, each packet at its own time.
    #[inline(never)]
    fn expel(&mut self, then: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let now = context.now;
        while let Some((queue, at)) = self.memory.mmu.expelled_by(then, holds(&self.ports)) {
            context.now = at;
            let (number, priority) = (Mmu::port(queue) as u16, queue % PRIORITIES);
            if let Some(frame) = self.lose_first(number, priority, DropReason::PushedOut, context) {
                self.memory.mmu.on_read(at, frame);
            }
        }
        context.now = now;
    }

    /// The port by which a packet leaves, once queues are as they are now, for whatever asks about them or about its entropy.
    #[inline(never)]
    fn look_and_route(
        &mut self,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> u16 {
        if self.memory.mmu.expels() {
            self.expel(context.now, context);
        }
        if self.load_balancer.is_some() {
            self.balance(packet, &context.fabric.shared_tuples, context.now)
        } else {
            let tuple = || packet.sprayed_five_tuple(&context.fabric.shared_tuples);
            self.routes.port(packet.destination(), tuple)
        }
    }

    /// The same where its five-tuple decides.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn route(&self, packet: &Packet, shared: &SharedTuples) -> u16 {
        self.routes.port(packet.destination(), || packet.five_tuple(shared))
    }

    /// The same where load is balanced.
    fn balance(&mut self, packet: &Packet, shared: &SharedTuples, now: Time) -> u16 {
        let Self { routes, load_balancer: Some(balancer), ports, memory, .. } = self else { unreachable!() };
        if let Some(port) = routes.local_port(packet.destination()) {
            return port;
        }
        let hash = || packet.five_tuple(shared).hash(routes.seed());
        balancer.choose(routes.equal_cost_ports(packet.destination()), now, hash, |number| {
            let port = &ports[usize::from(number)];
            let queued = memory.mmu.port_bytes(number.into());
            Load { is_down: port.is_down(), queued, is_busy: port.free_from(now) > now }
        })
    }

    /// The same where packets leave in the order in which they come, and nothing happens but that they do.
    // Called at one place.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn on_next_arrival(&mut self, packet: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let number = self.route(&packet, &context.fabric.shared_tuples);
        let queue = Mmu::queue(number, packet.priority());
        let Self { ports, memory: Memory { mmu, markers, .. }, .. } = self;
        let (port, frame) = (&mut ports[number as usize], packet.frame());
        let longest = markers.quiet_below();
        if port.busy_until() <= context.now {
            // Whatever its queue has held has left.
            if mmu.has_ample_room(Bytes::ZERO, frame, longest) {
                return port.lead(packet, context);
            }
        } else if mmu.has_ample_room(mmu.queue_bytes(queue), frame, longest)
            && !port.has_many_lined_up()
            && !mmu.would_peak(frame)
        {
            mmu.put_where_ample(queue, frame);
            return port.line_up(packet, port.busy_until(), context);
        }
        self.take_in(number, queue, packet, context);
    }

    /// The same with every question asked. Of what other ports hold, some may have left: there is never less room than it seems, and
    /// whether there is more is asked when it matters.
    #[inline(never)]
    fn take_in(
        &mut self,
        number: u16,
        queue: usize,
        mut packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        let frame = packet.frame();
        let placement = if let Some(placement) = memory.place_unsettled(queue, port, frame) {
            placement
        } else {
            memory.settle(queue, port, context.now, context);
            let marks = memory.marks_at_enqueue(&packet, queue, context.now);
            if marks && !packet.is(ECN_CAPABLE) {
                return memory.refuse(&packet, queue, DropReason::NotEcnCapable, port, context);
            }
            let placement = memory.mmu.place(queue, frame);
            let placement = placement.or_else(|_| self.place_settled(queue, frame, context));
            let port = &mut self.ports[number as usize];
            match placement {
                Ok(placement) => {
                    if marks {
                        port.mark(&mut packet, context);
                    }
                    placement
                }
                Err(reason) => return self.memory.refuse(&packet, queue, reason, port, context),
            }
        };
        if self.ports[number as usize].busy_until() <= context.now {
            return self.ports[number as usize].lead(packet, context);
        }
        if self.memory.mmu.would_peak(frame) {
            self.settle_lines(context.now, context);
        }
        self.memory.mmu.put(queue, frame, placement);
        if self.memory.may_mark_departures(queue) {
            self.note_long(number);
        }
        let port = &mut self.ports[number as usize];
        port.line_up(packet, port.busy_until(), context);
    }

    #[cold]
    fn note_long(&mut self, number: u16) {
        if !self.long.contains(&number) {
            self.long.push(number);
        }
    }

    /// Where a packet fits that seemed not to.
    #[cold]
    fn place_settled(
        &mut self,
        queue: usize,
        frame: Bytes,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Result<Placement, DropReason> {
        self.settle_lines(context.now, context);
        self.memory.mmu.place(queue, frame)
    }

    /// Counts what has left by now and was no event.
    #[cold]
    pub fn settle(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.settle_lines(now, context);
        if self.memory.mmu.expels() {
            self.expel(now, context);
        }
    }

    /// The same where packets leave in the order in which they come.
    #[cold]
    fn settle_lines(&mut self, now: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Some(class) = self.fifo else { return };
        for (number, port) in (0..).zip(&mut self.ports) {
            self.memory.settle(Mmu::queue(number, class), port, now, context);
        }
    }

    /// Marks what has left by now, was no event and is to be marked, before it arrives. Returns when to look again.
    pub fn mark_departed(
        &mut self,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        let Self { ports, memory, long, fifo: Some(class), .. } = self else { return Time::MAX };
        let mut next = Time::MAX;
        long.retain(|&number| {
            let (queue, port) = (Mmu::queue(number, *class), &mut ports[number as usize]);
            memory.settle(queue, port, now, context);
            let stays = memory.may_mark_departures(queue);
            next = if stays { next.min(port.next_start()) } else { next };
            stays
        });
        next
    }

    /// The same for a packet of a lossless class: it is admitted by where it came in, and not dropped where it would be
    /// marked.
    // Called at one place; as a call it copies the packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn on_lossless_arrival(
        &mut self,
        ingress: u16,
        number: u16,
        mut packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.ports[number as usize].may_lose()
            && let Some(reason) = self.why_lost(number, packet.priority())
        {
            return self.lose_for(reason, number, &packet, context);
        }
        let queue = Mmu::queue(number, packet.priority());
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        let marks = memory.marks_at_enqueue(&packet, queue, context.now);
        let starts_at_once = port.starts_at_once(packet.priority(), context.now);
        let takes_memory = !starts_at_once || memory.transmitting.is_some();
        let mut request = PfcRequest::NOTHING;
        let mut admitted = Ok(());
        if takes_memory {
            (request, admitted) = self.admit_lossless(ingress, queue, &mut packet, context);
        }
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        if let Err(reason) = admitted {
            self.refuse_lossless(ingress, queue, &packet, reason, context);
        } else {
            if marks {
                port.mark(&mut packet, context);
            }
            if takes_memory {
                memory.report_queue(queue, port, context);
            }
            // What turns round may find its own pause frame on the wire by now.
            if starts_at_once && (!takes_memory || port.starts_at_once(packet.priority(), context.now)) {
                if memory.marks_at_dequeue(&packet, queue, context.now) {
                    port.mark(&mut packet, context);
                }
                memory.transmit(packet, number, port, context);
                if takes_memory && memory.mmu.is_told() {
                    memory.note_service(&packet, number, port, context.now);
                }
            } else {
                port.enqueue(packet, context.agenda);
            }
        }
        if !takes_memory && self.watches_passing {
            return self.pass_lossless(ingress, &packet, context);
        }
        if !request.pause.is_empty() && context.observer.watches_pauses() {
            self.explain(request.pause, ingress, packet.priority(), context);
        }
    }

    /// A packet of a lossless class that has come in by a port is not taken in.
    #[cold]
    fn refuse_lossless(
        &mut self,
        ingress: u16,
        queue: usize,
        packet: &Packet,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Self { ports, memory, pausing, .. } = self;
        memory.markers.on_refusal(queue);
        let index = Ingress::queue(ingress, packet.priority());
        let room = pausing.as_ref().map(|pausing| pausing.ingress().headroom_room(index));
        ports[Mmu::port(queue)].drop(packet, reason, room, context);
    }

    /// Tells the observer why classes of a port are to pause, now that a packet of one of them has come.
    #[cold]
    fn explain(
        &self,
        pause: Classes,
        ingress: u16,
        arrived: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let xoff = xoff::of_shared_memory(self, ingress, arrived);
        for priority in pause.iter() {
            context.observer.on_xoff(context.now, Xoff { priority, ..xoff.clone() });
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
        if self.memory.is_to_settle {
            self.settle_before_departure(number, context);
        }
        let port = &mut self.ports[number as usize];
        if !port.send_pause_frame(context) {
            if self.memory.markers.look_at_departure(number.into(), &self.memory.mmu) {
                self.transmit_next_marked(number, context);
            } else if let Some(packet) = port.dequeue() {
                self.transmit_next(packet, number, context);
            }
        }
        let port = &self.ports[number as usize];
        if self.memory.holds_transmitted(number) { port.busy_until() } else { port.next_end() }
    }
}

impl SharedMemory {
    #[inline]
    fn is_lossless(&self, queue: usize) -> bool {
        self.lossless.contains(queue % PRIORITIES)
    }

    /// Puts a packet from its queue on the wire.
    // Called at two places, and as a call a copy of the packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn transmit_next(
        &mut self,
        packet: Packet,
        number: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (port, memory) = (&mut self.ports[number as usize], &mut self.memory);
        let is_lossless = self.lossless.contains(packet.priority());
        let leaves_memory = memory.transmitting.is_none();
        if leaves_memory {
            let queue = Mmu::queue(number, packet.priority());
            memory.count_out(is_lossless, queue, memory.frame(&packet));
            memory.report_queue(queue, port, context);
        }
        memory.transmit(packet, number, port, context);
        if memory.mmu.is_told() {
            memory.note_service(&packet, number, port, context.now);
        }
        if is_lossless && leaves_memory {
            self.remove_lossless(&packet, context);
        }
    }

    /// The same where markers look at what leaves.
    #[inline(never)]
    fn transmit_next_marked(&mut self, number: u16, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let port = &mut self.ports[number as usize];
        if let Some(packet) = self.memory.dequeue_marked(number, self.lossless, port, context) {
            self.transmit_next(packet, number, context);
        }
    }

    fn admit_lossless(
        &mut self,
        ingress: u16,
        queue: usize,
        packet: &mut Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> (PfcRequest, Result<(), DropReason>) {
        let Self { ports, memory, pausing, .. } = self;
        packet.set_ingress(ingress);
        let frame = memory.frame(packet);
        let (request, admitted) = match pausing {
            Some(pausing) => pausing.admit(packet, frame, ports, context),
            None => (PfcRequest::NOTHING, Ok(())),
        };
        if admitted.is_ok() {
            memory.mmu.hold(queue, frame);
        }
        (request, admitted)
    }

    /// A packet of a lossless class has left as it came.
    #[inline(never)]
    fn pass_lossless(
        &mut self,
        ingress: u16,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Self { ports, memory, pausing: Some(pausing), .. } = self else { return };
        let frame = memory.frame(packet);
        let request = pausing.pass((ingress, packet.priority()), frame, ports, context);
        if !request.pause.is_empty() && context.observer.watches_pauses() {
            self.explain(request.pause, ingress, packet.priority(), context);
        }
    }

    #[inline(never)]
    fn remove_lossless(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if let Some(pausing) = &mut self.pausing {
            pausing.remove(packet, self.memory.frame(packet), &mut self.ports, context);
        }
    }

    /// What is to be done before a packet leaves, in most switches nothing.
    #[inline(never)]
    fn settle_before_departure(
        &mut self,
        number: u16,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if self.memory.mmu.expels() {
            self.expel(context.now, context);
        }
        self.release_transmitted(number, context);
    }

    fn release_transmitted(&mut self, number: u16, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let sent =
            self.memory.transmitting.as_mut().and_then(|transmitting| transmitting[number as usize].take());
        let Some(packet) = sent else { return };
        let queue = Mmu::queue(number, packet.priority());
        let frame = self.memory.frame(&packet);
        let Memory { mmu, markers, .. } = &mut self.memory;
        markers.on_departure(queue, mmu, context.now, frame);
        self.memory.count_out(self.is_lossless(queue), queue, frame);
        self.memory.report_queue(queue, &self.ports[number as usize], context);
        if self.is_lossless(queue) {
            self.remove_lossless(&packet, context);
        }
    }

    /// Something about pauses is due. Returns when something is next.
    pub fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        if self.watchdog.is_some() {
            return self.on_pause_due_with_watchdog(context);
        }
        let Self { ports, reactions, pausing, .. } = self;
        pause_frames::on_due(reactions, pausing.as_mut().map(Pausing::frames), ports, context)
    }
}

impl Memory {
    /// Where a packet is put, if what has left its port meanwhile, and is not counted out yet, makes no difference. Every so
    /// often it is counted out all the same.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn place_unsettled(&self, queue: usize, port: &Port, frame: Bytes) -> Option<Placement> {
        let is_quiet = self.mmu.queue_bytes(queue) + frame < self.markers.quiet_below();
        if is_quiet && !port.has_many_lined_up() { self.mmu.place_unsettled(queue, frame) } else { None }
    }

    /// Counts out what has left by a port whose packets lined up.
    // Called for every packet that lines up; as a call it costs a tenth of all.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn settle(
        &mut self,
        queue: usize,
        port: &mut Port,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if port.next_start() > now {
            return;
        }
        if self.may_mark_departures(queue) {
            self.settle_one_by_one(queue, port, now, context);
        } else {
            let mut started = Bytes::ZERO;
            port.settle(now, context.fabric, |departure| started += departure.packet.frame());
            self.mmu.remove(queue, started);
        }
    }

    #[inline(never)]
    fn settle_one_by_one(
        &mut self,
        queue: usize,
        port: &mut Port,
        now: Time,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        while let Some(departure) = port.settle_next(now, context.fabric) {
            let Departure { starts, packet, .. } = departure;
            let (frame, is_ecn_capable) = (packet.frame(), packet.is(ECN_CAPABLE));
            let candidate = Candidate { now: starts, frame, is_ecn_capable };
            if self.markers.at_dequeue(queue, &self.mmu, candidate, frame) {
                port.mark_departed(&departure, context);
            }
            self.mmu.remove(queue, frame);
        }
    }

    /// Whether a packet that leaves the only queue of its port may be marked.
    #[inline]
    fn may_mark_departures(&self, queue: usize) -> bool {
        self.markers.may_mark_departures(|| self.mmu.queue_bytes(queue))
    }

    // Called at two places, and as a call a third of its own cost.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn transmit(
        &mut self,
        packet: Packet,
        number: u16,
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

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn count_out(&mut self, is_lossless: bool, queue: usize, frame: Bytes) {
        if is_lossless {
            self.mmu.let_go(queue, frame);
        } else {
            self.mmu.remove(queue, frame);
            if self.mmu.is_told() {
                self.mmu.on_departure(queue);
            }
        }
    }

    /// A port has just begun to send a packet that it held.
    #[cold]
    fn note_service(&mut self, packet: &Packet, number: u16, port: &Port, now: Time) {
        self.mmu.on_service(Mmu::queue(number, packet.priority()), now, port.busy_until());
        self.mmu.on_read(now, self.frame(packet));
    }

    /// Takes the packet that leaves a port next where markers look at it: what is to be marked and cannot be is dropped, and
    /// the next one taken. It counts in memory still.
    #[inline(never)]
    fn dequeue_marked(
        &mut self,
        number: u16,
        lossless: Classes,
        port: &mut Port,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Option<Packet> {
        loop {
            let mut packet = port.dequeue()?;
            let (queue, frame) = (Mmu::queue(number, packet.priority()), self.frame(&packet));
            let is_lossless = lossless.contains(packet.priority());
            let marks =
                self.markers.at_dequeue(queue, &self.mmu, candidate(&packet, frame, context.now), frame);
            let is_dropped = marks && !port.mark(&mut packet, context) && !is_lossless;
            if is_dropped || self.transmitting.is_none() {
                self.markers.on_departure(queue, &self.mmu, context.now, frame);
            }
            if !is_dropped {
                return Some(packet);
            }
            self.count_out(is_lossless, queue, frame);
            self.report_queue(queue, port, context);
            port.drop(&packet, DropReason::NotEcnCapable, None, context);
        }
    }

    /// A packet that has come is not taken in.
    #[cold]
    fn refuse(
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

    #[inline]
    fn marks_at_enqueue(&mut self, packet: &Packet, queue: usize, now: Time) -> bool {
        let Self { mmu, markers, cell, .. } = self;
        markers.at_enqueue(queue, mmu, || candidate(packet, Cell::taken_of(*cell, packet.frame()), now))
    }

    /// Of a packet that leaves as it comes.
    // Called at two places, and nearly always there is nothing to ask.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn marks_at_dequeue(&mut self, packet: &Packet, queue: usize, now: Time) -> bool {
        if !self.markers.asks_at_dequeue(Mmu::port(queue), &self.mmu) {
            return false;
        }
        let frame = self.frame(packet);
        let held = if self.transmitting.is_some() { frame } else { Bytes::ZERO };
        self.markers.at_dequeue(queue, &self.mmu, candidate(packet, frame, now), held)
    }

    /// What a packet takes of memory.
    #[inline]
    fn frame(&self, packet: &Packet) -> Bytes {
        Cell::taken_of(self.cell, packet.frame())
    }

    fn holds_transmitted(&self, number: u16) -> bool {
        self.transmitting.as_ref().is_some_and(|ports| ports[number as usize].is_some())
    }

    /// Bytes that wait at a port while this packet leaves.
    #[cold]
    fn waiting(&self, number: u16, packet: &Packet) -> Bytes {
        let held = if self.transmitting.is_some() { self.frame(packet) } else { Bytes::ZERO };
        self.mmu.port_bytes(number.into()) - held
    }

    #[inline]
    fn report_queue(&self, queue: usize, port: &Port, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let bytes = self.mmu.queue_bytes(queue);
        context.observer.on_queue(context.now, port.id(), queue % PRIORITIES, bytes);
    }
}

/// What is left of a packet of an adapter that asks for what is missing by itself; nothing of others, which would not know what to do
/// with it, and of what is hardly more.
fn trimmed(packet: Packet, trimming: &Trimming, fabric: &Fabric) -> Option<Packet> {
    let is_understood =
        packet.has_payload() && fabric.transports[usize::from(packet.transport())].understands_trimming();
    (is_understood && packet.frame() > trimming.size)
        .then(|| packet.trimmed(trimming.size, trimming.priority))
}

/// Whether a packet waits in a queue of these ports.
fn holds(ports: &[Port]) -> impl Fn(usize) -> bool {
    |queue| ports[Mmu::port(queue)].has_queued(queue % PRIORITIES)
}

#[inline]
fn candidate(packet: &Packet, frame: Bytes, now: Time) -> Candidate {
    Candidate { now, frame, is_ecn_capable: packet.is(ECN_CAPABLE) }
}
