//! DCQCN's notification point: when a receiver answers a flow's marks with a congestion notification packet (SIGCOMM
//! 2015, figure 6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Span, Time};

/// Clock by which the receiver checks whether a flow was marked in the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CnpClock {
    /// The interval begins with a CNP. The first mark after an interval without marks is answered at once.
    AfterCnp,
    /// Intervals follow one another from the flow's first packet on. Marks are answered only at their ends.
    FreeRunning,
}

/// Settings of a notification point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationPoint {
    /// Least time from one CNP of a flow to the next; zero answers every marked packet.
    pub interval: Span,
    /// Clock that the interval follows.
    pub clock: CnpClock,
}

/// State of one flow at its notification point.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// End of the interval that began with the last CNP, or with the flow's first packet.
    interval_end: Time,
    /// Whether the flow was marked in the interval.
    marked: bool,
}

impl NotificationPoint {
    /// Makes the state of a flow whose first packet arrives now.
    pub fn start(&self, now: Time) -> Marks {
        let interval_end = match self.clock {
            CnpClock::AfterCnp => now,
            CnpClock::FreeRunning => now + self.interval,
        };
        Marks { interval_end, marked: false }
    }

    /// Takes in a marked packet. Returns whether a CNP goes now; otherwise the caller looks at the flow again at
    /// [`Marks::interval_end`].
    pub fn on_marked(&self, marks: &mut Marks, now: Time) -> bool {
        let answers =
            self.interval == Span::ZERO || self.clock == CnpClock::AfterCnp && marks.interval_end <= now;
        if answers {
            *marks = Marks { interval_end: now + self.interval, marked: false };
        } else {
            if self.clock == CnpClock::FreeRunning && marks.interval_end < now {
                let late = now.since(marks.interval_end).get();
                marks.interval_end = marks.interval_end + self.interval * late.div_ceil(self.interval.get());
            }
            marks.marked = true;
        }
        answers
    }

    /// Delays the interval by `late`, the time by which the CNP leaves after the mark that it answers.
    pub fn put_off(&self, marks: &mut Marks, late: Span) {
        if self.clock == CnpClock::AfterCnp {
            marks.interval_end = marks.interval_end + late;
        }
    }

    /// Ends the interval of a flow that was marked in it. Returns whether a CNP goes now.
    pub fn on_interval_end(&self, marks: &mut Marks, now: Time) -> bool {
        let marked = std::mem::take(&mut marks.marked);
        if marked {
            marks.interval_end = now + self.interval;
        }
        marked
    }
}

impl Marks {
    /// End of the interval that the last CNP, or the flow's first packet, began.
    pub fn interval_end(&self) -> Time {
        self.interval_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the times of CNPs for marks at the given times, all in microseconds.
    fn cnps(clock: CnpClock, interval: u64, marks: &[u64]) -> Vec<u64> {
        let microseconds = |time: Time| time.get() / 1_000_000;
        let point = NotificationPoint { interval: Span::from_microseconds(interval), clock };
        let mut state = point.start(Time::ZERO);
        let (mut cnps, mut look) = (Vec::new(), Time::MAX);
        let marks = marks.iter().map(|&mark| Time::ZERO + Span::from_microseconds(mark));
        for mark in marks.chain([Time::new(1 << 60)]) {
            while look <= mark {
                if point.on_interval_end(&mut state, look) {
                    cnps.push(microseconds(look));
                }
                look = Time::MAX;
            }
            if mark == Time::new(1 << 60) {
                break;
            }
            if point.on_marked(&mut state, mark) {
                cnps.push(microseconds(mark));
            } else {
                look = state.interval_end();
            }
        }
        cnps
    }

    #[test]
    fn the_first_mark_is_answered_at_once_and_later_ones_once_an_interval() {
        assert_eq!(cnps(CnpClock::AfterCnp, 50, &[7, 8, 20, 56, 70, 200]), [7, 57, 107, 200]);
    }

    #[test]
    fn a_free_running_clock_answers_at_its_ticks_only() {
        assert_eq!(cnps(CnpClock::FreeRunning, 50, &[7, 8, 20, 56, 70, 320]), [50, 100, 350]);
    }

    #[test]
    fn a_mark_at_the_end_of_an_interval_is_answered_once() {
        let microseconds = |count| Time::ZERO + Span::from_microseconds(count);
        let point = NotificationPoint { interval: Span::from_microseconds(50), clock: CnpClock::AfterCnp };
        let mut marks = point.start(Time::ZERO);
        let answered = [7, 20, 57].map(|mark| point.on_marked(&mut marks, microseconds(mark)));
        assert_eq!(answered, [true, false, true]);
        assert!(!point.on_interval_end(&mut marks, microseconds(57)));
    }

    #[test]
    fn without_an_interval_every_mark_is_answered() {
        assert_eq!(cnps(CnpClock::AfterCnp, 0, &[7, 7, 20]), [7, 7, 20]);
    }

    #[test]
    fn a_cnp_that_leaves_late_delays_the_interval_that_it_began() {
        let at = |microseconds| Time::ZERO + Span::from_microseconds(microseconds);
        for (clock, first, later) in [(CnpClock::AfterCnp, 10, 13), (CnpClock::FreeRunning, 60, 60)] {
            let point = NotificationPoint { interval: Span::from_microseconds(50), clock };
            let mut marks = point.start(at(10));
            assert_eq!(marks.interval_end(), at(first));
            point.put_off(&mut marks, Span::from_microseconds(3));
            assert_eq!(marks.interval_end(), at(later));
        }
    }
}
