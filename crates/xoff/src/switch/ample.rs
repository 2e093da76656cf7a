//! Ample room: levels of memory below which a packet surely fits, so that no policy has to be asked.

use super::buffer_policy::{self, BufferPolicy, Occupancy};
use crate::classes::PRIORITIES;
use crate::kernel::units::Bytes;

/// Levels below which a packet surely fits: with at most `used` bytes in all pools together, a queue of less than `queue`
/// bytes may take more of any pool.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ample {
    pub(super) used: Bytes,
    pub(super) queue: Bytes,
}

impl Ample {
    /// Finds the levels at which no pool is more than half full. They are zero for a policy whose threshold may fall as a
    /// pool empties, or that goes by more than the pool.
    pub(super) fn of(pools: &[Occupancy], policy: &buffer_policy::Parameters) -> Self {
        if policy.rises_as_the_pool_fills() || policy.follows().is_some() {
            return Self::default();
        }
        let half_full =
            || pools.iter().map(|pool| Occupancy { shared_used: Bytes::new(pool.shared.get() / 2), ..*pool });
        let thresholds = half_full()
            .flat_map(|pool| (0..PRIORITIES).map(move |priority| policy.threshold(priority, &pool)));
        Self {
            used: half_full().map(|pool| pool.shared_used).min().unwrap_or_default(),
            queue: thresholds.min().unwrap_or_default(),
        }
    }
}
