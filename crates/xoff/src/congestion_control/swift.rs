//! Swift: holds the round-trip time at a target that is larger for small windows and long paths (Kumar et al., SIGCOMM
//! 2020, section 3).
//! Below the target, acknowledgements add a packet to the window in each round trip. Above it, the window is cut in
//! proportion to the excess, at most once a round trip. Small windows get a larger target, since many flows at a port
//! make it swing more. A window below one packet is a pause between packets. A flow starts with the bandwidth-delay
//! product of its adapter's link.
//! Left out: the window of the end hosts, since nothing waits in them; reactions to losses.
//! Differs: a flow knows the number of switches on its path from the start, and does not learn it from the TTL. Where
//! routes by hand make paths between two hosts unequal, the longest counts.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ack, CongestionControl, Flow, Needs};
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time};

/// Settings of Swift. The paper prints few values; the defaults are those of a public implementation.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Target round-trip time of a path without switches, for a flow with a large window [base target].
    #[schemars(extend("x-above" = "0s"))]
    pub base_target: Span,
    /// Time added to the target for every switch on the path [h].
    pub target_per_switch: Span,
    /// Most time that is added to the target for a small window [`fs_range`].
    pub target_range: Span,
    /// Window in packets up to which all of `target_range` is added, above 0 [`fs_min_cwnd`].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub small_window: Ratio,
    /// Window in packets from which on nothing is added [`fs_max_cwnd`].
    #[schemars(extend("minimum" = 2))]
    pub large_window: u32,
    /// Packets added to the window in a round trip below the target, above 0 [ai].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub additive_increase: Ratio,
    /// Weight of the share of the round-trip time above the target when a cut lowers the window, above 0 and at most 1
    /// [beta].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub decrease: Ratio,
    /// Largest share of the window that one cut takes, above 0 and below 1 [`max_mdf`].
    #[schemars(extend("exclusiveMinimum" = 0, "exclusiveMaximum" = 1))]
    pub maximum_decrease: Ratio,
    /// Least window, in packets, above 0.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub minimum_window: Ratio,
    /// Largest window, in packets.
    #[schemars(extend("minimum" = 1))]
    pub maximum_window: u32,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            base_target: Span::from_microseconds(20),
            target_per_switch: Span::from_nanoseconds(3_053),
            target_range: Span::from_microseconds(100),
            small_window: Ratio::new(1, 10),
            large_window: 100,
            additive_increase: Ratio::new(1, 1),
            decrease: Ratio::new(4, 5),
            maximum_decrease: Ratio::new(1, 2),
            minimum_window: Ratio::new(1, 100),
            maximum_window: 1000,
        }
    }
}

/// State of one flow under Swift. Times are in seconds, windows in packets.
#[derive(Clone, Debug)]
pub struct Swift {
    /// Target for a large window: the base and the switches.
    base_target: f64,
    target_range: f64,
    /// Factor of 1 / sqrt(window) in the time added for a small window [`fs_alpha`].
    steepness: f64,
    large_window: f64,
    additive_increase: f64,
    decrease: f64,
    maximum_decrease: f64,
    least: f64,
    most: f64,
    segment: f64,
    /// Bytes of a packet on the wire.
    wire: f64,
    window: f64,
    rtt: f64,
    last_cut: Option<Time>,
}

impl Swift {
    /// Makes the state of one flow.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        let switches = f64::from(flow.path.switches);
        let target_range = parameters.target_range.as_seconds();
        let large_window = f64::from(parameters.large_window);
        let (least, most) = (parameters.minimum_window.as_f64(), f64::from(parameters.maximum_window));
        let segment = flow.segment.as_f64();
        let rtt = flow.path.base_rtt.as_seconds();
        let slope = parameters.small_window.as_f64().sqrt().recip() - large_window.sqrt().recip();
        Self {
            base_target: parameters.base_target.as_seconds()
                + parameters.target_per_switch.as_seconds() * switches,
            target_range,
            steepness: target_range / slope,
            large_window,
            additive_increase: parameters.additive_increase.as_f64(),
            decrease: parameters.decrease.as_f64(),
            maximum_decrease: parameters.maximum_decrease.as_f64(),
            least,
            most,
            segment,
            wire: (flow.segment + flow.overhead).as_f64(),
            window: (flow.line_rate.as_f64() / 8.0 * rtt / segment).clamp(least, most),
            rtt,
            last_cut: None,
        }
    }

    fn added_for_small_window(&self) -> f64 {
        // Flow scaling: clamp(fs_alpha / sqrt(cwnd) + fs_beta, 0, fs_range), where fs_beta = -fs_alpha /
        // sqrt(fs_max_cwnd).
        let added = self.steepness * (self.window.sqrt().recip() - self.large_window.sqrt().recip());
        added.clamp(0.0, self.target_range)
    }

    fn target(&self) -> f64 {
        self.base_target + self.added_for_small_window()
    }

    fn set(&mut self, window: f64) {
        self.window = window.clamp(self.least, self.most);
    }

    fn increase(&mut self, acked: f64) {
        // Algorithm 1: cwnd += ai * acked / cwnd for a window of at least 1, and ai * acked below.
        self.set(self.window + self.additive_increase * acked / self.window.max(1.0));
    }

    fn cut(&mut self, target: f64) {
        // Algorithm 1: cwnd *= max(1 - beta * (delay - target) / delay, 1 - max_mdf).
        let excess = (self.rtt - target) / self.rtt;
        self.set(self.window * (1.0 - self.decrease * excess).max(1.0 - self.maximum_decrease));
    }
}

