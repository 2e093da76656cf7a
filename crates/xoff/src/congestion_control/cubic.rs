//! CUBIC: grows the window with the time since its last reduction, along a cubic curve (RFC 9438).
//! The curve is flat at the window of the last reduction: growth is fast at first, slow around that window, and fast
//! again beyond it. Growth depends on time and not on round trips, so flows with unequal round-trip times share a link
//! more evenly. On short round trips the curve is slower than Reno, and the window grows as Reno's does.
//! With `window_unit = "segments"` the window grows as in Linux: a counter adds whole segments towards a target in whole
//! segments, the shortest round-trip time counts, and a reduction leaves 717/1024.
//! Left out: HyStart++ (section 4.10), spurious congestion events (section 4.9).
//! Differs: the round-trip time is that of the last round, timed from acknowledgements, and not the transport's
//! smoothed estimate; an echo takes the window itself for what is in flight.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::once_a_window::OnceAWindow;
use super::{Ack, CongestionControl, Echo, Flow, Growth, Loss, LossKind, Needs, WindowUnit};
use crate::kernel::units::{Bytes, Span, Time};

/// Settings of CUBIC.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Whether packets are ECN-capable, and an echo reduces the window as a loss does, once a window (RFC 3168).
    pub ecn: bool,
}

/// Steepness of the curve, in segments per cubic second [C].
const SCALE: f64 = 0.4;
/// Share of the window that a reduction leaves [beta_cubic].
const DECREASE: f64 = 0.7;
/// Segments that Reno adds in a round if it keeps `DECREASE` of its window at a loss and is as fast as by halving
/// (equation 4) [alpha_cubic].
const FRIENDLY_INCREASE: f64 = 3.0 * (1.0 - DECREASE) / (1.0 + DECREASE);
/// Share of the window that a reduction leaves in Linux [beta].
const KERNEL_DECREASE: f64 = 717.0 / 1024.0;
/// Segments acknowledged, in windows, for which Linux has Reno add one segment [`beta_scale`].
const KERNEL_FRIENDLY: f64 = 15.0 / 8.0;
/// Windows of acknowledgements for one more segment at the plateau, in Linux.
const KERNEL_PLATEAU: f64 = 100.0;
/// Acknowledgements for one more segment, at most, before the first reduction in Linux.
const KERNEL_FIRST: f64 = 20.0;
/// Most that a round may multiply the window by.
const MOST_GROWTH: f64 = 1.5;
/// Least slow-start threshold and least window after a loss, in segments.
const FLOOR: f64 = 2.0;

/// State of one flow under CUBIC. Windows are in segments.
#[derive(Clone, Debug)]
pub struct Cubic {
    /// Payload bytes of a segment.
    segment: f64,
    /// Window [cwnd].
    window: f64,
    /// Slow-start threshold [ssthresh].
    threshold: f64,
    /// Window at the last reduction, or less than that by fast convergence [W_max].
    plateau: f64,
    /// Window just before the last reduction [cwnd_prior].
    prior: f64,
    epoch: Option<Epoch>,
    /// Time of the last acknowledgement; `Time::MAX` before the first.
    heard: Time,
    rounds: Rounds,
    reductions: OnceAWindow,
    growth: Growth,
    unit: WindowUnit,
    /// Segments acknowledged since the window last grew, in whole segments [`snd_cwnd_cnt`].
    counted: f64,
}

/// Stage of congestion avoidance, from one reduction of the window to the next.
#[derive(Clone, Debug)]
struct Epoch {
    curve: Curve,
    /// Time since the last reduction, less the time in which the window was not the limit (section 4.2) [t].
    elapsed: Span,
    /// Window that Reno would have [W_est].
    friendly: f64,
}

impl Epoch {
    /// Goes on with a stage by the time since the last acknowledgement, or begins one at `window`.
    fn go_on(stage: &mut Option<Self>, since_last: Span, window: f64, plateau: f64) -> &mut Self {
        match stage {
            Some(epoch) => {
                epoch.elapsed += since_last;
                epoch
            }
            none => {
                let curve = Curve::new(window, plateau);
                none.insert(Self { curve, elapsed: Span::ZERO, friendly: window })
            }
        }
    }
}

