//! DCQCN's reaction point: the rate of one flow (SIGCOMM 2015, equations 1 to 4 and figure 7).

use std::sync::Arc;

use super::presets::Values;
use super::{AlphaRises, Clamp, CutBy, HyperWhen, Parameters};
use crate::congestion_control::{CongestionControl, Flow, Needs};
use crate::kernel::units::{Bytes, Rate, Span, Time};

/// Alpha below which a cut changes no rate, and alpha falls no further.
const NO_ALPHA: f64 = 1e-15;

/// State of one flow under DCQCN. Until the first CNP the flow sends at its adapter's line rate.
#[derive(Clone, Debug)]
pub struct Dcqcn {
    values: Arc<Values>,
    line_rate: Rate,
    /// Whether a CNP has come yet.
    limited: bool,
    /// Current rate [`R_C`].
    rate: Rate,
    /// Target rate, to which increases lead back [`R_T`].
    target_rate: Rate,
    alpha: f64,
    /// Begin of the period of alpha that is not over.
    alpha_since: Time,
    /// Whether a CNP has come that alpha has not risen for yet, where alpha rises at the end of periods.
    alpha_pending: bool,
    /// Tick at which the next cut is due, by the clock of cuts.
    cut_due: Time,
    /// One tick of the clock of cuts, from which the others follow.
    cut_clock: Time,
    increase_due: Time,
    /// Increases that the timer has brought since the last cut.
    time_increases: u32,
    /// Increases that the byte counter has brought since the last cut.
    byte_increases: u32,
    /// Bytes sent since the byte counter's last increase, or the last cut.
    sent: Bytes,
}

/// Source of an increase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cause {
    Timer,
    ByteCounter,
}

impl Dcqcn {
    /// Makes the state of one flow.
    pub fn new(parameters: &Parameters, flow: &Flow) -> Self {
        let values = parameters.values();
        Self {
            line_rate: flow.line_rate,
            limited: false,
            rate: flow.line_rate,
            target_rate: flow.line_rate,
            alpha: values.initial_alpha,
            alpha_since: Time::ZERO,
            alpha_pending: false,
            cut_due: Time::MAX,
            cut_clock: Time::ZERO,
            increase_due: Time::MAX,
            time_increases: 0,
            byte_increases: 0,
            sent: Bytes::ZERO,
            values,
        }
    }

    /// Updates alpha for the periods that have ended by now. Only cuts need it, so it is done just before one.
    fn settle_alpha(&mut self, now: Time) {
        let period = self.values.alpha_period;
        let periods = now.since(self.alpha_since).get() / period.get();
        self.alpha_since = self.alpha_since + period * periods;
        for _ in 0..periods {
            if std::mem::take(&mut self.alpha_pending) {
                self.raise_alpha();
            } else if self.alpha < NO_ALPHA {
                break;
            } else {
                // Equation 2: alpha = (1 - g) * alpha.
                self.alpha *= 1.0 - self.values.gain;
            }
        }
    }

    fn raise_alpha(&mut self) {
        // Equation 1: alpha = (1 - g) * alpha + g.
        self.alpha = (1.0 - self.values.gain) * self.alpha + self.values.gain;
    }

    /// Cuts the rate by half of alpha, and may lower the target rate to it (equation 1).
    fn cut(&mut self, now: Time, alpha: f64) {
        let clamps = match self.values.clamp_target_rate {
            Clamp::Always => true,
            Clamp::AfterTimeIncrease => self.time_increases > 0,
            Clamp::AfterByteIncrease => self.byte_increases > 0,
            Clamp::AfterIncrease => self.time_increases + self.byte_increases > 0,
        };
        if clamps {
            self.target_rate = self.rate;
        }
        // Equation 1: R_C = R_C * (1 - alpha / 2).
        let rate = Rate::from_f64(self.rate.as_f64() * (1.0 - alpha / 2.0));
        self.rate = rate.max(self.values.minimum_rate.min(self.line_rate));
        (self.time_increases, self.byte_increases) = (0, 0);
        self.sent = Bytes::ZERO;
        self.increase_due = now + self.values.timer;
    }

    fn begin(&mut self, now: Time) {
        self.limited = true;
        self.alpha_since = now;
        self.cut_clock = now;
    }

    /// Returns the first tick after `now` of the clock that the first CNP started.
    fn next_cut_tick(&self, now: Time) -> Time {
        let period = self.values.cut_period;
        let ticks = now.since(self.cut_clock).get() / period.get() + 1;
        self.cut_clock + period * ticks
    }

