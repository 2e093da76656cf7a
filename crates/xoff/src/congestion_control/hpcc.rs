//! HPCC: switches write their load into every packet, and the busiest decides the window (Li et al., SIGCOMM 2019, section 3).
//! Each switch writes its queue, the bytes it has sent, the time and the link rate into the packet. The sender computes
//! from two acknowledgements how busy each port was: its queue in bandwidth-delay products, plus its rate over that of
//! its link. The window is then scaled so that the busiest port comes to the target utilization. An additive increase
//! lets flows become equal.
//! `base_rtt` times the adapter's rate is the largest window, and the first. A window is sent evenly over `base_rtt`.
//! Left out: reactions to losses; HPCC-PINT.
//! Differs: the paper prints no least rate; `minimum_rate` is that of its code, which computes in rates and not in
//! windows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paced_window::PacedWindow;
use super::{Ack, CongestionControl, Flow, Needs};
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time};
use crate::telemetry::{Interval, Reading, Trail};

/// Settings of HPCC.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Share of a link that flows are to use together, above 0 and at most 1 [eta].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub target_utilization: Ratio,
    /// Round trips of additive increase after which the window is scaled by the utilization in any case [maxStage].
    pub maximum_stages: u32,
    /// Bytes added to the window once a round trip [`W_AI`].
    pub additive_increase: Bytes,
    /// Round-trip time of an idle fabric [T]. Left out, that of the fabric's longest path: propagation, and the
    /// transmission of a full packet and its acknowledgement on every link.
    #[schemars(extend("x-above" = "0s"))]
    pub base_rtt: Option<Span>,
    /// Least rate to which a flow is lowered.
    #[schemars(extend("x-above" = "0bps"))]
    pub minimum_rate: Rate,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            target_utilization: Ratio::new(95, 100),
            maximum_stages: 5,
            additive_increase: Bytes::new(80),
            base_rtt: None,
            minimum_rate: Rate::new(100_000_000),
        }
    }
}

/// State of one flow under HPCC.
#[derive(Clone, Debug)]
pub struct Hpcc {
    target_utilization: f64,
    maximum_stages: u32,
    additive_increase: f64,
    /// Least window, in bytes.
    least: f64,
    window: PacedWindow,
    /// Window from which every acknowledgement of a round trip computes anew [Wc].
    reference: f64,
    /// Running utilization of the busiest port [U].
    utilization: f64,
    /// Round trips of additive increase since the window was last scaled by the utilization [incStage].
    stage: u32,
    /// Byte beyond which an acknowledgement sets the reference anew [lastUpdateSeq].
    round_end: u64,
    /// Telemetry of the last acknowledgement.
    trail: Trail,
}

impl Hpcc {
    /// One flow's state.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        let window = PacedWindow::new(flow, parameters.base_rtt);
        Self {
            target_utilization: parameters.target_utilization.as_f64(),
            maximum_stages: parameters.maximum_stages,
            additive_increase: parameters.additive_increase.as_f64(),
            least: parameters.minimum_rate.as_f64() / 8.0 * window.base_rtt(),
            reference: window.most(),
            window,
            utilization: 1.0,
            stage: 0,
            round_end: 0,
            trail: Trail::default(),
        }
    }

    /// Returns how busy a port was: its queue in bandwidth-delay products, plus its rate over that of its link [u].
    fn load(&self, interval: &Interval) -> f64 {
        let bytes_per_second = interval.rate.as_f64() / 8.0;
        let queue = interval.queue.min(interval.queue_before).as_f64();
        let sent = interval.sent.as_f64() / interval.span.as_seconds();
        // Algorithm 1: u = min(qlen, qlen_before) / (B * T) + tx_rate / B.
        queue / (bytes_per_second * self.window.base_rtt()) + sent / bytes_per_second
    }

    /// Returns the load of the busiest port since the last acknowledgement, and over which time; zeros if nothing is
    /// known.
    fn busiest(&self, telemetry: &Reading<'_>) -> (f64, Span) {
        telemetry.since(&self.trail).fold((0.0, Span::ZERO), |busiest, interval| {
            let load = self.load(&interval);
            // Which port it is cannot be predicted: a choice of values, not a branch.
            if load >= busiest.0 { (load, interval.span) } else { busiest }
        })
    }

    /// Takes in the busiest port's load over a time in seconds.
    fn measure(&mut self, load: f64, seconds: f64) {
        let weight = (seconds / self.window.base_rtt()).min(1.0);
        // Algorithm 1: U = (1 - tau / T) * U + (tau / T) * u.
        self.utilization = (1.0 - weight) * self.utilization + weight * load;
    }

    fn follows_utilization(&self) -> bool {
        self.utilization >= self.target_utilization || self.stage >= self.maximum_stages
    }

    /// Returns the window that follows from the reference, before it is held within its bounds [W].
    fn next_window(&self) -> f64 {
        // Algorithm 1: W = Wc / (U / eta) + W_AI, or W = Wc + W_AI.
        let aimed_at = if self.follows_utilization() {
            self.reference / (self.utilization / self.target_utilization)
        } else {
            self.reference
        };
        aimed_at + self.additive_increase
    }

    /// Makes the window the reference of the next round trip.
    fn begin_round(&mut self, next_sequence: u64) {
        self.stage = if self.follows_utilization() { 0 } else { self.stage + 1 };
        self.reference = self.window.bytes();
        self.round_end = next_sequence;
    }
}

