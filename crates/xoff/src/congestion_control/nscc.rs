//! NSCC: sets the window by the mark and the delay of each packet, in four cases (Ultra Ethernet Transport,
//! specification 1.0, "Network Signal-based Congestion Control"; arXiv:2508.08906).
//! An unmarked packet raises the window: in proportion if it waited in queues for less than a target delay, and by a
//! fair share if it waited longer. A marked packet above the target cuts the window by the average delay, at most once
//! a round trip. A marked packet below the target changes nothing, since one path of several is congested and load
//! balancing is to leave it. If much less arrives than was sent, the window becomes what has arrived (quick
//! adaptation).
//! A flow starts with its largest window. It counts every acknowledged packet, in whatever order, since packets may be sprayed.
//! Formulas and values are those of the consortium's reference simulator (htsim, `uec.cpp`). Its increases are for a
//! network of 100 Gb/s and 12 us, with a bandwidth-delay product of 150 kB. On another network they are scaled by the
//! bandwidth-delay product.
//! Left out: reactions to losses that no trimmed packet reports; penalties that receivers ask for; probes.
//! Differs: windows count payload, without headers. Packets shorter than a segment do not lower the base round-trip
//! time, which they would make too short. Every packet is acknowledged by itself, where the reference acknowledges up
//! to 16 KiB together. All delays have the same weight.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ack, CongestionControl, Flow, Needs, Trimmed};
use crate::kernel::units::{Bytes, Ratio, Span, Time};

/// Settings of NSCC.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Round-trip time of an idle fabric. Left out, that of the fabric's longest path: propagation, and the
    /// transmission of a full packet and its acknowledgement on every link. A flow that measures less uses its own.
    #[schemars(extend("x-above" = "0s"))]
    pub base_rtt: Option<Span>,
    /// Target of the time that packets wait in queues; left out, `base_rtt`. Where switches trim packets, the reference
    /// simulator takes three quarters of that [`target_Qdelay`].
    #[schemars(extend("x-above" = "0s"))]
    pub target_delay: Option<Span>,
    /// Largest window, in bandwidth-delay products of the adapter's link, above 0 [`maxwnd`].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub maximum_window: Ratio,
    /// Packets that a window of unmarked packets without delay adds to itself; with delay, less in proportion. Scaled
    /// by the bandwidth-delay product over 150 kB and by the target over 12 us [alpha].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub proportional_increase: Ratio,
    /// Packets that a window of unmarked packets above the target delay adds to itself. Scaled by the bandwidth-delay
    /// product over 150 kB [fi].
    pub fair_increase: Ratio,
    /// Packets added in each `base_rtt`, whatever the signals. Scaled by the bandwidth-delay product over 150 kB [eta].
    pub additive_increase: Ratio,
    /// Share of the arriving bytes that is added to the window, once a whole window has waited for less than 1 us.
    /// Scaled by the bandwidth-delay product over 150 kB [`fi_scale`].
    pub fast_increase: Ratio,
    /// Weight of the share of the average delay above the target when a cut lowers the window, above 0 and at most 1
    /// [gamma].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub decrease: Ratio,
    /// Largest share of the window that one cut takes, above 0 and below 1 [`max_md_jump`].
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub maximum_decrease: Ratio,
    /// Weight of the newest packet in the average delay, above 0 and at most 1 [`delay_alpha`].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub delay_weight: Ratio,
    /// Packets whose arrival makes collected increases part of the window [`adjust_bytes_threshold`].
    #[schemars(extend("minimum" = 1))]
    pub adjust_every: u32,
    /// Share of the largest window, below which arrivals in a round trip at the target make the window adapt quickly to
    /// them. Needs a packet trimmed, or one delayed beyond `quick_adapt_targets`; 0 for never [`2^-qa_gate`].
    #[schemars(extend("maximum" = 1))]
    pub quick_adapt_share: Ratio,
    /// Delay from which on the window may adapt quickly, in targets [`qa_threshold`].
    #[schemars(extend("minimum" = 1))]
    pub quick_adapt_targets: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            base_rtt: None,
            target_delay: None,
            maximum_window: Ratio::new(3, 2),
            proportional_increase: Ratio::new(4, 1),
            fair_increase: Ratio::new(5, 1),
            additive_increase: Ratio::new(15, 100),
            fast_increase: Ratio::new(1, 4),
            decrease: Ratio::new(4, 5),
            maximum_decrease: Ratio::new(1, 2),
            delay_weight: Ratio::new(1, 80),
            adjust_every: 8,
            quick_adapt_share: Ratio::new(1, 8),
            quick_adapt_targets: 4,
        }
    }
}

