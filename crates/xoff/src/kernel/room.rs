//! How full something is.

use super::units::Bytes;

/// Bytes that are held somewhere, and how many may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// How many there are.
    pub held: Bytes,
    /// How many there may be.
    pub limit: Bytes,
}

impl Room {
    /// Whether there is room for so many more.
    pub fn fits(self, more: Bytes) -> bool {
        self.held + more <= self.limit
    }

    /// How many more there may be.
    pub fn free(self) -> Bytes {
        self.limit.saturating_sub(self.held)
    }
}
