//! Units: instants, spans, bytes, rates and ratios, as integers with a type each.
//!
//! One byte takes a whole number of picoseconds at every usual rate from 10 Gb/s to 1.6 Tb/s, so integers lose nothing,
//! and results are the same on every machine. The types keep units apart; this is the only file that casts between them.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// Picoseconds in one second.
pub const PICOSECONDS_PER_SECOND: u64 = 1_000_000_000_000;

macro_rules! integer_unit {
    ($(#[$doc:meta])* $name:ident, $singular:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(transparent)]
        pub struct $name(u64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0);
            /// Largest value, beyond all that a simulation reaches: "never", or "no limit".
            pub const MAX: Self = Self(u64::MAX);
            #[doc = concat!("Makes a value from a whole number of ", $singular, ".")]
            pub const fn new(value: u64) -> Self {
                Self(value)
            }
            #[doc = concat!("Returns the number of ", $singular, ".")]
            pub const fn get(self) -> u64 {
                self.0
            }
            /// Returns the difference, or zero where `other` is larger.
            #[must_use]
            pub const fn saturating_sub(self, other: Self) -> Self {
                Self(self.0.saturating_sub(other.0))
            }
            /// Returns the sum, or the largest value where it does not fit.
            #[must_use]
            pub const fn saturating_add(self, other: Self) -> Self {
                Self(self.0.saturating_add(other.0))
            }
            /// Returns the product, or the largest value where it does not fit.
            #[must_use]
            pub const fn saturating_mul(self, factor: u64) -> Self {
                Self(self.0.saturating_mul(factor))
            }
        }
    };
}

macro_rules! additive_unit {
    ($name:ident) => {
        impl Add for $name {
            type Output = Self;
            fn add(self, other: Self) -> Self {
                Self(self.0 + other.0)
            }
        }
        impl Sub for $name {
            type Output = Self;
            fn sub(self, other: Self) -> Self {
                Self(self.0 - other.0)
            }
        }
        impl AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                self.0 += other.0;
            }
        }
        impl SubAssign for $name {
            fn sub_assign(&mut self, other: Self) {
                self.0 -= other.0;
            }
        }
        impl Mul<u64> for $name {
            type Output = Self;
            fn mul(self, factor: u64) -> Self {
                Self(self.0 * factor)
            }
        }
        impl std::iter::Sum for $name {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(Self::ZERO, Add::add)
            }
        }
    };
}

integer_unit!(
    /// Instant, in picoseconds since the start of the simulation.
    ///
    /// Instants and spans are different types: the difference of two instants is a [`Span`], and instants have no sum.
    ///
    /// ```
    /// use xoff::units::{Span, Time};
    ///
    /// let start = Time::ZERO + Span::from_microseconds(3);
    /// let end = start + Span::from_nanoseconds(500);
    /// assert_eq!(end.since(start), Span::new(500_000));
    /// assert_eq!(end.as_nanoseconds(), 3_500);
    /// ```
    Time,
    "picoseconds"
);
integer_unit!(
    /// Length of time, in picoseconds.
    ///
    /// ```
    /// use xoff::units::Span;
    ///
    /// let round_trip = Span::from_microseconds(10);
    /// assert_eq!(round_trip * 3, Span::from_nanoseconds(30_000));
    /// assert_eq!(round_trip.as_seconds(), 1e-5);
    /// assert_eq!(Span::from_seconds(1e-5), round_trip);
    /// ```
    Span,
    "picoseconds"
);
integer_unit!(
    /// Number of bytes.
    ///
    /// ```
    /// use xoff::units::Bytes;
    ///
    /// let [payload, headers] = [1460, 58].map(Bytes::new);
    /// assert_eq!((payload + headers).get(), 1518);
    /// assert_eq!(headers.saturating_sub(payload), Bytes::ZERO);
    /// ```
    Bytes,
    "bytes"
);
integer_unit!(
    /// Rate, in bits per second.
    ///
    /// ```
    /// use xoff::units::{Bytes, Rate, Span};
    ///
    /// let rate = Rate::from_gbps(100);
    /// assert_eq!(rate.transmission_time(Bytes::new(1538)), Span::new(123_040));
    /// // The bandwidth-delay product of a round trip of 8 us.
    /// assert_eq!(rate.bytes_in(Span::from_microseconds(8)), Bytes::new(100_000));
    /// ```
    Rate,
    "bits per second"
);
additive_unit!(Span);
additive_unit!(Bytes);
additive_unit!(Rate);

