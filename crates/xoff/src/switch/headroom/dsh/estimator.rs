//! Estimate of the headroom that one queue needs, from how fast it grows, on average and at most (Algorithms 2 and 3).

use super::{EstimatorKind, Parameters, Refusal};
use crate::kernel::units::{Bytes, Rate, Ratio, Span, TransmissionClock};

/// Bits of a gradient, which is a share of the line rate.
const BITS: u32 = 20;
/// Gradient of a queue that grows as fast as its link carries.
const LINE_RATE: i64 = 1 << BITS;

/// Weights with which gradients are averaged.
#[derive(Clone, Debug)]
pub(super) enum Gains {
    /// Weights in parts of `WEIGHT`.
    Arithmetic { gradient: i64, deviation: i64, factor: i64 },
    Tables {
        gradient_shift: u32,
        deviation_shift: u32,
        /// `None` where the deviation does not count.
        factor_shift: Option<u32>,
        logarithms: Box<Logarithms>,
    },
}

impl Gains {
    pub(super) fn new(parameters: &Parameters) -> Result<Self, Refusal> {
        let Parameters { gradient_weight, deviation_weight, deviation_factor, .. } = *parameters;
        match parameters.estimator {
            EstimatorKind::Arithmetic => Ok(Self::Arithmetic {
                gradient: weight("gradient_weight", gradient_weight)?,
                deviation: weight("deviation_weight", deviation_weight)?,
                factor: deviation_factor.into(),
            }),
            EstimatorKind::Tables => Ok(Self::Tables {
                gradient_shift: shift("gradient_weight", gradient_weight)?,
                deviation_shift: shift("deviation_weight", deviation_weight)?,
                factor_shift: factor_shift(deviation_factor)?,
                logarithms: Box::new(Logarithms::new()),
            }),
        }
    }
}

/// The whole of a weight.
const WEIGHT: u64 = 1 << 16;

fn weight(key: &'static str, share: Ratio) -> Result<i64, Refusal> {
    match share.of(Bytes::new(WEIGHT)).get().cast_signed() {
        0 => Err(Refusal {
            key: key.to_owned(),
            problem: format!("gives the newest a weight of {share}, which the estimator takes for 0"),
            expected: format!("expected at least 1/{WEIGHT}"),
        }),
        weight => Ok(weight),
    }
}

/// The shift that takes this share, if there is one.
fn shift(key: &'static str, share: Ratio) -> Result<u32, Refusal> {
    let (numerator, denominator) = (share.numerator(), share.denominator());
    if denominator % numerator == 0 && (denominator / numerator).is_power_of_two() {
        return Ok((denominator / numerator).trailing_zeros());
    }
    Err(no_shift(key, &share.to_string()))
}

/// The shift that multiplies by this factor, if there is one; nothing for 0.
fn factor_shift(factor: u16) -> Result<Option<u32>, Refusal> {
    if factor == 0 || factor.is_power_of_two() {
        return Ok(factor.checked_ilog2());
    }
    Err(no_shift("deviation_factor", &factor.to_string()))
}

fn no_shift(key: &'static str, value: &str) -> Refusal {
    Refusal {
        key: key.to_owned(),
        problem: format!("has {key} {value}, no power of two, and estimator = \"tables\" only shifts"),
        expected: "expected a power of two, or estimator = \"arithmetic\"".to_owned(),
    }
}

/// Link by which a queue's packets arrive.
#[derive(Clone, Debug)]
pub(super) struct Line {
    clock: TransmissionClock,
    /// Bytes that one queue may need at worst [Phi].
    worst: Bytes,
    /// The time that the link takes for `LINE_RATE` bytes.
    unit: Span,
}

/// Steps of the map from gradient to headroom (figure 12).
const STEPS: i64 = 16;

impl Line {
    pub(super) fn new(rate: Rate, worst: Bytes) -> Self {
        let clock = TransmissionClock::new(rate);
        Self { clock, worst, unit: clock.transmission_time(Bytes::new(1 << BITS)) }
    }

    /// Headroom for a gradient that lasts as long as the worst case takes at line rate [D] (Algorithm 2).
    fn needed(&self, gradient: i64) -> Bytes {
        let share = gradient.clamp(0, LINE_RATE) as u64;
        Bytes::new((self.worst.get() * share) >> BITS)
    }

