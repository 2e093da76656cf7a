//! Theta-PowerTCP: PowerTCP without telemetry, by the round-trip time and its change (Addanki et al., NSDI 2022, section 3.4).
//! The round-trip time stands for the queue, and its change for the rate at which bytes come. Every acknowledgement is
//! a sample; the window changes once a round trip.
//! Left out: reactions to losses.
//! Differs: the code takes a gain of 0.7, divides by 1.05 `base_rtt` and lets the change of delay count for no less
//! than a half; here it is as in the paper.

use super::power_tcp::Power;
use super::{Ack, CongestionControl, Flow, Needs};
use crate::kernel::units::{Bytes, Rate, Span, Time};

pub use super::power_tcp::Parameters;

/// State of one flow under Theta-PowerTCP.
#[derive(Clone, Debug)]
pub struct ThetaPowerTcp {
    power: Power,
    /// Time of the last acknowledgement, and its round-trip time.
    before: Option<(Time, Span)>,
}

impl ThetaPowerTcp {
    /// Makes the state of one flow.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        Self { power: Power::new(parameters, flow), before: None }
    }

    /// Returns the power that a change of the round-trip time over some seconds stands for (section 3.4).
    fn normalized_power(&self, before: Span, rtt: Span, seconds: f64) -> f64 {
        let slope = (rtt.as_seconds() - before.as_seconds()) / seconds;
        // Normalised power = (d RTT / d t + 1) * RTT / tau.
        (slope + 1.0) * rtt.as_seconds() / self.power.window.base_rtt()
    }
}

impl CongestionControl for ThetaPowerTcp {
    type Parameters = Parameters;

    fn needs(_parameters: &Parameters) -> Needs {
        Needs::Delay { echoes: false }
    }

    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        let Some(rtt) = ack.rtt else { return };
        let Some((earlier, before)) = self.before.replace((now, rtt)) else { return };
        if earlier == now {
            return;
        }
        let seconds = now.since(earlier).as_seconds();
        self.power.measure(self.normalized_power(before, rtt, seconds), seconds);
        if self.power.ends_round(ack) {
            self.power.update();
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

    /// Computed by hand: (1 + 5/10) * 30/20 is 2.25, at which 250,000 bytes become 0.9 (111,111.11 + 25,000) + 25,000.
    #[test]
    fn a_growing_delay_lowers_the_window_once_a_round_trip() {
        let mut theta = ThetaPowerTcp::new(&Parameters::default(), &flow(100, 20));
        let ack = |rtt, cumulative| Ack {
            newly_acked: Bytes::new(1000),
            cumulative,
            next_sequence: 250_000,
            rtt: Some(Span::from_microseconds(rtt)),
            ..Ack::default()
        };
        let (before, rtt) = (Span::from_microseconds(25), Span::from_microseconds(30));
        let normalized = theta.normalized_power(before, rtt, 10e-6);
        assert!((normalized - 2.25).abs() < 1e-12, "{normalized}");
        theta.on_ack(Time::ZERO + Span::from_microseconds(25), &ack(25, 1000));
        theta.on_ack(Time::ZERO + Span::from_microseconds(35), &ack(30, 2000));
        assert_eq!(theta.window(), Bytes::new(147_500));
        theta.on_ack(Time::ZERO + Span::from_microseconds(36), &ack(40, 3000));
        assert_eq!(theta.window(), Bytes::new(147_500), "the round trip is not over");
        assert!(
            theta.rate().get().abs_diff(59_000_000_000) <= 1,
            "147,500 bytes in 20 us: {:?}",
            theta.rate()
        );
    }
}