impl Time {
    /// Returns the instant in whole nanoseconds, rounded down.
    pub const fn as_nanoseconds(self) -> u64 {
        self.0 / 1_000
    }
    /// Returns the time since `earlier`, which must not be later.
    #[must_use]
    pub fn since(self, earlier: Self) -> Span {
        debug_assert!(earlier <= self, "time runs forward");
        Span(self.0 - earlier.0)
    }
    /// Returns the instant that is later by `span`, or `Time::MAX`, which is never, if time does not reach so far.
    #[must_use]
    pub const fn later(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
    /// Returns the instant that is earlier by `span`, or zero; `Time::MAX`, which is never, stays.
    #[must_use]
    pub const fn earlier(self, span: Span) -> Self {
        if self.0 == u64::MAX { self } else { Self(self.0.saturating_sub(span.0)) }
    }
}

impl Add<Span> for Time {
    type Output = Self;
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl Span {
    /// Makes a span from whole nanoseconds.
    pub const fn from_nanoseconds(nanoseconds: u64) -> Self {
        Self(nanoseconds * 1_000)
    }
    /// Makes a span from whole microseconds.
    pub const fn from_microseconds(microseconds: u64) -> Self {
        Self(microseconds * 1_000_000)
    }
    /// Makes a span from whole milliseconds.
    pub const fn from_milliseconds(milliseconds: u64) -> Self {
        Self(milliseconds * 1_000_000_000)
    }
    /// Returns the span in whole nanoseconds, rounded down.
    pub const fn as_nanoseconds(self) -> u64 {
        self.0 / 1_000
    }
    /// Returns the span in seconds.
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / PICOSECONDS_PER_SECOND as f64
    }
    /// Makes a span from seconds, to the nearest picosecond.
    pub fn from_seconds(seconds: f64) -> Self {
        Self((seconds * PICOSECONDS_PER_SECOND as f64).round() as u64)
    }
}

impl Bytes {
    /// Returns the bits in units of 10^-12 bits, as [`Rate::picobits_in`] counts them.
    pub fn picobits(self) -> u128 {
        u128::from(self.0) * u128::from(8 * PICOSECONDS_PER_SECOND)
    }
    /// Returns the number as a floating-point value, for congestion controls.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
    /// Makes a number of bytes from a floating-point value, rounded down.
    pub fn from_f64(bytes: f64) -> Self {
        Self(bytes as u64)
    }
}

impl Rate {
    /// Makes a rate from gigabits per second.
    pub const fn from_gbps(gbps: u64) -> Self {
        Self(gbps * 1_000_000_000)
    }
    /// Makes a rate from bits per second as a floating-point value, rounded down.
    pub fn from_f64(bits_per_second: f64) -> Self {
        Self(bits_per_second as u64)
    }
    /// Returns bits per second as a floating-point value.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }
    /// Returns the time that `size` takes at this rate, rounded up to a picosecond, or the largest if it does not fit.
    // Packets take the short way: the long one is a call that costs ten times as much.
    #[inline]
    pub fn transmission_time(self, size: Bytes) -> Span {
        if let Some(bits) = size.0.checked_mul(8 * PICOSECONDS_PER_SECOND) {
            return Span(bits.div_ceil(self.0));
        }
        let bits = u128::from(size.0) * 8 * u128::from(PICOSECONDS_PER_SECOND);
        Span(saturated(bits.div_ceil(u128::from(self.0))))
    }
    /// Returns the bytes that this rate carries in `span`, rounded down, or the largest number if they do not fit.
    #[inline]
    pub fn bytes_in(self, span: Span) -> Bytes {
        if let Some(bits) = self.0.checked_mul(span.0) {
            return Bytes(bits / (8 * PICOSECONDS_PER_SECOND));
        }
        let bits = u128::from(self.0) * u128::from(span.0);
        Bytes(saturated(bits / (8 * u128::from(PICOSECONDS_PER_SECOND))))
    }
    /// Returns the bits that this rate carries in `span`, in units of 10^-12 bits, so that nothing is rounded.
    pub fn picobits_in(self, span: Span) -> u128 {
        u128::from(self.0) * u128::from(span.0)
    }
}

fn saturated(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Clock of one link, which turns sizes into transmission times without a division.
///
/// One byte takes a whole number of picoseconds at most rates in use (80 at 100 Gb/s). At others each packet's time is
/// rounded up to a picosecond, exactly as [`Rate::transmission_time`] does.
///
/// ```
/// use xoff::units::{Bytes, Rate, Span, TransmissionClock};
///
/// let clock = TransmissionClock::new(Rate::from_gbps(400));
/// assert_eq!(clock.transmission_time(Bytes::new(64)), Span::new(64 * 20));
/// ```
// Packed, so that a port has all that packets touch in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, packed(4))]
pub struct TransmissionClock {
    rate: Rate,
    /// Whole picoseconds of one byte; 0 where the number is not whole, or does not fit.
    picoseconds_per_byte: u32,
}

impl TransmissionClock {
    /// Returns the clock of a link of this rate.
    pub fn new(rate: Rate) -> Self {
        let whole = 8 * PICOSECONDS_PER_SECOND;
        let exact = whole.is_multiple_of(rate.0).then_some(whole / rate.0);
        let picoseconds_per_byte = exact.and_then(|exact| u32::try_from(exact).ok()).unwrap_or(0);
        Self { rate, picoseconds_per_byte }
    }
    /// Returns the rate of the link.
    pub fn rate(self) -> Rate {
        self.rate
    }
    /// Returns the bytes that the link carries in `span`, rounded down.
    pub fn bytes_in(self, span: Span) -> Bytes {
        self.rate().bytes_in(span)
    }
    /// Returns the time that `size` takes, rounded up to a picosecond.
    #[inline]
    pub fn transmission_time(self, size: Bytes) -> Span {
        if self.picoseconds_per_byte == 0 {
            return slow_transmission_time(self.rate(), size);
        }
        Span(u64::from(self.picoseconds_per_byte) * size.0)
    }
}

/// Returns the time that `size` takes at a rate for which a byte has no whole number of picoseconds.
// Apart, so that the usual case has neither a jump nor a clock in memory.
#[cold]
#[inline(never)]
fn slow_transmission_time(rate: Rate, size: Bytes) -> Span {
    rate.transmission_time(size)
}

/// Fraction of two integers, such as an alpha of 1/16.
///
/// ```
/// use xoff::units::{Bytes, Ratio};
///
/// let alpha = Ratio::new(1, 16);
/// assert_eq!(alpha.of(Bytes::new(1_000_000)), Bytes::new(62_500));
/// assert_eq!(alpha.to_string(), "1/16");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    numerator: u64,
    denominator: u64,
    /// Binary logarithm of a denominator that is a power of two; 64 for any other. A shift is ten times faster than a
    /// division, and chips know powers of two only.
    shift: u32,
}

impl Ratio {
    /// Makes the ratio of `numerator` to `denominator`, which must not be zero.
    pub const fn new(numerator: u64, denominator: u64) -> Self {
        assert!(denominator > 0, "a ratio's denominator is not zero");
        let shift = if denominator.is_power_of_two() { denominator.trailing_zeros() } else { u64::BITS };
        Self { numerator, denominator, shift }
    }
    /// Returns this share of `bytes`, rounded down.
    #[inline]
    #[must_use]
    pub const fn of(self, bytes: Bytes) -> Bytes {
        let Some(product) = self.numerator.checked_mul(bytes.0) else { return self.of_many(bytes) };
        if self.shift < u64::BITS { Bytes(product >> self.shift) } else { Bytes(product / self.denominator) }
    }
    /// Returns this share of `bytes` where the product needs 128 bits; the largest value where the share needs more than 64.
    #[cold]
    const fn of_many(self, bytes: Bytes) -> Bytes {
        let share = self.numerator as u128 * bytes.0 as u128 / self.denominator as u128;
        if share > u64::MAX as u128 { Bytes::MAX } else { Bytes(share as u64) }
    }
    /// Returns this share of `rate`, rounded down.
    #[must_use]
    pub fn of_rate(self, rate: Rate) -> Rate {
        let product = u128::from(self.numerator) * u128::from(rate.0) / u128::from(self.denominator);
        Rate(u64::try_from(product).unwrap_or(u64::MAX))
    }
    /// Returns the numerator.
    pub const fn numerator(self) -> u64 {
        self.numerator
    }
    /// Returns the denominator.
    pub const fn denominator(self) -> u64 {
        self.denominator
    }
    /// Returns the quotient as a floating-point value.
    pub fn as_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl Default for Ratio {
    fn default() -> Self {
        Self::new(0, 1)
    }
}

impl fmt::Display for Ratio {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.denominator {
            1 => write!(formatter, "{}", self.numerator),
            denominator => write!(formatter, "{}/{denominator}", self.numerator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_takes_eighty_picoseconds_at_100_gbps() {
        let clock = TransmissionClock::new(Rate::from_gbps(100));
        assert_eq!(clock.transmission_time(Bytes::new(1)), Span::new(80));
        assert_eq!(clock.transmission_time(Bytes::new(1538)), Span::new(123_040));
    }

    #[test]
    fn both_ways_to_a_transmission_time_agree_at_an_awkward_rate() {
        let rate = Rate::new(3_000_000_007);
        for size in [1, 64, 1538, 9038] {
            let size = Bytes::new(size);
            assert_eq!(TransmissionClock::new(rate).transmission_time(size), rate.transmission_time(size));
        }
    }

    #[test]
    fn large_sizes_do_not_overflow() {
        assert_eq!(
            Rate::from_gbps(1).transmission_time(Bytes::new(1_000_000_000)),
            Span::new(8 * PICOSECONDS_PER_SECOND)
        );
    }

    #[test]
    fn a_ratio_rounds_down() {
        assert_eq!(Ratio::new(1, 16).of(Bytes::new(31)), Bytes::new(1));
        assert_eq!(Ratio::new(4, 1).of(Bytes::new(3)), Bytes::new(12));
        let [many, more] = [10_u64.pow(15), 1 << 62];
        assert_eq!(Ratio::new(many, many + 1).of(Bytes::new(4_000_000)), Bytes::new(3_999_999));
        assert_eq!(Ratio::new(more, 1).of(Bytes::new(4_000_000)), Bytes::MAX);
        assert_eq!(Ratio::new(more, 1 << 61).of(Bytes::new(4_000_000)), Bytes::new(8_000_000));
    }
}
