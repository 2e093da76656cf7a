//! Static threshold: every queue may take the same fixed number of bytes, whatever the others hold.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Occupancy};
use crate::kernel::units::Bytes;

/// A queue may take a fixed number of bytes of the shared pool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaticThreshold {
    /// Bytes of the shared pool that one queue may hold.
    #[schemars(extend("x-at-least" = "1B"))]
    pub threshold: Bytes,
}

impl BufferPolicy for StaticThreshold {
    #[inline]
    fn threshold(&self, _priority: usize, _occupancy: &Occupancy) -> Bytes {
        self.threshold
    }
}
