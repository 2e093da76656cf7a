//! Half free: a queue may take a share of what is free, but never more than half of the pool (Somebody, Somewhere 1999).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Occupancy};
use crate::kernel::units::{Bytes, Ratio};

/// A queue may take a share of the free bytes, and at most half of the pool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct HalfFree {
    /// Share of the free shared pool that one queue may take [beta].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub share: Ratio,
}

impl Default for HalfFree {
    fn default() -> Self {
        Self { share: Ratio::new(1, 1) }
    }
}

impl BufferPolicy for HalfFree {
    fn threshold(&self, _priority: usize, occupancy: &Occupancy) -> Bytes {
        self.share.of(occupancy.free()).min(Bytes::new(occupancy.shared.get() / 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_pool_is_the_most() {
        let occupancy = Occupancy::empty(Bytes::new(1000), 4);
        assert_eq!(HalfFree::default().threshold(0, &occupancy), Bytes::new(500));
    }
}
