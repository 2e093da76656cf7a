//! State that the queue pairs of a host share, beside the flows on them.

use super::cnps::Cnps;
use super::credit::CreditTurns;
use super::notification_points::NotificationPoints;
use super::persistent_queue_pairs::PersistentQueuePairs;
use super::queue_pairs::Turns;
use super::sprayers::Sprayers;

/// The adapter's arbiter, the persistent queue pairs, and the engines that make CNPs and give credit. The arbiter comes
/// first, since every packet that leaves asks it.
#[derive(Debug, Default)]
#[repr(C)]
pub(super) struct Roce {
    pub(super) turns: Turns,
    pub(super) persistent: PersistentQueuePairs,
    pub(super) notification_points: NotificationPoints,
    pub(super) cnps: Cnps,
    pub(super) credit: CreditTurns,
    /// Entropies of sprayed packets; `None` where no transport sprays.
    pub(super) sprayers: Option<Box<Sprayers>>,
}
