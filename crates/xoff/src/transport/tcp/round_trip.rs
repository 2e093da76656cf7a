//! Round-trip estimate and retransmission timeout (RFC 6298).

use crate::kernel::units::Span;
use crate::scenario::Tcp;

/// Bounds of the timeout.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(super) struct Bounds {
    /// Least.
    pub(super) minimum: Span,
    /// Largest, after back-off.
    pub(super) maximum: Span,
    /// Before the first sample.
    pub(super) initial: Span,
}

impl Bounds {
    /// Bounds as the settings have them.
    pub(super) fn of(settings: &Tcp) -> Self {
        Self {
            minimum: settings.minimum_rto,
            maximum: settings.maximum_rto,
            initial: settings.initial_rto.unwrap_or(settings.minimum_rto),
        }
    }
}

/// Smoothed round-trip time, its variation and the back-off.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoundTrip {
    smoothed: Span,
    variation: Span,
    backoff: u32,
}

impl RoundTrip {
    /// Takes one sample, which also ends a back-off.
    #[inline]
    pub(super) fn sample(&mut self, sample: Span) {
        let sample = sample.get();
        if self.smoothed == Span::ZERO {
            self.smoothed = Span::new(sample);
            self.variation = Span::new(sample / 2);
        } else {
            let deviation = self.smoothed.get().abs_diff(sample);
            self.variation = Span::new((3 * self.variation.get() + deviation) / 4);
            self.smoothed = Span::new((7 * self.smoothed.get() + sample) / 8);
        }
        self.backoff = 0;
    }

    /// Smoothed round-trip time, from the first sample on [SRTT].
    pub(super) fn smoothed(&self) -> Option<Span> {
        (self.smoothed > Span::ZERO).then_some(self.smoothed)
    }

    /// Doubles the next timeout, since one has expired (RFC 6298, section 5.5).
    pub(super) fn back_off(&mut self) {
        self.backoff += 1;
    }

    /// Timeout: srtt + 4 rttvar within its bounds, doubled for each expiry up to the largest (RFC 6298, section 2).
    #[inline]
    pub(super) fn timeout(&self, bounds: &Bounds) -> Span {
        let base = if self.smoothed == Span::ZERO {
            bounds.initial
        } else {
            (self.smoothed + self.variation * 4).max(bounds.minimum)
        };
        if self.backoff == 0 { base.min(bounds.maximum) } else { self.backed_off(base, bounds.maximum) }
    }

    /// Smoothed round-trip time, zero before the first sample.
    #[inline]
    pub(super) fn smoothed_or_zero(&self) -> Span {
        self.smoothed
    }

    /// Four times the variation of the round-trip time [4 * RTTVAR].
    pub(super) fn deviation(&self) -> Span {
        self.variation * 4
    }

    /// Ends a back-off, since the timeout was too early.
    pub(super) fn forgive(&mut self) {
        self.backoff = 0;
    }

    /// Doubles a timeout for each expiry, up to the largest.
    #[cold]
    pub(super) fn backed_off(&self, base: Span, maximum: Span) -> Span {
        let doubled = u128::from(base.get()) << self.backoff.min(64);
        Span::new(doubled.min(u128::from(maximum.get())) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds {
        initial: Span::from_milliseconds(5),
        minimum: Span::ZERO,
        maximum: Span::from_milliseconds(60_000),
    };

    /// Section 2, computed by hand: samples 100, 200, 100 us.
    #[test]
    fn the_timeout_follows_rfc_6298() {
        let mut round_trip = RoundTrip::default();
        assert_eq!((round_trip.timeout(&BOUNDS), round_trip.smoothed()), (BOUNDS.initial, None));
        for (sample, expected) in [(100, 300_000_000), (200, 362_500_000), (100, 310_937_500)] {
            round_trip.sample(Span::from_microseconds(sample));
            assert_eq!(round_trip.timeout(&BOUNDS), Span::new(expected));
        }
        assert_eq!(round_trip.smoothed(), Some(Span::new(110_937_500)));
    }

    #[test]
    fn back_off_doubles_to_the_maximum_and_a_sample_ends_it() {
        let mut round_trip = RoundTrip::default();
        round_trip.back_off();
        round_trip.back_off();
        assert_eq!(round_trip.timeout(&BOUNDS), Span::from_milliseconds(20));
        for _ in 0..100 {
            round_trip.back_off();
        }
        assert_eq!(round_trip.timeout(&BOUNDS), BOUNDS.maximum);
        round_trip.sample(Span::from_microseconds(100));
        assert_eq!(round_trip.timeout(&BOUNDS), Span::from_microseconds(300));
    }
}