/// The cubic function W_cubic(t) = C (t - K)^3 + W_max (equation 1).
#[derive(Clone, Debug)]
struct Curve {
    /// Window at which the curve is flat [W_max].
    plateau: f64,
    /// Seconds from the begin of the curve to its plateau [K].
    rise: f64,
}

impl Curve {
    /// Makes the curve that begins at `window` and is flat at `plateau`, or at `window` if that is larger.
    fn new(window: f64, plateau: f64) -> Self {
        let plateau = plateau.max(window);
        // Equation 2: K = cbrt((W_max - cwnd) / C). The platform's own cube root differs from one machine to the next.
        Self { plateau, rise: libm::cbrt((plateau - window) / SCALE) }
    }

    /// Window `seconds` after the begin of the curve, in segments [W_cubic].
    fn at(&self, seconds: f64) -> f64 {
        let from_plateau = seconds - self.rise;
        SCALE * from_plateau * from_plateau * from_plateau + self.plateau
    }
}

/// Clock of round trips, which times one segment at a time.
#[derive(Clone, Debug)]
struct Rounds {
    /// First byte of the segment that is timed; `u64::MAX` for none.
    timed: u64,
    /// Time at which it was the next to be sent.
    sent: Time,
    /// Duration of the last round; zero before its end [RTT].
    round_trip: Span,
    /// Duration of the shortest round; zero before the first has ended [`delay_min`].
    shortest: Span,
}

impl Rounds {
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        if self.timed < u64::MAX {
            if ack.cumulative <= self.timed {
                return;
            }
            self.round_trip = now.since(self.sent);
            let is_first = self.shortest == Span::ZERO;
            self.shortest = if is_first { self.round_trip } else { self.shortest.min(self.round_trip) };
        }
        (self.timed, self.sent) = (ack.next_sequence, now);
    }
}

impl Cubic {
    /// Makes the state of one flow.
    pub fn new(_parameters: &Parameters, flow: &Flow) -> Self {
        let segment = flow.segment.as_f64();
        Self {
            segment,
            window: flow.initial_window.as_f64() / segment,
            threshold: flow.initial_threshold.map_or(f64::INFINITY, |threshold| threshold.as_f64() / segment),
            plateau: 0.0,
            prior: 0.0,
            epoch: None,
            heard: Time::MAX,
            rounds: Rounds {
                timed: u64::MAX,
                sent: Time::ZERO,
                round_trip: Span::ZERO,
                shortest: Span::ZERO,
            },
            reductions: OnceAWindow::default(),
            growth: flow.growth,
            unit: flow.window_unit,
            counted: 0.0,
        }
    }

    /// Moves the window along the curve, or as Reno would where that is faster (sections 4.2 to 4.5).
    fn avoid_congestion(&mut self, newly_acked: f64, since_last: Span) {
        if self.unit == WindowUnit::Segments {
            return self.count_segments(newly_acked, since_last);
        }
        let window = self.window;
        let epoch = Epoch::go_on(&mut self.epoch, since_last, window, self.plateau);
        // Section 4.3, equation 4: W_est += alpha_cubic * segments_acked / cwnd.
        let increase = if epoch.friendly < self.prior { FRIENDLY_INCREASE } else { 1.0 };
        epoch.friendly += increase * newly_acked / window;
        let seconds = epoch.elapsed.as_seconds();
        if epoch.curve.at(seconds) < epoch.friendly {
            self.window = window.max(epoch.friendly);
        } else {
            // Sections 4.4 and 4.5: cwnd += (target - cwnd) / cwnd, where target = W_cubic(t + RTT).
            let next_round = epoch.curve.at(seconds + self.rounds.round_trip.as_seconds());
            let counted = if self.growth == Growth::Acknowledgements { 1.0 } else { newly_acked };
            self.window += counted * (next_round.clamp(window, MOST_GROWTH * window) - window) / window;
        }
    }

