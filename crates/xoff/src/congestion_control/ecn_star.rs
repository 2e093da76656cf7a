//! ECN-star: TCP that halves its window on an echo as it does on a loss, once a window (RFC 3168; BCC, APNet 2017).
//! The receiver echoes from the first mark until the sender says that it has reduced its window. Between reductions the
//! window grows as Reno's does.
//! Differs: retransmissions are ECN-capable, as with every algorithm here (RFC 3168, section 6.1.5).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::once_a_window::OnceAWindow;
use super::reno::{self, Reno};
use super::{Ack, CongestionControl, Echo, Flow, Loss, Needs};
use crate::kernel::units::{Bytes, Time};

/// Settings of ECN-star, which has none.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {}

/// State of one flow under ECN-star.
#[derive(Clone, Debug)]
pub struct EcnStar {
    reno: Reno,
    reductions: OnceAWindow,
}

impl EcnStar {
    /// Makes the state of one flow.
    pub fn new(_parameters: &Parameters, flow: &Flow) -> Self {
        Self { reno: Reno::new(&reno::Parameters {}, flow), reductions: OnceAWindow::default() }
    }
}

impl CongestionControl for EcnStar {
    type Parameters = Parameters;

    fn needs(_parameters: &Parameters) -> Needs {
        Needs::Acknowledgements(Echo::Latched)
    }

    #[inline]
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        if !ack.echo {
            self.reno.on_ack(now, ack);
        } else if self.reductions.on_echo(ack) {
            self.reno.halve();
        }
    }

    fn on_loss(&mut self, now: Time, loss: &Loss) {
        if self.reductions.on_loss(loss) {
            self.reno.on_loss(now, loss);
        }
    }

    fn on_recovered(&mut self, now: Time, in_flight: Bytes) {
        self.reno.on_recovered(now, in_flight);
    }

    fn on_idle(&mut self, restart_window: Bytes) {
        self.reno.on_idle(restart_window);
    }

    #[inline]
    fn window(&self) -> Bytes {
        self.reno.window()
    }

    fn threshold(&self) -> Option<Bytes> {
        self.reno.threshold()
    }
}

#[cfg(test)]
mod tests {
    use super::super::LossKind;
    use super::*;
    use crate::kernel::units::Rate;

    const SEGMENT: u64 = 1460;

    fn ecn_star(segments: u64) -> EcnStar {
        let initial_window = Bytes::new(segments * SEGMENT);
        let flow =
            Flow { segment: Bytes::new(SEGMENT), initial_window, line_rate: Rate::MAX, ..Flow::default() };
        EcnStar::new(&Parameters {}, &flow)
    }

    /// Returns the window in segments after an acknowledgement of everything before `cumulative`.
    fn after_ack(ecn_star: &mut EcnStar, cumulative: u64, next: u64, echo: bool) -> u64 {
        let ack = Ack {
            newly_acked: Bytes::new(SEGMENT),
            echo,
            cumulative: cumulative * SEGMENT,
            next_sequence: next * SEGMENT,
            window_limited: true,
            ..Ack::default()
        };
        ecn_star.on_ack(Time::ZERO, &ack);
        ecn_star.window().get() / SEGMENT
    }

    fn loss(first_lost: u64, next: u64, kind: LossKind) -> Loss {
        let in_flight = Bytes::new((next - first_lost) * SEGMENT);
        Loss { in_flight, kind, first_lost: first_lost * SEGMENT, next_sequence: next * SEGMENT }
    }

    /// RFC 3168, section 6.1.2: 100 segments become 50, and 40 further echoes in the same window leave them.
    #[test]
    fn an_echo_halves_the_window_once_a_window() {
        let mut ecn_star = ecn_star(100);
        assert_eq!(after_ack(&mut ecn_star, 1, 100, true), 50);
        for cumulative in 2..=41 {
            assert_eq!(after_ack(&mut ecn_star, cumulative, 101, true), 50);
        }
        assert_eq!(after_ack(&mut ecn_star, 100, 150, true), 50);
        assert_eq!(after_ack(&mut ecn_star, 101, 151, true), 25);
    }

    #[test]
    fn a_loss_in_a_window_that_was_cut_does_not_cut_it_again() {
        let mut ecn_star = ecn_star(100);
        after_ack(&mut ecn_star, 1, 100, true);
        ecn_star.on_loss(Time::ZERO, &loss(99, 149, LossKind::Recovery));
        assert_eq!(ecn_star.window(), Bytes::new(50 * SEGMENT));
        ecn_star.on_loss(Time::ZERO, &loss(100, 150, LossKind::Recovery));
        assert_eq!(ecn_star.window(), Bytes::new(25 * SEGMENT));
        ecn_star.on_loss(Time::ZERO, &loss(100, 150, LossKind::Timeout));
        assert_eq!(ecn_star.window(), Bytes::new(SEGMENT));
    }

    #[test]
    fn an_echo_in_a_window_that_has_lost_does_not_cut_it_again() {
        let mut ecn_star = ecn_star(100);
        ecn_star.on_loss(Time::ZERO, &loss(0, 100, LossKind::Recovery));
        assert_eq!(after_ack(&mut ecn_star, 100, 120, true), 50);
        assert_eq!(after_ack(&mut ecn_star, 101, 121, true), 25);
    }

    /// RFC 6582, section 3.2, step 3, with a threshold of 10 segments; RFC 5681, section 4.1.
    #[test]
    fn recoveries_and_idle_times_are_those_of_reno() {
        let mut ecn_star = ecn_star(20);
        ecn_star.on_loss(Time::ZERO, &loss(0, 20, LossKind::Recovery));
        ecn_star.on_recovered(Time::ZERO, Bytes::new(4 * SEGMENT));
        assert_eq!(ecn_star.window(), Bytes::new(5 * SEGMENT));
        ecn_star.on_idle(Bytes::new(2 * SEGMENT));
        assert_eq!(ecn_star.window(), Bytes::new(2 * SEGMENT));
    }
}
