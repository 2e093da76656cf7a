//! The sender's scoreboard (RFC 6675): which segments beyond the cumulative acknowledgement have arrived, are lost,
//! or were sent again. It counts in whole segments and does work only while there is something to repair.

use std::collections::VecDeque;

/// Segment numbers run from the start of the flow. What tells that there is nothing to repair comes first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Scoreboard {
    sacked_count: u64,
    /// First segment not cumulatively acknowledged.
    first: u64,
    /// Segments below this that are not selectively acknowledged are lost.
    lost_below: u64,
    /// Whether each segment from `first` on has been selectively acknowledged.
    sacked: VecDeque<bool>,
    /// The highest segment selectively acknowledged; below `first` if none is.
    highest: u64,
    /// Where [`Scoreboard::find_losses`] has come to, and the segments from there on that are selectively acknowledged.
    looked_below: u64,
    sacked_beyond: u64,
    /// The next candidate to send again; lost segments below it have been.
    next: u64,
    /// Segments from `next` to `lost_below` that have not arrived.
    lost_count: u64,
}

impl Scoreboard {
    /// Forgets everything; segments below `first` are acknowledged.
    pub(super) fn reset(&mut self, first: u64) {
        self.first = first;
        self.sacked.clear();
        self.sacked_count = 0;
        self.highest = 0;
        self.looked_below = first;
        self.sacked_beyond = 0;
        self.lost_below = first;
        self.next = first;
        self.lost_count = 0;
    }

    /// Whether nothing is known beyond the cumulative acknowledgement.
    pub(super) fn is_clear(&self) -> bool {
        self.sacked_count == 0 && self.lost_below == self.first
    }

    /// Segments that have arrived out of order.
    pub(super) fn sacked_count(&self) -> u64 {
        self.sacked_count
    }

    /// The highest segment that has arrived out of order.
    pub(super) fn highest_sacked(&self) -> Option<u64> {
        (self.sacked_count > 0).then_some(self.highest)
    }

    /// Everything below segment `first` is acknowledged.
    pub(super) fn advance(&mut self, first: u64) {
        while self.first < first {
            if self.sacked.pop_front().unwrap_or(false) {
                self.sacked_count -= 1;
                self.sacked_beyond -= u64::from(self.looked_below <= self.first);
            } else if self.is_waiting(self.first) {
                self.lost_count -= 1;
            }
            self.first += 1;
        }
        self.looked_below = self.looked_below.max(first);
        self.lost_below = self.lost_below.max(first);
        self.next = self.next.max(first);
    }

    /// Segments `start..end` have arrived. Returns how many of them are news.
    pub(super) fn sack(&mut self, start: u64, end: u64) -> u64 {
        let mut news = 0;
        for segment in start.max(self.first)..end {
            let index = (segment - self.first) as usize;
            if index >= self.sacked.len() {
                self.sacked.resize(index + 1, false);
            }
            if !self.sacked[index] {
                self.sacked[index] = true;
                self.lost_count -= u64::from(self.is_waiting(segment));
                self.sacked_beyond += u64::from(self.looked_below <= segment);
                self.highest = self.highest.max(segment);
                news += 1;
            }
        }
        self.sacked_count += news;
        news
    }

    /// Declares lost what has at least so many arrived segments above it [`DupThresh`]. Returns whether there is anything lost.
    pub(super) fn find_losses(&mut self, threshold: u32) -> bool {
        let threshold = u64::from(threshold);
        while self.sacked_beyond >= threshold {
            let is_sacked = self.is_sacked(self.looked_below);
            if is_sacked && self.sacked_beyond == threshold {
                self.lose_below(self.looked_below);
                break;
            }
            self.sacked_beyond -= u64::from(is_sacked);
            self.looked_below += 1;
        }
        self.first < self.lost_below && !self.is_sacked(self.first)
    }

    /// Declares everything below `end` that has not arrived lost, and none of it sent again.
    pub(super) fn lose_everything_below(&mut self, end: u64) {
        self.next = self.first;
        self.lost_below = self.first;
        self.lost_count = 0;
        self.lose_below(end);
    }

    /// Declares the first segment lost and, as if nothing had been sent again, all that has not arrived while a later one has.
    pub(super) fn lose_again(&mut self) {
        self.lose_everything_below((self.first + 1).max(self.highest));
    }

    /// Declares everything lost that has not arrived while a segment has that lies more than `reordering` further behind. Returns
    /// whether anything waits to be sent again.
    pub(super) fn lose_holes(&mut self, reordering: u64) -> bool {
        self.lose_below(self.highest.saturating_sub(reordering));
        self.next_lost().is_some()
    }

    /// Declares one more segment lost if it has not arrived.
    pub(super) fn lose_first(&mut self) {
        self.lose_below(self.first + 1);
    }

