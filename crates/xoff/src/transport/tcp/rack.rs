//! RACK (RFC 8985): finds losses by time. A segment is lost that was sent more than a reordering window before one that
//! has arrived. What was sent again is watched by the same rule, so that a retransmission that is lost is noticed too.

use std::collections::VecDeque;

use crate::kernel::units::{Span, Time};
use crate::transport::scoreboard::Scoreboard;

/// Recoveries for which a wider reordering window lasts (section 6.2, step 4).
const WIDE_FOR: u32 = 16;

/// Last transmission of one segment.
#[derive(Clone, Copy, Debug)]
struct Sent {
    time: Time,
    /// Whether it was sent before.
    again: bool,
}

/// State of a sender that RACK watches.
#[derive(Clone, Debug, Default)]
pub(super) struct Rack {
    /// First segment that is not acknowledged cumulatively.
    first: u64,
    /// Last transmission of each segment from there on.
    sent: VecDeque<Sent>,
    /// Segments sent again, in the order of their times.
    repeats: VecDeque<(Time, u64)>,
    /// Time and number of the segment sent last among those that have arrived [`RACK.xmit_ts`, `RACK.end_seq`].
    latest: (Time, u64),
    /// Round trip of the segment that arrived last [`RACK.rtt`].
    round_trip: Span,
    /// Shortest round trip [`RACK.min_RTT`].
    shortest: Option<Span>,
    /// Whether a segment that was sent once has arrived after one sent later [`RACK.reordering_seen`].
    is_reordered: bool,
    /// Quarters of the shortest round trip in the reordering window beyond the first, and recoveries for which they last.
    wider: u32,
    wide_for: u32,
    /// First segment whose first transmission is not yet judged.
    looked_below: u64,
    /// Time at which the segments are lost that are late by less than the reordering window.
    pub(super) wait: Option<Time>,
}

impl Rack {
    /// Takes in that the next new segment is sent.
    #[inline]
    pub(super) fn on_new(&mut self, now: Time) {
        self.sent.push_back(Sent { time: now, again: false });
    }

    /// Takes in that a segment is sent.
    pub(super) fn on_sent(&mut self, now: Time, segment: u64) {
        match self.sent.get_mut((segment - self.first) as usize) {
            Some(sent) => {
                *sent = Sent { time: now, again: true };
                self.repeats.push_back((now, segment));
            }
            None => self.sent.push_back(Sent { time: now, again: false }),
        }
    }

    /// Takes in that a segment has arrived; `highest` is the highest that had arrived before.
    pub(super) fn on_arrived(&mut self, now: Time, segment: u64, highest: Option<u64>) {
        let Some(&Sent { time, again }) = self.sent.get((segment - self.first) as usize) else { return };
        let round_trip = now.since(time);
        let shortest = self.shortest.unwrap_or(Span::MAX);
        if again && round_trip < shortest {
            // The first transmission has arrived, and not the second (section 6.2, step 2).
            return;
        }
        if !again {
            self.shortest = Some(shortest.min(round_trip));
            self.is_reordered |= highest.is_some_and(|highest| segment < highest);
        }
        self.round_trip = round_trip;
        self.latest = self.latest.max((time, segment));
    }

    /// Takes in that the next `count` segments are acknowledged, in order and each after its only transmission. The round
    /// trip of the last is the shortest.
    #[inline]
    pub(super) fn advance_in_order(&mut self, now: Time, count: u64) {
        let mut last = Time::ZERO;
        for _ in 0..count {
            last = self.sent.pop_front().map_or(last, |sent| sent.time);
        }
        self.first += count;
        self.looked_below = self.first;
        self.latest = (last, self.first - 1);
        self.round_trip = now.since(last);
        self.shortest = Some(self.shortest.map_or(self.round_trip, |shortest| shortest.min(self.round_trip)));
    }

    /// Whether anything that is out was sent more than once.
    pub(super) fn has_repeats(&self) -> bool {
        !self.repeats.is_empty()
    }

    /// Takes in that everything below segment `first` is acknowledged. Segments that blocks told of before are known to
    /// the scoreboard.
    pub(super) fn advance(&mut self, now: Time, first: u64, scoreboard: &Scoreboard) {
        let highest = scoreboard.highest_sacked();
        while self.first < first {
            if scoreboard.is_clear() || !scoreboard.is_sacked(self.first) {
                self.on_arrived(now, self.first, highest);
            }
            self.sent.pop_front();
            self.first += 1;
        }
        self.looked_below = self.looked_below.max(first);
        while self.repeats.front().is_some_and(|&(_, segment)| segment < first) {
            self.repeats.pop_front();
        }
    }

    /// Takes in that the receiver has reported a segment that it had before: the reordering window was too short.
    pub(super) fn on_repeated(&mut self) {
        self.wider = (self.wider + 1).min(254);
        self.wide_for = WIDE_FOR;
    }