    /// Raises the rate by fast recovery, additive or hyper increase (equations 3 and 4), by the increases of either
    /// kind since the cut.
    fn increase(&mut self, cause: Cause) {
        let count_first = self.values.count_first;
        if count_first {
            self.count(cause);
        }
        let (time, bytes, fast) = (self.time_increases, self.byte_increases, self.values.fast_recovery);
        if time.max(bytes) >= fast {
            let beyond = match self.values.hyper_when {
                HyperWhen::BothBeyond => (time.min(bytes) + u32::from(count_first)).saturating_sub(fast),
                HyperWhen::TimeBeyond => u32::from(time > fast),
            };
            let step = match beyond {
                0 => self.values.additive_increase.at(self.line_rate),
                times => self.values.hyper_increase.at(self.line_rate).saturating_mul(times.into()),
            };
            self.target_rate = self.target_rate.saturating_add(step).min(self.line_rate);
        }
        // Equations 3 and 4: R_C = (R_T + R_C) / 2. Rounded up, so that the two meet.
        self.rate = Rate::new((self.target_rate.get() + self.rate.get()).div_ceil(2));
        if !count_first {
            self.count(cause);
        }
    }

    fn count(&mut self, cause: Cause) {
        match cause {
            Cause::Timer => self.time_increases += 1,
            Cause::ByteCounter => self.byte_increases += 1,
        }
    }

    fn is_at_line_rate(&self) -> bool {
        self.rate >= self.line_rate
    }
}

impl CongestionControl for Dcqcn {
    type Parameters = Parameters;

    fn needs(parameters: &Parameters) -> Needs {
        Needs::Cnps(parameters.notification_point())
    }

    fn hears_acknowledgements(&self) -> bool {
        false
    }

    #[inline]
    fn rate(&self) -> Rate {
        self.rate
    }

    #[inline]
    fn on_sent(&mut self, _now: Time, size: Bytes) -> bool {
        if self.is_at_line_rate() || self.values.byte_counter == Bytes::ZERO {
            return false;
        }
        self.sent += size;
        let increases = self.sent >= self.values.byte_counter;
        while self.sent >= self.values.byte_counter {
            self.sent -= self.values.byte_counter;
            self.increase(Cause::ByteCounter);
        }
        increases
    }

    fn on_cnp(&mut self, now: Time) {
        let first = !self.limited;
        if first {
            self.begin(now);
        } else {
            self.settle_alpha(now);
        }
        let old_alpha = self.alpha;
        if self.values.alpha_rises == AlphaRises::AtCnp {
            self.raise_alpha();
            self.alpha_since = now;
        } else {
            self.alpha_pending = !first;
        }
        if self.values.cut_period == Span::ZERO {
            self.cut(now, if self.values.cut_by == CutBy::OldAlpha { old_alpha } else { self.alpha });
        } else if self.cut_due == Time::MAX {
            self.cut_due = self.next_cut_tick(now);
        }
    }

    fn next_timer(&self) -> Time {
        self.increase_due.min(self.cut_due)
    }

