//! RED on the instantaneous length, as datacenter switches do it (DCQCN, SIGCOMM 2015, section 3.1, figure 5).
//! `uniform` spaces marks evenly, as the original does (Floyd and Jacobson, ToN 1993, section 7).
//! Left out: the averaged length of the original.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Level, Marker, Place, Range, Signal, Unfit, When};
use crate::kernel::rng::{Rng, unit_interval};
use crate::kernel::units::Bytes;

/// Marks with a probability that rises from 0 at `minimum` to `probability` at `maximum`, and every packet above.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// Bytes up to which no packet is marked [K_min].
    pub minimum: Bytes,
    /// Bytes above which every packet is marked [K_max].
    #[schemars(extend("x-above-key" = "minimum"))]
    pub maximum: Bytes,
    /// Probability of a mark at `maximum`, 0 to 1 [P_max].
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub probability: f64,
    /// Whether the packets since the last mark raise the probability, so that marks are evenly spaced [count].
    #[serde(default)]
    pub uniform: bool,
    /// When the length is looked at.
    #[serde(default)]
    pub when: When,
}

/// RED on one place.
#[derive(Clone, Debug)]
pub struct Red {
    minimum: Bytes,
    maximum: Bytes,
    probability: f64,
    spacing: Spacing,
    /// What has passed since the last mark, or since the length rose above the minimum; nothing below it.
    count: Option<u64>,
}

/// How marks are spaced.
#[derive(Clone, Copy, Debug)]
enum Spacing {
    /// Each packet by itself.
    Independent,
    /// By the packets since the last mark.
    Packets,
    /// By the bytes since the last mark, in packets of this size; a smaller packet is marked less often.
    Bytes(Bytes),
}

impl Red {
    /// Probability that a packet that finds `length` is marked, whatever came before [p_b].
    pub fn probability_at(&self, length: Bytes) -> f64 {
        if length <= self.minimum {
            return 0.0;
        }
        if length > self.maximum {
            return 1.0;
        }
        let above = (length - self.minimum).as_f64();
        self.probability * above / (self.maximum - self.minimum).as_f64()
    }

    /// The same after what has passed since the last mark [p_a].
    fn spaced(&self, probability: f64, frame: Bytes) -> f64 {
        let Some(count) = self.count.filter(|_| probability < 1.0) else { return probability };
        match self.spacing {
            Spacing::Independent => probability,
            Spacing::Packets => uniform(probability, count as f64),
            Spacing::Bytes(packet) => {
                let spaced = uniform(probability, count as f64 / packet.as_f64());
                if spaced < 1.0 { spaced * frame.as_f64() / packet.as_f64() } else { spaced }
            }
        }
    }
}

/// `p_a = p_b / (1 - count p_b)`.
fn uniform(probability: f64, count: f64) -> f64 {
    let rest = 1.0 - count * probability;
    if rest > probability { probability / rest } else { 1.0 }
}

impl Marker for Red {
    type Parameters = Parameters;

    fn new(parameters: &Parameters, place: &Place) -> Result<Self, Unfit> {
        let &Parameters { minimum, maximum, probability, uniform, .. } = parameters;
        let spacing = match (uniform, place.counted_packet) {
            (false, _) => Spacing::Independent,
            (true, None) => Spacing::Packets,
            (true, Some(packet)) => Spacing::Bytes(packet),
        };
        Ok(Self { minimum, maximum, probability, spacing, count: None })
    }

    fn signal(&mut self, level: &Level, rng: &mut Rng) -> Signal {
        let probability = self.probability_at(level.others);
        if probability <= 0.0 {
            self.count = None;
            return Signal::None;
        }
        let passed = if matches!(self.spacing, Spacing::Bytes(_)) { level.frame.get() } else { 1 };
        self.count = Some(self.count.map_or(0, |count| count + passed));
        if unit_interval(rng) < self.spaced(probability, level.frame) {
            self.count = Some(0);
            return Signal::Mark;
        }
        Signal::None
    }

