//! Static partition: the shared pool is cut into equal parts, one for each queue in use: of a port's eight classes, those
//! that packets have (Irland, IEEE Trans. Comm. 1978).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Occupancy};
use crate::kernel::units::Bytes;

/// Every queue in use has the same fixed part of the shared pool.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StaticPartition {}

impl BufferPolicy for StaticPartition {
    fn threshold(&self, _priority: usize, occupancy: &Occupancy) -> Bytes {
        Bytes::new(occupancy.shared.get() / occupancy.queues)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_part_does_not_depend_on_what_is_used() {
        let part = |used| {
            let occupancy =
                Occupancy { shared_used: Bytes::new(used), ..Occupancy::empty(Bytes::new(1_000_000), 32) };
            StaticPartition {}.threshold(0, &occupancy)
        };
        assert_eq!(part(0), Bytes::new(31_250));
        assert_eq!(part(900_000), Bytes::new(31_250));
    }
}
