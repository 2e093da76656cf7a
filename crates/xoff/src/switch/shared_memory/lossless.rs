//! Switch with lossless classes, which pauses the senders of their packets instead of dropping them (PFC).
//!
//! A lossless packet is routed and marked like any other. But it is admitted by the port where it came *in*: the ingress
//! accounting counts it there, and says when the sender at the other end of that port must pause. The pause takes a while to
//! reach the sender, and headroom is set aside for what arrives meanwhile, so that a packet is dropped only where headroom
//! is too small. The packet is then queued or transmitted by its egress port, which the next switch may have paused. At the
//! end of its transmission it is counted out of its ingress port, and that may let the sender resume.
//!
//! Packets of lossy classes take the steps of [`Queued`], over the same ports and the same memory.

use super::egress::Egress;
use super::queued::{BeforeDeparture, Queued};
use super::steps::Steps;
use super::watchdog::PortWatchdog;
use crate::agenda::{Agenda, Context};
use crate::classes::Classes;
use crate::kernel::units::Time;
use crate::observer::{DropReason, Observer, PauseReason, Xoff};
use crate::packet::Packet;
use crate::pause_frames::{self, PfcRequest};
use crate::pfc::Reactions;
use crate::queued_flows::by_flow;
use crate::switch::ingress::Ingress;
use crate::switch::mmu::Mmu;
use crate::switch::pause_cause;
use crate::switch::pausing::Pausing;

/// A switch of lossless classes, and of lossy ones beside them.
#[derive(Debug)]
pub struct Lossless {
    /// Ports, memory and routes, and the steps of lossy packets.
    pub(super) queued: Queued,
    pub(super) classes: Classes,
    pub(super) pausing: Pausing,
    pub(super) reactions: Reactions,
    /// Whether the headroom scheme hears of packets that leave without waiting.
    watches_passing: bool,
    pub(super) watchdog: Option<Box<PortWatchdog>>,
}

impl Lossless {
    pub(super) fn new(
        queued: Queued,
        classes: Classes,
        pausing: Pausing,
        reactions: Reactions,
        watchdog: Option<PortWatchdog>,
    ) -> Self {
        let watches_passing = pausing.ingress().watches_passing();
        Self { queued, classes, pausing, reactions, watches_passing, watchdog: watchdog.map(Box::new) }
    }
}

impl Steps for Lossless {
    fn count_ports(&self) -> usize {
        self.queued.egress.ports.len()
    }

    /// Takes in a packet, or hands a pause frame to the reactions of its port.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn on_arrival(
        &mut self,
        ingress: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        if let Some(control) = packet.control() {
            let ports = &self.queued.egress.ports;
            return pause_frames::on_arrival(ingress, control, &mut self.reactions, ports, context);
        }
        let queued = &mut self.queued;
        let number = queued.route(&packet, context);
        let is_lossless = self.classes.contains(packet.priority());
        let passes = queued.finds_idle(number, &packet, context.now)
            && if is_lossless {
                packet.frame() < queued.passes_below
            } else {
                queued.has_ample_room(&packet)
            };
        if passes {
            queued.egress.pass(number, packet, context);
            if self.watches_passing && is_lossless {
                self.note_passing(ingress, &packet, context);
            }
        } else if is_lossless {
            if self.waits_in_ample_room(ingress, number, &packet, context.now) {
                self.wait(ingress, number, packet, context);
            } else {
                self.take_in(ingress, number, packet, context);
            }
        } else if queued.waits_in_ample_room(number, &packet, context.now) {
            queued.wait(number, packet, context);
        } else {
            self.queued.take_in(number, packet, context);
        }
    }

    /// Sends the next frame of a port: a pause frame, or else a packet that is not paused.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn on_end_of_transmission(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        if self.queued.departs_plainly {
            self.depart_plainly(number, context)
        } else {
            self.depart_with_care(number, context)
        }
    }

    /// Has ports react to pause frames that take effect now, and tell again the pauses that would run out.
    fn on_pause_due(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        if self.watchdog.is_some() {
            return self.on_pause_due_with_watchdog(context);
        }
        let Self { queued, reactions, pausing, .. } = self;
        pause_frames::on_due(reactions, Some(pausing.frames()), &mut queued.egress.ports, context)
    }
}

