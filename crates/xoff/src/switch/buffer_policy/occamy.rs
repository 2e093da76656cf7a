//! Occamy: Dynamic Threshold with a large alpha, and a switch that expels packets from queues above it (Shan et al.,
//! EuroSys 2025).
//! Expelling takes the memory bandwidth that ports leave unused. Parameters are those of the authors' ns-3 code.
//! Differs: a packet that finds its port idle takes nothing of the bandwidth where it takes no memory (`release =
//! "transmission_start"`). The authors' code expels from the queues of one MMU alone, that of the first packet; here
//! all queues of the switch have their turn.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Expelling, Occupancy};
use crate::kernel::units::{Bytes, Rate, Ratio};

/// A queue may take alpha times the free bytes of the shared pool. One that holds more, because others have come since,
/// loses its first packets as soon as ports leave memory bandwidth to read them.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Occamy {
    /// Share of the free shared pool that one queue may take, a number or a fraction such as `"1/16"` [alpha].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: Ratio,
    /// Alpha of each class by itself, from class 0 to 7, instead of one `alpha` for all.
    pub alpha_by_priority: Option<Box<[Ratio; 8]>>,
    /// Rate at which memory can be read, by ports and to expel. Left out, the rate of all ports of the switch together.
    /// Ports may read more, and then nothing is expelled until that is made up for.
    pub memory_bandwidth: Option<Rate>,
    /// Bytes that may be expelled at once after a time in which less was read: the depth of the token bucket.
    #[schemars(extend("x-above" = "0B"))]
    pub burst: Bytes,
}

impl Default for Occamy {
    fn default() -> Self {
        Self {
            alpha: Ratio::new(8, 1),
            alpha_by_priority: None,
            memory_bandwidth: None,
            burst: Bytes::new(1600),
        }
    }
}

impl BufferPolicy for Occamy {
    fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes {
        self.alpha_of(priority).of(occupancy.free())
    }
    fn expels(&self) -> Option<Expelling> {
        Some(Expelling { memory_bandwidth: self.memory_bandwidth, burst: self.burst })
    }
    fn alpha(&self, priority: usize) -> Option<Ratio> {
        Some(self.alpha_of(priority))
    }
}

impl Occamy {
    fn alpha_of(&self, priority: usize) -> Ratio {
        self.alpha_by_priority.as_ref().map_or(self.alpha, |alphas| alphas[priority])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: of 3 MB, 1 MB is used and 2 MB are free. Eight times 2 MB is 16 MB, and a quarter of 2 MB is 500 kB.
    #[test]
    fn a_class_has_its_own_share_of_what_is_free() {
        let occupancy =
            Occupancy { shared_used: Bytes::new(1_000_000), ..Occupancy::empty(Bytes::new(3_000_000), 8) };
        let (eight, quarter) = (Ratio::new(8, 1), Ratio::new(1, 4));
        let of_classes = [eight, eight, eight, quarter, eight, eight, eight, eight];
        let of_each = Occamy { alpha_by_priority: Some(Box::new(of_classes)), ..Occamy::default() };
        for (policy, class, alpha, threshold) in [
            (&Occamy::default(), 3, eight, 16_000_000),
            (&of_each, 3, quarter, 500_000),
            (&of_each, 4, eight, 16_000_000),
        ] {
            assert_eq!(policy.alpha(class), Some(alpha));
            assert_eq!(policy.threshold(class, &occupancy), Bytes::new(threshold));
        }
    }
}
