//! The sender's scoreboard (RFC 6675): which segments beyond the cumulative acknowledgement have arrived, are lost, or
//! were sent again.
//!
//! The scoreboard counts in whole segments and does work only while there is something to repair. Losses are found below
//! a segment that has arrived, or are told one by one where switches trim packets.

use std::collections::VecDeque;

/// Knowledge of segments, whose numbers run from the start of the flow. The fields that tell that there is nothing to
/// repair come first.
#[derive(Clone, Debug, Default)]
#[repr(C)]
pub(super) struct Scoreboard {
    sacked_count: u64,
    /// First segment not cumulatively acknowledged.
    first: u64,
    /// Segments below this that are not selectively acknowledged are lost.
    lost_below: u64,
    /// Knowledge of each segment from `first` on.
    known: VecDeque<Known>,
    /// The highest segment selectively acknowledged; below `first` if none is.
    highest: u64,
    /// First segment that [`Scoreboard::find_losses`] has not looked at, and how many from there on are selectively
    /// acknowledged.
    looked_below: u64,
    sacked_beyond: u64,
    /// First candidate to send again: lost segments below it were sent again.
    next: u64,
    /// Lost segments to send again: those from `next` to `lost_below` that have not arrived, and those told lost.
    lost_count: u64,
    /// Segments told lost that have not arrived, how many of them were not sent again, and a segment below which none
    /// of these is.
    told_count: u32,
    told_waiting: u32,
    told_from: u64,
}

/// Knowledge of one segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Known {
    /// Nothing beyond what `lost_below` says.
    #[default]
    Nothing,
    /// Selectively acknowledged.
    Sacked,
    /// Told lost and not sent again, above or below `lost_below`.
    Told,
    /// Told lost, and on its way again.
    SentAgain,
}

impl Scoreboard {
    /// Forgets everything. Segments below `first` are acknowledged.
    pub(super) fn reset(&mut self, first: u64) {
        self.first = first;
        self.known.clear();
        self.sacked_count = 0;
        self.highest = 0;
        self.looked_below = first;
        self.sacked_beyond = 0;
        self.lost_below = first;
        self.next = first;
        self.lost_count = 0;
        self.told_count = 0;
        self.told_waiting = 0;
    }

    /// Begins at `first` if nothing is known beyond the cumulative acknowledgement.
    pub(super) fn begin(&mut self, first: u64) {
        if self.is_clear() {
            self.reset(first);
        }
    }

    /// Whether nothing is known beyond the cumulative acknowledgement.
    pub(super) fn is_clear(&self) -> bool {
        self.sacked_count + u64::from(self.told_count) == 0 && self.lost_below == self.first
    }

    /// Segments that have arrived out of order.
    pub(super) fn sacked_count(&self) -> u64 {
        self.sacked_count
    }

    /// The highest segment that has arrived out of order.
    pub(super) fn highest_sacked(&self) -> Option<u64> {
        (self.sacked_count > 0).then_some(self.highest)
    }

    /// Takes in that everything below segment `first` is acknowledged. Returns how many of these segments had been
    /// selectively acknowledged before.
    pub(super) fn advance(&mut self, first: u64) -> u64 {
        let mut known_before = 0;
        while self.first < first {
            let waits = self.is_waiting(self.first);
            match self.known.pop_front().unwrap_or_default() {
                Known::Sacked => {
                    known_before += 1;
                    self.sacked_count -= 1;
                    self.sacked_beyond -= u64::from(self.looked_below <= self.first);
                }
                known => {
                    self.forget(known);
                    self.lost_count -= u64::from(waits);
                }
            }
            self.first += 1;
        }
        self.looked_below = self.looked_below.max(first);
        self.lost_below = self.lost_below.max(first);
        self.next = self.next.max(first);
        known_before
    }

    /// Takes in that segments `start..end` have arrived. Returns how many of them are news.
    pub(super) fn sack(&mut self, start: u64, end: u64) -> u64 {
        let mut news = 0;
        for segment in start.max(self.first)..end {
            if !self.is_sacked(segment) {
                self.lost_count -= u64::from(self.is_waiting(segment));
                self.forget(self.known(segment));
                self.set(segment, Known::Sacked);
                self.sacked_beyond += u64::from(self.looked_below <= segment);
                self.highest = self.highest.max(segment);
                news += 1;
            }
        }
        self.sacked_count += news;
        news
    }

    /// Declares lost every segment with at least `threshold` arrived segments above it [DupThresh]. Returns whether the
    /// first segment is lost.
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

    /// Declares lost, and not sent again, every segment below `end` that has not arrived.
    pub(super) fn lose_everything_below(&mut self, end: u64) {
        self.next = self.first;
        self.lost_below = self.first;
        self.lost_count = self.told_waiting.into();
        for known in self.known.iter_mut().filter(|known| **known == Known::SentAgain) {
            *known = Known::Nothing;
            self.told_count -= 1;
        }
        self.lose_below(end);
    }

    /// Takes back that anything is lost. What has arrived stays known.
    pub(super) fn nothing_is_lost(&mut self) {
        for known in self.known.iter_mut().filter(|known| **known != Known::Sacked) {
            *known = Known::Nothing;
        }
        self.lost_below = self.first;
        self.next = self.first;
        self.lost_count = 0;
        self.told_count = 0;
        self.told_waiting = 0;
        self.looked_below = self.first;
        self.sacked_beyond = self.sacked_count;
    }

    /// Declares one segment lost, wherever it is. Returns whether that is news: it has not arrived, and does not wait
    /// already to be sent again.
    pub(super) fn lose(&mut self, segment: u64) -> bool {
        let is_news = segment >= self.first && !self.is_gone(segment);
        if is_news {
            self.told_from = if self.told_waiting == 0 { segment } else { self.told_from.min(segment) };
            self.told_count += u32::from(self.known(segment) != Known::SentAgain);
            self.told_waiting += 1;
            self.set(segment, Known::Told);
            self.lost_count += 1;
        }
        is_news
    }

