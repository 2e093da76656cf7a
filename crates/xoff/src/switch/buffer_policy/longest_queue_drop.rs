//! Longest queue drop: any queue may take all of the shared pool, and the longest queue makes room when it is full.
//! Source: Wei, Coyle and Hsiao, GLOBECOM 1991; Hahne, Kesselman and Mansour, SPAA 2001.
//! Differs: the longest queue loses its first packet, not its last. Its sender learns of it a queue earlier, and the
//! hardware's lists of packets have only a front to take from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Occupancy};
use crate::kernel::units::Bytes;

/// No queue has a limit of its own; a packet that finds the pool full pushes out those of the longest queue.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LongestQueueDrop {}

impl BufferPolicy for LongestQueueDrop {
    fn threshold(&self, _priority: usize, _occupancy: &Occupancy) -> Bytes {
        Bytes::MAX
    }
    fn pushes_out(&self) -> bool {
        true
    }
}
