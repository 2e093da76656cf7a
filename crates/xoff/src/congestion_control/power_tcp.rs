//! PowerTCP: switches write their power into every packet, and the greatest decides the window (Addanki et al., NSDI
//! 2022, section 3).
//! Power is current times voltage. The current is the rate at which bytes come to a port. The voltage is the bytes that
//! wait in its queue and fly on its link. So power rises with a queue that is long, and with one that grows. The sender
//! divides power by that of a full link without a queue, and divides its window by the result. A fixed increase lets
//! flows become equal.
//! `base_rtt` times the adapter's rate is the largest window, and the first. A window is sent evenly over `base_rtt`.
//! Left out: reactions to losses.
//! Differs: the code counts in rates, divides by 0.95 and takes bytes sent for bytes that came; here it is as in the
//! paper. By default the additive increase is for ten flows. With two or three the queue swings by the bandwidth-delay
//! product, as algorithm 1 has it.
//! Differs: the authors' code for ns-3 takes a current of at least half the line rate. Here there is no such floor, and
//! flow completion times at a single bottleneck are 10 % below those of that code; with the floor they were 11 % above.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::paced_window::PacedWindow;
use super::{Ack, CongestionControl, Flow, Needs};
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time};
use crate::telemetry::{Interval, Trail};

/// Earlier window from which the next one follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OldWindow {
    /// Window at the end of the last round trip, remembered once (algorithm 1, line 7).
    #[default]
    RoundTrip,
    /// Window when the acknowledged packet was sent, which its telemetry brings back (equation 7).
    Sent,
}

/// Settings of PowerTCP and Theta-PowerTCP.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Weight of the newest window, above 0 and at most 1 [gamma].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Ratio,
    /// Number of flows expected to share a bottleneck. Each adds the largest window over this number in a round trip,
    /// beta [N].
    #[schemars(extend("minimum" = 1))]
    pub expected_flows: u32,
    /// Round-trip time of an idle fabric [tau]. Left out, that of the fabric's longest path: propagation, and the
    /// transmission of a full packet and its acknowledgement on every link.
    #[schemars(extend("x-above" = "0s"))]
    pub base_rtt: Option<Span>,
    /// Earlier window from which the next one follows [cwnd_old]. Makes no difference to theta_power_tcp, whose window
    /// changes once a round trip.
    pub old_window: OldWindow,
}

impl Default for Parameters {
    fn default() -> Self {
        Self { gain: Ratio::new(9, 10), expected_flows: 10, base_rtt: None, old_window: OldWindow::RoundTrip }
    }
}

/// Window that follows a normalised power, which is 1 for a full link without a queue. PowerTCP and Theta-PowerTCP
/// share it.
#[derive(Clone, Debug)]
pub(super) struct Power {
    gain: f64,
    /// Bytes that an update adds to the window [beta].
    additive_increase: f64,
    pub(super) window: PacedWindow,
    /// Earlier window from which the next one follows.
    old_window: f64,
    /// Running power; none before the first sample.
    smoothed: Option<f64>,
    /// Byte from which on an acknowledgement ends the round trip.
    round_end: u64,
}

impl Power {
    pub(super) fn new(parameters: &Parameters, flow: &Flow) -> Self {
        let window = PacedWindow::new(flow, parameters.base_rtt);
        Self {
            gain: parameters.gain.as_f64(),
            additive_increase: window.most() / f64::from(parameters.expected_flows),
            old_window: window.bytes(),
            window,
            smoothed: None,
            round_end: 0,
        }
    }

    /// Takes in the power over a time in seconds. The first sample counts in full.
    pub(super) fn measure(&mut self, power: f64, seconds: f64) {
        let weight = (seconds / self.window.base_rtt()).min(1.0);
        // Algorithm 1: smoothed = (smoothed * (tau - dt) + power * dt) / tau.
        let smoothed = self.smoothed.map_or(power, |before| before * (1.0 - weight) + power * weight);
        self.smoothed = Some(smoothed.max(0.0));
    }

    pub(super) fn update(&mut self) {
        let Some(power) = self.smoothed else { return };
        // Algorithm 1: cwnd = gamma * (cwnd_old / power + beta) + (1 - gamma) * cwnd.
        let aimed_at = self.old_window / power + self.additive_increase;
        self.window.set(self.gain * aimed_at + (1.0 - self.gain) * self.window.bytes());
    }

