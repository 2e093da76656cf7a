//! Link events at a switch: its links fail, come back or get another rate, and its routes change with them.
//! Packets line up only where links stay as they are, so this concerns the other two kinds.

use super::lossless::Lossless;
use super::queued::Queued;
use crate::agenda::{Agenda, Context};
use crate::classes::PRIORITIES;
use crate::kernel::units::{Rate, Span};
use crate::observer::{DropReason, Observer};

impl Queued {
    /// Drops the packets that wait for a link that has failed.
    pub(super) fn lose_queued(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        for priority in 0..PRIORITIES {
            while self.egress.lose_first(number, priority, false, DropReason::LinkDown, context).is_some() {}
        }
    }
}

impl Lossless {
    /// Takes a port down whose link fails: what either end has told the other of pauses is forgotten.
    pub(super) fn on_link_down(
        &mut self,
        number: u32,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let port = &mut self.queued.egress.ports[number as usize];
        self.reactions.forget(number);
        if let Some(watchdog) = &mut self.watchdog {
            watchdog.forget(context.now, number, port);
        }
        port.take_down(context);
    }

    /// Drops the packets that wait for a link that has failed.
    pub(super) fn lose_queued(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        for priority in 0..PRIORITIES {
            self.lose_queue(number, priority, DropReason::LinkDown, context);
        }
    }

    /// Brings a port up whose link works again, and tells the sender there which classes are to pause.
    pub(super) fn on_link_up(&mut self, number: u32, context: &mut Context<'_, impl Agenda, impl Observer>) {
        let ports = &mut self.queued.egress.ports;
        ports[number as usize].bring_up();
        self.pausing.tell_all(number, ports, context);
    }

    /// Gives the link of a port another rate, at which pause frames take effect after `reaction` and count in other quanta.
    /// A pause that was told in quanta of before may now be too short, so the sender there hears again which classes pause.
    pub(super) fn on_link_rate(
        &mut self,
        number: u32,
        rate: Rate,
        [reaction, quantum, quantum_of_other]: [Span; 3],
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) {
        let ports = &mut self.queued.egress.ports;
        ports[number as usize].set_rate(rate, context.now);
        self.reactions.set_pace(number, reaction, quantum);
        self.pausing.frames().set_quantum(number, quantum_of_other);
        self.pausing.tell_all(number, ports, context);
    }
}