    fn range(&self) -> Option<Range> {
        Some(Range { none_up_to: self.minimum, all_above: self.maximum })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::rng::{Purpose, stream};

    const FRAME: Bytes = Bytes::new(1500);

    fn red(minimum: u64, maximum: u64, probability: f64, uniform: bool, packet: Option<Bytes>) -> Red {
        let parameters = Parameters {
            minimum: Bytes::new(minimum),
            maximum: Bytes::new(maximum),
            probability,
            uniform,
            when: When::Enqueue,
        };
        Red::new(&parameters, &Place { pool: None, counted_packet: packet }).unwrap()
    }

    fn close(one: f64, other: f64) -> bool {
        (one - other).abs() < 1e-6
    }

    /// `facts/algorithms.md` 13.
    #[test]
    fn the_probability_rises_linearly_and_jumps_to_one() {
        let red = red(100_000, 400_000, 0.2, false, None);
        let at = |length| red.probability_at(Bytes::new(length));
        let expected = [0.0, 0.1, 0.199_933_3, 0.2, 1.0];
        let lengths = [100_000, 250_000, 399_900, 400_000, 401_000];
        assert!(lengths.map(at).into_iter().zip(expected).all(|(found, expected)| close(found, expected)));
    }

    /// `facts/algorithms.md` 16: shared-buffer RED as BCC sets it.
    #[test]
    fn the_papers_pool_is_marked_with_the_papers_probabilities() {
        let red = red(1_802_000, 2_602_000, 0.1, true, None);
        for (length, expected) in
            [(1_802_000, 0.0), (2_000_000, 0.024_75), (2_200_000, 0.049_75), (2_602_001, 1.0)]
        {
            assert!(close(red.probability_at(Bytes::new(length)), expected), "{length}");
        }
    }

    /// `facts/algorithms.md` 13.
    #[test]
    fn packets_without_a_mark_raise_the_probability() {
        let at = |count, expected| {
            let red = Red { count: Some(count), ..red(0, 100_000, 0.1, true, None) };
            close(red.spaced(0.05, FRAME), expected)
        };
        assert!(at(0, 0.05) && at(5, 0.066_666_7) && at(10, 0.1) && at(19, 1.0) && at(30, 1.0));
    }

    /// At a constant length with p_b = 1/20 (Floyd and Jacobson, section 7): each gap from 1 to 19 is equally likely. The
    /// packet after a mark counts already, which is why 20 comes only before the first.
    #[test]
    fn uniformised_gaps_are_uniform() {
        let mut red = red(0, 100_000, 0.1, true, None);
        let mut rng = stream(1, Purpose::Marking, 0);
        let level = Level { others: Bytes::new(50_000), frame: FRAME };
        let (mut gaps, mut gap) = (Vec::new(), 0);
        for _ in 0..200_000 {
            gap += 1;
            if red.signal(&level, &mut rng) == Signal::Mark {
                gaps.push(gap);
                gap = 0;
            }
        }
        let each = |wanted| gaps.iter().filter(|gap| **gap == wanted).count() as f64 / gaps.len() as f64;
        assert!(gaps.iter().all(|gap| *gap <= 20));
        assert!((1..=19).all(|gap| (each(gap) - 1.0 / 19.0).abs() < 0.005));
    }

    #[test]
    fn the_count_starts_anew_below_the_minimum() {
        let mut red = red(10_000, 100_000, 1e-9, true, None);
        let mut rng = stream(1, Purpose::Marking, 0);
        let count_after = |others| {
            red.signal(&Level { others: Bytes::new(others), frame: FRAME }, &mut rng);
            red.count
        };
        let expected = [Some(0), Some(1), None, Some(0)];
        assert_eq!([20_000, 20_000, 10_000, 20_000].map(count_after), expected);
    }

    #[test]
    fn in_bytes_a_small_packet_counts_less_and_is_marked_less_often() {
        let red = Red { count: Some(45_000), ..red(0, 100_000, 0.1, true, Some(Bytes::new(9_000))) };
        assert!(close(red.spaced(0.05, Bytes::new(9_000)), 0.066_666_7));
        assert!(close(red.spaced(0.05, Bytes::new(900)), 0.006_666_67));
    }
}