    /// Whether a round trip ends with this acknowledgement. If so, the next begins.
    pub(super) fn ends_round(&mut self, ack: &Ack<'_>) -> bool {
        let ends = ack.cumulative >= self.round_end;
        if ends {
            self.round_end = ack.next_sequence;
        }
        ends
    }

    /// Makes the present window the one from which those of the next round trip follow.
    pub(super) fn keep_window(&mut self) {
        self.old_window = self.window.bytes();
    }
}

/// State of one flow under PowerTCP.
#[derive(Clone, Debug)]
pub struct PowerTcp {
    power: Power,
    old_window: OldWindow,
    /// Telemetry of the last acknowledgement.
    trail: Trail,
}

impl PowerTcp {
    /// One flow's state.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        Self {
            power: Power::new(parameters, flow),
            old_window: parameters.old_window,
            trail: Trail::default(),
        }
    }

    /// Returns the power of a port over that of its full link without a queue (section 3).
    fn normalized_power(&self, interval: &Interval) -> f64 {
        let base_rtt = self.power.window.base_rtt();
        let bytes_per_second = interval.rate.as_f64() / 8.0;
        // Current: lambda = dq / dt + dtx / dt. Voltage: v = q + b * tau.
        let came = interval.queue.as_f64() - interval.queue_before.as_f64() + interval.sent.as_f64();
        let current = came / interval.span.as_seconds();
        let voltage = interval.queue.as_f64() + bytes_per_second * base_rtt;
        current * voltage / (bytes_per_second * bytes_per_second * base_rtt)
    }
}

impl CongestionControl for PowerTcp {
    type Parameters = Parameters;

