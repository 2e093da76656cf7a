//! Pausing: tells the senders at the other ends of a switch's ports when to pause and when to resume (PFC).
//! `ingress.rs` says when; here it is said, and said again before a pause runs out.

use super::ingress::{FlowControl, Ingress};
use crate::agenda::{Agenda, Context};
use crate::kernel::timers::{Timer, Timers};
use crate::kernel::units::{Span, Time};
use crate::observer::{DropReason, Observer};
use crate::packet::Packet;
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
    ) -> Result<FlowControl, DropReason> {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let flow_control = self.ingress.admit(queue, packet.frame())?;
        self.tell(flow_control, queue, ports, context);
        Ok(flow_control)
    }

    /// Counts out a packet.
    pub fn remove(
        &mut self,
        packet: &Packet,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let queue = Ingress::queue(packet.ingress(), packet.priority());
        let flow_control = self.ingress.remove(queue, packet.frame());
        self.tell(flow_control, queue, ports, context);
    }

    fn tell(
        &mut self,
        flow_control: FlowControl,
        queue: usize,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        match flow_control {
            FlowControl::Nothing => {}
            FlowControl::Pause => self.say_pause(queue, ports, context),
            FlowControl::Resume => {
                self.repeats[queue].disarm();
                ports[Ingress::port(queue)].say_pause(Ingress::priority(queue), 0, context);
            }
        }
    }

    #[cold]
    fn say_pause(
        &mut self,
        queue: usize,
        ports: &mut [Port],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let number = Ingress::port(queue);
        ports[number].say_pause(Ingress::priority(queue), self.quanta, context);
        if let Some(repeat_after) = &self.repeat_after {
            let again = context.now + repeat_after[number];
            self.timers.arm(&mut self.repeats[queue], queue, again);
            context.agenda.pause_due(ports[number].id(), again);
        }
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
                self.say_pause(queue, ports, context);
            }
        }
        self.timers.next()
    }
}