impl CongestionControl for Hpcc {
    type Parameters = Parameters;

    fn needs(_parameters: &Parameters) -> Needs {
        Needs::Telemetry { sent_window: false }
    }

    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        let Some(telemetry) = ack.telemetry else { return };
        if self.round_end == 0 {
            self.round_end = ack.next_sequence;
        }
        let (load, span) = self.busiest(&telemetry);
        self.trail = *telemetry.trail;
        if span == Span::ZERO {
            return;
        }
        self.measure(load, span.as_seconds());
        self.window.set(self.next_window().max(self.least));
        if ack.cumulative > self.round_end {
            self.begin_round(ack.next_sequence);
        }
    }

    fn window(&self) -> Bytes {
        self.window.window()
    }

    fn rate(&self) -> Rate {
        self.window.rate()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::flow;
    use super::*;
    use crate::telemetry::{Records, Telemetry};

    /// Makes a flow at 100 Gb/s and 13 us: the largest window is 162,500 bytes.
    fn hpcc() -> Hpcc {
        Hpcc::new(&Parameters::default(), &flow(100, 13))
    }

    fn assert_near(value: f64, expected: f64, tolerance: f64) {
        assert!((value - expected).abs() <= tolerance, "{value} and not {expected}");
    }

    /// Computed by hand from algorithm 1.
    #[test]
    fn a_queue_and_a_full_link_lower_the_window() {
        let mut hpcc = hpcc();
        let interval = Interval {
            rate: Rate::from_gbps(100),
            span: Span::from_microseconds(10),
            sent: Bytes::new(125_000),
            queue_before: Bytes::new(62_500),
            queue: Bytes::new(70_000),
        };
        let load = hpcc.load(&interval);
        assert_near(load, 1.384_615, 5e-7);
        hpcc.measure(load, 10e-6);
        assert_near(hpcc.utilization, 1.295_858, 5e-7);
        assert_near(hpcc.next_window(), 119_209.57, 5e-3);
    }

    /// Computed by hand from algorithm 1.
    #[test]
    fn a_link_below_its_target_adds_until_the_last_stage_and_then_fills_it() {
        let mut hpcc = hpcc();
        hpcc.measure(0.6, 13e-6);
        assert_near(hpcc.next_window(), 162_580.0, 1e-9);
        hpcc.stage = 5;
        assert_near(hpcc.next_window(), 257_371.67, 5e-3);
    }

    #[test]
    fn a_time_beyond_the_base_round_trip_counts_as_one() {
        let mut hpcc = hpcc();
        hpcc.measure(0.6, 1.0);
        assert_near(hpcc.utilization, 0.6, 1e-12);
    }

    #[test]
    fn the_reference_changes_once_a_round_trip() {
        let mut hpcc = hpcc();
        hpcc.measure(0.5, 13e-6);
        hpcc.begin_round(1000);
        assert_eq!((hpcc.stage, hpcc.round_end), (1, 1000));
        hpcc.stage = 5;
        hpcc.begin_round(2000);
        assert_eq!(hpcc.stage, 0);
    }

    /// Computed by hand from algorithm 1. Two ports at 100 Gb/s put 125,056 and 62,464 bytes on the wire in 10 us: the loads
    /// are 1.000448 and 0.499712, and the busier counts. 162,500 * 0.95 / 1.000345 + 80 bytes a round trip of 13 us.
    #[test]
    fn an_acknowledgement_sets_the_window_by_its_busiest_port() {
        for sent in [[125_056, 62_464], [62_464, 125_056]] {
            let mut hpcc = hpcc();
            let mut telemetry = Telemetry::new(Records::new(vec![Rate::from_gbps(100)], 2, false));
            let mut acknowledge =
                |hpcc: &mut Hpcc, microseconds, sent: [u64; 2], cumulative, next_sequence| {
                    let (now, record) =
                        (Time::ZERO + Span::from_microseconds(microseconds), telemetry.take());
                    for (hop, sent) in (0..).zip(sent) {
                        let sent = Bytes::new(sent);
                        telemetry.write(record, hop, now, Rate::from_gbps(100), sent, Bytes::ZERO);
                    }
                    let record = telemetry.collect(record, 2, 0, now);
                    let telemetry = Some(telemetry.reading(&record));
                    hpcc.on_ack(now, &Ack { cumulative, next_sequence, telemetry, ..Ack::default() });
                    hpcc.round_end
                };
            assert_eq!(acknowledge(&mut hpcc, 10, [0, 0], 0, 1000), 1000);
            assert_eq!(hpcc.window(), Bytes::new(162_500), "one acknowledgement says nothing of a time");
            assert_eq!(acknowledge(&mut hpcc, 20, sent, 1000, 8000), 1000, "the round has one byte more");
            assert_near(hpcc.window.bytes(), 154_401.82, 5e-3);
            assert_near(hpcc.rate().as_f64() / 1e9, 95.016_504, 5e-7);
            assert_near(hpcc.reference, 162_500.0, 1e-9);
            assert_eq!(acknowledge(&mut hpcc, 30, sent, 1001, 9000), 9000);
            assert_near(hpcc.reference, hpcc.window.bytes(), 1e-9);
        }
    }
}
