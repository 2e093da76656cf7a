//! Pausing: tells the senders at the other ends of a switch's ports when to pause and when to resume (PFC).
//! The ingress accounting (`ingress.rs`) says when, and `pause_frames.rs` sends the frames.

use super::ingress::Ingress;
use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::Bytes;
use crate::observer::{Accounted, DropReason, Observer};
use crate::packet::Packet;
use crate::pause_frames::{PauseFrames, PfcRequest};
use crate::port::Port;

/// Ingress accounting of a switch, with the pause frames that it sends.
#[derive(Debug)]
pub struct Pausing {
    ingress: Ingress,
    frames: PauseFrames,
}

impl Pausing {
    /// Pauses senders by the accounting of `ingress`, with pause frames from `frames`.
    pub fn new(ingress: Ingress, frames: PauseFrames) -> Self {
        Self { ingress, frames }
    }

    /// Pause frames of the switch.
    pub fn frames(&mut self) -> &mut PauseFrames {
        &mut self.frames
    }

    /// Ingress accounting of the switch.
    pub fn ingress(&self) -> &Ingress {
        &self.ingress
    }

    /// Counts in a packet that takes `frame` bytes of memory, and tells and returns what its sender must do.
    pub fn admit(
        &mut self,
        packet: &Packet,
        frame: Bytes,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> (PfcRequest, Result<(), DropReason>) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let (request, admitted) = self.ingress.admit(context.now, queue, frame);
        self.frames.tell(request, packet.ingress(), ports, context);
        if context.observer.watches_headroom() {
            let counted = admitted.is_ok().then(|| Counted { frame: packet.frame(), arrives: true });
            self.report(queue, counted, request, ports, context);
        }
        (request, admitted)
    }

    /// Counts in a packet that takes `frame` bytes of memory, where there is ample room and its sender need not hear of it.
    #[inline]
    pub fn admit_where_ample(
        &mut self,
        packet: &Packet,
        frame: Bytes,
        ports: &[Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        self.ingress.admit_where_ample(queue, frame);
        if context.observer.watches_headroom() {
            let counted = Some(Counted { frame: packet.frame(), arrives: true });
            self.report(queue, counted, PfcRequest::NOTHING, ports, context);
        }
    }

    /// Takes note of a packet of `frame` bytes that leaves without waiting, and tells and returns what its sender
    /// must do.
    pub fn pass(
        &mut self,
        (ingress, priority): (u32, usize),
        frame: Bytes,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> PfcRequest {
        let queue = Ingress::queue(ingress, priority);
        let request = self.ingress.pass(context.now, queue, frame);
        self.frames.tell(request, ingress, ports, context);
        if request != PfcRequest::NOTHING && context.observer.watches_headroom() {
            self.report(queue, None, request, ports, context);
        }
        request
    }

    /// Counts out a packet that takes `frame` bytes of memory, and tells its sender what to do next.
    pub fn remove(
        &mut self,
        packet: &Packet,
        frame: Bytes,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let request = self.ingress.remove(context.now, queue, frame);
        if request != PfcRequest::NOTHING {
            self.frames.tell(request, packet.ingress(), ports, context);
        }
        if context.observer.watches_headroom() {
            let counted = Some(Counted { frame: packet.frame(), arrives: false });
            self.report(queue, counted, request, ports, context);
        }
    }

    /// Tells the sender at the other end of a port, which may not have heard, of all classes that must pause.
    #[cold]
    pub fn tell_all(
        &mut self,
        port: u32,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let is_off = |class: &usize| self.ingress.is_off(Ingress::queue(port, *class));
        let pause = (0..PRIORITIES).filter(is_off).collect();
        self.frames.tell(PfcRequest { pause, resume: Classes::NONE }, port, ports, context);
    }

    /// Tells the observer about a queue, and about the queues that the same packet has paused or resumed.
    #[cold]
    fn report(
        &self,
        queue: usize,
        counted: Option<Counted>,
        request: PfcRequest,
        ports: &[Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let (port, priority) = (Ingress::port(queue), Ingress::priority(queue));
        let changed = (request.pause | request.resume) & self.ingress.classes();
        let others = changed - Classes::only(priority);
        let itself = counted.is_some() || changed != others;
        let all = itself.then_some(priority).into_iter().chain(others.iter());
        for class in all {
            let queue = Ingress::queue(port as u32, class);
            let counted = counted.filter(|_| class == priority);
            let change = Accounted {
                switch: ports[0].id(),
                port: ports[port].id(),
                priority: class,
                frame: counted.map_or(Bytes::ZERO, |counted| counted.frame),
                arrives: counted.is_some_and(|counted| counted.arrives),
                headroom: self.ingress.headroom_of(queue),
                is_off: self.ingress.is_off(queue),
                used: self.ingress.headroom_used(),
                set_aside: self.ingress.headroom_set_aside(),
                queues_off: self.ingress.queues_off(),
            };
            context.observer.on_accounted(context.now, &change);
        }
    }
}

/// A packet that is counted in or out.
#[derive(Clone, Copy)]
struct Counted {
    frame: Bytes,
    arrives: bool,
}