/// Base round-trip time of the network that the increases are for, in seconds.
const REFERENCE_RTT: f64 = 12e-6;
const REFERENCE_PRODUCT: f64 = 100e9 / 8.0 * REFERENCE_RTT;
/// Delay that an unmarked packet above the target adds to the average, in base round-trip times.
const UNMARKED_DELAY: f64 = 0.25;
/// Delay below which a packet counts as not delayed, in seconds.
const HARDLY_ANY: f64 = 1e-6;

/// State of one flow under NSCC. Times are in seconds, sizes in bytes.
#[derive(Clone, Debug)]
pub struct Nscc {
    settings: Settings,
    bytes_per_second: f64,
    /// Least round-trip time that was measured.
    base_rtt: f64,
    window: f64,
    average_delay: f64,
    /// Collected increases, times the window, that are not part of the window yet [`inc_bytes`].
    increases: f64,
    last_addition: Time,
    /// Time until which the window is not cut again.
    next_cut: Time,
    /// End of the round trip at the target over which `arrived` counts; 0 before the first acknowledgement
    /// [`qa_endtime`].
    round_ends: Time,
    /// Bytes that have arrived in the round trip that ends at `round_ends` [`achieved_bytes`].
    arrived: u32,
    /// Bytes that have arrived since increases last became part of the window [`received_bytes`].
    arrived_since: u32,
    /// Bytes that have arrived in a row with hardly any delay, or [`A_WINDOW`] once they are a window [`fi_count`].
    hardly_delayed: u32,
    /// Bytes that were in flight at a quick adaptation. Marked or trimmed packets among them cause no further reaction
    /// [`bytes_to_ignore`].
    to_ignore: u32,
    /// Whether a packet was trimmed since the last quick adaptation [`trigger_qa`].
    was_trimmed: bool,
}

/// Constants that follow from the parameters for one flow. Single precision keeps them within the size of a congestion
/// control's state.
#[derive(Clone, Debug)]
struct Settings {
    target: f32,
    /// Largest window, in bandwidth-delay products.
    products: f32,
    /// Payload bytes of a full packet, which is also the least window.
    segment: f32,
    /// Bytes that a window without delay adds to itself.
    proportional: f32,
    /// Bytes that a window above the target delay adds to itself.
    fair: f32,
    /// Bytes added in each period.
    additive: f32,
    period: f32,
    adjust_bytes: f32,
    fast: f32,
    decrease: f32,
    least_kept: f32,
    delay_weight: f32,
    quick_share: f32,
    quick_delay: f32,
}

/// Value of `hardly_delayed` once a whole window has arrived with hardly any delay.
const A_WINDOW: u32 = u32::MAX;