    /// Counts acknowledged segments, and adds one to the window for as many as the curve asks for (Linux).
    fn count_segments(&mut self, acknowledged: f64, since_last: Span) {
        let acknowledged =
            if self.growth == Growth::Acknowledgements { acknowledged.min(1.0) } else { acknowledged };
        let window = self.window;
        let epoch = Epoch::go_on(&mut self.epoch, since_last, window, self.plateau);
        epoch.friendly += acknowledged / (KERNEL_FRIENDLY * window);
        let seconds = epoch.elapsed.as_seconds() + self.rounds.shortest.as_seconds();
        let beyond = epoch.curve.at(seconds) - epoch.curve.plateau;
        let target = epoch.curve.plateau + beyond.trunc();
        let mut needed =
            if target > window { (window / (target - window)).floor() } else { KERNEL_PLATEAU * window };
        if self.plateau == 0.0 {
            needed = needed.min(KERNEL_FIRST);
        }
        let friendly = epoch.friendly.floor();
        if friendly > window {
            needed = needed.min((window / (friendly - window)).floor());
        }
        // Half a window more in a round, at most.
        needed = needed.max(2.0);
        if self.counted >= needed {
            self.counted = 0.0;
            self.window += 1.0;
        }
        self.counted += acknowledged;
        let added = (self.counted / needed).floor();
        self.counted -= added * needed;
        self.window += added;
    }

    /// Window of which a share of `in_flight` segments is left.
    fn share_of(&self, in_flight: f64) -> f64 {
        match self.unit {
            WindowUnit::Bytes => in_flight * DECREASE,
            WindowUnit::Segments => (in_flight * KERNEL_DECREASE).floor(),
        }
    }

    /// Reduces the window to 0.7 of what is in flight, but not below `floor` segments (section 4.6).
    ///
    /// A window that was still below its last plateau lowers the next plateau, which makes room for new flows (fast
    /// convergence, section 4.7).
    fn reduce(&mut self, in_flight: f64, floor: f64) {
        let converges = self.window < self.plateau;
        self.plateau = if converges { self.window * f64::midpoint(1.0, DECREASE) } else { self.window };
        self.prior = self.window;
        let share = self.share_of(in_flight);
        self.threshold = share.max(FLOOR);
        self.window = share.max(floor);
        self.counted = 0.0;
        self.epoch = None;
    }
}

impl CongestionControl for Cubic {
    type Parameters = Parameters;

    fn needs(parameters: &Parameters) -> Needs {
        Needs::Acknowledgements(if parameters.ecn { Echo::Latched } else { Echo::None })
    }

