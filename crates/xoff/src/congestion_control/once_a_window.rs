//! Rule that a window is reduced at most once, whether by marks, losses or both (RFC 3168, section 6.1.2).
//!
//! Algorithms that react to an echo as to a loss share it. A window ends once the first byte sent after the reduction
//! is acknowledged.

use super::{Ack, Loss, LossKind};

/// End of the window that was reduced last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OnceAWindow {
    /// First byte not sent when the window was reduced. Signals for bytes before it cause no second reduction.
    end: u64,
}

impl OnceAWindow {
    /// Takes in an acknowledgement with an echo. Returns whether that reduces the window.
    pub(super) fn on_echo(&mut self, ack: &Ack<'_>) -> bool {
        let reduces = ack.cumulative > self.end;
        if reduces {
            self.end = ack.next_sequence;
        }
        reduces
    }

    /// Takes in a loss. Returns whether that reduces the window; a timeout always does.
    pub(super) fn on_loss(&mut self, loss: &Loss) -> bool {
        let reduces = loss.kind == LossKind::Timeout || loss.first_lost >= self.end;
        if reduces {
            self.end = loss.next_sequence;
        }
        reduces
    }
}
