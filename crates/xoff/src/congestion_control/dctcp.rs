//! DCTCP: cuts the window in proportion to the share of marked bytes (Alizadeh et al., SIGCOMM 2010; RFC 8257).
//! Switches mark packets that find more than a threshold of bytes in the queue. The sender counts which share of the
//! bytes acknowledged in a window was marked, and keeps a running average of it, alpha. An echo cuts the window by half
//! of alpha, so light congestion costs little and full congestion halves the window. Otherwise the window grows as
//! Reno's does.
//! A window is cut once over marks and losses (RFC 8257, section 3.5); Linux, with `halves_on_every_loss`, halves it on a
//! loss even where a mark has cut it before.
//! Differs: bytes that a block acknowledges count when the block comes, as in Linux; RFC 8257, section 3.3, has them
//! count once they are acknowledged cumulatively.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::once_a_window::OnceAWindow;
use super::reno::{self, Reno};
use super::{Ack, CongestionControl, Echo, EchoReading, Flow, Loss, Needs};
use crate::kernel::units::{Bytes, Ratio, Time};

/// Settings of DCTCP.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Weight of the newest window in the running share of marked bytes, above 0 and at most 1 [g].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Ratio,
    /// Share of marked bytes assumed at the start, 0 to 1 [alpha].
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub initial_alpha: Ratio,
    /// Arithmetic of alpha. TCP's preset `linux`: `fixed_point`.
    pub estimate: Estimate,
    /// Whether a loss halves the window even where a mark has cut it in the same round trip. TCP's preset `linux`: `true`.
    pub halves_on_every_loss: bool,
    /// Answer of the receiver when marked packets begin or end while an acknowledgement is pending.
    pub echo: EchoReading,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            gain: Ratio::new(1, 16),
            initial_alpha: Ratio::new(1, 1),
            estimate: Estimate::default(),
            halves_on_every_loss: false,
            echo: EchoReading::default(),
        }
    }
}

/// Arithmetic by which DCTCP keeps its running share of marked bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Estimate {
    /// Floating point, once a window, with the acknowledgement that ends it (SIGCOMM 2010, equation 1).
    #[default]
    Exact,
    /// Linux: parts of 1024, where less than 16 becomes 0. The acknowledgement that ends a window counts to the next.
    FixedPoint,
}

/// Alpha 1 in fixed point.
const WHOLE: u64 = 1024;

/// State of one flow under DCTCP. Fields that every acknowledgement needs come first.
#[derive(Clone, Debug)]
#[repr(C)]
pub struct Dctcp {
    reno: Reno,
    acked: Bytes,
    /// Byte whose acknowledgement ends the observation window.
    window_end: u64,
    marked: Bytes,
    reductions: OnceAWindow,
    gain: f64,
    alpha: f64,
    estimate: Estimate,
    halves_on_every_loss: bool,
}

impl Dctcp {
    /// Makes the state of one flow.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        Self {
            reno: Reno::new(&reno::Parameters {}, flow),
            gain: parameters.gain.as_f64(),
            alpha: parameters.initial_alpha.as_f64(),
            acked: Bytes::ZERO,
            marked: Bytes::ZERO,
            window_end: 0,
            reductions: OnceAWindow::default(),
            estimate: parameters.estimate,
            halves_on_every_loss: parameters.halves_on_every_loss,
        }
    }

    /// Moves alpha towards the share of marked bytes, once a window (SIGCOMM 2010, equation 1).
    fn update_alpha(&mut self, ack: &Ack<'_>) {
        if self.estimate == Estimate::FixedPoint {
            return self.update_fixed_point(ack);
        }
        if self.acked > Bytes::ZERO {
            let share = self.marked.as_f64() / self.acked.as_f64();
            // Equation 1: alpha = (1 - g) * alpha + g * F.
            self.alpha = (1.0 - self.gain) * self.alpha + self.gain * share;
        }
        self.acked = Bytes::ZERO;
        self.marked = Bytes::ZERO;
        self.window_end = ack.next_sequence;
    }

    /// Moves alpha as Linux does. The acknowledgement that ends a window belongs with its bytes to the next.
    fn update_fixed_point(&mut self, ack: &Ack<'_>) {
        let marked_now = if ack.echo { ack.newly_acked } else { Bytes::ZERO };
        let acked = self.acked - ack.newly_acked;
        let marked = self.marked - marked_now;
        let alpha = (self.alpha * WHOLE as f64) as u64;
        let decay = (alpha as f64 * self.gain) as u64;
        let alpha = if decay == 0 { 0 } else { alpha - decay };
        let gained = marked.get() as f64 * WHOLE as f64 * self.gain / acked.get().max(1) as f64;
        self.alpha = (alpha + gained as u64).min(WHOLE) as f64 / WHOLE as f64;
        (self.acked, self.marked) = (ack.newly_acked, marked_now);
        // The window ends once `cumulative` passes `window_end`. Linux ends it once all that was sent is acknowledged,
        // without a byte beyond.
        self.window_end = ack.next_sequence - 1;
    }

    /// Cuts the window by half of alpha, once a window (SIGCOMM 2010, equation 2).
    fn cut(&mut self) {
        // Equation 2: cwnd = cwnd * (1 - alpha / 2).
        self.reno.lower_by(self.alpha / 2.0);
    }
}

