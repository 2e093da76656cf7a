//! TIMELY: sets the rate by the change of the round-trip time, between two bounds of it (Mittal et al., SIGCOMM 2015, section 4).
//! A round-trip time that rises means that a queue grows. The sender smooths the change from one sample to the next,
//! and divides it by the least round-trip time: that is the gradient. A positive gradient cuts the rate in proportion,
//! and any other adds a fixed step. Below a low bound of the round-trip time the rate always rises, and above a high
//! bound it always falls.
//! Left out: reactions to losses; a start below the line rate where a host has many flows.
//! Differs: packets follow one another at the rate, not in bursts of a segment.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ack, CongestionControl, Flow, Needs};
use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time, TransmissionClock};

/// Settings of TIMELY.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Weight of the newest change in the running change of the round-trip time, above 0 and at most 1 [alpha].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Ratio,
    /// Round-trip time below which the rate always rises [`T_low`].
    #[schemars(extend("x-above" = "0s"))]
    pub low_rtt: Span,
    /// Round-trip time above which the rate always falls [`T_high`].
    #[schemars(extend("x-at-least-key" = "low_rtt"))]
    pub high_rtt: Span,
    /// Round-trip time by which changes are divided to give the gradient [`D_minRTT`].
    #[schemars(extend("x-above" = "0s"))]
    pub minimum_rtt: Span,
    /// Share of the rate that a gradient of 1 takes, above 0 and at most 1 [beta].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub decrease: Ratio,
    /// Step by which an increase raises the rate [delta].
    #[schemars(extend("x-above" = "0bps"))]
    pub additive_increase: Rate,
    /// Samples in a row without a rise of the round-trip time, from which on increases are hyper increases.
    #[schemars(extend("minimum" = 1))]
    pub hyper_after: u32,
    /// Number of steps in one hyper increase [N].
    #[schemars(extend("minimum" = 1))]
    pub hyper_increase: u32,
    /// Bytes acknowledged from one sample of the round-trip time to the next [segment].
    #[schemars(extend("x-at-least" = "1B"))]
    pub segment: Bytes,
    /// Least rate. The paper prints none; this is the value of the public simulators.
    #[schemars(extend("x-above" = "0bps"))]
    pub minimum_rate: Rate,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            gain: Ratio::new(7, 8),
            low_rtt: Span::from_microseconds(50),
            high_rtt: Span::from_microseconds(500),
            minimum_rtt: Span::from_microseconds(20),
            decrease: Ratio::new(4, 5),
            additive_increase: Rate::new(10_000_000),
            hyper_after: 5,
            hyper_increase: 5,
            segment: Bytes::new(16_000),
            minimum_rate: Rate::new(100_000_000),
        }
    }
}

/// State of one flow under TIMELY.
#[derive(Clone, Debug)]
pub struct Timely {
    gain: f64,
    low_rtt: Span,
    high_rtt: Span,
    /// Round-trip time by which changes are divided, in seconds.
    minimum_rtt: f64,
    decrease: f64,
    additive_increase: Rate,
    hyper_after: u32,
    hyper_increase: u32,
    segment: Bytes,
    minimum_rate: Rate,
    line_rate: Rate,
    /// Transmission times at the adapter's link. A packet's own time on the wire is no part of its sample.
    wire: TransmissionClock,
    rate: Rate,
    /// Last sample of the round-trip time.
    before: Option<Span>,
    /// Running change of the round-trip time from sample to sample, in seconds [`rtt_diff`].
    change: f64,
    /// Samples in a row without a rise of the round-trip time.
    without_rise: u32,
    /// Bytes acknowledged since the last sample.
    acked: Bytes,
}

impl Timely {
    /// Makes the state of one flow.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        let line_rate = flow.line_rate;
        Self {
            gain: parameters.gain.as_f64(),
            low_rtt: parameters.low_rtt,
            high_rtt: parameters.high_rtt,
            minimum_rtt: parameters.minimum_rtt.as_seconds(),
            decrease: parameters.decrease.as_f64(),
            additive_increase: parameters.additive_increase,
            hyper_after: parameters.hyper_after,
            hyper_increase: parameters.hyper_increase,
            segment: parameters.segment,
            minimum_rate: parameters.minimum_rate.min(line_rate),
            line_rate,
            wire: TransmissionClock::new(line_rate),
            rate: line_rate,
            before: None,
            change: 0.0,
            without_rise: 0,
            acked: Bytes::ZERO,
        }
    }

    /// Sets the rate by a new sample of the round-trip time (algorithm 1).
    fn update(&mut self, rtt: Span) {
        let Some(before) = self.before.replace(rtt) else { return };
        let newest = rtt.as_seconds() - before.as_seconds();
        // Algorithm 1: rtt_diff = (1 - alpha) * rtt_diff + alpha * (new_rtt - prev_rtt).
        self.change = (1.0 - self.gain) * self.change + self.gain * newest;
        let gradient = self.change / self.minimum_rtt;
        self.without_rise = if gradient <= 0.0 { self.without_rise.saturating_add(1) } else { 0 };
        if rtt < self.low_rtt {
            self.increase(1);
        } else if rtt > self.high_rtt {
            // Algorithm 1: rate = rate * (1 - beta * (1 - T_high / new_rtt)).
            self.cut(1.0 - self.high_rtt.as_seconds() / rtt.as_seconds());
        } else if gradient <= 0.0 {
            self.increase(if self.without_rise >= self.hyper_after { self.hyper_increase } else { 1 });
        } else {
            // Algorithm 1: rate = rate * (1 - beta * normalized_gradient).
            self.cut(gradient);
        }
    }

    fn increase(&mut self, times: u32) {
        let step = self.additive_increase.saturating_mul(times.into());
        self.rate = self.rate.saturating_add(step).min(self.line_rate);
    }

    fn cut(&mut self, by: f64) {
        let rate = self.rate.as_f64() * (1.0 - self.decrease * by).max(0.0);
        self.rate = Rate::from_f64(rate).max(self.minimum_rate);
    }
}