impl Lossless {
    /// Takes in a packet where nodes of several kinds run together.
    #[inline(never)]
    pub(super) fn on_arrival_beside_others(
        &mut self,
        ingress: u32,
        packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        self.on_arrival(ingress, packet, context);
    }

    /// Sends the next frame of a port where nodes of several kinds run together.
    #[inline(never)]
    pub(super) fn on_end_beside_others(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        self.on_end_of_transmission(number, context)
    }

    /// Whether a lossless packet waits for the end of a transmission, and its ingress port surely admits it.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn waits_in_ample_room(&self, ingress: u32, number: u32, packet: &Packet, now: Time) -> bool {
        let Egress { ports, memory } = &self.queued.egress;
        ports[number as usize].makes_wait(now)
            && self
                .pausing
                .ingress()
                .has_ample_room(Ingress::queue(ingress, packet.priority()), memory.frame(packet))
    }

    /// Marks and queues a lossless packet for which there is ample room.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn wait(
        &mut self,
        ingress: u32,
        number: u32,
        mut packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Egress { ports, memory } = &mut self.queued.egress;
        let queue = Mmu::queue(number, packet.priority());
        let marks = memory.marks_at_enqueue(&packet, queue, context.now);
        packet.set_ingress(ingress);
        let frame = memory.frame(&packet);
        self.pausing.admit_where_ample(&packet, frame, ports, context);
        memory.mmu.hold(queue, frame);
        let port = &mut ports[number as usize];
        if marks {
            port.mark(&mut packet, context);
        }
        memory.report_queue(queue, port, context);
        port.enqueue(packet, context.agenda);
    }

    /// Marks a lossless packet and admits it by its ingress port, then queues or transmits it.
    #[inline(never)]
    pub(super) fn take_in(
        &mut self,
        ingress: u32,
        number: u32,
        mut packet: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (priority, queue) = (packet.priority(), Mmu::queue(number, packet.priority()));
        if self.queued.egress.ports[number as usize].looks_closer() {
            return self.take_in_with_care(ingress, number, &packet, context);
        }
        let Egress { ports, memory } = &mut self.queued.egress;
        let marks = memory.marks_at_enqueue(&packet, queue, context.now);
        let starts_at_once = ports[number as usize].starts_at_once(priority, context.now);
        let takes_memory = !starts_at_once || memory.keeps_transmitted();
        let mut request = PfcRequest::NOTHING;
        let mut admitted = Ok(());
        if takes_memory {
            (request, admitted) = self.admit(ingress, queue, &mut packet, context);
        }
        if let Err(reason) = admitted {
            self.refuse(ingress, queue, &packet, reason, context);
        } else {
            let Egress { ports, memory } = &mut self.queued.egress;
            let port = &mut ports[number as usize];
            if marks {
                port.mark(&mut packet, context);
            }
            if takes_memory {
                memory.report_queue(queue, port, context);
            }
            // A packet that turns round may find its own pause frame on the wire by now.
            if starts_at_once && (!takes_memory || port.starts_at_once(priority, context.now)) {
                self.queued.egress.transmit_at_once(number, packet, takes_memory, context);
            } else {
                port.enqueue(packet, context.agenda);
            }
        }
        if !takes_memory && self.watches_passing {
            return self.note_passing(ingress, &packet, context);
        }
        if !request.pause.is_empty() && context.observer.watches_pauses() {
            self.explain(request.pause, ingress, priority, context);
        }
    }
}

