//! Timers: one deadline per entity and kind, with one outstanding event that is re-armed lazily.
//! Moving a deadline later, which every acknowledgement does, only writes a field.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::units::{Span, Time};

/// Deadline of one timer, kept by the entity that the timer belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    deadline: Time,
    /// Earliest event in the heap for this timer; `Time::MAX` for none.
    outstanding: Time,
}

impl Default for Timer {
    fn default() -> Self {
        Self { deadline: Time::MAX, outstanding: Time::MAX }
    }
}

impl Timer {
    /// Whether a deadline is set.
    pub fn is_armed(&self) -> bool {
        self.deadline != Time::MAX
    }

    /// Clears the deadline; the outstanding event will find nothing to do.
    pub fn disarm(&mut self) {
        self.deadline = Time::MAX;
    }
}

/// Outstanding events of all timers of one owner. `K` names an entity and a kind, and orders equal deadlines.
#[derive(Debug)]
pub struct Timers<K: Ord + Copy> {
    heap: BinaryHeap<Reverse<(Time, K)>>,
}

impl<K: Ord + Copy> Default for Timers<K> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new() }
    }
}

impl<K: Ord + Copy> Timers<K> {
    /// Returns the earliest outstanding event, stale or not; `Time::MAX` for none.
    #[inline]
    pub fn next(&self) -> Time {
        self.heap.peek().map_or(Time::MAX, |Reverse((time, _))| *time)
    }

    /// Sets the deadline of `timer`, known as `key`.
    #[inline]
    pub fn arm(&mut self, timer: &mut Timer, key: K, deadline: Time) {
        timer.deadline = deadline;
        if deadline < timer.outstanding {
            timer.outstanding = deadline;
            self.heap.push(Reverse((deadline, key)));
        }
    }

    /// Adds an event that nothing moves or takes back.
    pub fn once(&mut self, key: K, time: Time) {
        self.heap.push(Reverse((time, key)));
    }

    /// Returns the earliest of the events whose keys are named; `Time::MAX` for none.
    pub fn next_of(&self, is_named: impl Fn(K) -> bool) -> Time {
        let named = self.heap.iter().filter(|Reverse((_, key))| is_named(*key));
        named.map(|Reverse((time, _))| *time).min().unwrap_or(Time::MAX)
    }

    /// Brings the events whose keys are named forward by `span`. No [`Timer`] may stand behind them.
    pub fn bring_forward(&mut self, span: Span, is_named: impl Fn(K) -> bool) {
        let brought = std::mem::take(&mut self.heap).into_iter().map(|Reverse((time, key))| {
            Reverse((if is_named(key) { time.earlier(span) } else { time }, key))
        });
        self.heap = brought.collect();
    }

    /// Takes the earliest outstanding event.
    pub fn pop(&mut self) -> Option<(Time, K)> {
        self.heap.pop().map(|Reverse(event)| event)
    }

    /// Whether the event taken at `time` means that `timer` expires now. A deadline that has moved later is re-armed.
    pub fn expires(&mut self, timer: &mut Timer, key: K, time: Time) -> bool {
        if time != timer.outstanding {
            return false;
        }
        timer.outstanding = Time::MAX;
        if timer.deadline <= time {
            timer.deadline = Time::MAX;
            return true;
        }
        if timer.is_armed() {
            self.arm(timer, key, timer.deadline);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fired(timers: &mut Timers<u8>, timer: &mut Timer) -> Vec<u64> {
        let mut fired = Vec::new();
        while let Some((time, key)) = timers.pop() {
            if timers.expires(timer, key, time) {
                fired.push(time.get());
            }
        }
        fired
    }

    #[test]
    fn a_deadline_moved_later_fires_once_and_later() {
        let (mut timers, mut timer) = (Timers::default(), Timer::default());
        timers.arm(&mut timer, 0, Time::new(10));
        timers.arm(&mut timer, 0, Time::new(30));
        assert_eq!(timers.next(), Time::new(10));
        assert_eq!(fired(&mut timers, &mut timer), [30]);
    }

    #[test]
    fn a_deadline_moved_earlier_fires_once_and_earlier() {
        let (mut timers, mut timer) = (Timers::default(), Timer::default());
        timers.arm(&mut timer, 0, Time::new(30));
        timers.arm(&mut timer, 0, Time::new(10));
        assert_eq!(fired(&mut timers, &mut timer), [10]);
    }

    #[test]
    fn named_events_are_brought_forward_and_others_stay() {
        let mut timers = Timers::default();
        timers.once(0, Time::new(10));
        timers.once(1, Time::new(50));
        timers.once(1, Time::MAX);
        assert_eq!(timers.next_of(|key| key == 1), Time::new(50));
        timers.bring_forward(Span::new(45), |key| key == 1);
        let events: Vec<_> = std::iter::from_fn(|| timers.pop()).collect();
        assert_eq!(events, [(Time::new(5), 1), (Time::new(10), 0), (Time::MAX, 1)]);
        assert_eq!(timers.next_of(|_| true), Time::MAX);
    }

    #[test]
    fn a_disarmed_timer_is_silent_and_can_be_armed_again() {
        let (mut timers, mut timer) = (Timers::default(), Timer::default());
        timers.arm(&mut timer, 0, Time::new(10));
        timer.disarm();
        assert!(fired(&mut timers, &mut timer).is_empty());
        timers.arm(&mut timer, 0, Time::new(20));
        assert_eq!(fired(&mut timers, &mut timer), [20]);
    }
}