    fn lose_below(&mut self, end: u64) {
        while self.lost_below < end {
            self.lost_count += u64::from(!self.is_sacked(self.lost_below));
            self.lost_below += 1;
        }
    }

    /// Whether a segment is lost and not yet sent again, given that it has not arrived.
    fn is_waiting(&self, segment: u64) -> bool {
        (self.next..self.lost_below).contains(&segment)
    }

    /// Whether a segment has arrived, or is lost and not sent again.
    pub(super) fn is_gone(&self, segment: u64) -> bool {
        self.is_sacked(segment) || self.is_waiting(segment)
    }

    fn is_sacked(&self, segment: u64) -> bool {
        self.sacked.get((segment - self.first) as usize).copied().unwrap_or(false)
    }

    fn skip_sacked(&mut self) {
        while self.next < self.lost_below && self.is_sacked(self.next) {
            self.next += 1;
        }
    }

    /// The next lost segment that has not been sent again.
    pub(super) fn next_lost(&mut self) -> Option<u64> {
        self.skip_sacked();
        (self.next < self.lost_below).then_some(self.next)
    }

    /// The next segment below the highest that has arrived, lost or not (RFC 6675, NextSeg rule 3), now declared lost.
    pub(super) fn next_unsacked(&mut self) -> Option<u64> {
        let highest = self.highest_sacked()?;
        self.lose_below(highest);
        self.next_lost()
    }

    /// The segment last answered by [`Scoreboard::next_lost`] is sent again.
    pub(super) fn sent_again(&mut self) {
        self.next += 1;
        self.lost_count -= 1;
    }

    /// Lost segments not yet sent again.
    pub(super) fn lost_count(&self) -> u64 {
        self.lost_count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scoreboard() -> Scoreboard {
        let mut scoreboard = Scoreboard::default();
        scoreboard.reset(10);
        scoreboard
    }

    #[test]
    fn a_segment_is_lost_once_three_later_ones_have_arrived() {
        let mut scoreboard = scoreboard();
        scoreboard.sack(11, 13);
        assert!(!scoreboard.find_losses(3));
        assert_eq!(scoreboard.sack(11, 14), 1);
        assert!(scoreboard.find_losses(3));
        assert_eq!(scoreboard.next_lost(), Some(10));
        scoreboard.sent_again();
        assert_eq!(scoreboard.next_lost(), None);
    }

    #[test]
    fn a_higher_threshold_waits_for_more_of_those_above_each_segment() {
        let mut scoreboard = scoreboard();
        scoreboard.sack(11, 14);
        scoreboard.sack(15, 16);
        assert!(!scoreboard.find_losses(5));
        scoreboard.sack(16, 17);
        assert!(scoreboard.find_losses(5), "10 has five above it");
        assert_eq!(scoreboard.lost_count(), 1, "14 has two");
        scoreboard.sack(17, 20);
        scoreboard.find_losses(5);
        assert_eq!(scoreboard.lost_count(), 2);
    }

    #[test]
    fn what_is_acknowledged_is_above_nothing() {
        let mut scoreboard = scoreboard();
        scoreboard.sack(11, 13);
        scoreboard.advance(13);
        scoreboard.sack(14, 16);
        assert!(!scoreboard.find_losses(3), "two are above 13");
        scoreboard.sack(16, 17);
        assert!(scoreboard.find_losses(3));
    }

    #[test]
    fn holes_are_sent_again_in_order_and_once() {
        let mut scoreboard = scoreboard();
        scoreboard.sack(12, 13);
        scoreboard.sack(15, 18);
        scoreboard.find_losses(3);
        let mut again = Vec::new();
        while let Some(segment) = scoreboard.next_lost() {
            again.push(segment);
            scoreboard.sent_again();
        }
        assert_eq!(again, [10, 11, 13, 14]);
    }

    #[test]
    fn order_of_arrival_does_not_matter() {
        let mut scoreboard = scoreboard();
        for segment in [18, 12, 15, 16] {
            scoreboard.sack(segment, segment + 1);
        }
        scoreboard.find_losses(3);
        assert_eq!(scoreboard.highest_sacked(), Some(18));
        assert_eq!(scoreboard.lost_count(), 4);
    }

    #[test]
    fn an_acknowledgement_forgets_what_it_covers() {
        let mut scoreboard = scoreboard();
        scoreboard.sack(11, 14);
        scoreboard.advance(14);
        assert!(scoreboard.is_clear());
        assert_eq!(scoreboard.sack(12, 14), 0);
    }

    #[test]
    fn after_a_timeout_all_that_has_not_arrived_is_lost() {
        let mut scoreboard = scoreboard();
        scoreboard.sack(11, 13);
        scoreboard.lose_everything_below(15);
        assert_eq!(scoreboard.lost_count(), 3);
        assert_eq!(scoreboard.next_lost(), Some(10));
    }
}