impl CongestionControl for Dctcp {
    type Parameters = Parameters;

    fn needs(parameters: &Parameters) -> Needs {
        Needs::Acknowledgements(Echo::Exact(parameters.echo))
    }

    #[inline]
    fn on_ack(&mut self, now: Time, ack: &Ack<'_>) {
        self.acked += ack.newly_acked;
        if ack.echo {
            self.marked += ack.newly_acked;
        }
        if ack.cumulative > self.window_end {
            self.update_alpha(ack);
        }
        if !ack.echo {
            self.reno.on_ack(now, ack);
        } else if self.reductions.on_echo(ack) {
            self.cut();
        }
    }

    /// Reduces the window as Reno does, unless a mark has cut it already; a timeout always collapses it (RFC 8257,
    /// section 3.5).
    fn on_loss(&mut self, now: Time, loss: &Loss) {
        if self.reductions.on_loss(loss) || self.halves_on_every_loss {
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

    fn alpha(&self) -> Option<f64> {
        Some(self.alpha)
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

    fn dctcp(initial_alpha: Ratio, window: u64) -> Dctcp {
        let initial_window = Bytes::new(window);
        let flow =
            Flow { segment: Bytes::new(1460), initial_window, line_rate: Rate::MAX, ..Flow::default() };
        Dctcp::new(&Parameters { initial_alpha, ..Parameters::default() }, &flow)
    }

    /// Acknowledges one whole window of 100 segments, of which `marked` carry an echo.
    fn window(dctcp: &mut Dctcp, start: u64, marked: u64) {
        for segment in 1..=100 {
            let ack = Ack {
                newly_acked: Bytes::new(1460),
                echo: segment <= marked,
                cumulative: start + segment * 1460,
                next_sequence: start + 100 * 1460,
                window_limited: true,
                ..Ack::default()
            };
            dctcp.on_ack(Time::ZERO, &ack);
        }
    }

    fn alphas(initial: Ratio, marked: &[u64]) -> Vec<f64> {
        let mut dctcp = dctcp(initial, 146_000);
        let mut alphas = Vec::new();
        for (round, &marked) in marked.iter().enumerate() {
            dctcp.window_end = (round as u64 + 1) * 146_000 - 1;
            window(&mut dctcp, round as u64 * 146_000, marked);
            alphas.push(dctcp.alpha);
        }
        alphas
    }

    /// Computed by hand from SIGCOMM 2010, equation 1, with alpha 1 at the start.
    #[test]
    fn alpha_follows_the_share_of_marked_bytes() {
        assert_eq!(
            alphas(Ratio::new(1, 1), &[0, 0, 100, 50]),
            [0.9375, 0.878_906_25, 0.886_474_609_375, 0.862_319_946_289_062_5]
        );
    }

    /// Computed by hand from SIGCOMM 2010, equation 1, with alpha 0 at the start.
    #[test]
    fn alpha_rises_from_zero() {
        let expected = [0.00625, 0.012_109_375, 0.017_602_539_062_5];
        for (alpha, expected) in alphas(Ratio::new(0, 1), &[10, 10, 10]).iter().zip(expected) {
            assert!((alpha - expected).abs() < 1e-15, "{alpha} {expected}");
        }
    }

    /// Alpha after each window of 100 segments in Linux's arithmetic, in parts of 1024. Of each window the last `marked`
    /// carry an echo; the acknowledgement that ends a window is the first of the next.
    fn alphas_in_fixed_point(initial: u64, marked: &[u64]) -> Vec<f64> {
        let parameters = Parameters {
            initial_alpha: Ratio::new(initial, WHOLE),
            estimate: Estimate::FixedPoint,
            ..Parameters::default()
        };
        let mut dctcp = Dctcp::new(&parameters, &Flow { segment: Bytes::new(1460), ..Flow::default() });
        let (mut alphas, mut cumulative) = (Vec::new(), 0);
        for &marked in marked {
            for segment in 0..100 {
                cumulative += 1460;
                let (newly_acked, next_sequence) = (Bytes::new(1460), cumulative + 100 * 1460);
                let echo = segment >= 100 - marked;
                dctcp.on_ack(
                    Time::ZERO,
                    &Ack { newly_acked, echo, cumulative, next_sequence, ..Ack::default() },
                );
                if segment == 0 {
                    alphas.push(dctcp.alpha * WHOLE as f64);
                }
            }
        }
        alphas
    }

    /// Computed by hand from Linux (`dctcp_update_alpha`): a sixteenth is taken off, rounded down, and of the share of
    /// marked bytes a sixteenth of 1024 is added, rounded down.
    #[test]
    fn in_fixed_point_alpha_moves_as_in_linux() {
        // 1024 - 64; 960 - 60; 900 - 56 + 6; 850 - 53 + 64; 861 - 53.
        assert_eq!(alphas_in_fixed_point(1024, &[0, 10, 100, 0, 0]), [960.0, 900.0, 850.0, 861.0, 808.0]);
        assert_eq!(alphas_in_fixed_point(16, &[0, 1, 0]), [15.0, 0.0, 0.0], "below 16 it becomes 0");
    }

    /// Makes an echo of the first of 100 segments in flight.
    fn first_echo() -> Ack<'static> {
        Ack {
            newly_acked: Bytes::new(1460),
            echo: true,
            cumulative: 1460,
            next_sequence: 146_000,
            window_limited: true,
            ..Ack::default()
        }
    }

    /// SIGCOMM 2010, equation 2: 146000 B at alpha 0.25 become 127750 B, once a window.
    #[test]
    fn an_echo_cuts_by_half_of_alpha_once_a_window() {
        let mut dctcp = dctcp(Ratio::new(1, 4), 146_000);
        dctcp.window_end = u64::MAX;
        let mut ack = first_echo();
        dctcp.on_ack(Time::ZERO, &ack);
        assert_eq!(dctcp.window(), Bytes::new(127_750));
        ack.cumulative = 146_000;
        dctcp.on_ack(Time::ZERO, &ack);
        assert_eq!(dctcp.window(), Bytes::new(127_750));
        ack.cumulative = 147_460;
        dctcp.on_ack(Time::ZERO, &ack);
        assert_eq!(dctcp.window(), Bytes::new(111_781));
    }

    /// Linux halves the window on a loss even where a mark has just cut it.
    #[test]
    fn every_loss_may_halve_the_window() {
        let parameters = Parameters { halves_on_every_loss: true, ..Parameters::default() };
        let initial_window = Bytes::new(146_000);
        let flow = Flow { segment: Bytes::new(1460), initial_window, ..Flow::default() };
        let mut dctcp = Dctcp::new(&parameters, &flow);
        dctcp.on_ack(Time::ZERO, &first_echo());
        let loss = Loss {
            in_flight: Bytes::new(100_000),
            kind: LossKind::Recovery,
            first_lost: 2920,
            next_sequence: 146_000,
        };
        dctcp.on_loss(Time::ZERO, &loss);
        assert_eq!(dctcp.window(), Bytes::new(50_000));
        dctcp.on_recovered(Time::ZERO, Bytes::new(10_000));
        assert_eq!(dctcp.window(), Bytes::new(11_460), "a segment beyond what is out (RFC 6582)");
    }

    #[test]
    fn an_echo_after_a_timeout_does_not_raise_the_window() {
        let mut dctcp = dctcp(Ratio::new(1, 4), 146_000);
        let loss = Loss {
            in_flight: Bytes::new(146_000),
            kind: LossKind::Timeout,
            first_lost: 0,
            next_sequence: 146_000,
        };
        dctcp.on_loss(Time::ZERO, &loss);
        dctcp.cut();
        assert_eq!(dctcp.window(), Bytes::new(1460));
    }

    /// An echo of the first of 100 segments cuts the window. The last of these segments is lost, which is noticed after
    /// half a window more was sent.
    #[test]
    fn one_window_is_cut_once_over_marks_and_losses() {
        let mut dctcp = dctcp(Ratio::new(1, 4), 146_000);
        dctcp.window_end = u64::MAX;
        dctcp.on_ack(Time::ZERO, &first_echo());
        let noticed = |first_lost: u64, kind| Loss {
            in_flight: Bytes::new(219_000 - first_lost),
            kind,
            first_lost,
            next_sequence: 219_000,
        };
        dctcp.on_loss(Time::ZERO, &noticed(144_540, LossKind::Recovery));
        assert_eq!(dctcp.window(), Bytes::new(127_750));
        dctcp.on_loss(Time::ZERO, &noticed(146_000, LossKind::Recovery));
        assert_eq!(dctcp.window(), Bytes::new(36_500), "the next window has lost too");
        dctcp.on_loss(Time::ZERO, &noticed(144_540, LossKind::Timeout));
        assert_eq!(dctcp.window(), Bytes::new(1460));
    }
}