impl Lossless {
    /// Counts a packet in at its ingress port, which may pause the sender, and then at its egress queue.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn admit(
        &mut self,
        ingress: u32,
        queue: usize,
        packet: &mut Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> (PfcRequest, Result<(), DropReason>) {
        let Egress { ports, memory } = &mut self.queued.egress;
        packet.set_ingress(ingress);
        let frame = memory.frame(packet);
        let (request, admitted) = self.pausing.admit(packet, frame, ports, context);
        if admitted.is_ok() {
            memory.mmu.hold(queue, frame);
        }
        (request, admitted)
    }

    /// Drops a packet for which its ingress port has no headroom left.
    #[cold]
    fn refuse(
        &mut self,
        ingress: u32,
        queue: usize,
        packet: &Packet,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Egress { ports, memory } = &mut self.queued.egress;
        memory.markers.on_refusal(queue);
        let room = self.pausing.ingress().headroom_room(Ingress::queue(ingress, packet.priority()));
        ports[Mmu::port(queue)].drop(packet, reason, Some(room), context);
    }

    /// Tells the headroom scheme of a packet that left without waiting, which may change whether its sender pauses.
    #[inline(never)]
    fn note_passing(
        &mut self,
        ingress: u32,
        packet: &Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let Egress { ports, memory } = &mut self.queued.egress;
        let frame = memory.frame(packet);
        let request = self.pausing.pass((ingress, packet.priority()), frame, ports, context);
        if !request.pause.is_empty() && context.observer.watches_pauses() {
            self.explain(request.pause, ingress, packet.priority(), context);
        }
    }

    /// Tells the observer why classes of an ingress port pause, at the arrival of a packet of class `arrived`.
    #[cold]
    fn explain(
        &self,
        pause: Classes,
        ingress: u32,
        arrived: usize,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let egress = &self.queued.egress;
        let reason = self.pausing.ingress().reason(Ingress::queue(ingress, arrived));
        let classes = if reason == PauseReason::Port { Classes::ALL } else { Classes::only(arrived) };
        let from = self.packets_from(ingress, classes);
        let cause = pause_cause::find(&egress.ports, (ingress, arrived), reason, from, |number, class| {
            by_flow(egress.packets_to(number, class))
        });
        for priority in pause.iter() {
            context.observer.on_xoff(context.now, Xoff { priority, ..cause.clone() });
        }
    }

    /// Sends the next frame of a port of any kind.
    #[inline(never)]
    fn depart_with_care(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        if self.queued.before_departure != BeforeDeparture::Nothing {
            if self.queued.before_departure == BeforeDeparture::Settles {
                self.settle_before_departure(number, context);
            } else if let Some(next) = self.on_end_among_shapers(number, context) {
                return next;
            }
        }
        let Egress { ports, memory } = &mut self.queued.egress;
        let port = &mut ports[number as usize];
        if !port.send_pause_frame(context) {
            if memory.markers.look_at_departure(number as usize, &memory.mmu) {
                self.transmit_next_marked(number, context);
            } else if let Some(packet) = port.dequeue() {
                self.transmit_next(packet, number, context);
            }
        }
        self.queued.egress.next_end(number)
    }