    fn on_timer(&mut self, now: Time) {
        if self.cut_due <= now {
            self.cut_due = Time::MAX;
            self.settle_alpha(now);
            self.cut(now, self.alpha);
        }
        if self.increase_due <= now {
            self.increase(Cause::Timer);
            self.increase_due = if self.is_at_line_rate() { Time::MAX } else { now + self.values.timer };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Preset;
    use super::super::presets::Step;
    use super::*;
    use crate::kernel::units::Ratio;

    const LINE: Rate = Rate::from_gbps(40);

    fn dcqcn(parameters: &Parameters) -> Dcqcn {
        let size = Bytes::new(1000);
        let flow = Flow { segment: size, initial_window: size, line_rate: LINE, ..Flow::default() };
        Dcqcn::new(parameters, &flow)
    }

    fn at(microseconds: u64) -> Time {
        Time::ZERO + Span::from_microseconds(microseconds)
    }

    /// Returns target and current rate in Gb/s.
    fn rates(dcqcn: &Dcqcn) -> (f64, f64) {
        (dcqcn.target_rate.as_f64() / 1e9, dcqcn.rate.as_f64() / 1e9)
    }

    /// Fires the timer `count` times and returns the rates after each.
    fn timed(dcqcn: &mut Dcqcn, count: usize) -> Vec<(f64, f64)> {
        (0..count)
            .map(|_| {
                dcqcn.on_timer(dcqcn.next_timer());
                rates(dcqcn)
            })
            .collect()
    }

    fn assert_alpha(dcqcn: &Dcqcn, expected: f64) {
        assert!((dcqcn.alpha - expected).abs() < 1e-12, "{} and not {expected}", dcqcn.alpha);
    }

    fn after_three_cnps(parameters: &Parameters) -> Dcqcn {
        let mut dcqcn = dcqcn(parameters);
        let cuts = [1, 2, 3].map(|now| {
            dcqcn.on_cnp(at(now));
            rates(&dcqcn)
        });
        assert_eq!(cuts, [(40.0, 20.0), (20.0, 10.0), (10.0, 5.0)]);
        assert_alpha(&dcqcn, 1.0);
        dcqcn
    }

    /// Computed by hand from equations 1, 3 and 4.
    #[test]
    fn cuts_halve_and_recovery_halves_the_distance_five_times() {
        let mut dcqcn = after_three_cnps(&Parameters::default());
        assert_eq!(
            timed(&mut dcqcn, 6),
            [(10.0, 7.5), (10.0, 8.75), (10.0, 9.375), (10.0, 9.6875), (10.0, 9.84375), (10.04, 9.941_875)]
        );
    }

    /// Computed by hand from equations 1, 3 and 4 with increases counted first: four halvings, then 9.86375.
    #[test]
    fn counting_first_leaves_four_halvings() {
        let mut dcqcn = after_three_cnps(&Parameters { count_first: Some(true), ..Parameters::default() });
        assert_eq!(timed(&mut dcqcn, 5)[3..], [(10.0, 9.6875), (10.04, 9.863_75)]);
    }

    /// Computed by hand: equation 1 takes the old alpha, bobzhuyb/ns3-rdma (`qbb-net-device.cc`) the new one.
    #[test]
    fn a_cut_takes_alpha_before_it_rises_or_after() {
        for (cut_by, rate) in [(CutBy::OldAlpha, 30.0), (CutBy::NewAlpha, 29.960_937_5)] {
            let initial_alpha = Some(Ratio::new(1, 2));
            let mut dcqcn =
                dcqcn(&Parameters { initial_alpha, cut_by: Some(cut_by), ..Parameters::default() });
            dcqcn.on_cnp(at(1));
            assert_eq!((rates(&dcqcn).1, dcqcn.alpha), (rate, 0.501_953_125));
        }
    }

    /// Computed by hand from equation 2: (255/256)^10.
    #[test]
    fn ten_silent_periods_lower_alpha() {
        let mut dcqcn = dcqcn(&Parameters::default());
        dcqcn.on_cnp(at(5));
        dcqcn.settle_alpha(at(5 + 10 * 55));
        assert!((dcqcn.alpha - 0.961_617_04).abs() < 5e-9, "{}", dcqcn.alpha);
    }

    #[test]
    fn hyper_increase_needs_both_beyond_and_grows() {
        let mut dcqcn = after_three_cnps(&Parameters::default());
        timed(&mut dcqcn, 8);
        let before = dcqcn.target_rate;
        for _ in 0..5 {
            dcqcn.on_sent(at(500), Bytes::new(10_000_000));
        }
        assert_eq!(dcqcn.target_rate, before + Rate::new(5 * 40_000_000), "the byte counter is not beyond");
        dcqcn.on_sent(at(500), Bytes::new(10_000_000));
        let before = dcqcn.target_rate;
        dcqcn.on_sent(at(500), Bytes::new(10_000_000));
        assert_eq!(dcqcn.target_rate, before + Rate::new(200_000_000));
        dcqcn.on_sent(at(500), Bytes::new(10_000_000));
        assert_eq!(dcqcn.target_rate, before + Rate::new(200_000_000 + 2 * 200_000_000));
    }

    #[test]
    fn a_flow_at_line_rate_is_not_limited_any_more() {
        let mut dcqcn = dcqcn(&Parameters::default());
        assert_eq!((dcqcn.rate(), dcqcn.next_timer()), (LINE, Time::MAX));
        dcqcn.on_cnp(at(1));
        let mut steps = 0;
        while dcqcn.next_timer() != Time::MAX {
            dcqcn.on_timer(dcqcn.next_timer());
            steps += 1;
        }
        assert_eq!(dcqcn.rate(), LINE);
        assert!(steps < 60, "{steps} increases");
    }

    #[test]
    fn the_rate_stays_above_its_minimum() {
        let mut dcqcn = dcqcn(&Parameters::default());
        (0..50).for_each(|now| dcqcn.on_cnp(at(now)));
        assert_eq!(dcqcn.rate(), Rate::new(100_000_000));
    }

    /// HPCC's code: the first CNP starts a clock. At each tick of 4 us there is one cut if a CNP has come, and the
    /// target rate stays where no increase came between. By the first tick alpha has fallen four times, and by the
    /// second it has risen twice.
    #[test]
    fn mellanox_cuts_on_its_clock() {
        let mut dcqcn = dcqcn(&Parameters { preset: Preset::Mellanox, ..Parameters::default() });
        let expect = |dcqcn: &Dcqcn, rate: f64, due| {
            let current = rates(dcqcn).1;
            assert!((current - rate).abs() < 1e-6, "{current} and not {rate}");
            assert_eq!(dcqcn.target_rate, LINE);
            assert_eq!(dcqcn.next_timer(), due);
        };
        dcqcn.on_cnp(at(10));
        expect(&dcqcn, 40.0, at(14));
        let (kept, g) = (255.0_f64 / 256.0, 1.0 / 256.0);
        let alpha = kept.powi(4);
        let cut = 40.0 * (1.0 - alpha / 2.0);
        dcqcn.on_timer(at(14));
        expect(&dcqcn, cut, at(314));
        dcqcn.on_cnp(at(15));
        dcqcn.on_cnp(at(16));
        expect(&dcqcn, cut, at(18));
        let alpha = (kept * (kept * (kept * alpha) + g) + g) * kept;
        dcqcn.on_timer(at(18));
        expect(&dcqcn, cut * (1.0 - alpha / 2.0), at(318));
        timed(&mut dcqcn, 1);
        assert_eq!(dcqcn.target_rate, LINE);
    }

    #[test]
    fn alpha_updated_on_its_clock_rises_once_a_period() {
        let mut dcqcn = dcqcn(&Parameters {
            preset: Preset::Mellanox,
            initial_alpha: Some(Ratio::new(1, 2)),
            ..Parameters::default()
        });
        dcqcn.on_cnp(at(10));
        (0..5).for_each(|_| dcqcn.on_cnp(at(10)));
        dcqcn.settle_alpha(at(11));
        assert_alpha(&dcqcn, 0.501_953_125);
        dcqcn.settle_alpha(at(12));
        assert_alpha(&dcqcn, 0.501_953_125 * (255.0 / 256.0));
    }

    fn values(dcqcn: &mut Dcqcn) -> &mut Values {
        Arc::get_mut(&mut dcqcn.values).unwrap()
    }

    #[test]
    fn a_cut_lowers_the_target_after_increases_of_the_kind_that_counts() {
        for (clamp, increases, lowers) in [
            (Clamp::Always, (0, 0), true),
            (Clamp::AfterTimeIncrease, (0, 2), false),
            (Clamp::AfterTimeIncrease, (2, 0), true),
            (Clamp::AfterByteIncrease, (2, 0), false),
            (Clamp::AfterByteIncrease, (0, 2), true),
            (Clamp::AfterIncrease, (0, 0), false),
            (Clamp::AfterIncrease, (2, 0), true),
            (Clamp::AfterIncrease, (0, 2), true),
            (Clamp::AfterIncrease, (2, 2), true),
        ] {
            let mut dcqcn = dcqcn(&Parameters::default());
            values(&mut dcqcn).clamp_target_rate = clamp;
            (dcqcn.target_rate, dcqcn.rate) = (Rate::from_gbps(30), Rate::from_gbps(10));
            (dcqcn.time_increases, dcqcn.byte_increases) = increases;
            dcqcn.cut(Time::ZERO, 1.0);
            assert_eq!(rates(&dcqcn), (if lowers { 10.0 } else { 30.0 }, 5.0), "{clamp:?} {increases:?}");
        }
    }

    /// Five increases are fast recovery; the timer's sixth is the first beyond.
    #[test]
    fn hyper_increase_may_go_by_the_timer_alone() {
        for (time_increases, step) in [(5, 40), (6, 200)] {
            let mut dcqcn = dcqcn(&Parameters::default());
            let values = values(&mut dcqcn);
            (values.hyper_when, values.count_first, values.fast_recovery) = (HyperWhen::TimeBeyond, false, 5);
            values.additive_increase = Step::By(Rate::new(40_000_000));
            // Of 40 Gb/s.
            values.hyper_increase = Step::PartOfLink(200);
            (dcqcn.target_rate, dcqcn.rate) = (Rate::from_gbps(10), Rate::from_gbps(10));
            (dcqcn.time_increases, dcqcn.byte_increases) = (time_increases, 9);
            dcqcn.increase(Cause::ByteCounter);
            assert_eq!(dcqcn.target_rate, Rate::new(10_000_000_000 + step * 1_000_000));
        }
    }

    #[test]
    fn bytes_count_below_the_line_rate_where_there_is_a_counter() {
        let mut dcqcn = dcqcn(&Parameters::default());
        values(&mut dcqcn).byte_counter = Bytes::new(1_000);
        assert!(!dcqcn.on_sent(Time::ZERO, Bytes::new(5_000)) && dcqcn.sent == Bytes::ZERO);
        dcqcn.rate = Rate::from_gbps(10);
        assert_eq!([999, 1].map(|bytes| dcqcn.on_sent(Time::ZERO, Bytes::new(bytes))), [false, true]);
        values(&mut dcqcn).byte_counter = Bytes::ZERO;
        assert!(!dcqcn.on_sent(Time::ZERO, Bytes::new(5_000)));
    }
}
