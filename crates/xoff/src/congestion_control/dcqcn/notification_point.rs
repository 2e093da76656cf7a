//! The notification point: when a receiver answers marks of a flow with a CNP (SIGCOMM 2015, figure 6).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Span, Time};

/// When the receiver looks whether a flow was marked in the interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CnpClock {
    /// One interval after a CNP. The first mark after an interval without one is answered at once.
    AfterCnp,
    /// Every interval since the flow's first packet; no mark is answered earlier.
    FreeRunning,
}

/// What can be set of a notification point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotificationPoint {
    /// Least time from one CNP to the next; zero answers every marked packet.
    pub interval: Span,
    /// When it looks.
    pub clock: CnpClock,
}

/// One flow's state.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    /// When the interval ends that the last CNP, or the flow's first packet, began.
    interval_end: Time,
    /// Whether the flow was marked in it.
    marked: bool,
}

impl NotificationPoint {
    /// The state of a flow whose first packet arrives now.
    pub fn start(&self, now: Time) -> Marks {
        let interval_end = match self.clock {
            CnpClock::AfterCnp => now,
            CnpClock::FreeRunning => now + self.interval,
        };
        Marks { interval_end, marked: false }
    }

    /// A marked packet has arrived. Returns whether a CNP goes now; if not, the flow is to be looked at again at
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

    /// The CNP that a mark was answered with leaves so much later, and so does the next at the earliest.
    pub fn put_off(&self, marks: &mut Marks, late: Span) {
        if self.clock == CnpClock::AfterCnp {
            marks.interval_end = marks.interval_end + late;
        }
    }

    /// The interval of a flow that was marked in it is over. Returns whether a CNP goes now.
    pub fn on_interval_end(&self, marks: &mut Marks, now: Time) -> bool {
        let marked = std::mem::take(&mut marks.marked);
        if marked {
            marks.interval_end = now + self.interval;
        }
        marked
    }
}

impl Marks {
    /// When the interval ends.
    pub fn interval_end(&self) -> Time {
        self.interval_end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times of CNPs, in microseconds, for marks at these times.
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
}
