//! Room for bytes in a place of limited size.

use super::units::Bytes;

/// Bytes held in a place, and the most bytes that the place may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes held now.
    pub held: Bytes,
    /// Most bytes that may be held.
    pub limit: Bytes,
}

impl Room {
    /// Whether `more` further bytes fit.
    pub fn fits(self, more: Bytes) -> bool {
        self.held + more <= self.limit
    }

    /// Returns the number of bytes that still fit.
    pub fn free(self) -> Bytes {
        self.limit.saturating_sub(self.held)
    }
}