    /// Takes a segment out of the counts of those told lost.
    fn forget(&mut self, known: Known) {
        self.told_count -= u32::from(matches!(known, Known::Told | Known::SentAgain));
        self.told_waiting -= u32::from(known == Known::Told);
    }

    /// Declares lost the first segment and every other below the highest that has arrived, as if none had been sent
    /// again.
    pub(super) fn lose_again(&mut self) {
        self.lose_everything_below((self.first + 1).max(self.highest));
    }

    /// Declares lost what lies more than `reordering` segments below the highest that has arrived. Returns whether
    /// anything waits to be sent again.
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
            match self.known(self.lost_below) {
                Known::Nothing => self.lost_count += 1,
                Known::Told => {
                    self.forget(Known::Told);
                    self.set(self.lost_below, Known::Nothing);
                }
                Known::Sacked | Known::SentAgain => {}
            }
            self.lost_below += 1;
        }
    }

    /// Whether a segment is lost and not yet sent again, given that it has not arrived.
    pub(super) fn is_waiting(&self, segment: u64) -> bool {
        match self.known(segment) {
            Known::Told => true,
            Known::SentAgain => false,
            Known::Nothing | Known::Sacked => (self.next..self.lost_below).contains(&segment),
        }
    }

    /// Whether a segment has arrived, or is lost and not sent again.
    pub(super) fn is_gone(&self, segment: u64) -> bool {
        self.is_sacked(segment) || self.is_waiting(segment)
    }

    /// Whether a segment has arrived out of order.
    pub(super) fn is_sacked(&self, segment: u64) -> bool {
        self.known(segment) == Known::Sacked
    }

    fn known(&self, segment: u64) -> Known {
        self.known.get((segment - self.first) as usize).copied().unwrap_or_default()
    }

    fn set(&mut self, segment: u64, known: Known) {
        let index = (segment - self.first) as usize;
        if index >= self.known.len() {
            self.known.resize(index + 1, Known::Nothing);
        }
        self.known[index] = known;
    }

    /// Returns the next lost segment to send again. Segments below `lost_below` go before those told lost.
    pub(super) fn next_lost(&mut self) -> Option<u64> {
        while self.next < self.lost_below && self.known(self.next) != Known::Nothing {
            self.next += 1;
        }
        if self.next < self.lost_below {
            return Some(self.next);
        }
        if self.told_waiting == 0 {
            return None;
        }
        self.told_from = self.told_from.max(self.first);
        while self.known(self.told_from) != Known::Told {
            self.told_from += 1;
        }
        Some(self.told_from)
    }

    /// Returns the next segment below the highest that has arrived, which is declared lost with it (RFC 6675, section
    /// 4, NextSeg rule 3).
    pub(super) fn next_unsacked(&mut self) -> Option<u64> {
        let highest = self.highest_sacked()?;
        self.lose_below(highest);
        self.next_lost()
    }

    /// Notes that the segment is sent again which [`Scoreboard::next_lost`] has answered last.
    pub(super) fn sent_again(&mut self) {
        if self.next < self.lost_below {
            self.next += 1;
        } else {
            self.set(self.told_from, Known::SentAgain);
            self.told_waiting -= 1;
        }
        self.lost_count -= 1;
    }

    /// Whether every lost segment was told lost.
    pub(super) fn is_all_told(&self) -> bool {
        self.lost_count == u64::from(self.told_waiting)
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
    fn what_is_told_is_sent_again_in_order_and_may_be_lost_again() {
        let mut scoreboard = scoreboard();
        assert!(scoreboard.lose(14));
        assert!(scoreboard.lose(12));
        assert!(!scoreboard.lose(14), "it waits already");
        assert!(!scoreboard.lose(9), "it is acknowledged");
        assert!(!scoreboard.is_clear());
        assert_eq!((scoreboard.lost_count(), scoreboard.next_lost()), (2, Some(12)));
        scoreboard.sent_again();
        assert_eq!((scoreboard.lost_count(), scoreboard.next_lost()), (1, Some(14)));
        scoreboard.sent_again();
        assert_eq!((scoreboard.lost_count(), scoreboard.next_lost()), (0, None));
        assert!(scoreboard.lose(12));
        scoreboard.sack(12, 15);
        assert_eq!((scoreboard.lost_count(), scoreboard.sacked_count()), (0, 3));
        assert!(!scoreboard.lose(13), "it has arrived");
        assert!(scoreboard.lose(10));
        scoreboard.advance(15);
        assert!(scoreboard.is_clear());
        assert_eq!(scoreboard.lost_count(), 0);
    }

    /// 10 was told and is under way again, 12 was told and waits, 11 is lost because later ones have arrived: each is sent once.
    #[test]
    fn what_is_told_and_what_is_found_are_sent_again_once() {
        let mut scoreboard = scoreboard();
        scoreboard.lose(10);
        scoreboard.next_lost();
        scoreboard.sent_again();
        scoreboard.lose(12);
        scoreboard.sack(13, 16);
        assert!(scoreboard.lose_holes(2));
        assert_eq!(scoreboard.lost_count(), 2);
        let mut again = Vec::new();
        while let Some(segment) = scoreboard.next_lost() {
            again.push(segment);
            scoreboard.sent_again();
        }
        assert_eq!((again, scoreboard.lost_count()), (vec![11, 12], 0));
        scoreboard.lose_again();
        assert_eq!(scoreboard.lost_count(), 3, "after a timeout nothing was sent again");
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
