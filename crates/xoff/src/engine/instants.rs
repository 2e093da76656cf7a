//! Global instants: times known in advance at which all clusters stand still.
//! No window straddles one, so an observation there does not depend on windows or threads.

use super::link_events::{LinkEvent, LinkEvents};
use crate::kernel::tournament::TIME_LIMIT;
use crate::kernel::units::{Span, Time};
use crate::scenario::{Measure, Stop};

/// Longest run, 18.8 minutes: half of what the keys of a tournament can tell apart.
/// Within it, no event is out of their reach.
pub const LONGEST_RUN: Span = Span::new(TIME_LIMIT.div_ceil(2));

/// Instants of a run that are still to come.
#[derive(Clone, Debug)]
pub struct Instants {
    period: Span,
    check: Time,
    end: Time,
    after_flows: u64,
    /// Begin and end of the measured time, as far as they are still to come.
    measured: [Time; 2],
    samples: Vec<(Time, Span)>,
    link_events: LinkEvents,
}

impl Instants {
    /// Returns the instants of a run with samples at `sample_intervals` and with the given link events.
    pub fn new(stop: &Stop, measure: &Measure, sample_intervals: &[Span], link_events: LinkEvents) -> Self {
        Self {
            period: stop.period,
            check: Time::ZERO,
            end: stop.at.map_or(Time::MAX, |at| Time::ZERO + at),
            after_flows: stop.after_flows.unwrap_or(u64::MAX),
            measured: measure.time(),
            samples: sample_intervals.iter().map(|&every| (Time::ZERO, every)).collect(),
            link_events,
        }
    }

    /// Returns the next instant.
    pub fn next(&self) -> Time {
        let samples = self.samples.iter().map(|sample| sample.0).min().unwrap_or(Time::MAX);
        let measured = self.measured[0].min(self.measured[1]);
        let others = measured.min(Time::ZERO + LONGEST_RUN).min(self.link_events.next());
        self.check.min(self.end).min(samples).min(others)
    }

    /// Whether the run ends at `now`.
    pub fn is_end(&self, now: Time) -> bool {
        now >= self.end || now >= Time::ZERO + LONGEST_RUN
    }

    /// Whether `finished` finished flows are enough to end the run. The engine asks at checks.
    pub fn has_enough(&self, finished: u64) -> bool {
        finished >= self.after_flows
    }

    /// Returns the time at which the run ends at the latest, where that is known.
    pub fn latest_end(&self) -> Option<Time> {
        (self.end != Time::MAX).then_some(self.end)
    }

    /// Returns the time of the next link event; `Time::MAX` without one.
    pub fn next_link_event(&self) -> Time {
        self.link_events.next()
    }

    /// Takes the link events of `now`.
    pub fn take_link_events(&mut self, now: Time) -> Vec<LinkEvent> {
        self.link_events.take(now)
    }

    /// Returns the time until which flows are to be announced, if there is a check at `now`. Skips checks before
    /// `least`, at which nothing would have happened.
    pub fn take_check(&mut self, now: Time, least: Time) -> Option<Time> {
        if now != self.check {
            return None;
        }
        let whole_periods = Time::new(least.get() / self.period.get() * self.period.get());
        let next = if least == Time::MAX { Time::MAX } else { whole_periods.max(now + self.period) };
        self.check = next;
        Some(now + self.period)
    }

    /// Whether the measured time begins (0) or ends (1) at `now`.
    pub fn take_measured(&mut self, now: Time) -> Option<usize> {
        let which = self.measured.iter().position(|&at| at == now)?;
        self.measured[which] = Time::MAX;
        Some(which)
    }

    /// Ends all samples.
    pub fn end_samples(&mut self) {
        for (due, _) in &mut self.samples {
            *due = Time::MAX;
        }
    }

    /// Whether sample `index` is due at `now`; the next sample is then due an interval later.
    pub fn take_sample(&mut self, index: usize, now: Time) -> bool {
        let (due, every) = &mut self.samples[index];
        let is_due = *due == now;
        if is_due {
            *due = now + *every;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn microseconds(number: u64) -> Time {
        Time::ZERO + Span::from_microseconds(number)
    }

    #[test]
    fn checks_with_nothing_between_them_are_skipped() {
        let mut instants = Instants::new(&Stop::default(), &Measure::default(), &[], LinkEvents::default());
        assert_eq!(instants.take_measured(Time::ZERO), Some(0));
        assert_eq!(instants.take_check(Time::ZERO, microseconds(950)), Some(microseconds(100)));
        assert_eq!(instants.next(), microseconds(900));
        assert_eq!(instants.take_check(microseconds(900), microseconds(950)), Some(microseconds(1000)));
        assert_eq!(instants.next(), microseconds(1000));
    }

    #[test]
    fn samples_are_due_at_multiples_of_their_interval() {
        let every = [Span::from_microseconds(30)];
        let mut instants =
            Instants::new(&Stop::default(), &Measure::default(), &every, LinkEvents::default());
        assert!(instants.take_sample(0, Time::ZERO));
        assert!(!instants.take_sample(0, microseconds(10)));
        assert!(instants.take_sample(0, microseconds(30)));
    }
}
