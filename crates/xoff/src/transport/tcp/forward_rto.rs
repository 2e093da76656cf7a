//! F-RTO (RFC 5682): tells a timeout that was too early from one that a loss caused. After a timeout only the first
//! segment is sent again. If then a segment arrives that was sent before the timeout and not again, nothing was lost:
//! the window goes back to where it was.

use crate::congestion_control::Algorithm;

/// Acknowledgement that comes while a timeout is in doubt.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)] // the questions of RFC 5682, section 2.1, each by itself
pub(super) struct Heard {
    /// Whether it moves on cumulatively.
    pub(super) moves_on: bool,
    /// Whether it moves on past everything that was sent before the timeout.
    pub(super) is_whole: bool,
    /// Whether it tells of segments that were sent before the timeout and not again; only blocks tell.
    pub(super) has_originals: Option<bool>,
    /// Whether a block tells of anything new.
    pub(super) has_news: bool,
    /// Whether the flow has data that it has not sent yet.
    pub(super) has_more: bool,
}

/// Conclusion from an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The timeout stays in doubt, or was right.
    Nothing,
    /// New data goes before anything is sent again (section 2.1, step 2b).
    SendsNew,
    /// The timeout was too early.
    Spurious,
    /// The timeout was right, and new data has been sent in the meantime (section 2.1, step 3a).
    Right,
}

/// Stage of the doubt about a timeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// There is none.
    #[default]
    None,
    /// The first segment was sent again (step 1).
    SentAgain,
    /// New data was sent after it (step 2b).
    SentNew,
}

/// Doubt about the last timeout.
#[derive(Clone, Debug, Default)]
pub(super) struct ForwardRto {
    stage: Stage,
    /// State of the congestion control before the timeout.
    before: Option<Algorithm>,
}

impl ForwardRto {
    /// Takes in that the timer has expired for data for which it had not expired before, with the congestion control as
    /// it is before it hears of that.
    pub(super) fn on_first_timeout(&mut self, before: &Algorithm) {
        self.before = Some(before.clone());
        self.stage = Stage::SentAgain;
    }

    /// Takes in that the timer has expired again for the same data.
    pub(super) fn on_timeout_again(&mut self) {
        if self.before.is_some() {
            self.stage = Stage::SentAgain;
        }
    }

    /// Whether new data goes before anything is sent again.
    pub(super) fn sends_new(&self) -> bool {
        self.stage == Stage::SentNew
    }

    /// Takes an acknowledgement after a timeout.
    pub(super) fn on_ack(&mut self, heard: Heard) -> Verdict {
        let Heard { moves_on, is_whole, has_originals, has_news, has_more } = heard;
        if self.stage == Stage::None {
            return Verdict::Nothing;
        }
        let was_early = has_originals.unwrap_or(self.stage == Stage::SentNew && moves_on);
        if was_early {
            self.stage = Stage::None;
            return Verdict::Spurious;
        }
        let sent_new = self.stage == Stage::SentNew;
        match self.stage {
            Stage::SentAgain if moves_on && !is_whole && has_more => {
                self.stage = Stage::SentNew;
                return Verdict::SendsNew;
            }
            Stage::SentAgain if !moves_on && has_originals.is_some() => {}
            Stage::SentNew if moves_on && !has_news && !is_whole => {}
            _ => self.stage = Stage::None,
        }
        if sent_new && self.stage == Stage::None { Verdict::Right } else { Verdict::Nothing }
    }

    /// Takes out the congestion control as it was before the timeout.
    pub(super) fn before(&mut self) -> Option<Algorithm> {
        self.before.take()
    }
}
