//! Timers: one deadline per entity and kind, with one outstanding event that is re-armed lazily.
//! Moving a deadline later, which every acknowledgement does, only writes a field.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::units::Time;

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
    fn a_disarmed_timer_is_silent_and_can_be_armed_again() {
        let (mut timers, mut timer) = (Timers::default(), Timer::default());
        timers.arm(&mut timer, 0, Time::new(10));
        timer.disarm();
        assert!(fired(&mut timers, &mut timer).is_empty());
        timers.arm(&mut timer, 0, Time::new(20));
        assert_eq!(fired(&mut timers, &mut timer), [20]);
    }
}
