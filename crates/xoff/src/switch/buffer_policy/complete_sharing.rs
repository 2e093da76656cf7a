//! Complete sharing: any queue may take all of the shared pool (Irland, IEEE Trans. Comm. 1978).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Occupancy};
use crate::kernel::units::Bytes;

/// Any queue may take all of the shared pool.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompleteSharing {}

impl BufferPolicy for CompleteSharing {
    fn threshold(&self, _priority: usize, occupancy: &Occupancy) -> Bytes {
        occupancy.shared
    }
}
