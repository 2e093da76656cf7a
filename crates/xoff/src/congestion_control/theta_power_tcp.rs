//! Theta-PowerTCP: PowerTCP that reads the power from the round-trip time and its change (NSDI 2022, section 3.4).
//! Every acknowledgement is a sample; the window changes once a round trip.
//! Left out: reactions to losses.
//! Differs: the code takes a gain of 0.7, divides by 1.05 `base_rtt` and lets the change of delay count for no less than a half;
//! here it is as in the paper.

use super::power_tcp::Power;
use super::{Ack, CongestionControl, Flow, Needs};
use crate::kernel::units::{Bytes, Rate, Span, Time};

pub use super::power_tcp::Parameters;

/// One flow's state.
#[derive(Clone, Debug)]
pub struct ThetaPowerTcp {
    power: Power,
    /// When the last acknowledgement came, and its round-trip time.
    before: Option<(Time, Span)>,
}

impl ThetaPowerTcp {
    /// One flow's state.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        Self { power: Power::new(parameters, flow), before: None }
    }

    /// The power that a change of the round-trip time over some seconds tells of.
    fn normalized_power(&self, before: Span, rtt: Span, seconds: f64) -> f64 {
        let slope = (rtt.as_seconds() - before.as_seconds()) / seconds;
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

    /// By hand: (1 + 5/10) * 30/20 is 2.25, at which 250,000 bytes become 0.9 (111,111.11 + 25,000) + 25,000.
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
    }
}
