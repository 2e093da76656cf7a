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
    /// Next look for steady times; `Time::MAX` where nothing is skipped.
    look: Time,
    /// Longest time that a run can last.
    longest: Time,
    /// Time skipped so far. All other times are on the network's clock, which the reported clock is ahead of by this.
    skipped: Span,
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
            look: Time::MAX,
            longest: Time::ZERO + LONGEST_RUN,
            skipped: Span::ZERO,
        }
    }

    /// Returns the next instant.
    pub fn next(&self) -> Time {
        self.next_that_matters().min(self.check).min(self.look)
    }

    /// Returns the next instant that is no check and no look.
    pub fn next_that_matters(&self) -> Time {
        let samples = self.samples.iter().map(|sample| sample.0).min().unwrap_or(Time::MAX);
        let measured = self.measured[0].min(self.measured[1]);
        self.end.min(samples).min(measured).min(self.longest).min(self.next_link_event())
    }

    /// Sets the time of the next look for steady times.
    pub fn look_at(&mut self, time: Time) {
        self.look = time;
    }

    /// Whether a look for steady times is due at `now`.
    pub fn is_look(&self, now: Time) -> bool {
        now == self.look
    }

    /// Time skipped so far.
    pub fn skipped(&self) -> Span {
        self.skipped
    }

    /// Brings all instants forward by `span`, which is skipped at `now`. Checks stay at whole periods of the reported
    /// clock. Returns the time until which flows are to be announced.
    pub fn skip(&mut self, now: Time, span: Span) -> Time {
        self.skipped += span;
        let samples = self.samples.iter_mut().map(|(due, _)| due);
        let all =
            samples.chain(&mut self.measured).chain([&mut self.end, &mut self.longest, &mut self.check]);
        all.for_each(|time| *time = time.earlier(span));
        if self.check < now {
            let reported = (now + self.skipped).get();
            let next = reported.next_multiple_of(self.period.get());
            self.check = Time::new(next - self.skipped.get());
        }
        self.check
    }

    /// Whether the run ends at `now`.
    pub fn is_end(&self, now: Time) -> bool {
        now >= self.end || now >= self.longest
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
        self.link_events.next().earlier(self.skipped)
    }

    /// Takes the link events of `now`.
    pub fn take_link_events(&mut self, now: Time) -> Vec<LinkEvent> {
        self.link_events.take(now + self.skipped)
    }

    /// Returns the time until which flows are to be announced, if there is a check at `now`. Skips checks before
    /// `least`, at which nothing would have happened.
    pub fn take_check(&mut self, now: Time, least: Time) -> Option<Time> {
        if now != self.check {
            return None;
        }
        let reported = least.later(self.skipped).get();
        let whole_periods = Time::new(reported / self.period.get() * self.period.get()).earlier(self.skipped);
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
    fn what_is_skipped_brings_all_instants_forward_and_checks_stay_at_whole_periods() {
        let stop = Stop { at: Some(Span::from_microseconds(1000)), ..Stop::default() };
        let every = [Span::from_microseconds(400)];
        let mut instants = Instants::new(&stop, &Measure::default(), &every, LinkEvents::default());
        assert!(instants.take_sample(0, Time::ZERO));
        assert_eq!(instants.take_measured(Time::ZERO), Some(0));
        assert_eq!(instants.take_check(Time::ZERO, Time::ZERO), Some(microseconds(100)));
        assert_eq!(instants.skip(microseconds(20), Span::from_microseconds(250)), microseconds(50));
        assert_eq!([instants.next_that_matters(), instants.next()], [150, 50].map(microseconds));
        assert_eq!(instants.latest_end(), Some(microseconds(750)));
        assert_eq!(instants.take_check(microseconds(50), microseconds(60)), Some(microseconds(150)));
        assert_eq!(instants.take_check(microseconds(150), microseconds(260)), Some(microseconds(250)));
        assert_eq!(instants.next(), microseconds(150), "of the sample");
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