impl Settings {
    fn new(parameters: &Parameters, flow: &Flow, base_rtt: f64) -> Self {
        let target = parameters.target_delay.map_or(base_rtt, Span::as_seconds);
        let segment = flow.segment.as_f64();
        let scale = flow.line_rate.as_f64() / 8.0 * base_rtt / REFERENCE_PRODUCT;
        let scaled = |share: Ratio| share.as_f64() * scale;
        Self {
            target: target as f32,
            products: parameters.maximum_window.as_f64() as f32,
            segment: segment as f32,
            proportional: (scaled(parameters.proportional_increase) * segment * target / REFERENCE_RTT)
                as f32,
            fair: (scaled(parameters.fair_increase) * segment) as f32,
            additive: (scaled(parameters.additive_increase) * segment) as f32,
            period: base_rtt as f32,
            adjust_bytes: (f64::from(parameters.adjust_every) * segment) as f32,
            fast: scaled(parameters.fast_increase) as f32,
            decrease: parameters.decrease.as_f64() as f32,
            least_kept: 1.0 - parameters.maximum_decrease.as_f64() as f32,
            delay_weight: parameters.delay_weight.as_f64() as f32,
            quick_share: parameters.quick_adapt_share.as_f64() as f32,
            quick_delay: (f64::from(parameters.quick_adapt_targets) * target) as f32,
        }
    }
}

impl Nscc {
    /// One flow's state.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        let base_rtt = parameters.base_rtt.unwrap_or(flow.path.base_rtt);
        let mut nscc = Self {
            settings: Settings::new(parameters, flow, base_rtt.as_seconds()),
            bytes_per_second: flow.line_rate.as_f64() / 8.0,
            base_rtt: base_rtt.as_seconds(),
            window: 0.0,
            average_delay: 0.0,
            increases: 0.0,
            last_addition: Time::ZERO,
            next_cut: Time::ZERO,
            round_ends: Time::ZERO,
            arrived: 0,
            arrived_since: 0,
            hardly_delayed: 0,
            to_ignore: 0,
            was_trimmed: false,
        };
        nscc.set(nscc.most());
        nscc
    }

    fn target(&self) -> f64 {
        self.settings.target.into()
    }

    fn least(&self) -> f64 {
        self.settings.segment.into()
    }

    /// Largest window, in bytes [`maxwnd`].
    fn most(&self) -> f64 {
        f64::from(self.settings.products) * self.bytes_per_second * self.base_rtt
    }

    fn set(&mut self, window: f64) {
        self.window = window.min(self.most()).max(self.least());
    }

    /// Returns how long a packet waited in queues, and takes it into the average.
    ///
    /// A long delay without a mark is hardly counted: the packet is on its way out of a queue that has become short.
    fn measure(&mut self, rtt: f64, is_whole: bool, is_marked: bool) -> f64 {
        if is_whole {
            self.base_rtt = self.base_rtt.min(rtt);
        }
        let delay = (rtt - self.base_rtt).max(0.0);
        let counts_as =
            if !is_marked && delay > self.target() { UNMARKED_DELAY * self.base_rtt } else { delay };
        self.average(counts_as);
        delay
    }

    fn average(&mut self, delay: f64) {
        self.average_delay += f64::from(self.settings.delay_weight) * (delay - self.average_delay);
    }

    /// Sets the window to what has arrived, if that is much less than was sent (quick adaptation).
    ///
    /// Returns whether it does, or did so for bytes that are still in flight, so that nothing else follows from this
    /// packet.
    fn adapts_quickly(&mut self, now: Time, delay: f64, is_marked: bool, in_flight: Bytes) -> bool {
        if is_marked && self.to_ignore > 0 {
            self.forget_increases();
            return true;
        }
        if self.round_ends > Time::ZERO && now <= self.round_ends {
            return false;
        }
        let is_due = self.round_ends > Time::ZERO
            && (self.was_trimmed || delay > self.settings.quick_delay.into())
            && f64::from(self.arrived) < f64::from(self.settings.quick_share) * self.most();
        if is_due {
            self.window = f64::from(self.arrived).max(self.least());
            self.to_ignore = in_flight.get() as u32;
            self.was_trimmed = false;
            self.forget_increases();
        }
        self.round_ends = now + Span::from_seconds(self.base_rtt + self.target());
        self.arrived = 0;
        is_due
    }

    fn increase(&mut self, arrived: u32, delay: f64) {
        let bytes = f64::from(arrived);
        if delay >= self.target() {
            self.increases += f64::from(self.settings.fair) * bytes;
        } else if self.increases_fast(arrived, delay) {
            self.window += f64::from(self.settings.fast) * bytes;
        } else {
            self.increases += f64::from(self.settings.proportional) * bytes * (1.0 - delay / self.target());
        }
    }

    /// Whether a whole window of packets has arrived with hardly any delay.
    fn increases_fast(&mut self, arrived: u32, delay: f64) -> bool {
        if delay >= HARDLY_ANY {
            self.hardly_delayed = 0;
            return false;
        }
        self.hardly_delayed = self.hardly_delayed.saturating_add(arrived);
        let is_a_window = f64::from(self.hardly_delayed) > self.window;
        if is_a_window {
            self.hardly_delayed = A_WINDOW;
        }
        is_a_window
    }

    /// Cuts the window by the excess of the average delay over the target, at most once a round trip. One slow packet
    /// alone causes no cut.
    fn cut(&mut self, now: Time) {
        self.hardly_delayed = 0;
        if self.average_delay > self.target() && now > self.next_cut {
            let excess = (self.average_delay - self.target()) / self.average_delay;
            let kept = 1.0 - f64::from(self.settings.decrease) * excess;
            self.window *= kept.max(self.settings.least_kept.into());
            self.next_cut = now + Span::from_seconds(self.base_rtt);
        }
    }

    /// Makes increases part of the window, after every `adjust_every` packets and at least once in a period.
    fn adjust(&mut self, now: Time) {
        let is_late = now.since(self.last_addition).as_seconds() >= self.settings.period.into();
        if f64::from(self.arrived_since) <= self.settings.adjust_bytes.into() && !is_late {
            return;
        }
        self.window += self.increases / self.window;
        if is_late {
            self.window += f64::from(self.settings.additive);
            self.last_addition = now;
        }
        self.forget_increases();
    }

    fn forget_increases(&mut self) {
        self.increases = 0.0;
        self.arrived_since = 0;
    }
}