    /// Headroom by the steps of a table, enough for all gradients of a step (Algorithm 3, figure 12).
    fn needed_by_step(&self, gradient: i64) -> Bytes {
        let step = (gradient.clamp(0, LINE_RATE) * STEPS + LINE_RATE - 1) / LINE_RATE;
        Bytes::new(self.worst.get() * step as u64 / STEPS as u64)
    }
}

/// Average gradient and mean deviation of one queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Estimate {
    /// [`g_avg`]
    gradient: i64,
    /// [`v_avg`]
    deviation: i64,
}

impl Estimate {
    /// Takes in the change of a queue, in bytes, over the time since its last packet.
    #[inline]
    pub(super) fn on_arrival(
        &mut self,
        line: &Line,
        gains: &Gains,
        change: i64,
        elapsed: Span,
        frame: Bytes,
    ) {
        match gains {
            Gains::Arithmetic { gradient, deviation, .. } => {
                let newest = if change == 0 {
                    0
                } else {
                    let carried = line.clock.bytes_in(elapsed).max(frame);
                    change * LINE_RATE / carried.get().cast_signed()
                };
                let part = |part: i64, weight: i64| part * weight / WEIGHT.cast_signed();
                self.average(newest, |change| part(change, *gradient), |change| part(change, *deviation));
            }
            Gains::Tables { gradient_shift, deviation_shift, logarithms, .. } => {
                let elapsed = elapsed.max(line.clock.transmission_time(frame));
                let size = logarithms.of(change.unsigned_abs()) - logarithms.of(elapsed.get());
                let size = logarithms.exponent(size + logarithms.of(line.unit.get()));
                let newest = if change < 0 { -size } else { size };
                self.average(newest, |part| part >> gradient_shift, |part| part >> deviation_shift);
            }
        }
    }

    /// Headroom that the queue needs [phi-hat].
    #[inline]
    pub(super) fn needed(&self, line: &Line, gains: &Gains) -> Bytes {
        match gains {
            Gains::Arithmetic { factor, .. } => line.needed(self.gradient + factor * self.deviation),
            Gains::Tables { factor_shift, .. } => {
                let deviation = factor_shift.map_or(0, |shift| self.deviation << shift);
                line.needed_by_step(self.gradient + deviation)
            }
        }
    }

    fn average(&mut self, newest: i64, by_gradient: impl Fn(i64) -> i64, by_deviation: impl Fn(i64) -> i64) {
        let deviation = (newest - self.gradient).abs();
        self.gradient += by_gradient(newest - self.gradient);
        self.deviation += by_deviation(deviation - self.deviation);
    }
}

/// Index bits of the tables, and bits behind the point of a logarithm.
const TABLE_BITS: u32 = 8;
const TABLE: usize = 1 << TABLE_BITS;

/// Tables from a number to its logarithm to base 2, and back.
#[derive(Clone, Debug)]
pub(super) struct Logarithms {
    /// Of 1 + index/256, in 1/256.
    of: [u8; TABLE],
    /// Two to the power of index/256, less 1, in 1/256.
    power: [u8; TABLE],
}

impl Logarithms {
    fn new() -> Self {
        let mut tables = Self { of: [0; TABLE], power: [0; TABLE] };
        for index in 0..TABLE {
            let mut mantissa = (TABLE + index) as u64;
            // One bit of the logarithm by each squaring; the last rounds.
            let mut bits = 0u32;
            for _ in 0..=TABLE_BITS {
                mantissa = (mantissa * mantissa) >> TABLE_BITS;
                bits <<= 1;
                if mantissa >= 2 << TABLE_BITS {
                    mantissa >>= 1;
                    bits |= 1;
                }
            }
            tables.of[index] = bits.div_ceil(2).min(TABLE as u32 - 1) as u8;
        }
        let mut index = 0;
        for logarithm in 0..TABLE {
            while index + 1 < TABLE && usize::from(tables.of[index]) < logarithm {
                index += 1;
            }
            tables.power[logarithm] = index as u8;
        }
        tables
    }

    /// The logarithm of a number, in 1/256; of 0, one so small that its power is 0.
    fn of(&self, number: u64) -> i32 {
        let Some(whole) = number.checked_ilog2() else { return i32::MIN / 4 };
        let mantissa =
            if whole >= TABLE_BITS { number >> (whole - TABLE_BITS) } else { number << (TABLE_BITS - whole) };
        (whole << TABLE_BITS).cast_signed() + i32::from(self.of[mantissa as usize & (TABLE - 1)])
    }

