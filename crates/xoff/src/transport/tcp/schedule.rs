//! Timers of a flow that has more than one: tail loss probe (RFC 8985, section 7), reordering (section 6.2) and
//! retransmission (RFC 6298). One of them runs at a time, as in Linux, and a kernel's clock may count in ticks.

use super::round_trip::RoundTrip;
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
    minimum: Span,
    maximum: Span,
    initial: Span,
    floor: RtoFloor,
    /// Time from which the retransmission timeout runs, while anything is out.
    pub(super) from: Option<Time>,
    pub(super) due: Due,
}

impl Schedule {
    /// Timers as the settings have them.
    pub(super) fn new(settings: &Tcp) -> Self {
        Self {
            tick: settings.clock_granularity,
            minimum: settings.minimum_rto,
            maximum: settings.maximum_rto,
            initial: settings.initial_rto.unwrap_or(settings.minimum_rto),
            floor: settings.rto_floor,
            from: None,
            due: Due::Retransmission,
        }
    }

    /// The retransmission timeout.
    pub(super) fn timeout(&self, round_trip: &RoundTrip) -> Span {
        let base = match (round_trip.smoothed(), self.floor) {
            (None, _) => self.initial,
            // RFC 6298, section 2.3: RTO = SRTT + max(G, K * RTTVAR).
            (Some(smoothed), RtoFloor::Timeout) => {
                (smoothed + round_trip.deviation().max(self.tick)).max(self.minimum)
            }
            (Some(smoothed), RtoFloor::Variation) => smoothed + round_trip.deviation().max(self.minimum),
        };
        round_trip.backed_off(base, self.maximum)
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
        let retransmission = *self.from.get_or_insert(now) + self.timeout(round_trip);
        let (due, at) = match (reordering, probe) {
            (Some(at), _) => (Due::Reordering, at + self.tick * LEAST_TICKS),
            (None, Some(wait)) => (Due::Probe, (now + wait).min(retransmission)),
            (None, None) => (Due::Retransmission, retransmission),
        };
        self.due = due;
        self.on_tick(now, at).max(now).since(now)
    }

    /// Returns the time to wait for an acknowledgement before a probe (RFC 8985, section 7.2). That of a single segment may
    /// be delayed, in Linux for the least retransmission timeout at most [`WCDelAckT`].
    pub(super) fn probe_timeout(&self, round_trip: &RoundTrip, is_alone: bool) -> Span {
        let allowance = if is_alone { self.minimum } else { self.tick * LEAST_TICKS };
        match round_trip.smoothed() {
            None => self.initial,
            Some(smoothed) => smoothed * 2 + allowance,
        }
    }

    /// Tick at which a timer fires that is set at `now` for `at`: a whole number of ticks after the tick before `now`.
    fn on_tick(&self, now: Time, at: Time) -> Time {
        let tick = self.tick.get();
        if tick == 0 {
            return at;
        }
        let ticks = at.max(now).since(now).get().div_ceil(tick);
        Time::new((now.get() / tick + ticks) * tick)
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
        let wait = schedule.next(at(3_000), &round_trip, None, Some(Span::from_microseconds(5_000)));
        assert_eq!((at(3_000) + wait, schedule.due), (at(8_000), Due::Probe));
    }
}