    /// Takes in that a recovery has ended.
    pub(super) fn on_recovered(&mut self) {
        self.wide_for = self.wide_for.saturating_sub(1);
        if self.wide_for == 0 {
            self.wider = 0;
        }
    }

    /// Returns by how much a segment may arrive late (section 6.2, step 4).
    fn reordering_window(&self, is_repairing: bool, has_enough: bool, smoothed: Span) -> Span {
        if !self.is_reordered && (is_repairing || has_enough) {
            return Span::ZERO;
        }
        let quarter = self.shortest.unwrap_or_default().get() / 4;
        Span::new((quarter * u64::from(1 + self.wider)).min(smoothed.get()))
    }

    /// Declares lost what was sent more than a reordering window before a segment that has arrived (section 6.2, step
    /// 5). Returns whether anything is.
    pub(super) fn find_losses(
        &mut self,
        now: Time,
        scoreboard: &mut Scoreboard,
        is_repairing: bool,
        has_enough: bool,
        smoothed: Span,
    ) -> bool {
        let allowance = self.round_trip + self.reordering_window(is_repairing, has_enough, smoothed);
        let mut found = false;
        self.wait = None;
        let mut is_all_judged = true;
        for segment in self.looked_below.. {
            let Some(&Sent { time, again }) = self.sent.get((segment - self.first) as usize) else { break };
            if !again && !scoreboard.is_gone(segment) {
                if (time, segment) >= self.latest {
                    break;
                }
                let due = time + allowance;
                if due <= now {
                    found |= scoreboard.lose(segment);
                } else {
                    self.wait = self.wait.max(Some(due));
                    is_all_judged = false;
                }
            }
            if is_all_judged {
                self.looked_below = segment + 1;
            }
        }
        while let Some(&(time, segment)) = self.repeats.front() {
            let is_current = segment >= self.first
                && self.sent[(segment - self.first) as usize].time == time
                && !scoreboard.is_gone(segment);
            if is_current {
                if (time, segment) >= self.latest {
                    break;
                }
                let due = time + allowance;
                if due > now {
                    self.wait = self.wait.max(Some(due));
                    break;
                }
                found |= scoreboard.lose(segment);
            }
            self.repeats.pop_front();
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(microseconds: u64) -> Time {
        Time::new(microseconds * 1_000_000)
    }

    /// Ten segments, sent 10 us apart.
    fn sent() -> (Rack, Scoreboard) {
        let mut rack = Rack::default();
        (0..10).for_each(|segment| rack.on_sent(at(10 * segment), segment));
        let mut scoreboard = Scoreboard::default();
        scoreboard.reset(0);
        (rack, scoreboard)
    }

    fn arrives(rack: &mut Rack, scoreboard: &mut Scoreboard, now: Time, segment: u64) -> bool {
        rack.on_arrived(now, segment, scoreboard.highest_sacked());
        scoreboard.sack(segment, segment + 1);
        rack.find_losses(now, scoreboard, false, false, Span::from_microseconds(100))
    }

    /// Section 6.2, by hand: the round trip takes 100 us, so that the reordering window is 25 us.
    #[test]
    fn a_segment_is_lost_a_quarter_of_a_round_trip_after_it_was_due() {
        let (mut rack, mut scoreboard) = sent();
        assert!(!arrives(&mut rack, &mut scoreboard, at(110), 1));
        assert_eq!(rack.wait, Some(at(125)), "segment 0 was sent at 0 us");
        assert!(!arrives(&mut rack, &mut scoreboard, at(120), 2));
        assert!(arrives(&mut rack, &mut scoreboard, at(130), 3));
        assert_eq!(scoreboard.next_lost(), Some(0));
        assert_eq!(rack.wait, None);
    }

    #[test]
    fn a_retransmission_that_is_lost_is_noticed() {
        let (mut rack, mut scoreboard) = sent();
        for segment in 1..=9 {
            arrives(&mut rack, &mut scoreboard, at(100 + 10 * segment), segment);
        }
        scoreboard.sent_again();
        rack.on_sent(at(190), 0);
        rack.on_sent(at(191), 10);
        assert!(!arrives(&mut rack, &mut scoreboard, at(291), 10));
        assert_eq!(rack.wait, Some(at(315)));
        assert!(rack.find_losses(at(315), &mut scoreboard, false, false, Span::from_microseconds(100)));
        assert_eq!(scoreboard.next_lost(), Some(0));
    }

    /// Section 6.2, step 4: without reordering so far, a repair does not wait.
    #[test]
    fn there_is_no_reordering_window_while_losses_are_repaired_unless_segments_were_reordered() {
        let (mut rack, mut scoreboard) = sent();
        assert!(!arrives(&mut rack, &mut scoreboard, at(110), 1));
        assert!(rack.clone().find_losses(at(110), &mut scoreboard.clone(), true, false, Span::MAX));
        rack.on_arrived(at(111), 0, Some(1));
        assert!(rack.is_reordered);
        assert_eq!(rack.reordering_window(true, true, Span::MAX), Span::from_microseconds(25));
    }
}
