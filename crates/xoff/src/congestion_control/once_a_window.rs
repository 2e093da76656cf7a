//! One reduction a window, whether it was marked, has lost packets, or both (RFC 3168, section 6.1.2): shared by those that
//! take an echo as they take a loss.

use super::{Ack, Loss, LossKind};

/// The window that was reduced last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct OnceAWindow {
    /// First byte after it; no second reduction for what was sent before.
    end: u64,
}

impl OnceAWindow {
    /// An acknowledgement echoes a mark. Returns whether that reduces the window.
    pub(super) fn on_echo(&mut self, ack: &Ack<'_>) -> bool {
        let reduces = ack.cumulative > self.end;
        if reduces {
            self.end = ack.next_sequence;
        }
        reduces
    }

    /// A loss was noticed. Returns whether that reduces the window: a timeout always does.
    pub(super) fn on_loss(&mut self, loss: &Loss) -> bool {
        let reduces = loss.kind == LossKind::Timeout || loss.first_lost >= self.end;
        if reduces {
            self.end = loss.next_sequence;
        }
        reduces
    }
}
