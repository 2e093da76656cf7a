//! Reno: slow start, congestion avoidance, half the window after a loss (RFC 5681; RFC 6582).
//! The window doubles each round trip until it reaches a threshold (slow start). Then it grows by one segment each
//! round trip (congestion avoidance). A loss sets the threshold to half of what was in flight and the window with it,
//! and a timeout leaves a window of one segment. A connection that was idle restarts with a small window (RFC 5681,
//! section 4.1).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ack, CongestionControl, Flow, Growth, Loss, LossKind, WindowUnit};
use crate::kernel::units::{Bytes, Time};

/// Settings of Reno, which has none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {}

/// Least window after a loss or a mark, in segments (RFC 5681, section 3.1, equation 4).
const WINDOW_FLOOR: u64 = 2;

/// Window that grows as Reno's does, which DCTCP and ECN-star share.
#[derive(Clone, Debug)]
pub struct Reno {
    window: Bytes,
    threshold: Bytes,
    segment: Bytes,
    /// Fraction of a byte that acknowledgements have added, times the window. Without it a window of a thousand
    /// segments would grow in whole bytes, one or two for each acknowledgement. In whole segments: those acknowledged
    /// since the window last grew [snd_cwnd_cnt].
    remainder: u64,
    /// Whether the window is in bytes and each acknowledgement counts as one segment.
    is_plain: bool,
    growth: Growth,
    unit: WindowUnit,
}

impl Reno {
    /// Makes the state of one flow.
    pub fn new(_parameters: &Parameters, flow: &Flow) -> Self {
        let &Flow { segment, initial_window, initial_threshold, growth, window_unit, .. } = flow;
        Self {
            window: initial_window,
            threshold: initial_threshold.unwrap_or(Bytes::MAX),
            segment,
            remainder: 0,
            is_plain: growth == Growth::Acknowledgements && window_unit == WindowUnit::Bytes,
            growth,
            unit: window_unit,
        }
    }

    /// Opens the window for newly acknowledged bytes: it doubles each round below the threshold, and grows by a segment
    /// a round above.
    #[inline]
    pub(super) fn grow(&mut self, newly_acked: Bytes) {
        if !self.is_plain {
            return self.grow_otherwise(newly_acked);
        }
        if self.window < self.threshold {
            // RFC 5681, section 3.1, equation 2: cwnd += min(N, SMSS).
            self.window += newly_acked.min(self.segment);
        } else {
            // RFC 5681, section 3.1, equation 3: cwnd += SMSS * SMSS / cwnd.
            let (segment, window) = (self.segment.get(), self.window.get());
            let added = self.remainder + segment * segment;
            self.remainder = added % window;
            self.window += Bytes::new(added / window);
        }
    }

    /// Opens the window by acknowledged bytes or segments, or in whole segments.
    #[inline(never)]
    fn grow_otherwise(&mut self, newly_acked: Bytes) {
        let segment = self.segment.get();
        let segments = if newly_acked == self.segment { 1 } else { newly_acked.get().div_ceil(segment) };
        let mut counted = match (self.growth, self.unit) {
            (Growth::Acknowledgements, _) => newly_acked.min(self.segment),
            (Growth::Bytes, WindowUnit::Bytes) => newly_acked,
            (Growth::Bytes, WindowUnit::Segments) | (Growth::Segments, _) => self.segment * segments,
        };
        if self.window < self.threshold {
            let room = self.threshold - self.window;
            if self.growth != Growth::Segments {
                // RFC 3465, section 2.2: L = 2 * SMSS.
                self.window += counted.min(self.segment * 2).min(room);
                return;
            }
            let added = counted.min(room);
            self.window += added;
            if added == counted {
                return;
            }
            counted -= added;
        }
        if self.growth == Growth::Acknowledgements {
            counted = self.segment;
        }
        match self.unit {
            WindowUnit::Bytes => {
                let added = self.remainder + segment * counted.get();
                self.remainder = added % self.window.get();
                self.window += Bytes::new(added / self.window.get());
            }
            WindowUnit::Segments => {
                let is_one = counted == self.segment;
                self.count_segments(if is_one { 1 } else { counted.get().div_ceil(segment) });
            }
        }
    }

