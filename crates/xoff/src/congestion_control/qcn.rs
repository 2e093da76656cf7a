//! QCN's reaction point: the rate limiter of one flow (802.1Qau, as its state machine has it).
//! A congestion notification message cuts the rate in proportion to its feedback. Then a byte counter and a timer count
//! cycles, each of which raises the rate. Cycles of fast recovery go half of the way back to the target rate. Later
//! ones also raise the target: active increase once either count is beyond fast recovery, hyper-active increase once
//! both are.
//! Every adapter has a reaction point, whatever its congestion control, and a congestion notification message starts
//! it.
//! Differs: cycles are compared with their threshold before they are counted, so that fast recovery has all of them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::kernel::units::{Bytes, Rate, Ratio, Span, Time};

/// Settings of QCN's reaction point.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Parameters {
    /// Bytes of one cycle of the byte counter. Cycles after fast recovery have half of that [`BC_LIMIT`].
    #[schemars(extend("x-at-least" = "1B"))]
    pub byte_counter: Bytes,
    /// Time of one cycle of the timer. Cycles after fast recovery have half of that [T].
    #[schemars(extend("x-above" = "0s"))]
    pub timer: Span,
    /// Number of cycles in fast recovery, of the byte counter and of the timer each.
    #[schemars(extend("minimum" = 1))]
    pub cycles: u32,
    /// Step by which a cycle raises the target rate, once byte counter or timer is beyond fast recovery [`R_AI`].
    pub additive_increase: Rate,
    /// Step by which a cycle raises the target rate once both are beyond fast recovery, times the smaller number of
    /// cycles beyond it [`R_HAI`].
    pub hyper_increase: Rate,
    /// Share of the rate that a cut takes for each step of feedback, above 0 and at most 1 [`G_d`].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub gain: Ratio,
    /// Least share of the rate that one cut leaves, above 0 and at most 1 [`rpgMinDecFac`].
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub minimum_decrease: Ratio,
    /// Least rate to which cuts lower a flow [`rpgMinRate`].
    #[schemars(extend("x-above" = "0bps"))]
    pub minimum_rate: Rate,
    /// Whether, in the first cycle after a cut, a target above ten times the rate falls to an eighth instead of rising.
    pub extra_fast_recovery: bool,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            byte_counter: Bytes::new(150_000),
            timer: Span::from_milliseconds(15),
            cycles: 5,
            additive_increase: Rate::new(5_000_000),
            hyper_increase: Rate::new(50_000_000),
            gain: Ratio::new(1, 128),
            minimum_decrease: Ratio::new(1, 2),
            minimum_rate: Rate::new(5_000_000),
            extra_fast_recovery: true,
        }
    }
}

/// State of one flow, from its first congestion notification message until it is at line rate again.
#[derive(Clone, Debug)]
pub struct ReactionPoint {
    line_rate: Rate,
    /// Current rate [CR].
    rate: Rate,
    /// Target rate, which may be above the line rate [TR].
    target_rate: Rate,
    /// Cycles of the byte counter since the last cut [`BC_stage`].
    byte_cycles: u32,
    /// Cycles of the timer since the last cut [`T_stage`].
    time_cycles: u32,
    /// Bytes left in the byte counter's cycle.
    bytes_left: Bytes,
    timer_due: Time,
}

impl ReactionPoint {
    /// Makes the state of a flow at line rate, for which the first message has just arrived.
    pub fn new(parameters: &Parameters, line_rate: Rate) -> Self {
        Self {
            line_rate,
            rate: line_rate,
            target_rate: line_rate,
            byte_cycles: 0,
            time_cycles: 0,
            bytes_left: parameters.byte_counter,
            timer_due: Time::MAX,
        }
    }

    /// Rate at which the flow may send.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// Whether the flow needs no limiter any more.
    pub fn is_at_line_rate(&self) -> bool {
        self.rate >= self.line_rate
    }

    /// End of the timer's cycle.
    pub fn timer_due(&self) -> Time {
        self.timer_due
    }

    /// Cuts the rate for a congestion notification message with feedback 1 to 63.
    pub fn on_cnm(&mut self, parameters: &Parameters, now: Time, feedback: u8) {
        if self.byte_cycles > 0 {
            self.target_rate = self.rate;
            self.bytes_left = parameters.byte_counter;
        }
        (self.byte_cycles, self.time_cycles) = (0, 0);
        // CR = CR * max(1 - G_d * feedback, rpgMinDecFac).
        let factor = 1.0 - parameters.gain.as_f64() * f64::from(feedback);
        let cut = Rate::from_f64(self.rate.as_f64() * factor.max(parameters.minimum_decrease.as_f64()));
        self.rate = cut.max(parameters.minimum_rate).min(self.line_rate);
        self.timer_due = now + parameters.timer;
    }