impl CongestionControl for Nscc {
    type Parameters = Parameters;

    fn needs(_parameters: &Parameters) -> Needs {
        Needs::Delay { echoes: true }
    }

    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let Some(rtt) = ack.rtt else { return };
        let arrived = ack.timed.get() as u32;
        self.arrived_since = self.arrived_since.saturating_add(arrived);
        self.arrived = self.arrived.saturating_add(arrived);
        self.to_ignore = self.to_ignore.saturating_sub(arrived);
        let is_whole = f64::from(arrived) >= self.least();
        let delay = self.measure(rtt.as_seconds(), is_whole, ack.echo);
        if self.adapts_quickly(now, delay, ack.echo, ack.in_flight) {
            return;
        }
        match (ack.echo, delay >= self.target()) {
            (false, _) => self.increase(arrived, delay),
            (true, true) => self.cut(now),
            // One path is congested, and the others are not: load balancing is to leave that path.
            (true, false) => {}
        }
        self.set(self.window);
        self.adjust(now);
        self.set(self.window);
    }

    fn on_trimmed(&mut self, now: Time, trimmed: &Trimmed) {
        self.to_ignore = self.to_ignore.saturating_sub(trimmed.payload.get() as u32);
        self.average(self.settings.period.into());
        self.was_trimmed = true;
        if !self.adapts_quickly(now, 0.0, true, trimmed.in_flight) {
            self.set(self.window - trimmed.payload.as_f64());
        }
    }

    fn window(&self) -> Bytes {
        Bytes::from_f64(self.window)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::flow;
    use super::*;
    use crate::kernel::units::Rate;

    /// Makes a flow in the network that the values are for: a bandwidth-delay product of 150 kB, a largest window of
    /// 225 kB, a target of 12 us.
    fn nscc(window: f64) -> Nscc {
        Nscc { window, ..Nscc::new(&Parameters::default(), &flow(100, 12)) }
    }

    /// Delivers packets of 1000 bytes at the time `at`, each of which has waited for `waited`, both in microseconds.
    fn arrive(nscc: &mut Nscc, packets: u64, at: u64, waited: u64, echo: bool) {
        for _ in 0..packets {
            let ack = Ack {
                timed: Bytes::new(1000),
                echo,
                rtt: Some(Span::from_microseconds(12 + waited)),
                in_flight: Bytes::new(20_000),
                ..Ack::default()
            };
            nscc.on_ack(Time::ZERO + Span::from_microseconds(at), &ack);
        }
    }

    fn assert_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-6 * expected, "{value} and not {expected}");
    }

    #[test]
    fn it_begins_with_one_and_a_half_bandwidth_delay_products() {
        let nscc = Nscc::new(&Parameters::default(), &flow(100, 12));
        assert_eq!((nscc.window(), nscc.rate()), (Bytes::new(225_000), Rate::MAX));
    }

    /// A quarter of the target leaves three quarters of four packets a window: 9 kB of 100 kB add 270 B, once the ninth
    /// packet has arrived.
    #[test]
    fn unmarked_packets_below_the_target_add_in_proportion() {
        let mut nscc = nscc(100_000.0);
        arrive(&mut nscc, 8, 1, 3, false);
        assert_near(nscc.window, 100_000.0);
        arrive(&mut nscc, 1, 1, 3, false);
        assert_near(nscc.window, 100_270.0);
    }

    /// Five packets a window add 450 B. The first packet of a period adds 0.15 packets, whatever its signals.
    #[test]
    fn unmarked_packets_above_the_target_add_a_fixed_amount() {
        let mut nscc = nscc(100_000.0);
        arrive(&mut nscc, 9, 1, 20, false);
        assert_near(nscc.window, 100_450.0);
        arrive(&mut nscc, 1, 13, 3, true);
        assert_near(nscc.window, 100_600.0);
    }

    /// Five packets with less than 1 us fill a window of five. From the sixth on each adds a quarter of itself.
    #[test]
    fn a_window_without_delay_makes_it_grow_fast() {
        let mut nscc = nscc(5_000.0);
        arrive(&mut nscc, 5, 1, 0, false);
        assert_near(nscc.window, 5_000.0);
        arrive(&mut nscc, 1, 1, 0, false);
        assert_near(nscc.window, 5_250.0);
        arrive(&mut nscc, 1, 1, 2, false);
        assert_near(nscc.window, 5_250.0);
    }

    /// An average of twice the target leaves 60 %, and a much larger one leaves half. Marked packets that have not
    /// waited change nothing.
    #[test]
    fn marked_packets_above_the_target_cut_by_the_average_once_a_round_trip() {
        let after = |average_delay: f64, waited| {
            let mut nscc = Nscc { average_delay, last_addition: Time::new(100_000_000), ..nscc(100_000.0) };
            arrive(&mut nscc, 2, 100, waited, true);
            nscc
        };
        let parts = |average: f64| {
            let average = average + (24e-6 - average) / 80.0;
            100_000.0 * (1.0 - 0.8 * (average - 12e-6) / average)
        };
        assert_near(after(24e-6, 24).window, 60_000.0);
        assert_near(after(14e-6, 24).window, parts(14e-6));
        assert_near(after(900e-6, 24).window, 50_000.0);
        assert_near(after(24e-6, 11).window, 100_000.0);
        assert_near(after(9e-6, 24).window, 100_000.0);
        let mut nscc = after(24e-6, 24);
        arrive(&mut nscc, 1, 112, 24, true);
        assert!(nscc.window < 60_151.0, "not sooner than a round trip");
        assert!(nscc.window > 60_000.0);
        arrive(&mut nscc, 1, 113, 24, true);
        assert!(nscc.window < 36_200.0, "{}", nscc.window);
    }

    /// Marked packets count as what they have waited. Unmarked packets above the target count as a quarter of a round
    /// trip.
    #[test]
    fn the_average_trusts_marks() {
        let average = |waited, echo| {
            let mut nscc = nscc(100_000.0);
            arrive(&mut nscc, 1, 1, waited, echo);
            nscc.average_delay
        };
        assert_near(average(92, true), 1.15e-6);
        assert_near(average(92, false), 37.5e-9);
        assert_near(average(8, false), 0.1e-6);
    }

    /// Less than an eighth of 225 kB in 24 us, and 49 us in queues: the window becomes what has arrived. Marked packets
    /// among the 20 kB still in flight no longer count.
    #[test]
    fn a_window_of_which_little_arrives_becomes_what_has_arrived() {
        let mut nscc = nscc(225_000.0);
        arrive(&mut nscc, 1, 100, 49, true);
        arrive(&mut nscc, 9, 110, 49, true);
        let before = nscc.window;
        arrive(&mut nscc, 1, 124, 49, true);
        assert!(nscc.window >= before, "the round trip is not over");
        arrive(&mut nscc, 1, 125, 49, true);
        assert_near(nscc.window, 11_000.0);
        nscc.average_delay = 49e-6;
        arrive(&mut nscc, 19, 148, 49, true);
        assert_near(nscc.window, 11_000.0);
        arrive(&mut nscc, 1, 148, 49, true);
        assert_near(nscc.window, 5_500.0 + 150.0);
    }

    /// Each trimmed packet takes its bytes from the window and counts as a base round trip in queues. At the end of the
    /// round trip at the target the window becomes the 9 kB that have arrived. Trimmed packets among the 20 kB in
    /// flight then change nothing more.
    #[test]
    fn trimmed_packets_are_taken_from_the_window_and_make_it_adapt_quickly() {
        let mut nscc = nscc(225_000.0);
        arrive(&mut nscc, 1, 100, 3, true);
        let (before, average) = (nscc.window, nscc.average_delay);
        let trimmed = Trimmed { payload: Bytes::new(1000), in_flight: Bytes::new(20_000) };
        let at = |microseconds| Time::ZERO + Span::from_microseconds(microseconds);
        nscc.on_trimmed(at(110), &trimmed);
        nscc.on_trimmed(at(110), &trimmed);
        assert_near(nscc.window, before - 2000.0);
        let once = average + (12e-6 - average) / 80.0;
        assert_near(nscc.average_delay, once + (12e-6 - once) / 80.0);
        arrive(&mut nscc, 9, 115, 3, true);
        nscc.on_trimmed(at(125), &trimmed);
        assert_near(nscc.window, 9_000.0);
        for _ in 0..19 {
            nscc.on_trimmed(at(126), &trimmed);
        }
        assert_near(nscc.window, 9_000.0);
        nscc.on_trimmed(at(126), &trimmed);
        assert_near(nscc.window, 8_000.0);
    }

    /// The base round-trip time is the shortest that was seen.
    #[test]
    fn a_flow_on_a_short_path_has_a_smaller_largest_window() {
        let mut nscc = Nscc::new(&Parameters::default(), &flow(100, 12));
        let ack = Ack { timed: Bytes::new(1000), rtt: Some(Span::from_microseconds(6)), ..Ack::default() };
        nscc.on_ack(Time::ZERO, &ack);
        assert_eq!(nscc.window(), Bytes::new(112_500));
        let shorter = Ack { timed: Bytes::new(64), rtt: Some(Span::from_microseconds(5)), ..ack };
        nscc.on_ack(Time::ZERO, &shorter);
        assert_eq!(nscc.window(), Bytes::new(112_500), "a short packet is sooner there");
    }

    /// 41 kB have arrived in a period, more than an eighth of the largest window of 225 kB.
    #[test]
    fn a_long_delay_alone_makes_nothing_adapt_quickly() {
        let mut nscc = nscc(200_000.0);
        arrive(&mut nscc, 1, 1, 0, false);
        arrive(&mut nscc, 40, 2, 0, false);
        arrive(&mut nscc, 1, 40, 100, false);
        assert!(nscc.window > 199_000.0, "{}", nscc.window);
    }
}
