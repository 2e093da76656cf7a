//! Flow control (PFC) of inputs: a sender pauses while its class has more in the buffer than a threshold.

use crate::classes::Classes;
use crate::kernel::units::Time;
use crate::pause_frames::PfcRequest;
use crate::pfc::{Durations, OffTime};

/// Units of one class in the buffer of an input at which the switch tells the sender to pause or to resume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Units at or above which the sender pauses [STOP].
    pub xoff: u32,
    /// Units at or below which the sender resumes [GO].
    pub xon: u32,
}

/// Pauses of the senders of one switch.
#[derive(Debug)]
pub(super) struct Inputs {
    thresholds: Thresholds,
    /// Classes that must pause, by input.
    off: Vec<Classes>,
    time: OffTime,
}

impl Inputs {
    pub(super) fn new(thresholds: Thresholds, inputs: usize) -> Self {
        Self { thresholds, off: vec![Classes::NONE; inputs], time: OffTime::default() }
    }

    /// Whether the sender of a class is paused: it was told to pause, and not to resume since.
    #[inline]
    pub(super) fn is_off(&self, input: u32, priority: usize) -> bool {
        self.off[input as usize].contains(priority)
    }

    /// Time for which senders have been told to pause.
    pub(super) fn durations(&self, now: Time) -> Durations {
        self.time.by(now)
    }

    /// Updates the units of a class at an input, and returns what its sender is told.
    #[inline]
    pub(super) fn update(&mut self, now: Time, input: u32, priority: usize, units: u32) -> PfcRequest {
        let Thresholds { xoff, xon } = self.thresholds;
        let is_off = self.is_off(input, priority);
        if if is_off { units > xon } else { units < xoff } {
            return PfcRequest::NOTHING;
        }
        self.change(now, input, Classes::only(priority))
    }

    #[cold]
    fn change(&mut self, now: Time, input: u32, class: Classes) -> PfcRequest {
        let off = &mut self.off[input as usize];
        let before = off.count();
        *off ^= class;
        let counts = (before, off.count());
        self.time.change(now, counts, counts);
        PfcRequest { pause: *off & class, resume: class - *off }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_the_thresholds_nothing_changes() {
        let mut inputs = Inputs::new(Thresholds { xoff: 110, xon: 44 }, 2);
        let mut at = |time, units| {
            let PfcRequest { pause, resume } = inputs.update(Time::new(time), 1, 3, units);
            (pause.mask(), resume.mask())
        };
        assert_eq!((at(1, 109), at(2, 110), at(3, 150)), ((0, 0), (8, 0), (0, 0)));
        assert_eq!((at(4, 45), at(7, 44), at(9, 100)), ((0, 0), (0, 8), (0, 0)));
        assert!(!inputs.is_off(1, 3));
        assert_eq!(inputs.durations(Time::new(9)).by_class.get(), 5);
    }
}
