//! Pausing: tells the senders at the other ends of a switch's ports when to pause and when to resume (PFC).
//! `ingress.rs` says when; here it is said, and said again before a pause runs out.

use super::ingress::{FlowControl, Ingress};
use crate::agenda::{Agenda, Context};
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Span, Time};
use crate::observer::{Accounted, DropReason, Observer};
use crate::packet::{Packet, classes_of};
use crate::port::Port;

/// How a switch pauses its senders.
#[derive(Debug)]
pub struct Pausing {
    ingress: Ingress,
    /// Quanta that a pause frame names.
    quanta: u16,
    /// After how long each port says a pause again; nothing where pauses last.
    repeat_after: Option<Vec<Span>>,
    repeats: Vec<Timer>,
    timers: Timers<usize>,
}

impl Pausing {
    /// Pauses by this accounting, for so many quanta, said again by each port after a time.
    pub fn new(ingress: Ingress, quanta: u16, repeat_after: Option<Vec<Span>>) -> Self {
        let repeats = vec![Timer::default(); ingress.queues()];
        Self { ingress, quanta, repeat_after, repeats, timers: Timers::default() }
    }

    /// What came in by which port.
    pub fn ingress(&self) -> &Ingress {
        &self.ingress
    }

    /// Counts in a packet, and says what its sender is told.
    pub fn admit(
        &mut self,
        packet: &Packet,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> (FlowControl, Result<(), DropReason>) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let (flow_control, admitted) = self.ingress.admit(context.now, queue, packet.frame());
        self.tell(flow_control, packet.ingress(), ports, context);
        if context.observer.watches_headroom() && admitted.is_ok() {
            self.report(packet, true, ports, context);
        }
        (flow_control, admitted)
    }

    /// Counts out a packet.
    pub fn remove(
        &mut self,
        packet: &Packet,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let flow_control = self.ingress.remove(context.now, queue, packet.frame());
        self.tell(flow_control, packet.ingress(), ports, context);
        if context.observer.watches_headroom() {
            self.report(packet, false, ports, context);
        }
    }

    #[cold]
    fn report(
        &self,
        packet: &Packet,
        arrives: bool,
        ports: &[Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let change = Accounted {
            switch: ports[0].id(),
            port: ports[usize::from(packet.ingress())].id(),
            priority: packet.priority(),
            frame: packet.frame(),
            arrives,
            headroom: self.ingress.headroom_of(queue),
            is_off: self.ingress.is_off(queue),
            used: self.ingress.headroom_used(),
            set_aside: self.ingress.headroom_set_aside(),
            queues_off: self.ingress.queues_off(),
        };
        context.observer.on_accounted(context.now, &change);
    }

    #[inline]
    fn tell(
        &mut self,
        flow_control: FlowControl,
        port: u16,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let FlowControl { pause, resume } = flow_control;
        if pause != 0 {
            self.say_pause(port, pause, ports, context);
        }
        if resume != 0 {
            for priority in classes_of(resume) {
                self.repeats[Ingress::queue(port, priority)].disarm();
            }
            ports[usize::from(port)].say_pause(resume, 0, context);
        }
    }

    #[cold]
    fn say_pause(
        &mut self,
        port: u16,
        pause: u8,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = usize::from(port);
        ports[number].say_pause(pause, self.quanta, context);
        let Some(repeat_after) = &self.repeat_after else { return };
        let again = context.now + repeat_after[number];
        for priority in classes_of(pause) {
            let queue = Ingress::queue(port, priority);
            self.timers.arm(&mut self.repeats[queue], queue, again);
        }
        context.agenda.pause_due(ports[number].id(), again);
    }

    /// Says again what is to be said again now. Returns when something is next.
    pub fn repeat(
        &mut self,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Time {
        while self.timers.next() == context.now {
            let Some((time, queue)) = self.timers.pop() else { break };
            if self.timers.expires(&mut self.repeats[queue], queue, time) {
                self.say_pause(Ingress::port(queue) as u16, 1 << Ingress::priority(queue), ports, context);
            }
        }
        self.timers.next()
    }
}