    /// Counts a frame that the flow has sent. Returns whether that ends a cycle, so that the rate may have changed.
    pub fn on_sent(&mut self, parameters: &Parameters, frame: Bytes) -> bool {
        if frame < self.bytes_left {
            self.bytes_left -= frame;
            return false;
        }
        self.increase(parameters, self.byte_cycles + 1, self.time_cycles);
        self.byte_cycles += 1;
        let is_short = self.byte_cycles >= parameters.cycles;
        self.bytes_left =
            if is_short { Bytes::new(parameters.byte_counter.get() / 2) } else { parameters.byte_counter };
        true
    }

    /// Ends the timer's cycle.
    pub fn on_timer(&mut self, parameters: &Parameters, now: Time) {
        self.increase(parameters, self.byte_cycles, self.time_cycles + 1);
        self.time_cycles += 1;
        let is_short = self.time_cycles >= parameters.cycles;
        self.timer_due =
            now + if is_short { Span::new(parameters.timer.get() / 2) } else { parameters.timer };
    }

    /// Raises the rate at the end of a cycle, which brings the numbers of cycles to those given.
    fn increase(&mut self, parameters: &Parameters, byte_cycles: u32, time_cycles: u32) {
        let is_first = byte_cycles == 1 || time_cycles == 1;
        if parameters.extra_fast_recovery && is_first && self.target_rate > self.rate * 10 {
            self.target_rate = Rate::new(self.target_rate.get() / 8);
        } else {
            let step = self.step(parameters);
            self.target_rate = self.target_rate.saturating_add(step);
        }
        // CR = (CR + TR) / 2, rounded up so that the two meet.
        let halfway = Rate::new((self.target_rate.get() + self.rate.get()).div_ceil(2));
        self.rate = halfway.min(self.line_rate);
    }