    // Inlined, it would cost those that are called beside it.
    #[inline(never)]
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let since_last = if self.heard == Time::MAX { Span::ZERO } else { now.since(self.heard) };
        self.heard = now;
        self.rounds.on_ack(now, ack);
        if ack.echo {
            if self.reductions.on_echo(ack) {
                let floor = if self.unit == WindowUnit::Segments { FLOOR } else { 1.0 };
                self.reduce(self.window, floor);
            }
            return;
        }
        if !ack.window_limited {
            return;
        }
        let mut newly_acked = ack.newly_acked.as_f64() / self.segment;
        if self.unit == WindowUnit::Segments {
            newly_acked = newly_acked.ceil();
        }
        if self.window < self.threshold {
            let (most, limit) = match self.growth {
                Growth::Acknowledgements => (1.0, f64::INFINITY),
                Growth::Bytes => (2.0, self.threshold - self.window),
                Growth::Segments => (f64::INFINITY, self.threshold - self.window),
            };
            let added = newly_acked.min(most).min(limit);
            self.window += added;
            newly_acked -= added;
            if self.growth != Growth::Segments || newly_acked == 0.0 {
                return;
            }
        }
        self.avoid_congestion(newly_acked, since_last);
    }

    /// Reduces the window, and lets a timeout leave one segment. The next stage then begins on its plateau (section
    /// 4.8).
    fn on_loss(&mut self, _now: Time, loss: &Loss) {
        if !self.reductions.on_loss(loss) {
            return;
        }
        // From one recovery into the next, what is lost or has arrived beyond a gap counts as in flight and may exceed the window.
        let in_flight = loss.in_flight.as_f64() / self.segment;
        self.reduce(in_flight.min(self.window), FLOOR);
        if loss.kind == LossKind::Timeout {
            self.window = 1.0;
            self.plateau = 0.0;
        }
    }

    fn on_recovered(&mut self, _now: Time, in_flight: Bytes) {
        let in_flight = in_flight.as_f64() / self.segment;
        self.window = self.threshold.min(in_flight.max(1.0) + 1.0);
    }

    /// Time in which nothing was in flight is no part of congestion avoidance, nor of a round.
    fn on_quiet(&mut self, _rested: bool) {
        self.heard = Time::MAX;
        self.rounds.timed = u64::MAX;
    }

    fn on_idle(&mut self, restart_window: Bytes) {
        self.window = self.window.min(restart_window.as_f64() / self.segment);
        self.epoch = None;
    }

    fn window(&self) -> Bytes {
        Bytes::from_f64(self.window * self.segment)
    }

    fn threshold(&self) -> Option<Bytes> {
        self.threshold.is_finite().then(|| Bytes::from_f64(self.threshold * self.segment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEGMENT: u64 = 1000;

    fn cubic(window: u64) -> Cubic {
        let segment = Bytes::new(SEGMENT);
        let flow = Flow { segment, initial_window: segment * window, ..Flow::default() };
        Cubic::new(&Parameters::default(), &flow)
    }

    fn loss(segments: f64, kind: LossKind) -> Loss {
        let in_flight = Bytes::from_f64(segments * SEGMENT as f64);
        Loss { in_flight, kind, first_lost: 0, next_sequence: in_flight.get() }
    }

    /// Makes a flow whose window was `window` segments when it just lost a packet.
    fn reduced(window: u64) -> Cubic {
        let mut cubic = cubic(window);
        cubic.on_loss(Time::ZERO, &loss(window as f64, LossKind::Recovery));
        cubic
    }

    /// Acknowledges as many segments as the window holds, `round_trip` after the last acknowledgement.
    fn round(cubic: &mut Cubic, now: &mut Time, round_trip: Span, echo: bool) {
        *now = *now + round_trip;
        let cumulative = now.get();
        let newly_acked = Bytes::from_f64(cubic.window * SEGMENT as f64);
        let next_sequence = cumulative + 1;
        let ack =
            Ack { newly_acked, echo, cumulative, next_sequence, window_limited: true, ..Ack::default() };
        cubic.on_ack(*now, &ack);
    }

    fn assert_near(measured: f64, expected: f64) {
        assert!((measured - expected).abs() < 1e-6 * expected, "{measured}, expected {expected}");
    }

    /// Computed by hand from equations 1, 2 and 4: W_max 100, from a window of 70.
    #[test]
    fn the_curve_is_flat_where_the_window_was() {
        let curve = Curve::new(70.0, 100.0);
        assert_near(curve.rise, 4.217_163_3);
        assert_near(curve.at(0.0), 70.0);
        assert_near(curve.at(1.0), 86.680_764);
        assert_near(curve.at(curve.rise), 100.0);
        assert_near(curve.at(6.0), 102.266_703);
        assert_near(FRIENDLY_INCREASE, 0.529_411_8);
    }

    #[test]
    fn a_window_above_its_plateau_begins_on_it() {
        let curve = Curve::new(120.0, 100.0);
        assert_near(curve.rise + 1.0, 1.0);
        assert_near(curve.at(1.0), 120.4);
    }

    /// Computed by hand from section 4.7: cwnd 80 is below W_max 100.
    #[test]
    fn a_window_that_did_not_come_back_makes_room() {
        let mut cubic = reduced(100);
        assert_near(cubic.window, 70.0);
        assert_near(cubic.plateau, 100.0);
        cubic.window = 80.0;
        cubic.on_loss(
            Time::ZERO,
            &Loss { first_lost: 1 << 40, next_sequence: 1 << 41, ..loss(80.0, LossKind::Recovery) },
        );
        assert_near(cubic.plateau, 68.0);
        assert_near(cubic.window, 56.0);
    }

    #[test]
    fn a_window_that_came_back_keeps_its_plateau() {
        let mut cubic = reduced(100);
        cubic.window = 100.0;
        let next = Loss { first_lost: 1 << 40, next_sequence: 1 << 41, ..loss(100.0, LossKind::Recovery) };
        cubic.on_loss(Time::ZERO, &next);
        assert_near(cubic.plateau, 100.0);
    }

    /// A window of 100 segments of which the application had 50 to send: seven tenths of these are left.
    #[test]
    fn a_loss_leaves_seven_tenths_of_what_was_in_flight() {
        let mut cubic = cubic(100);
        cubic.on_loss(Time::ZERO, &loss(50.0, LossKind::Recovery));
        assert_near(cubic.window, 35.0);
    }

    /// RFC 6582, section 3.2, step 3, with a threshold of 70 segments.
    #[test]
    fn after_a_recovery_the_window_is_one_segment_beyond_what_is_out() {
        for (in_flight, expected) in [(0, 2.0), (10, 11.0), (100, 70.0)] {
            let mut cubic = reduced(100);
            cubic.on_recovered(Time::ZERO, Bytes::new(in_flight * SEGMENT));
            assert_near(cubic.window, expected);
        }
    }

    #[test]
    fn an_idle_window_restarts_on_a_curve_of_its_own() {
        let (mut cubic, mut now) = (reduced(100), Time::ZERO);
        round(&mut cubic, &mut now, Span::from_milliseconds(1), false);
        cubic.on_idle(Bytes::new(10 * SEGMENT));
        assert_near(cubic.window, 10.0);
        assert!(cubic.epoch.is_none(), "time begins anew");
        cubic.on_idle(Bytes::new(20 * SEGMENT));
        assert_near(cubic.window, 10.0);
    }

    #[test]
    fn time_in_which_nothing_is_in_flight_does_not_count() {
        let (mut cubic, mut now) = (reduced(100), Time::ZERO);
        let millisecond = Span::from_milliseconds(1);
        (0..3).for_each(|_| round(&mut cubic, &mut now, millisecond, false));
        cubic.on_quiet(true);
        round(&mut cubic, &mut now, Span::from_milliseconds(5000), false);
        assert_eq!(cubic.epoch.as_ref().map(|epoch| epoch.elapsed), Some(Span::from_milliseconds(2)));
        assert_eq!(cubic.rounds.round_trip, millisecond);
    }

    /// Makes a flow as in Linux, in congestion avoidance with a window of `window` whole segments.
    fn in_segments(window: u64, growth: Growth) -> Cubic {
        let segment = Bytes::new(SEGMENT);
        let initial_window = segment * window;
        let flow = Flow {
            segment,
            initial_window,
            initial_threshold: Some(initial_window),
            growth,
            window_unit: WindowUnit::Segments,
            ..Flow::default()
        };
        Cubic::new(&Parameters::default(), &flow)
    }

    /// Makes a flow as in Linux whose window of 100 segments was just reduced, and whose shortest round took so many
    /// seconds.
    fn reduced_in_segments(shortest: u64, growth: Growth) -> Cubic {
        let mut cubic = in_segments(100, growth);
        for (seconds, cumulative) in [(0, 1), (shortest + 2, 11), (2 * shortest + 2, 21)] {
            let ack = Ack { cumulative, next_sequence: cumulative + 9, ..Ack::default() };
            cubic.on_ack(Time::ZERO + Span::from_milliseconds(1000 * seconds), &ack);
        }
        cubic.on_loss(Time::ZERO, &loss(100.0, LossKind::Recovery));
        // Of 100 * 717 / 1024.
        assert_near(cubic.window, 70.0);
        cubic
    }

    /// Acknowledges `bytes` so often, without a moment in between, and returns which acknowledgements let the window grow.
    fn grows_at(cubic: &mut Cubic, acknowledgements: u64, bytes: u64) -> Vec<u64> {
        let ack = Ack { newly_acked: Bytes::new(bytes), window_limited: true, ..Ack::default() };
        let now = if cubic.heard == Time::MAX { Time::ZERO } else { cubic.heard };
        let mut grows = |_: &u64| {
            let before = cubic.window;
            cubic.on_ack(now, &ack);
            cubic.window > before
        };
        (1..=acknowledgements).filter(|number| grows(number)).collect()
    }

    /// Computed by hand from Linux (`tcp_cubic.c`). In a round of one second the curve from 70 to 100 segments comes to
    /// 86.7, of which 13.3 are missing: the target is 87. The next segment takes 70 / 17 acknowledgements, rounded down,
    /// then 71 / 16, 72 / 15, and so on.
    #[test]
    fn whole_segments_are_counted_towards_a_target() {
        let expected = [4, 8, 12, 17, 22, 28, 34];
        assert_eq!(grows_at(&mut reduced_in_segments(1, Growth::Segments), 34, SEGMENT), expected);
        assert_eq!(grows_at(&mut reduced_in_segments(1, Growth::Segments), 34, 1), expected, "parts count");
        let each = &mut reduced_in_segments(1, Growth::Acknowledgements);
        assert_eq!(grows_at(each, 34, 5 * SEGMENT), expected, "each acknowledgement counts as one segment");
    }

    /// A round of 10 s leads far beyond the plateau, to 177.4 segments.
    #[test]
    fn whole_segments_grow_by_half_a_window_a_round_at_most() {
        let mut cubic = reduced_in_segments(10, Growth::Segments);
        assert_eq!(grows_at(&mut cubic, 6, SEGMENT), [2, 4, 6]);
        for (segments, expected) in [(5, 75.0), (1, 76.0)] {
            grows_at(&mut cubic, 1, segments * SEGMENT);
            assert_near(cubic.window, expected);
        }
    }

    /// On the plateau the curve asks for 10,000 acknowledgements. Reno has one segment more after 15/8 of a window of
    /// 100: with acknowledgement 188; and after 15/8 of a window of 101, with acknowledgement 377.
    #[test]
    fn whole_segments_grow_as_reno_does_where_the_curve_is_flat() {
        let mut cubic = in_segments(100, Growth::Segments);
        cubic.plateau = 100.0;
        assert_eq!(grows_at(&mut cubic, 400, SEGMENT), [188, 377]);
        let mut cubic = in_segments(1000, Growth::Segments);
        cubic.plateau = 1000.0;
        assert!(grows_at(&mut cubic, 1800, SEGMENT).is_empty(), "by the curve alone it takes 100,000");
    }

    /// Reno's window is four segments ahead of 100, then three of 101, then two of 102: the next segment takes 25, 33 and 51
    /// acknowledgements, of which the first has come before.
    #[test]
    fn whole_segments_catch_up_with_reno() {
        let mut cubic = in_segments(100, Growth::Segments);
        cubic.plateau = 100.0;
        grows_at(&mut cubic, 1, SEGMENT);
        cubic.epoch.as_mut().unwrap().friendly = 104.0;
        assert_eq!(grows_at(&mut cubic, 110, SEGMENT), [24, 57, 108]);
    }

    #[test]
    fn before_the_first_reduction_twenty_acknowledgements_add_a_segment() {
        assert_eq!(grows_at(&mut in_segments(100, Growth::Segments), 70, SEGMENT), [20, 40, 60]);
    }

    /// Five segments are acknowledged two segments below the threshold: in Linux the other three count above, so that
    /// 17 more make 20.
    #[test]
    fn slow_start_ends_at_the_threshold() {
        for (growth, reached, then) in [
            (Growth::Segments, 12.0, vec![17]),
            (Growth::Bytes, 12.0, vec![20]),
            (Growth::Acknowledgements, 11.0, vec![1]),
        ] {
            let mut cubic = in_segments(10, growth);
            cubic.threshold = 12.0;
            grows_at(&mut cubic, 1, 5 * SEGMENT);
            assert_near(cubic.window, reached);
            assert_eq!(grows_at(&mut cubic, 20, SEGMENT), then, "{growth:?}");
        }
        let mut cubic = in_segments(10, Growth::Bytes);
        cubic.threshold = 11.0;
        grows_at(&mut cubic, 1, 2 * SEGMENT);
        assert_near(cubic.window, 11.0);
    }

    /// In whole segments an echo leaves two at least.
    #[test]
    fn an_echo_leaves_whole_segments() {
        for (before, after) in [(100, 70.0), (3, 2.0), (2, 2.0)] {
            let mut cubic = in_segments(before, Growth::Segments);
            cubic
                .on_ack(Time::ZERO, &Ack { echo: true, cumulative: 1, next_sequence: 500, ..Ack::default() });
            assert_near(cubic.window, after);
        }
    }

    /// 140 segments are out, more than a window of 100 allows: seven tenths of them would be 98 and reduce almost
    /// nothing.
    #[test]
    fn each_loss_reduces_the_window() {
        let mut cubic = cubic(100);
        cubic.on_loss(Time::ZERO, &loss(140.0, LossKind::Recovery));
        assert_near(cubic.window, 70.0);
    }

    /// Computed by hand from section 4.3: with the round trips of a datacenter the curve is far slower than Reno.
    #[test]
    fn with_short_rounds_it_grows_as_reno_does() {
        let (mut cubic, mut now) = (reduced(100), Time::ZERO);
        for _ in 0..1000 {
            round(&mut cubic, &mut now, Span::from_microseconds(100), false);
        }
        assert!((cubic.window - 1043.18).abs() < 0.01, "{}", cubic.window);
    }

    /// With rounds of a second the curve is faster than Reno. A round aims at the curve one round ahead, and each
    /// acknowledgement covers one segment's share of the way.
    #[test]
    fn with_long_rounds_it_follows_the_curve() {
        let (mut cubic, mut now) = (reduced(100), Time::ZERO);
        let second = Span::from_milliseconds(1000);
        round(&mut cubic, &mut now, second, false);
        assert_near(cubic.window, 70.0 + 0.529_411_8);
        let curve = Curve::new(70.0, 100.0);
        for elapsed in 1..6_u32 {
            let window = cubic.window;
            round(&mut cubic, &mut now, second, false);
            let target = curve.at(f64::from(elapsed) + 1.0);
            assert_near(cubic.window, window + (target - window) / window);
        }
    }

    #[test]
    fn time_in_which_the_window_is_not_the_limit_does_not_count() {
        let (mut cubic, mut now) = (reduced(100), Time::ZERO);
        let millisecond = Span::from_milliseconds(1);
        round(&mut cubic, &mut now, millisecond, false);
        let (later, cumulative) = (now + Span::from_milliseconds(5000), now.get() + 9);
        cubic.on_ack(later, &Ack { newly_acked: Bytes::new(SEGMENT), cumulative, ..Ack::default() });
        now = later;
        round(&mut cubic, &mut now, millisecond, false);
        assert_eq!(cubic.epoch.map(|epoch| epoch.elapsed), Some(millisecond));
    }

    #[test]
    fn after_a_timeout_it_starts_slowly_up_to_the_threshold_and_on_a_new_plateau() {
        let (mut cubic, mut now) = (cubic(100), Time::ZERO);
        cubic.on_loss(now, &loss(100.0, LossKind::Timeout));
        assert_eq!(cubic.window(), Bytes::new(SEGMENT));
        let round_trip = Span::from_microseconds(100);
        for window in 2..=70 {
            round(&mut cubic, &mut now, round_trip, false);
            assert_near(cubic.window, f64::from(window));
        }
        round(&mut cubic, &mut now, round_trip, false);
        let curve = cubic.epoch.map(|epoch| epoch.curve).unwrap();
        assert_near(curve.plateau, 70.0);
        assert_near(curve.rise + 1.0, 1.0);
    }

    #[test]
    fn an_echo_reduces_the_window_once_a_window_and_to_one_segment_at_least() {
        let mut cubic = cubic(100);
        let echo = |cumulative| Ack { echo: true, cumulative, next_sequence: 500, ..Ack::default() };
        cubic.on_ack(Time::ZERO, &echo(1));
        assert_near(cubic.window, 70.0);
        cubic.on_ack(Time::ZERO, &echo(400));
        assert_near(cubic.window, 70.0);
        cubic.window = 1.2;
        cubic.on_ack(Time::ZERO, &Ack { next_sequence: 900, ..echo(501) });
        assert_eq!((cubic.window(), cubic.threshold), (Bytes::new(SEGMENT), FLOOR));
        cubic.on_loss(
            Time::ZERO,
            &Loss { first_lost: 1000, next_sequence: 2000, ..loss(1.0, LossKind::Recovery) },
        );
        assert_near(cubic.window, FLOOR);
    }
}