    /// Counts acknowledged segments, and adds one to the window for each window of them.
    fn count_segments(&mut self, acknowledged: u64) {
        let window = self.window.get() / self.segment.get();
        // Left from a larger window, it lets this one grow by one segment and no more.
        if self.remainder >= window {
            self.remainder = 0;
            self.window += self.segment;
        }
        self.remainder += acknowledged;
        if self.remainder >= window {
            self.window += self.segment * (self.remainder / window);
            self.remainder %= window;
        }
    }

    /// Largest window of the unit that is not above `window`.
    fn in_units(&self, window: Bytes) -> Bytes {
        match self.unit {
            WindowUnit::Bytes => window,
            WindowUnit::Segments => self.segment * (window.get() / self.segment.get()),
        }
    }

    /// Cuts the window by a share of it, 0 to 1, which is rounded down to the unit.
    pub(super) fn lower_by(&mut self, share: f64) {
        let lowered = match self.unit {
            WindowUnit::Bytes => Bytes::from_f64(self.window.as_f64() * (1.0 - share)),
            WindowUnit::Segments => {
                let cut = Bytes::from_f64(self.window.as_f64() * share);
                self.window - self.in_units(cut)
            }
        };
        self.lower_to(lowered);
    }

    /// Halves the window for a mark.
    pub(super) fn halve(&mut self) {
        self.lower_to(Bytes::new(self.window.get() / 2));
    }

    /// Cuts the window and the slow-start threshold to `window`, but not below two segments.
    fn cut_to(&mut self, window: Bytes) {
        self.threshold = self.in_units(window).max(self.segment * WINDOW_FLOOR);
        self.window = self.threshold;
        self.remainder = 0;
    }

    /// Cuts the window and the slow-start threshold for a mark. A window that a timeout left below two segments is not
    /// raised.
    fn lower_to(&mut self, window: Bytes) {
        let before = self.window;
        self.cut_to(window);
        self.window = self.window.min(before);
    }
}

impl CongestionControl for Reno {
    type Parameters = Parameters;

