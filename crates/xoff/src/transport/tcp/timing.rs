//! Round-trip samples without timestamps: one segment at a time is timed (RFC 6298, section 3). Once anything is sent
//! again, no segment sent before counts (Karn).

use crate::kernel::units::{Span, Time};

/// The segment that is timed.
#[derive(Clone, Debug, Default)]
pub(super) struct Timing {
    /// First byte after the timed segment, and the time when that segment was sent.
    timed: Option<(u64, Time)>,
}

impl Timing {
    /// Times new data up to `end`, which is sent now, if nothing is timed yet.
    pub(super) fn on_sent(&mut self, now: Time, end: u64) {
        self.timed.get_or_insert((end, now));
    }

    /// Drops the sample, since something is sent again: acknowledgements of what is in flight may now be late or
    /// ambiguous.
    pub(super) fn on_sent_again(&mut self) {
        self.timed = None;
    }

    /// Takes an acknowledgement of everything before `cumulative`. Returns the sample that this gives.
    pub(super) fn on_ack(&mut self, now: Time, cumulative: u64) -> Option<Span> {
        let (_, sent) = self.timed.take_if(|(end, _)| *end <= cumulative)?;
        Some(now.since(sent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_segment_at_a_time_is_timed_and_none_that_was_sent_before_a_repair() {
        let mut timing = Timing::default();
        timing.on_sent(Time::new(10), 1000);
        timing.on_sent(Time::new(20), 2000);
        assert_eq!(timing.on_ack(Time::new(90), 999), None);
        assert_eq!(timing.on_ack(Time::new(95), 2000), Some(Span::new(85)));
        assert_eq!(timing.on_ack(Time::new(96), 2000), None);
        timing.on_sent(Time::new(100), 3000);
        timing.on_sent_again();
        assert_eq!(timing.on_ack(Time::new(150), 3000), None);
        timing.on_sent(Time::new(160), 4000);
        assert_eq!(timing.on_ack(Time::new(170), 5000), Some(Span::new(10)));
    }
}