impl CongestionControl for Swift {
    type Parameters = Parameters;

    fn needs(_parameters: &Parameters) -> Needs {
        Needs::Delay { echoes: false }
    }

    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let Some(rtt) = ack.rtt else { return };
        self.rtt = rtt.as_seconds();
        let target = self.target();
        if self.rtt < target {
            self.increase(ack.newly_acked.as_f64() / self.segment);
        } else if self.last_cut.is_none_or(|last| now.since(last) >= rtt) {
            self.cut(target);
            self.last_cut = Some(now);
        }
    }

    fn window(&self) -> Bytes {
        Bytes::from_f64(self.window * self.segment)
    }

    /// Rate of a window below one packet, which is one packet in several round trips (pacing; SIGCOMM 2020, section
    /// 3.5). Larger windows are not paced.
    fn rate(&self) -> Rate {
        if self.window >= 1.0 {
            return Rate::MAX;
        }
        Rate::from_f64(self.window * self.wire * 8.0 / self.rtt).max(Rate::new(1))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::flow;
    use super::*;

    fn swift(window: f64) -> Swift {
        Swift { window, ..Swift::new(&Parameters::default(), &flow(100, 20)) }
    }

    /// Computed by hand: flow scaling (section 3), with the range and windows of Broadcom/csg-htsim, `sim/swift.cpp`.
    #[test]
    fn a_small_window_has_a_larger_target() {
        for (window, expected) in [(0.1, 100.0), (1.0, 29.3899), (10.0, 7.0610), (100.0, 0.0), (0.01, 100.0)]
        {
            let added = swift(window).added_for_small_window() * 1e6;
            assert!((added - expected).abs() < 5e-5, "{added} and not {expected} for {window}");
        }
    }

    /// Computed by hand from algorithm 1.
    #[test]
    fn a_round_trip_above_the_target_cuts_by_its_excess() {
        let mut swift = Swift { rtt: 60e-6, ..swift(20.0) };
        swift.cut(50e-6);
        assert!((swift.window - 17.333_333).abs() < 5e-7, "{}", swift.window);
        swift.rtt = 1.0;
        let before = swift.window;
        swift.cut(50e-6);
        assert!((swift.window - before / 2.0).abs() < 1e-12, "at most by half");
    }

    /// Computed by hand from algorithm 1.
    #[test]
    fn a_round_trip_of_packets_adds_one() {
        let mut swift = swift(20.0);
        swift.increase(1.0);
        assert!((swift.window - 20.05).abs() < 1e-12, "{}", swift.window);
    }

    /// By hand: 20 us, 3.053 us for the one switch, and what is added for a small window.
    #[test]
    fn the_target_has_three_parts() {
        for (window, expected) in [(100.0, 23.053), (1.0, 52.4429)] {
            let target = swift(window).target() * 1e6;
            assert!((target - expected).abs() < 5e-5, "{target} and not {expected} for {window}");
        }
    }

    /// Computed by hand from algorithm 1: 2000 bytes are two of 100 packets.
    #[test]
    fn a_round_trip_below_the_target_adds_what_was_acknowledged() {
        let mut swift = swift(100.0);
        let rtt = Some(Span::from_microseconds(20));
        swift.on_ack(Time::ZERO, &Ack { newly_acked: Bytes::new(2000), rtt, ..Ack::default() });
        assert!((swift.window - 100.02).abs() < 1e-12, "{}", swift.window);
    }

    /// The round-trip time that counts is that of the packet whose acknowledgement would cut.
    #[test]
    fn there_is_one_cut_a_round_trip() {
        for (rtt, next) in [(100, 200), (150, 250)] {
            let mut swift = swift(20.0);
            let mut acknowledge = |at, rtt| {
                let rtt = Some(Span::from_microseconds(rtt));
                let ack = Ack { newly_acked: Bytes::new(1000), rtt, ..Ack::default() };
                swift.on_ack(Time::ZERO + Span::from_microseconds(at), &ack);
                swift.window().get()
            };
            let first = acknowledge(100, 100);
            assert_eq!([150, next - 1].map(|now| acknowledge(now, rtt)), [first; 2]);
            assert!(acknowledge(next, rtt) < first);
        }
    }

    /// Half a packet of 1000 bytes, 1082 on the wire, in 100 us: a packet in 200 us.
    #[test]
    fn a_window_below_one_packet_is_paced() {
        let swift = Swift { rtt: 100e-6, wire: 1082.0, ..swift(0.5) };
        assert_eq!((swift.window(), swift.rate()), (Bytes::new(500), Rate::new(43_280_000)));
        assert_eq!(Swift { window: 1.0, ..swift }.rate(), Rate::MAX);
    }
}
