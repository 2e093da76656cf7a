//! Timers of a flow that has more than one: tail loss probe (RFC 8985, section 7), reordering (section 6.2) and
//! retransmission (RFC 6298). One of them runs at a time, as in Linux, and a kernel's clock may count in ticks.

use super::round_trip::{Bounds, RoundTrip};
use crate::kernel::units::{Span, Time};
use crate::scenario::{RtoFloor, Tcp};

/// Ticks that Linux adds to probes and reordering timers [`TCP_TIMEOUT_MIN`].
const LEAST_TICKS: u64 = 2;

/// Purpose of the timer that runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Due {
    /// Everything not acknowledged counts as lost.
    #[default]
    Retransmission,
    /// A probe asks for an acknowledgement.
    Probe,
    /// Segments that are late by the reordering window are lost.
    Reordering,
}

/// Timers of one flow.
#[derive(Clone, Debug)]
pub(super) struct Schedule {
    /// Tick of the clock; zero where time is continuous.
    tick: Span,
    bounds: Bounds,
    floor: RtoFloor,
    /// Time from which the retransmission timeout runs, while anything is out.
    pub(super) from: Option<Time>,
    pub(super) due: Due,
    /// Time of the last acknowledgement that brought news, or of the last segment sent, from which a probe waits.
    pub(super) heard: Time,
    /// Time at which the probe goes for which the timer was set, without ticks.
    probe_at: Time,
}

impl Schedule {
    /// Timers as the settings have them.
    pub(super) fn new(settings: &Tcp) -> Self {
        Self {
            tick: settings.clock_granularity,
            bounds: Bounds::of(settings),
            floor: settings.rto_floor,
            from: None,
            due: Due::Retransmission,
            heard: Time::ZERO,
            probe_at: Time::ZERO,
        }
    }

    /// Takes in an acknowledgement that moves on. Returns whether the timer may run on: it is set for a probe that would go
    /// no later by now. When it expires, the time of the probe is computed anew.
    #[inline]
    pub(super) fn runs_on(&mut self, now: Time, round_trip: &RoundTrip) -> bool {
        self.from = Some(now);
        self.heard = now;
        let wait = round_trip.smoothed_or_zero() * 2 + self.tick * LEAST_TICKS;
        self.due == Due::Probe && self.probe_at <= now + wait
    }

    /// The retransmission timeout.
    pub(super) fn timeout(&self, round_trip: &RoundTrip) -> Span {
        let Bounds { minimum, maximum, initial } = self.bounds;
        let base = match (round_trip.smoothed(), self.floor) {
            (None, _) => initial,
            // RFC 6298, section 2.3: RTO = SRTT + max(G, K * RTTVAR).
            (Some(smoothed), RtoFloor::Timeout) => {
                (smoothed + round_trip.deviation().max(self.tick)).max(minimum)
            }
            (Some(smoothed), RtoFloor::Variation) => smoothed + round_trip.deviation().max(minimum),
        };
        round_trip.backed_off(base, maximum)
    }

    /// Chooses the timer that runs from `now` on, and returns the time until it is due. `probe` is how long to wait for
    /// the next acknowledgement before a probe, if one may go.
    pub(super) fn next(
        &mut self,
        now: Time,
        round_trip: &RoundTrip,
        reordering: Option<Time>,
        probe: Option<Span>,
    ) -> Span {
        let from = *self.from.get_or_insert(now);
        let retransmission = from + self.timeout(round_trip);
        let (due, set, at) = match (reordering, probe) {
            (Some(at), _) => (Due::Reordering, now, at + self.tick * LEAST_TICKS),
            (None, Some(wait)) => (Due::Probe, self.heard, (self.heard + wait).min(retransmission)),
            (None, None) => (Due::Retransmission, from, retransmission),
        };
        self.due = due;
        self.probe_at = at;
        self.on_tick(set, at).max(now).since(now)
    }

    /// Returns the time to wait for an acknowledgement before a probe (RFC 8985, section 7.2). That of a single segment may
    /// be delayed, in Linux for the least retransmission timeout at most [`WCDelAckT`].
    pub(super) fn probe_timeout(&self, round_trip: &RoundTrip, is_alone: bool) -> Span {
        let allowance = if is_alone { self.bounds.minimum } else { self.tick * LEAST_TICKS };
        match round_trip.smoothed() {
            None => self.bounds.initial,
            Some(smoothed) => smoothed * 2 + allowance,
        }
    }

    /// Tick at which a timer fires that was set at `set` for `at`: a whole number of ticks after the tick before `set`.
    fn on_tick(&self, set: Time, at: Time) -> Time {
        let tick = self.tick.get();
        if tick == 0 {
            return at;
        }
        let ticks = at.max(set).since(set).get().div_ceil(tick);
        Time::new((set.get() / tick + ticks) * tick)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::from_text;

    const fn at(microseconds: u64) -> Time {
        Time::new(microseconds * 1_000_000)
    }

    fn schedule() -> (Schedule, RoundTrip) {
        let settings: Tcp = from_text(
            "congestion_control = { algorithm = 'reno' }
             minimum_rto = '200ms'
             clock_granularity = '1ms'
             rto_floor = 'variation'",
        );
        let mut round_trip = RoundTrip::default();
        round_trip.sample(Span::from_microseconds(1_500));
        (Schedule::new(&settings), round_trip)
    }

    /// By hand: 1.5 + 200 ms are 202 ticks, from the tick at 3 ms on.
    #[test]
    fn a_timeout_is_a_whole_number_of_ticks() {
        let (mut schedule, round_trip) = schedule();
        let wait = schedule.next(at(3_400), &round_trip, None, None);
        assert_eq!(at(3_400) + wait, at(205_000));
        let wait = schedule.next(at(100_000), &round_trip, None, None);
        assert_eq!(at(100_000) + wait, at(205_000), "it runs on from where it began");
    }

    /// RFC 8985, section 7.2, with two ticks as in Linux: 2 * 1.5 + 2 ms.
    #[test]
    fn a_probe_goes_two_round_trips_after_the_last_acknowledgement() {
        let (mut schedule, round_trip) = schedule();
        assert_eq!(schedule.probe_timeout(&round_trip, false), Span::from_microseconds(5_000));
        assert_eq!(schedule.probe_timeout(&round_trip, true), Span::from_microseconds(203_000));
        assert!(!schedule.runs_on(at(3_000), &round_trip), "no timer is set for a probe");
        let wait = schedule.next(at(3_000), &round_trip, None, Some(Span::from_microseconds(5_000)));
        assert_eq!((at(3_000) + wait, schedule.due), (at(8_000), Due::Probe));
        assert!(schedule.runs_on(at(7_000), &round_trip));
        let wait = schedule.next(at(8_000), &round_trip, None, Some(Span::from_microseconds(5_000)));
        assert_eq!(wait, Span::from_microseconds(4_000), "four ticks after the timer that ran on");
    }
}
