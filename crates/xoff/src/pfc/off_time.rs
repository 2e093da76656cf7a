//! Time for which a device has told senders to pause, summed over senders.

use crate::kernel::units::{Span, Time};

/// Time for which senders have been told to pause, summed over senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    /// Sum over classes: a port that pauses as a whole counts once for each of the eight classes.
    pub by_class: Span,
    /// Sum over classes in which a port that pauses as a whole counts once.
    pub port_as_one: Span,
}

/// Number of classes that are off, and the time that they have been off.
#[derive(Clone, Copy, Debug, Default)]
pub struct OffTime {
    since: Time,
    classes: u64,
    controls: u64,
    durations: Durations,
}

impl OffTime {
    /// Number of classes that are off, over all ports.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// Time for which classes have been off by now.
    pub fn by(&self, now: Time) -> Durations {
        // A report may ask for a moment before the last change.
        let elapsed = now.max(self.since).since(self.since);
        Durations {
            by_class: self.durations.by_class + elapsed * self.classes,
            port_as_one: self.durations.port_as_one + elapsed * self.controls,
        }
    }

    /// Takes note of a change at one port: the numbers of classes and of controls that are off, each before and after.
    #[cold]
    pub fn change(&mut self, now: Time, classes: (u32, u32), controls: (u32, u32)) {
        self.durations = self.by(now);
        self.since = now;
        self.classes = self.classes + u64::from(classes.1) - u64::from(classes.0);
        self.controls = self.controls + u64::from(controls.1) - u64::from(controls.0);
    }
}