    #[inline]
    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        if ack.window_limited {
            self.grow(ack.newly_acked);
        }
    }

    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        // RFC 5681, section 3.1, equation 4: ssthresh = max(FlightSize / 2, 2 * SMSS).
        self.cut_to(Bytes::new(loss.in_flight.get() / 2));
        if loss.kind == LossKind::Timeout {
            self.window = self.segment;
        }
    }

    fn on_recovered(&mut self, _now: Time, in_flight: Bytes) {
        // RFC 6582, section 3.2, step 3: cwnd = min(ssthresh, max(FlightSize, SMSS) + SMSS).
        self.window = self.threshold.min(in_flight.max(self.segment) + self.segment);
    }

    fn on_idle(&mut self, restart_window: Bytes) {
        self.window = self.window.min(restart_window);
    }

    #[inline]
    fn window(&self) -> Bytes {
        self.window
    }

    fn threshold(&self) -> Option<Bytes> {
        (self.threshold < Bytes::MAX).then_some(self.threshold)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::Rate;

    const SEGMENT: u64 = 1460;

    fn reno(segments: u64) -> Reno {
        let initial_window = Bytes::new(segments * SEGMENT);
        let flow =
            Flow { segment: Bytes::new(SEGMENT), initial_window, line_rate: Rate::MAX, ..Flow::default() };
        Reno::new(&Parameters {}, &flow)
    }

    fn ack(bytes: u64) -> Ack<'static> {
        Ack { newly_acked: Bytes::new(bytes), window_limited: true, ..Ack::default() }
    }

    fn loss(segments: u64, kind: LossKind) -> Loss {
        Loss { in_flight: Bytes::new(segments * SEGMENT), kind, first_lost: 0, next_sequence: 0 }
    }

    /// RFC 5681, section 3.1, equation 2.
    #[test]
    fn slow_start_doubles_each_round() {
        let mut reno = reno(10);
        for expected in [29_200, 58_400, 116_800] {
            for _ in 0..reno.window().get() / SEGMENT {
                reno.on_ack(Time::ZERO, &ack(SEGMENT));
            }
            assert_eq!(reno.window(), Bytes::new(expected));
        }
    }

    /// RFC 5681, section 3.1, equation 3. By hand, real arithmetic gives 15,999.63.
    #[test]
    fn congestion_avoidance_adds_a_segment_a_round() {
        let mut reno = reno(10);
        reno.threshold = Bytes::ZERO;
        for _ in 0..10 {
            reno.on_ack(Time::ZERO, &ack(SEGMENT));
        }
        assert_eq!(reno.window(), Bytes::new(15_999));
    }

    /// In whole bytes each acknowledgement would add one byte, and a round 4000.
    #[test]
    fn a_large_window_adds_a_segment_a_round_too() {
        let mut reno = reno(4000);
        reno.threshold = Bytes::ZERO;
        for round in 1..=10 {
            for _ in 0..4000 + round {
                reno.on_ack(Time::ZERO, &ack(SEGMENT));
            }
            let added = reno.window().get() - 4000 * SEGMENT;
            assert!(added.abs_diff(round * SEGMENT) <= round, "{added} in {round} rounds");
        }
    }

    /// RFC 5681, section 3.1, equation 4. The transport adds the three segments of inflation (section 3.2, step 3).
    #[test]
    fn a_loss_halves_what_was_in_flight() {
        let mut reno = reno(20);
        reno.on_loss(Time::ZERO, &loss(20, LossKind::Recovery));
        assert_eq!(reno.window(), Bytes::new(10 * SEGMENT));
        reno.on_recovered(Time::ZERO, Bytes::new(10 * SEGMENT));
        assert_eq!(reno.window(), Bytes::new(10 * SEGMENT));
    }

    #[test]
    fn a_timeout_leaves_one_segment_and_half_the_threshold() {
        let mut reno = reno(20);
        reno.on_loss(Time::ZERO, &loss(20, LossKind::Timeout));
        assert_eq!(reno.window(), Bytes::new(SEGMENT));
        assert_eq!(reno.threshold, Bytes::new(10 * SEGMENT));
    }

    #[test]
    fn an_idle_window_restarts_below_its_threshold() {
        let mut reno = reno(40);
        reno.on_loss(Time::ZERO, &loss(40, LossKind::Recovery));
        reno.on_idle(Bytes::new(10 * SEGMENT));
        assert_eq!(reno.window(), Bytes::new(10 * SEGMENT));
        assert_eq!(reno.threshold, Bytes::new(20 * SEGMENT));
        reno.on_idle(Bytes::new(30 * SEGMENT));
        assert_eq!(reno.window(), Bytes::new(10 * SEGMENT), "a restart never raises it");
    }

    #[test]
    fn a_window_that_was_not_the_limit_does_not_grow() {
        let mut reno = reno(10);
        reno.on_ack(Time::ZERO, &Ack { window_limited: false, ..ack(SEGMENT) });
        assert_eq!(reno.window(), Bytes::new(10 * SEGMENT));
    }

    /// Makes a flow with a window of so many segments, a threshold, and rules of growth and unit of its own.
    fn reno_by(segments: u64, threshold: u64, growth: Growth, window_unit: WindowUnit) -> Reno {
        let segment = Bytes::new(SEGMENT);
        let initial_threshold = Some(segment * threshold);
        let initial_window = segment * segments;
        let flow =
            Flow { segment, initial_window, initial_threshold, growth, window_unit, ..Flow::default() };
        Reno::new(&Parameters {}, &flow)
    }

    /// Windows in segments after acknowledgements of so many bytes.
    fn windows(reno: &mut Reno, acknowledged: &[u64]) -> Vec<u64> {
        let mut after = |&bytes: &u64| {
            reno.on_ack(Time::ZERO, &ack(bytes));
            assert_eq!(reno.window().get() % SEGMENT, 0, "whole segments");
            reno.window().get() / SEGMENT
        };
        acknowledged.iter().map(&mut after).collect()
    }

    /// Computed by hand from Linux (`tcp_cong_avoid_ai`): two segments with each acknowledgement, one more for each
    /// window of them. The twelfth segment of eleven counts for the next.
    #[test]
    fn whole_segments_are_added_once_a_window_of_them_is_acknowledged() {
        for growth in [Growth::Segments, Growth::Bytes] {
            let mut reno = reno_by(10, 10, growth, WindowUnit::Segments);
            let expected = [10, 10, 10, 10, 11, 11, 11, 11, 11, 11, 12, 12];
            assert_eq!(windows(&mut reno, &[2 * SEGMENT; 12]), expected, "{growth:?}");
            // Three are counted. Parts of a segment count as one.
            assert_eq!(windows(&mut reno, &[8 * SEGMENT, 1, 25 * SEGMENT + 1]), [12, 13, 15], "{growth:?}");
        }
    }

    #[test]
    fn an_acknowledgement_may_count_as_one_segment_whatever_it_covers() {
        let mut reno = reno_by(4, 4, Growth::Acknowledgements, WindowUnit::Segments);
        assert_eq!(windows(&mut reno, &[1, SEGMENT, 3 * SEGMENT, SEGMENT, SEGMENT]), [4, 4, 4, 5, 5]);
    }

    /// Thirty segments were counted towards a window of 40 when the connection fell idle.
    #[test]
    fn a_count_left_from_a_larger_window_adds_one_segment() {
        let mut reno = reno_by(40, 10, Growth::Segments, WindowUnit::Segments);
        assert_eq!(windows(&mut reno, &[30 * SEGMENT]), [40]);
        reno.on_idle(Bytes::new(10 * SEGMENT));
        assert_eq!(windows(&mut reno, &[SEGMENT, 9 * SEGMENT, SEGMENT]), [11, 11, 12]);
    }

    /// Five segments are acknowledged two segments below the threshold: in Linux the other three count above it.
    #[test]
    fn slow_start_by_segments_ends_at_the_threshold() {
        let mut reno = reno_by(10, 12, Growth::Segments, WindowUnit::Segments);
        assert_eq!(windows(&mut reno, &[5 * SEGMENT, 8 * SEGMENT, SEGMENT]), [12, 12, 13]);
        let mut reno = reno_by(10, 12, Growth::Segments, WindowUnit::Segments);
        assert_eq!(windows(&mut reno, &[2 * SEGMENT, 11 * SEGMENT, SEGMENT]), [12, 12, 13]);
    }

    /// RFC 3465, section 2.2: an acknowledgement adds two segments at most.
    #[test]
    fn slow_start_by_bytes_adds_two_segments_at_most_and_ends_at_the_threshold() {
        let mut reno = reno_by(10, 13, Growth::Bytes, WindowUnit::Bytes);
        assert_eq!(windows(&mut reno, &[3 * SEGMENT, 3 * SEGMENT]), [12, 13]);
        reno.on_ack(Time::ZERO, &ack(3 * SEGMENT));
        // By hand: 1460 * 4380 / 18980.
        assert_eq!(reno.window(), Bytes::new(13 * SEGMENT + 336));
    }

    /// RFC 3465, section 2.1. In whole bytes each acknowledgement would add one byte of its 1.095.
    #[test]
    fn bytes_add_a_segment_a_window_of_them() {
        let mut reno = reno_by(4000, 4000, Growth::Bytes, WindowUnit::Bytes);
        for _ in 0..4000 {
            reno.on_ack(Time::ZERO, &ack(3 * SEGMENT));
        }
        let added = reno.window().get() - 4000 * SEGMENT;
        assert!(added.abs_diff(3 * SEGMENT) <= 3, "{added}");
    }

    /// An eighth of 50 segments is 6.25: in whole segments, 6 are cut off.
    #[test]
    fn a_mark_cuts_whole_segments() {
        for (unit, expected) in
            [(WindowUnit::Bytes, 43 * SEGMENT + 1095), (WindowUnit::Segments, 44 * SEGMENT)]
        {
            let mut reno = reno_by(50, 50, Growth::Segments, unit);
            reno.lower_by(0.125);
            assert_eq!(reno.window(), Bytes::new(expected), "{unit:?}");
        }
    }

    /// RFC 6582, section 3.2, step 3, with a threshold of 10 segments.
    #[test]
    fn after_a_recovery_the_window_is_one_segment_beyond_what_is_out() {
        for (in_flight, expected) in [(0, 2), (4, 5), (40, 10)] {
            let mut reno = reno(20);
            reno.on_loss(Time::ZERO, &loss(20, LossKind::Recovery));
            reno.on_recovered(Time::ZERO, Bytes::new(in_flight * SEGMENT));
            assert_eq!(reno.window(), Bytes::new(expected * SEGMENT));
        }
    }
}
