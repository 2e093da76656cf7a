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

/// RED between the same lengths everywhere.
#[derive(Clone, Debug)]
pub struct Red {
    minimum: Bytes,
    maximum: Bytes,
    probability: f64,
    spacing: Spacing,
    /// What has passed at each place since the last mark, or since the length rose above the minimum; nothing below it.
    counts: Vec<Option<u64>>,
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

    /// The count with one more packet.
    fn counted(&self, count: Option<u64>, frame: Bytes) -> u64 {
        let passed = if matches!(self.spacing, Spacing::Bytes(_)) { frame.get() } else { 1 };
        count.map_or(0, |count| count + passed)
    }
}

impl Spacing {
    /// The probability after what has passed since the last mark [p_a].
    fn spaced(self, probability: f64, count: u64, frame: Bytes) -> f64 {
        match self {
            Self::Packets => uniform(probability, count as f64),
            Self::Bytes(packet) if probability < 1.0 => {
                let spaced = uniform(probability, count as f64 / packet.as_f64());
                if spaced < 1.0 { spaced * frame.as_f64() / packet.as_f64() } else { spaced }
            }
            _ => probability,
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

    fn new(parameters: &Parameters, places: &[Place]) -> Result<Self, Unfit> {
        let &Parameters { minimum, maximum, probability, uniform, .. } = parameters;
        let spacing = match places.first().and_then(|place| place.counted_packet) {
            _ if !uniform => Spacing::Independent,
            None => Spacing::Packets,
            Some(packet) => Spacing::Bytes(packet),
        };
        Ok(Self { minimum, maximum, probability, spacing, counts: vec![None; places.len()] })
    }

    fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal {
        let probability = self.probability_at(level.others);
        if probability <= 0.0 {
            self.counts[place] = None;
            return Signal::None;
        }
        let count = self.counted(self.counts[place], level.frame);
        let is_marked = unit_interval(rng) < self.spacing.spaced(probability, count, level.frame);
        self.counts[place] = Some(if is_marked { 0 } else { count });
        if is_marked { Signal::Mark } else { Signal::None }
    }

    fn range(&self, _place: usize) -> Option<Range> {
        Some(Range { none_up_to: self.minimum, all_above: self.maximum })
    }

    fn silent_up_to(&self) -> Option<Bytes> {
        matches!(self.spacing, Spacing::Independent).then_some(self.minimum)
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
        Red::new(&parameters, &[Place { pool: None, counted_packet: packet }; 2]).unwrap()
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
        let at = |count, expected| close(Spacing::Packets.spaced(0.05, count, FRAME), expected);
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
            if red.signal(0, &level, &mut rng) == Signal::Mark {
                gaps.push(gap);
                gap = 0;
            }
        }
        let each = |wanted| gaps.iter().filter(|gap| **gap == wanted).count() as f64 / gaps.len() as f64;
        assert!(gaps.iter().all(|gap| *gap <= 20));
        assert!((1..=19).all(|gap| (each(gap) - 1.0 / 19.0).abs() < 0.005));
    }

    #[test]
    fn each_place_counts_for_itself_and_anew_below_the_minimum() {
        let mut red = red(10_000, 100_000, 1e-9, true, None);
        let mut rng = stream(1, Purpose::Marking, 0);
        let count_after = |(place, others)| {
            red.signal(place, &Level { others: Bytes::new(others), frame: FRAME }, &mut rng);
            red.counts[place]
        };
        let packets = [(0, 20_000), (0, 20_000), (1, 20_000), (0, 10_000), (0, 20_000), (1, 20_000)];
        let expected = [Some(0), Some(1), Some(0), None, Some(0), Some(1)];
        assert_eq!(packets.map(count_after), expected);
    }

    #[test]
    fn in_bytes_a_small_packet_counts_less_and_is_marked_less_often() {
        let spaced = |frame| Spacing::Bytes(Bytes::new(9_000)).spaced(0.05, 45_000, Bytes::new(frame));
        assert!(close(spaced(9_000), 0.066_666_7) && close(spaced(900), 0.006_666_67));
        let red = red(0, 100_000, 0.1, true, Some(Bytes::new(9_000)));
        assert_eq!(red.counted(Some(45_000), Bytes::new(900)), 45_900);
    }
}