    /// Sends the next frame of a port where nothing else happens before a departure or at it.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn depart_plainly(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        let Egress { ports, memory } = &mut self.queued.egress;
        let port = &mut ports[number as usize];
        if !port.send_pause_frame(context)
            && let Some(packet) = port.dequeue()
        {
            let (queue, frame) = (Mmu::queue(number, packet.priority()), packet.frame());
            let is_lossless = self.classes.contains(packet.priority());
            if is_lossless {
                memory.mmu.let_go(queue, frame);
            } else {
                memory.mmu.remove(queue, frame);
            }
            memory.report_queue(queue, port, context);
            let memory = &*memory;
            port.transmit(packet, move |packet| memory.waiting(number, packet), context);
            if is_lossless {
                self.remove(&packet, context);
            }
        }
        self.queued.egress.ports[number as usize].next_end()
    }

    /// Puts a packet from its queue on the wire, and counts it out of its ingress port where its memory is free.
    // Called at two places, and as a call a copy of the packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn transmit_next(
        &mut self,
        packet: Packet,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let is_lossless = self.classes.contains(packet.priority());
        self.queued.egress.transmit_next(packet, number, is_lossless, context);
        if is_lossless && !self.queued.egress.memory.keeps_transmitted() {
            self.remove(&packet, context);
        }
    }

    /// Sends the next packet of a port where markers look at departures.
    #[inline(never)]
    fn transmit_next_marked(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Egress { ports, memory } = &mut self.queued.egress;
        let next = memory.dequeue_marked(number, self.classes, &mut ports[number as usize], context);
        if let Some(packet) = next {
            self.transmit_next(packet, number, context);
        }
    }

    /// Counts a packet out of its ingress port, whose sender may resume.
    #[inline(never)]
    fn remove(&mut self, packet: &Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let Egress { ports, memory } = &mut self.queued.egress;
        self.pausing.remove(packet, memory.frame(packet), ports, context);
    }

    /// Counts out the packet that a port transmitted last, where it kept its memory until then.
    #[inline(never)]
    pub(super) fn settle_before_departure(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let released = self.queued.settle_before_departure(number, self.classes, context);
        if let Some(packet) = released.filter(|packet| self.classes.contains(packet.priority())) {
            self.remove(&packet, context);
        }
    }

    /// Does what is due about pauses where a watchdog lets go the queues that are paused for too long.
    #[cold]
    fn on_pause_due_with_watchdog(&mut self, context: &mut Context<'_, impl Agenda, impl Observer>) -> Time {
        let Self { queued, reactions, watchdog: Some(watchdog), classes, .. } = self else {
            return Time::MAX;
        };
        watchdog.react(reactions, *classes, &mut queued.egress.ports, context);
        while let Some(watchdog) = &mut self.watchdog
            && let Some((number, priority)) = watchdog.next_to_drop(&mut self.queued.egress.ports, context)
        {
            let lost = self.lose_queue(number, priority, DropReason::PfcWatchdog, context);
            if let Some(watchdog) = &mut self.watchdog {
                watchdog.count_dropped(number, priority, lost);
            }
        }
        let Self { queued, reactions, watchdog, pausing, .. } = self;
        let again = pausing.frames().say_again(&mut queued.egress.ports, context);
        let looks = watchdog.as_ref().map_or(Time::MAX, |watchdog| watchdog.due());
        reactions.due().min(again).min(looks)
    }

    /// Reason to drop a packet that arrives for a queue: its link has failed, or the watchdog has let the queue go.
    #[cold]
    pub(super) fn drop_reason(&mut self, number: u32, priority: usize) -> Option<DropReason> {
        if self.queued.egress.ports[number as usize].is_down() {
            return Some(DropReason::LinkDown);
        }
        self.watchdog.as_mut()?.drop_reason(number, priority)
    }

    /// Drops the packets that wait in a queue, and returns how many.
    pub(super) fn lose_queue(
        &mut self,
        number: u32,
        priority: usize,
        reason: DropReason,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> u64 {
        let is_lossless = self.classes.contains(priority);
        let mut lost = 0;
        while let Some(packet) = self.queued.egress.lose_first(number, priority, is_lossless, reason, context)
        {
            if is_lossless {
                self.remove(&packet, context);
            }
            lost += 1;
        }
        lost
    }

    /// Lossless packets of some classes that came in by a port and have not left, each with the number of its egress port.
    pub(super) fn packets_from(
        &self,
        ingress: u32,
        classes: Classes,
    ) -> impl Iterator<Item = (u32, &Packet)> {
        let egress = &self.queued.egress;
        (0..egress.ports.len() as u32).flat_map(move |number| {
            let held =
                (classes & self.classes).iter().flat_map(move |class| egress.packets_to(number, class));
            held.filter(move |packet| packet.ingress() == ingress).map(move |packet| (number, packet))
        })
    }
}
