//! Pause log: when switches told senders to pause and why, and when ports paused and resumed.

use crate::kernel::units::Time;
use crate::observer::Xoff;
use crate::topology::PortId;

/// Change of a port that stops transmissions of a class, or resumes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseChange {
    /// Time of the change.
    pub time: Time,
    /// Port that pauses or resumes.
    pub port: PortId,
    /// Traffic class.
    pub priority: usize,
    /// Whether the port pauses now.
    pub pauses: bool,
}

/// Pauses logged by one thread, or by all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseLog {
    /// Pauses that nodes told senders, in order of time and port.
    pub xoffs: Vec<(Time, Xoff)>,
    /// Changes of ports in order of time, port and class.
    pub changes: Vec<PauseChange>,
}

impl PauseLog {
    /// Joins the logs of all threads. Changes of one port at one instant keep their order.
    pub fn merge(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.xoffs.extend(part.xoffs);
            all.changes.extend(part.changes);
        }
        all.xoffs.sort_by_key(|(time, xoff)| (*time, xoff.port, xoff.priority));
        all.changes.sort_by_key(|change| (change.time, change.port, change.priority));
        all
    }
}
