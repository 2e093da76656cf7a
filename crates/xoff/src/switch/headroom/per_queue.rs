//! Headroom of its own for each queue, shared with no other.

use crate::kernel::room::Room;
use crate::kernel::units::Bytes;

/// Headroom of one size for each lossless class of a port.
#[derive(Clone, Debug)]
pub(super) struct PerQueue {
    /// Bytes for one class of each port.
    pub(super) sizes: Vec<Bytes>,
    /// Number of lossless classes.
    pub(super) classes: u64,
}

impl PerQueue {
    /// Bytes for all queues of the switch.
    pub(super) fn all(&self) -> Bytes {
        self.sizes.iter().copied().sum::<Bytes>() * self.classes
    }

    /// Returns the headroom of a queue at `port` that uses `held` bytes of it now.
    pub(super) fn room(&self, port: usize, held: Bytes) -> Room {
        Room { held, limit: self.sizes[port] }
    }
}
