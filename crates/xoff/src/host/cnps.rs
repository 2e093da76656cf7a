//! The adapter's notification engine: every CNP takes a delay, and the next one may not follow too closely
//! (SIGCOMM 2015, section 3.3: one CNP in 1 to 5 us). CNPs wait for their turn.

use super::TimerKey;
use super::pending::Pending;
use crate::kernel::ring::Ring;
use crate::kernel::timers::Timer;
use crate::kernel::units::{Span, Time};
use crate::packet::{Flight, Packet};
use crate::scenario::Host;

/// The engine of one adapter.
#[derive(Debug, Default)]
pub(super) struct Cnps {
    /// CNPs that are being made, and when each is ready.
    pub(super) waiting: Ring<Flight>,
    /// Time at which the engine may finish another CNP.
    free_at: Time,
    timer: Timer,
}

/// A CNP that was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Made {
    /// Whether the CNP is ready now; otherwise the engine's timer tells.
    pub(super) at_once: bool,
    /// Time for which earlier CNPs keep this CNP waiting.
    pub(super) late: Span,
}

impl Cnps {
    /// Has a CNP made.
    pub(super) fn make(&mut self, cnp: Packet, now: Time, host: &Host, pending: &mut Pending) -> Made {
        let made = now + host.cnp_delay;
        let ready = made.max(self.free_at);
        self.free_at = ready + host.cnp_spacing;
        if ready == now {
            return Made { at_once: true, late: Span::ZERO };
        }
        self.waiting.push_back(Flight { arrives: ready, packet: cnp });
        if !self.timer.is_armed() {
            pending.arm(&mut self.timer, TimerKey::Cnp, ready);
        }
        Made { at_once: false, late: ready.since(made) }
    }

    /// Whether the engine's timer expires: then CNPs are ready.
    pub(super) fn expires(&mut self, time: Time, pending: &mut Pending) -> bool {
        pending.expires(&mut self.timer, TimerKey::Cnp, time)
    }

    /// Takes the next CNP that is ready. Where none is, the timer tells of the next.
    pub(super) fn next_ready(&mut self, now: Time, pending: &mut Pending) -> Option<Packet> {
        let next = self.waiting.front()?.arrives;
        if next <= now {
            return self.waiting.pop_front().map(|flight| flight.packet);
        }
        pending.arm(&mut self.timer, TimerKey::Cnp, next);
        None
    }
}
