//! Cells: memory that is given out in units, of which a frame takes whole ones.

use std::ops::RangeInclusive;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::Bytes;

/// Unit of allocation of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cell {
    /// Bytes of one cell.
    #[schemars(extend("x-above-key" = "metadata"))]
    pub size: Bytes,
    /// Bytes of a frame's first cell that describe the frame.
    #[serde(default = "default_metadata")]
    #[schemars(extend("default" = default_metadata()))]
    pub metadata: Bytes,
}

/// Juniper's account of the QFX5000 switches, which are built on the chips of `data/chips.toml`.
const fn default_metadata() -> Bytes {
    Bytes::new(64)
}

impl Cell {
    /// Bytes of memory that a frame takes.
    #[inline]
    pub const fn taken_by(self, frame: Bytes) -> Bytes {
        let described = frame.get() + self.metadata.get();
        Bytes::new(described.div_ceil(self.size.get()) * self.size.get())
    }

    /// Bytes of memory that a frame takes, where memory may be given out in cells: its own bytes where it is not.
    #[inline]
    pub fn taken_of(cell: Option<Self>, frame: Bytes) -> Bytes {
        cell.map_or(frame, |cell| cell.taken_by(frame))
    }

    /// The most memory that so many bytes on the wire can take, in frames of these sizes that are each longer there by
    /// `wire_overhead`.
    pub fn most_taken(self, wire: Bytes, frames: RangeInclusive<Bytes>, wire_overhead: Bytes) -> Bytes {
        let (smallest, largest) = (frames.start().get(), frames.end().get());
        let (size, metadata) = (self.size.get(), self.metadata.get());
        // Of all frames that take as many cells, the smallest wastes the most.
        let first = (smallest + metadata).div_ceil(size) * size + 1 - metadata;
        let frames = std::iter::once(smallest).chain((first..=largest).step_by(size as usize));
        let taken = |frame: u64| {
            let taken = u128::from(wire.get()) * u128::from(self.taken_by(Bytes::new(frame)).get());
            taken.div_ceil(u128::from(frame + wire_overhead.get())) as u64
        };
        frames.map(|frame| Bytes::new(taken(frame))).max().unwrap_or(wire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(size: u64) -> Cell {
        Cell { size: Bytes::new(size), metadata: default_metadata() }
    }

    /// By hand; sizes are those of Juniper's "QFX5K-Series Switches Packet Buffer Architecture" (2025).
    #[test]
    fn frames_take_whole_cells() {
        let taken = |size, frame| cell(size).taken_by(Bytes::new(frame)).get();
        assert_eq!([64, 1048, 1500, 9000].map(|frame| taken(208, frame)), [208, 1248, 1664, 9152]);
        assert_eq!(taken(256, 1500), 1792);
        // The last that fit into one cell and into two.
        assert_eq!([144, 145, 352, 353].map(|frame| taken(208, frame)), [208, 416, 416, 624]);
    }

    /// With cells of 208 bytes a frame of 145 bytes takes most memory for its time on the wire: 416 bytes for 165.
    /// Where no frame is below 146 bytes, the most is 416 bytes for 166.
    #[test]
    fn the_worst_frames_just_miss_a_cell() {
        let most = |smallest, largest| {
            let frames = Bytes::new(smallest)..=Bytes::new(largest);
            cell(208).most_taken(Bytes::new(16_500), frames, Bytes::new(20)).get()
        };
        assert_eq!(most(64, 9000), 41_600);
        assert_eq!(most(64, 100), 40_858);
        assert_eq!(most(146, 9000), 41_350);
    }
}
