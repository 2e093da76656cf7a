//! The adapter's notification engine: every CNP takes a delay, and the next one may not follow too closely
//! (SIGCOMM 2015, section 3.3: one CNP in 1 to 5 us). CNPs wait for their turn.

use super::{Host, TimerKey};
use crate::agenda::{Agenda, Context};
use crate::kernel::ring::Ring;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Span, Time};
use crate::observer::Observer;
use crate::packet::{Flight, Packet};

/// The engine of one adapter.
#[derive(Debug, Default)]
pub(super) struct Cnps {
    /// CNPs that are being made, and when each is ready.
    pub(super) waiting: Ring<Flight>,
    /// When the engine may finish another one.
    free_at: Time,
    timer: Timer,
}

impl Host {
    /// Has a CNP made and sent. Returns how long others keep it waiting.
    pub(super) fn send_cnp(
        &mut self,
        cnp: Packet,
        context: &mut Context<'_, impl Agenda, impl Observer>,
    ) -> Span {
        let host = &context.fabric.host;
        let made = context.now + host.cnp_delay;
        let ready = made.max(self.cnps.free_at);
        self.cnps.free_at = ready + host.cnp_spacing;
        if ready == context.now {
            self.put_cnp(cnp, context);
            return Span::ZERO;
        }
        self.cnps.waiting.push_back(Flight { arrives: ready, packet: cnp });
        if !self.cnps.timer.is_armed() {
            self.pending.arm(&mut self.cnps.timer, TimerKey::Cnp, ready);
        }
        ready.since(made)
    }

    pub(super) fn on_cnp_timer(&mut self, time: Time, context: &mut Context<'_, impl Agenda, impl Observer>) {
        if !self.pending.expires(&mut self.cnps.timer, TimerKey::Cnp, time) {
            return;
        }
        while let Some(flight) = self.cnps.waiting.front().copied()
            && flight.arrives <= context.now
        {
            self.cnps.waiting.pop_front();
            self.put_cnp(flight.packet, context);
        }
        if let Some(next) = self.cnps.waiting.front().map(|flight| flight.arrives) {
            self.pending.arm(&mut self.cnps.timer, TimerKey::Cnp, next);
        }
    }

    fn put_cnp(&mut self, cnp: Packet, context: &mut Context<'_, impl Agenda, impl Observer>) {
        self.counters.cnps_sent += 1;
        self.put_answer(cnp, context);
    }
}
