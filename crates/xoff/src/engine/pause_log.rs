//! What is recorded of pauses: when switches told senders to pause and why, and when ports paused and resumed.

use crate::kernel::units::Time;
use crate::observer::Xoff;
use crate::topology::PortId;

/// A class of a port may not start transmissions any longer, or may again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseChange {
    /// When.
    pub time: Time,
    /// The port that pauses.
    pub port: PortId,
    /// The class.
    pub priority: usize,
    /// Whether it pauses now.
    pub pauses: bool,
}

/// Everything that was recorded of pauses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PauseLog {
    /// In order of time and port.
    pub xoffs: Vec<(Time, Xoff)>,
    /// In order of time, port and class.
    pub changes: Vec<PauseChange>,
}

impl PauseLog {
    /// Puts the logs of several threads together. What one port does at one instant keeps its order.
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
