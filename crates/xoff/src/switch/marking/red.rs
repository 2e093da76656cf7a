//! RED on the instantaneous length, as datacenter switches do it (DCQCN, SIGCOMM 2015, section 3.1, figure 5).
//! Left out: the averaged length and the spacing of marks of the original (Floyd and Jacobson, ToN 1993).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Level, Marker, Signal, When};
use crate::kernel::rng::{Rng, unit_interval};
use crate::kernel::units::Bytes;

/// Marks with a probability that rises from 0 at `minimum` to `probability` at `maximum`, and every packet above.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Red {
    /// Bytes up to which no packet is marked [K_min].
    pub minimum: Bytes,
    /// Bytes above which every packet is marked [K_max].
    #[schemars(extend("x-above-key" = "minimum"))]
    pub maximum: Bytes,
    /// Probability of a mark at `maximum`, 0 to 1 [P_max].
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub probability: f64,
    /// When the length is looked at.
    #[serde(default)]
    pub when: When,
}

impl Red {
    /// Probability that a packet that finds `length` is marked.
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
}

impl Marker for Red {
    fn when(&self) -> When {
        self.when
    }
    fn signal(&mut self, level: &Level, rng: &mut Rng) -> Signal {
        let probability = self.probability_at(level.others);
        if probability > 0.0 && unit_interval(rng) < probability { Signal::Mark } else { Signal::None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `facts/algorithms.md` 13.
    #[test]
    fn the_probability_rises_linearly_and_jumps_to_one() {
        let red = Red {
            minimum: Bytes::new(100_000),
            maximum: Bytes::new(400_000),
            probability: 0.2,
            when: When::Enqueue,
        };
        let close = |length, expected: f64| (red.probability_at(Bytes::new(length)) - expected).abs() < 1e-6;
        assert!(close(100_000, 0.0));
        assert!(close(250_000, 0.1));
        assert!(close(399_900, 0.199_933_3));
        assert!(close(400_000, 0.2));
        assert!(close(401_000, 1.0));
    }
}