impl CongestionControl for Timely {
    type Parameters = Parameters;

    fn needs(_parameters: &Parameters) -> Needs {
        Needs::Delay { echoes: false }
    }

    fn on_ack(&mut self, _now: Time, ack: &Ack<'_>) {
        self.acked += ack.newly_acked;
        if let Some(rtt) = ack.rtt
            && self.acked >= self.segment
        {
            self.acked = Bytes::ZERO;
            self.update(rtt.saturating_sub(self.wire.transmission_time(ack.timed)));
        }
    }

    fn rate(&self) -> Rate {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::flow;
    use super::*;

    /// Makes a flow at 10 Gb/s, whose last sample was 60 us.
    fn timely() -> Timely {
        let mut timely = Timely::new(&Parameters::default(), &flow(40, 20));
        timely.before = Some(Span::from_microseconds(60));
        timely.rate = Rate::from_gbps(10);
        timely
    }

    fn rate_after(rtt: u64) -> f64 {
        let mut timely = timely();
        timely.update(Span::from_microseconds(rtt));
        timely.rate.as_f64() / 1e9
    }

    /// Computed by hand from algorithm 1.
    #[test]
    fn the_rate_follows_the_gradient_between_two_bounds() {
        for (rtt, expected) in [(70, 6.5), (600, 8.666_666_666), (40, 10.01)] {
            let rate = rate_after(rtt);
            assert!((rate - expected).abs() < 2e-9, "{rate} and not {expected} after {rtt} us");
        }
    }

    /// Computed by hand from algorithm 1: at the bounds of 50 and 500 us the gradient counts, below the first it does not.
    #[test]
    fn a_rise_lowers_the_rate_from_one_bound_to_the_other() {
        for (before, rtt, expected) in [(30, 40, 10.01), (40, 50, 6.5), (490, 500, 6.5)] {
            let mut timely = timely();
            timely.before = Some(Span::from_microseconds(before));
            timely.update(Span::from_microseconds(rtt));
            let rate = timely.rate().as_f64() / 1e9;
            assert!((rate - expected).abs() < 2e-9, "{rate} and not {expected} after {rtt} us");
        }
    }

    /// Computed by hand from algorithm 1 with a gain of 7/8: changes of 8.75, 1.09375 and -4.23828 us, over 20 us.
    #[test]
    fn earlier_changes_count_an_eighth() {
        let mut timely = timely();
        for (rtt, expected) in [(70, 6.5), (70, 6.215_625), (65, 6.225_625)] {
            timely.update(Span::from_microseconds(rtt));
            let rate = timely.rate().as_f64() / 1e9;
            assert!((rate - expected).abs() < 2e-9, "{rate} and not {expected} after {rtt} us");
        }
    }

    /// Algorithm 1 alone would give the factor 1 - 0.8 * 1.5 = -0.2.
    #[test]
    fn a_steep_rise_leaves_the_least_rate() {
        let mut timely = timely();
        timely.cut(1.5);
        assert_eq!(timely.rate, Rate::new(100_000_000));
    }

    #[test]
    fn the_fifth_sample_without_a_rise_is_a_hyper_increase() {
        let mut timely = timely();
        let rates = [(); 5].map(|()| {
            timely.update(Span::from_microseconds(60));
            timely.rate.get() / 1_000_000
        });
        assert_eq!(rates, [10_010, 10_020, 10_030, 10_040, 10_090]);
    }

    #[test]
    fn steps_beyond_any_rate_go_to_the_line_s() {
        let mut timely = timely();
        timely.additive_increase = Rate::new(1 << 33);
        timely.increase(1 << 31);
        assert_eq!(timely.rate, Rate::from_gbps(40));
    }

    #[test]
    fn a_sample_is_taken_once_a_segment_and_without_the_packet_itself() {
        let mut timely = timely();
        let mut ack = Ack {
            newly_acked: Bytes::new(8_000),
            rtt: Some(Span::from_microseconds(40)),
            timed: Bytes::new(1_000),
            ..Ack::default()
        };
        timely.on_ack(Time::ZERO, &ack);
        assert_eq!(timely.rate, Rate::from_gbps(10));
        ack.rtt = Some(Span::from_nanoseconds(50_100));
        timely.on_ack(Time::ZERO, &ack);
        assert_eq!(timely.before, Some(Span::from_nanoseconds(49_900)), "1000 bytes are 200 ns");
        assert_eq!(timely.rate, Rate::new(10_010_000_000));
    }
}