    /// Returns the step by which the target rises, from the cycles that were over before this one.
    fn step(&self, parameters: &Parameters) -> Rate {
        let (less, more) = (self.byte_cycles.min(self.time_cycles), self.byte_cycles.max(self.time_cycles));
        if less >= parameters.cycles {
            parameters.hyper_increase.saturating_mul((less - parameters.cycles + 1).into())
        } else if more >= parameters.cycles {
            parameters.additive_increase
        } else {
            Rate::ZERO
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: Rate = Rate::from_gbps(10);
    const CYCLE: Bytes = Bytes::new(150_000);
    const NOW: Time = Time::ZERO;

    fn after_cnm(feedback: u8) -> (Parameters, ReactionPoint) {
        let parameters = Parameters::default();
        let mut point = ReactionPoint::new(&parameters, LINE);
        point.on_cnm(&parameters, NOW, feedback);
        (parameters, point)
    }

    /// Returns target and current rate in Mb/s.
    fn rates(point: &ReactionPoint) -> (f64, f64) {
        (point.target_rate.as_f64() / 1e6, point.rate.as_f64() / 1e6)
    }

    /// Returns target and current rate after each of `count` cycles of the byte counter.
    fn byte_cycles(point: &mut ReactionPoint, parameters: &Parameters, count: usize) -> Vec<(f64, f64)> {
        (0..count)
            .map(|_| {
                assert!(point.on_sent(parameters, point.bytes_left));
                rates(point)
            })
            .collect()
    }

    fn assert_close(found: &[(f64, f64)], expected: &[(f64, f64)]) {
        assert_eq!(found.len(), expected.len());
        let close = |one: f64, other: f64| (one - other).abs() < 0.001;
        let all =
            found.iter().zip(expected).all(|(one, other)| close(one.0, other.0) && close(one.1, other.1));
        assert!(all, "{found:?} and not {expected:?}");
    }

    /// Computed by hand from the standard's state machine, with a gain of 1/128 (IEEE8021-CN-MIB, `rpgGd`).
    #[test]
    fn a_cut_is_in_proportion_to_the_feedback() {
        for (feedback, rate) in [(1, 9_921.875), (25, 8_046.875), (63, 5_078.125)] {
            let (_, point) = after_cnm(feedback);
            assert_eq!(rates(&point), (10_000.0, rate));
        }
    }

    /// Computed by hand from the standard's state machine.
    #[test]
    fn five_cycles_of_fast_recovery_then_active_then_hyper_active_increase() {
        let (parameters, mut point) = after_cnm(25);
        let recovery = [9_023.437_5, 9_511.718_75, 9_755.859_375, 9_877.929_688, 9_938.964_844];
        let recovery = recovery.map(|rate| (10_000.0, rate));
        assert_close(&byte_cycles(&mut point, &parameters, 5), &recovery);
        assert_eq!(point.bytes_left, Bytes::new(75_000), "cycles are half as long from here");
        let active = [(10_005.0, 9_971.982_4), (10_010.0, 9_990.991_2)];
        assert_close(&byte_cycles(&mut point, &parameters, 2), &active);
        assert!(!point.is_at_line_rate());
        point.time_cycles = parameters.cycles;
        assert_eq!(byte_cycles(&mut point, &parameters, 1), [(10_060.0, 10_000.0)]);
        assert!(point.is_at_line_rate());
    }

    #[test]
    fn hyper_increase_grows_with_the_cycles_that_both_are_beyond() {
        let (parameters, mut point) = after_cnm(63);
        (point.byte_cycles, point.time_cycles) = (6, 7);
        assert_close(
            &byte_cycles(&mut point, &parameters, 2)[..],
            &[(10_100.0, 7_589.062_5), (10_250.0, 8_919.531_25)],
        );
    }

    /// Computed by hand: a target far above the rate falls in the first cycle after a cut, and only there.
    #[test]
    fn extra_fast_recovery_lowers_a_target_that_is_far_away() {
        let (parameters, mut point) = after_cnm(63);
        point.rate = Rate::new(900_000_000);
        point.on_timer(&parameters, NOW);
        assert_eq!(rates(&point), (1_250.0, 1_075.0));
        let (mut parameters, mut point) = after_cnm(63);
        point.rate = Rate::new(1_000_000_000);
        point.on_timer(&parameters, NOW);
        assert_eq!(rates(&point), (10_000.0, 5_500.0), "ten times is not above ten times");
        point.rate = Rate::new(900_000_000);
        point.on_timer(&parameters, NOW);
        assert_eq!(rates(&point), (10_000.0, 5_450.0), "the second cycle");
        (parameters.extra_fast_recovery, point.time_cycles) = (false, 0);
        point.rate = Rate::new(900_000_000);
        point.on_timer(&parameters, NOW);
        assert_eq!(rates(&point), (10_000.0, 5_450.0));
    }

    #[test]
    fn a_second_cut_lowers_the_target_only_after_a_cycle_of_the_byte_counter() {
        let (parameters, mut point) = after_cnm(25);
        point.on_sent(&parameters, Bytes::new(100_000));
        point.on_timer(&parameters, NOW);
        point.on_cnm(&parameters, NOW, 25);
        assert_eq!(
            (point.target_rate, point.bytes_left),
            (LINE, Bytes::new(50_000)),
            "a timer's is not enough"
        );
        assert!(point.on_sent(&parameters, Bytes::new(50_000)));
        let before = point.rate;
        point.on_cnm(&parameters, NOW, 25);
        assert_eq!((point.target_rate, point.bytes_left), (before, CYCLE));
        assert_eq!((point.byte_cycles, point.time_cycles), (0, 0));
    }

    #[test]
    fn the_timer_restarts_at_a_cut_and_runs_twice_as_fast_after_fast_recovery() {
        let (parameters, mut point) = after_cnm(63);
        let milliseconds = |point: &ReactionPoint| point.timer_due().as_nanoseconds() as f64 / 1e6;
        let mut due = vec![milliseconds(&point)];
        for _ in 0..6 {
            point.on_timer(&parameters, point.timer_due());
            due.push(milliseconds(&point));
        }
        assert_eq!(due, [15.0, 30.0, 45.0, 60.0, 75.0, 82.5, 90.0]);
        point.on_cnm(&parameters, point.timer_due(), 1);
        assert!((milliseconds(&point) - 105.0).abs() < 1e-9);
    }

    #[test]
    fn one_cut_leaves_half_and_all_cuts_the_minimum() {
        let (mut parameters, mut point) = after_cnm(63);
        parameters.gain = Ratio::new(1, 8);
        point.on_cnm(&parameters, NOW, 63);
        assert_eq!(point.rate(), Rate::new(2_539_062_500));
        (0..50).for_each(|_| point.on_cnm(&parameters, NOW, 63));
        assert_eq!(point.rate(), parameters.minimum_rate);
    }

    /// Computed by hand: 10,000 Mb/s are more than ten times 900, and an eighth of them is what the byte counter's first cycle
    /// aims at.
    #[test]
    fn extra_fast_recovery_comes_with_the_first_cycle_of_either_counter() {
        let (parameters, mut point) = after_cnm(63);
        let parameters = Parameters { extra_fast_recovery: true, ..parameters };
        point.rate = Rate::new(900_000_000);
        assert_close(&byte_cycles(&mut point, &parameters, 2), &[(1_250.0, 1_075.0), (1_250.0, 1_162.5)]);
    }
}
