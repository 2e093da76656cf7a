//! Dynamic Threshold: a queue may take alpha times what is free (Choudhury and Hahne, IEEE/ACM ToN 1998).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Occupancy};
use crate::kernel::units::{Bytes, Ratio};

/// A queue may take alpha times the free bytes of the shared pool.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DynamicThreshold {
    /// Share of the free shared pool that one queue may take, a number or a fraction such as `"1/16"` [alpha].
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: Ratio,
    /// Alpha of each class by itself, from class 0 to 7, instead of one `alpha` for all.
    #[serde(default)]
    pub alpha_by_priority: Option<Box<[Ratio; 8]>>,
}

fn one() -> Ratio {
    Ratio::new(1, 1)
}

impl Default for DynamicThreshold {
    fn default() -> Self {
        Self { alpha: one(), alpha_by_priority: None }
    }
}

impl BufferPolicy for DynamicThreshold {
    #[inline]
    fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes {
        let alpha = if self.alpha_by_priority.is_none() { self.alpha } else { self.alpha_of(priority) };
        alpha.of(occupancy.free())
    }
    fn alpha(&self, priority: usize) -> Option<Ratio> {
        Some(self.alpha_of(priority))
    }
}

impl DynamicThreshold {
    // Kept out of the way of the usual case.
    #[cold]
    fn alpha_of(&self, priority: usize) -> Ratio {
        self.alpha_by_priority.as_ref().map_or(self.alpha, |alphas| alphas[priority])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn threshold(alpha: Ratio, shared: u64, used: u64) -> Bytes {
        let occupancy =
            Occupancy { shared_used: Bytes::new(used), ..Occupancy::empty(Bytes::new(shared), 8) };
        DynamicThreshold { alpha, alpha_by_priority: None }.threshold(0, &occupancy)
    }

    /// M saturated queues hold alpha B / (1 + M alpha) each (Choudhury and Hahne; BCC, APNet 2017, section 4.2).
    #[test]
    fn saturated_queues_hold_exactly_the_threshold() {
        let four = Ratio::new(4, 1);
        for (queues, each) in [(1, 2_400_000), (4, 705_882), (8, 363_636)] {
            let threshold = threshold(four, 3_000_000, queues * each).get();
            assert!(threshold.abs_diff(each) <= 4 * queues, "{queues} queues of {each}: {threshold}");
        }
        assert!(threshold(Ratio::new(1, 16), 16_000_000, 32 * 333_333).get().abs_diff(333_333) <= 2);
    }

    #[test]
    fn a_pool_more_than_full_has_threshold_zero() {
        assert_eq!(threshold(Ratio::new(1, 1), 100, 101), Bytes::ZERO);
    }
}