    fn needs(parameters: &Parameters) -> Needs {
        Needs::Telemetry { sent_window: parameters.old_window == OldWindow::Sent }
    }

    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        let Some(telemetry) = ack.telemetry else { return };
        let earlier = std::mem::replace(&mut self.trail, *telemetry.trail);
        let powers = telemetry
            .since(&earlier)
            .map(|interval| (self.normalized_power(&interval), interval.span.as_seconds()));
        let Some((power, seconds)) = powers.max_by(|one, other| one.0.total_cmp(&other.0)) else { return };
        self.power.measure(power, seconds);
        if self.old_window == OldWindow::Sent {
            self.power.old_window = telemetry.sent_window.as_f64();
        }
        self.power.update();
        if self.old_window == OldWindow::RoundTrip && self.power.ends_round(ack) {
            self.power.keep_window();
        }
    }

    fn window(&self) -> Bytes {
        self.power.window.window()
    }

    fn rate(&self) -> Rate {
        self.power.window.rate()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::flow;
    use super::*;
    use crate::telemetry::{Records, Telemetry};

    /// Makes a flow at 100 Gb/s and 20 us: the largest window is 250,000 bytes, and beta 25,000.
    fn power_tcp() -> PowerTcp {
        PowerTcp::new(&Parameters::default(), &flow(100, 20))
    }

    /// Computed by hand from algorithm 1.
    #[test]
    fn a_growing_queue_lowers_the_window() {
        let mut power_tcp = power_tcp();
        let interval = Interval {
            rate: Rate::from_gbps(100),
            span: Span::from_microseconds(10),
            sent: Bytes::new(125_000),
            queue_before: Bytes::new(100_000),
            queue: Bytes::new(150_000),
        };
        let normalized = power_tcp.normalized_power(&interval);
        assert!((normalized - 2.24).abs() < 1e-12, "{normalized}");
        let power = &mut power_tcp.power;
        power.smoothed = Some(1.0);
        power.measure(normalized, 10e-6);
        assert!((power.smoothed.unwrap() - 1.62).abs() < 1e-12, "{:?}", power.smoothed);
        power.update();
        assert!((power.window.bytes() - 186_388.89).abs() < 5e-3, "{}", power.window.bytes());
    }

    /// Computed by hand, with the power that Theta-PowerTCP's test has.
    #[test]
    fn half_a_round_trip_counts_half() {
        let mut power = power_tcp().power;
        power.measure(1.0, 20e-6);
        power.measure(2.25, 10e-6);
        assert!((power.smoothed.unwrap() - 1.625).abs() < 1e-12, "{:?}", power.smoothed);
    }

    /// The window follows from 10,000 bytes, and not from 250,000: 0.9 (10,000 / power + 25,000) + 0.1 * 250,000.
    #[test]
    fn the_window_follows_from_the_one_when_the_packet_was_sent() {
        let parameters = Parameters { old_window: OldWindow::Sent, ..Parameters::default() };
        let mut power_tcp = PowerTcp::new(&parameters, &flow(100, 20));
        let mut telemetry = Telemetry::new(Records::new(vec![Rate::from_gbps(100)], 1, true));
        let mut acknowledge = |power_tcp: &mut PowerTcp, microseconds, sent, queue| {
            let (now, record) = (Time::ZERO + Span::from_microseconds(microseconds), telemetry.take());
            telemetry.remember(record, Bytes::new(10_000));
            telemetry.write(record, 0, now, Rate::from_gbps(100), Bytes::new(sent), Bytes::new(queue));
            let record = telemetry.collect(record, 1, 0, now);
            power_tcp.on_ack(now, &Ack { telemetry: Some(telemetry.reading(&record)), ..Ack::default() });
        };
        acknowledge(&mut power_tcp, 10, 0, 100_000);
        // 125,056 bytes, for bytes sent count in units of 128; and 149,999 in units of 80 are 149,920.
        acknowledge(&mut power_tcp, 20, 125_056, 149_999);
        let power = (49_920.0 + 125_056.0) * 8.0 / 10e-6 / 100e9 * (149_920.0 / 250_000.0 + 1.0);
        let expected = 0.9 * (10_000.0 / power + 25_000.0) + 25_000.0;
        assert!(
            (power_tcp.power.window.bytes() - expected).abs() < 1e-6,
            "{power} {}",
            power_tcp.power.window.bytes()
        );
    }

    #[test]
    fn the_first_power_counts_as_it_is() {
        let mut power_tcp = power_tcp();
        power_tcp.power.measure(3.0, 1e-6);
        assert_eq!(power_tcp.power.smoothed, Some(3.0));
    }

    #[test]
    fn a_port_to_which_nothing_comes_opens_the_window() {
        let mut power_tcp = power_tcp();
        power_tcp.power.window.set(1000.0);
        power_tcp.power.measure(-0.1, 20e-6);
        power_tcp.power.update();
        assert_eq!(power_tcp.window(), Bytes::new(250_000));
    }

    #[test]
    fn only_a_flow_that_goes_by_the_sent_window_has_it_written_down() {
        for (old_window, sent_window) in [(OldWindow::Sent, true), (OldWindow::RoundTrip, false)] {
            let needs = PowerTcp::needs(&Parameters { old_window, ..Parameters::default() });
            assert_eq!(needs, Needs::Telemetry { sent_window });
        }
    }

    /// The queue grows by 50 kB every 10 us. The window that counts as old changes with the first acknowledgement, and then
    /// with the one of the byte that was next when the round trip began.
    #[test]
    fn windows_follow_from_that_of_a_round_trip_before() {
        let parameters = Parameters { old_window: OldWindow::RoundTrip, ..Parameters::default() };
        let mut power_tcp = PowerTcp::new(&parameters, &flow(100, 20));
        let mut telemetry = Telemetry::new(Records::new(vec![Rate::from_gbps(100)], 1, false));
        let mut kept = Vec::new();
        for (step, cumulative) in [(1_u64, 0), (2, 1_000), (3, 8_999), (4, 9_000)] {
            let (now, record) = (Time::ZERO + Span::from_microseconds(10 * step), telemetry.take());
            let (sent, queue) = (Bytes::new(125_056 * step), Bytes::new(50_000 * step));
            telemetry.write(record, 0, now, Rate::from_gbps(100), sent, queue);
            let record = telemetry.collect(record, 1, 0, now);
            let telemetry = Some(telemetry.reading(&record));
            power_tcp.on_ack(now, &Ack { cumulative, next_sequence: 9_000, telemetry, ..Ack::default() });
            let power = &power_tcp.power;
            kept.push((power.old_window - power.window.bytes()).abs() < 1e-9);
        }
        assert_eq!(kept, [true, true, false, true]);
        power_tcp.power.window.set(125_000.0);
        let rate = power_tcp.rate().get();
        assert!(rate.abs_diff(50_000_000_000) <= 1, "half of 250,000 bytes in 20 us: {rate}");
    }
}
