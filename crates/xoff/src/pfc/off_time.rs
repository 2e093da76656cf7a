//! For how long a device has told senders to pause, all of them together.

use crate::kernel::units::{Span, Time};

/// How long senders have been told to pause, all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Durations {
    /// Class by class: a port that pauses as a whole counts once for each of the eight classes.
    pub by_class: Span,
    /// The same, but a port that pauses as a whole counts once.
    pub port_as_one: Span,
}

/// How much is off, and what it has come to.
#[derive(Clone, Copy, Debug, Default)]
pub struct OffTime {
    since: Time,
    classes: u64,
    controls: u64,
    durations: Durations,
}

impl OffTime {
    /// Classes that are off, of all ports.
    pub fn classes(&self) -> u64 {
        self.classes
    }

    /// What it has come to by now.
    pub fn by(&self, now: Time) -> Durations {
        // A report may ask for a moment before the last change.
        let elapsed = now.max(self.since).since(self.since);
        Durations {
            by_class: self.durations.by_class + elapsed * self.classes,
            port_as_one: self.durations.port_as_one + elapsed * self.controls,
        }
    }

    /// So many classes and controls of one port were off and are off now, each given before and after.
    #[cold]
    pub fn change(&mut self, now: Time, classes: (u32, u32), controls: (u32, u32)) {
        self.durations = self.by(now);
        self.since = now;
        self.classes = self.classes + u64::from(classes.1) - u64::from(classes.0);
        self.controls = self.controls + u64::from(controls.1) - u64::from(controls.0);
    }
}
