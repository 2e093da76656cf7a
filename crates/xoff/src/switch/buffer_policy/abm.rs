//! Active Buffer Management (ABM): Dynamic Threshold divided among a class's congested queues, by drain rate (Addanki et
//! al., SIGCOMM 2022).
//! Two more factors count: the number of congested queues of the class, and the share of its port's rate at which a
//! queue drains.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BufferPolicy, Following, Occupancy};
use crate::kernel::units::{Bytes, Ratio, Span};

/// A queue may take alpha times the free bytes of the shared pool, over the number of congested queues of its class,
/// times its share of its port's rate. So all queues of a class together hold no more than alpha / (1 + alpha) of the
/// pool, however many there are. No packet waits longer than alpha times the pool takes to drain.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Abm {
    /// Share of the free shared pool that all congested queues of a class may take, a number or a fraction such as `"1/16"` [alpha].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: Ratio,
    /// Alpha of each class by itself, from class 0 to 7, instead of one `alpha` for all.
    pub alpha_by_priority: Option<Box<[Ratio; 8]>>,
    /// Alpha for the first bytes of each flow, which no congestion control can have held back yet.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha_unscheduled: Ratio,
    /// Bytes at the start of each flow to which `alpha_unscheduled` applies: those of the first round trip. Packets
    /// without data are none of them.
    pub unscheduled: Bytes,
    /// Least time between two looks at drain rates and congested queues. A round trip, and no shorter than a port takes
    /// to serve all of its classes once.
    #[schemars(extend("x-above" = "0s"))]
    pub interval: Span,
    /// Share of its threshold from which a queue is congested.
    #[schemars(extend("exclusiveMinimum" = 0, "maximum" = 1))]
    pub congested_from: Ratio,
}

impl Default for Abm {
    fn default() -> Self {
        Self {
            alpha: Ratio::new(1, 2),
            alpha_by_priority: None,
            alpha_unscheduled: Ratio::new(64, 1),
            unscheduled: Bytes::ZERO,
            interval: Span::from_microseconds(30),
            congested_from: Ratio::new(9, 10),
        }
    }
}

impl BufferPolicy for Abm {
    fn threshold(&self, priority: usize, occupancy: &Occupancy) -> Bytes {
        let followed = &occupancy.followed;
        let alpha = if followed.offset < self.unscheduled.get() {
            self.alpha_unscheduled
        } else {
            self.alpha_by_priority.as_ref().map_or(self.alpha, |alphas| alphas[priority])
        };
        let of_class = alpha.of(occupancy.free());
        Bytes::new(followed.drain_rate.of(of_class).get() / followed.congested)
    }
    fn follows(&self) -> Option<Following> {
        Some(Following { every: self.interval, congested_from: self.congested_from })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Followed;
    use super::*;

    fn threshold(policy: &Abm, used: u64, drain_rate: Ratio, congested: u64, offset: u64) -> u64 {
        let followed = Followed { drain_rate, congested, offset };
        let occupancy = Occupancy {
            shared_used: Bytes::new(used),
            followed,
            ..Occupancy::empty(Bytes::new(3_000_000), 8)
        };
        policy.threshold(0, &occupancy).get()
    }

    /// By hand: of 3 MB, 1 MB is used; half of the rest is 1 MB.
    #[test]
    fn what_is_free_is_divided_among_congested_queues_and_by_how_fast_they_drain() {
        let (policy, whole) = (Abm::default(), Ratio::new(1, 1));
        assert_eq!(threshold(&policy, 1_000_000, whole, 1, 0), 1_000_000);
        assert_eq!(threshold(&policy, 1_000_000, whole, 4, 0), 250_000);
        assert_eq!(threshold(&policy, 1_000_000, Ratio::new(1, 8), 4, 0), 31_250);
        assert_eq!(threshold(&policy, 1_000_000, Ratio::new(0, 1), 4, 0), 0);
        assert_eq!(threshold(&policy, 3_000_001, whole, 1, 0), 0, "more than full");
    }

    #[test]
    fn the_first_bytes_of_a_flow_have_an_alpha_of_their_own() {
        let policy = Abm { unscheduled: Bytes::new(50_000), ..Abm::default() };
        let of_offset = |offset| threshold(&policy, 1_000_000, Ratio::new(1, 1), 4, offset);
        assert_eq!([0, 49_999, 50_000].map(of_offset), [32_000_000, 32_000_000, 250_000]);
    }
}
