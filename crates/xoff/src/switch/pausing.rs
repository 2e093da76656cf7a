//! Pausing: tells the senders at the other ends of a switch's ports when to pause and when to resume (PFC).
//! `ingress.rs` says when, and `pause_frames.rs` says it.

use super::ingress::Ingress;
use crate::agenda::{Agenda, Context};
use crate::classes::{Classes, PRIORITIES};
use crate::kernel::units::Bytes;
use crate::observer::{Accounted, DropReason, Observer};
use crate::packet::Packet;
use crate::pause_frames::{PauseFrames, PfcRequest};
use crate::port::Port;

/// How a switch pauses its senders.
#[derive(Debug)]
pub struct Pausing {
    ingress: Ingress,
    frames: PauseFrames,
}

impl Pausing {
    /// Pauses by this accounting, in these frames.
    pub fn new(ingress: Ingress, frames: PauseFrames) -> Self {
        Self { ingress, frames }
    }

    /// In which frames its senders are told.
    pub fn frames(&mut self) -> &mut PauseFrames {
        &mut self.frames
    }

    /// What came in by which port.
    pub fn ingress(&self) -> &Ingress {
        &self.ingress
    }

    /// Counts in a packet that takes `frame` bytes of memory, and says what its sender is told.
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

    /// A packet that takes `frame` bytes of memory has come in by a port and leaves at once. Says what its sender is told.
    pub fn pass(
        &mut self,
        (ingress, priority): (u16, usize),
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

    /// Counts out a packet that takes `frame` bytes of memory.
    pub fn remove(
        &mut self,
        packet: &Packet,
        frame: Bytes,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let request = self.ingress.remove(context.now, queue, frame);
        self.frames.tell(request, packet.ingress(), ports, context);
        if context.observer.watches_headroom() {
            let counted = Some(Counted { frame: packet.frame(), arrives: false });
            self.report(queue, counted, request, ports, context);
        }
    }

    /// Tells the sender at the other end of a port, which may not have heard, of all classes that are to pause.
    #[cold]
    pub fn tell_all(
        &mut self,
        port: u16,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let is_off = |class: &usize| self.ingress.is_off(Ingress::queue(port, *class));
        let pause = (0..PRIORITIES).filter(is_off).collect();
        self.frames.tell(PfcRequest { pause, resume: Classes::NONE }, port, ports, context);
    }

    /// Tells the observer what has become of a queue, and of those that the same packet has paused or resumed.
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
            let queue = Ingress::queue(port as u16, class);
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