    /// Two to the power of a logarithm, rounded down.
    fn exponent(&self, logarithm: i32) -> i64 {
        let whole = logarithm >> TABLE_BITS;
        let mantissa = (1 << TABLE_BITS) + i64::from(self.power[logarithm as usize & (TABLE - 1)]);
        match whole - TABLE_BITS.cast_signed() {
            shift @ 0..=40 => mantissa << shift,
            shift @ -40..0 => mantissa >> -shift,
            shift => {
                if shift > 0 {
                    mantissa << 40
                } else {
                    0
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::from_text;

    fn line() -> Line {
        Line::new(Rate::from_gbps(100), Bytes::new(60_000))
    }

    fn gains(estimator: EstimatorKind) -> Gains {
        Gains::new(&Parameters { estimator, ..Parameters::default() }).unwrap()
    }

    /// In Gb/s.
    fn of_line(gradient: i64) -> f64 {
        gradient as f64 * 100.0 / LINE_RATE as f64
    }

    fn assert_close(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found} and not {expected}");
    }

    /// 10,000 bytes take 800 ns: a queue that grows by 10,000, 10,000, 6,000 and 10,000 bytes in 800 ns each.
    const CHANGES: [i64; 4] = [10_000, 10_000, 6_000, 10_000];

    fn estimates(kind: EstimatorKind) -> Vec<(f64, f64, u64)> {
        estimates_after(CHANGES, kind)
    }

    fn estimates_after(changes: [i64; 4], kind: EstimatorKind) -> Vec<(f64, f64, u64)> {
        let (line, gains, mut estimate) = (line(), gains(kind), Estimate::default());
        changes
            .map(|change| {
                estimate.on_arrival(&line, &gains, change, Span::from_nanoseconds(800), Bytes::new(1000));
                let needed = estimate.needed(&line, &gains);
                (of_line(estimate.gradient), of_line(estimate.deviation), needed.get())
            })
            .to_vec()
    }

    /// Computed by hand from algorithm 2 (DSH, ToN 2025), with the weights of 1/4 and the k of 4 of section V-A.
    #[test]
    fn the_estimate_follows_algorithm_2_and_saturates() {
        let expected = [(25.0, 25.0), (43.75, 37.5), (47.8125, 32.1875), (60.859_375, 37.1875)];
        for ((gradient, deviation, needed), expected) in
            estimates(EstimatorKind::Arithmetic).into_iter().zip(expected)
        {
            assert_close(gradient, expected.0, 0.001);
            assert_close(deviation, expected.1, 0.001);
            assert_eq!(needed, 60_000, "the estimate is above the line rate");
        }
    }

    /// By hand as above, before the cap: 75,000, 116,250, 105,937.5 and 125,765.6 bytes. A quarter of the changes needs
    /// a quarter, which is below the cap.
    #[test]
    fn below_the_cap_what_is_needed_follows_the_estimate() {
        let needed: Vec<u64> = estimates_after(CHANGES.map(|change| change / 4), EstimatorKind::Arithmetic)
            .into_iter()
            .map(|(_, _, needed)| needed)
            .collect();
        for (needed, uncapped) in needed.into_iter().zip([75_000.0, 116_250.0, 105_937.5, 125_765.6]) {
            assert_close(needed as f64, uncapped / 4.0, 1.0);
        }
    }

    /// Tables of eight bits are within two parts of 256 of each other's exact value.
    #[test]
    fn tables_come_close() {
        let exact = estimates(EstimatorKind::Arithmetic);
        for (table, exact) in estimates(EstimatorKind::Tables).into_iter().zip(exact) {
            assert_close(table.0, exact.0, 1.5);
            assert_close(table.1, exact.1, 1.5);
            assert_eq!(table.2, 60_000);
        }
    }

    #[test]
    fn a_steady_gradient_needs_its_share_of_the_worst_case() {
        for (kind, within) in [(EstimatorKind::Arithmetic, 10.0), (EstimatorKind::Tables, 60_000.0 / 16.0)] {
            let (line, gains, mut estimate) = (line(), gains(kind), Estimate::default());
            for _ in 0..100 {
                estimate.on_arrival(&line, &gains, 5_000, Span::from_nanoseconds(800), Bytes::new(1000));
            }
            assert_close(estimate.needed(&line, &gains).as_f64(), 30_000.0, within);
        }
    }

    #[test]
    fn a_queue_that_shrinks_needs_nothing() {
        for kind in [EstimatorKind::Arithmetic, EstimatorKind::Tables] {
            let (line, gains, mut estimate) = (line(), gains(kind), Estimate::default());
            for _ in 0..100 {
                estimate.on_arrival(&line, &gains, -5_000, Span::from_nanoseconds(800), Bytes::new(1000));
            }
            assert_eq!(estimate.needed(&line, &gains), Bytes::ZERO);
        }
    }

    #[test]
    fn packets_at_once_count_as_one_after_another() {
        for kind in [EstimatorKind::Arithmetic, EstimatorKind::Tables] {
            let (line, gains, mut estimate) = (line(), gains(kind), Estimate::default());
            estimate.on_arrival(&line, &gains, 1_000, Span::ZERO, Bytes::new(1000));
            assert_close(of_line(estimate.gradient), 25.0, 0.5);
        }
    }

    #[test]
    fn logarithms_and_powers_are_within_half_a_hundredth() {
        let tables = Logarithms::new();
        for number in [1u64, 2, 3, 255, 256, 257, 1000, 1048, 60_000, 800_000, 83_886_080, 1 << 40] {
            let exact = (number as f64).log2() * 256.0;
            assert_close(f64::from(tables.of(number)), exact, 1.5);
            let back = tables.exponent(tables.of(number)) as f64;
            assert!((back / number as f64 - 1.0).abs() < 0.006 || number < 4, "{number}: {back}");
        }
        assert_eq!(tables.exponent(tables.of(0)), 0);
    }

    /// Gradients that jump between nothing and the line rate: their deviation counts so many times, or not at all.
    #[test]
    fn a_factor_of_zero_leaves_the_deviation_out() {
        for estimator in [EstimatorKind::Arithmetic, EstimatorKind::Tables] {
            let needed = [0, 1, 2].map(|deviation_factor| {
                let parameters = Parameters { estimator, deviation_factor, ..Parameters::default() };
                let (line, gains) = (line(), Gains::new(&parameters).unwrap());
                let mut estimate = Estimate::default();
                for change in [10_000, 0, 0] {
                    estimate.on_arrival(&line, &gains, change, Span::from_nanoseconds(800), Bytes::new(1000));
                }
                estimate.needed(&line, &gains).get()
            });
            assert!(needed[0] < needed[1] && needed[1] < needed[2], "{estimator:?}: {needed:?}");
        }
    }

    #[test]
    fn what_the_estimator_cannot_have_is_refused_with_its_value() {
        let refusal = |parameters: &str| {
            let refusal = Gains::new(&from_text(parameters)).unwrap_err();
            (refusal.key, format!("{}; {}", refusal.problem, refusal.expected))
        };
        let shifts = |key: &str, value: &str| {
            format!(
                "has {key} {value}, no power of two, and estimator = \"tables\" only shifts; \
                 expected a power of two, or estimator = \"arithmetic\""
            )
        };
        for (key, value, written) in [("gradient_weight", "3/10", "'3/10'"), ("deviation_factor", "3", "3")] {
            let found = refusal(&format!("estimator = 'tables'\n{key} = {written}"));
            assert_eq!(found, (key.to_owned(), shifts(key, value)));
        }
        assert_eq!(
            refusal("deviation_weight = '1/65537'"),
            (
                "deviation_weight".to_owned(),
                "gives the newest a weight of 1/65537, which the estimator takes for 0; expected at least 1/65536"
                    .to_owned()
            )
        );
    }

    #[test]
    fn shares_that_shifts_take_are_powers_of_two() {
        let shift_of = |numerator, denominator| shift("gradient", Ratio::new(numerator, denominator)).ok();
        assert_eq!(
            [(1, 1), (1, 4), (2, 8)].map(|(part, of)| shift_of(part, of)),
            [Some(0), Some(2), Some(2)]
        );
        assert_eq!([(1, 3), (3, 4), (2, 6)].map(|(part, of)| shift_of(part, of)), [None; 3]);
    }

    #[test]
    fn powers_beyond_the_table_are_the_largest_or_zero() {
        let Gains::Tables { logarithms, .. } = gains(EstimatorKind::Tables) else { unreachable!() };
        assert_eq!(logarithms.exponent(10 << 8), 1024);
        assert_eq!(logarithms.exponent(60 << 8), 1 << 48);
        assert_eq!(logarithms.exponent(-60 << 8), 0);
    }
}
