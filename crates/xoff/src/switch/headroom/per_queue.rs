//! Headroom of its own for each queue, which it shares with no other.

use crate::kernel::room::Room;
use crate::kernel::units::Bytes;

/// So many bytes for each lossless class of a port, port by port.
#[derive(Clone, Debug)]
pub(super) struct PerQueue {
    /// Of one class of each port.
    pub(super) sizes: Vec<Bytes>,
    /// Lossless classes of a port.
    pub(super) classes: u64,
}

impl PerQueue {
    /// Of all queues of the switch.
    pub(super) fn all(&self) -> Bytes {
        self.sizes.iter().copied().sum::<Bytes>() * self.classes
    }

    /// That of a queue of this port which holds so much.
    pub(super) fn room(&self, port: usize, held: Bytes) -> Room {
        Room { held, limit: self.sizes[port] }
    }
}
