//! Thresholds of BCC's shared-buffer RED, and whether they can hold (APNet 2017, sections 3.1, 4.2 and 4.3).
//!
//! A switch whose ports share a pool can lose packets before any port's own threshold marks. BCC also marks by the
//! occupancy of the pool. Its upper threshold is where Dynamic Threshold leaves each queue just what it needs for full
//! throughput. The lower one is below that by the bytes that all ports bring in the time of the ramp.
//!
//! ```
//! use xoff::plan::bcc::{Pool, RAMP};
//! use xoff::units::{Bytes, Rate, Ratio, Span};
//!
//! // The paper's evaluation: eight ports of a Tomahawk at 100 Gb/s, a round trip of 80 us, DCTCP.
//! let pool = Pool {
//!     shared: Bytes::new(3_000_000),
//!     rate: Rate::from_gbps(100),
//!     together: Rate::from_gbps(800),
//!     alpha: Ratio::new(4, 1),
//!     reserved: Bytes::new(128_000),
//!     round_trip: Span::from_microseconds(80),
//!     lambda: Ratio::new(18, 25),
//!     ramp: RAMP,
//! };
//! let thresholds = pool.thresholds()?;
//! assert_eq!(thresholds.minimum, Bytes::new(1_802_000));
//! assert_eq!(thresholds.maximum, Bytes::new(2_602_000));
//! # Ok::<(), xoff::plan::bcc::Infeasible>(())
//! ```

use std::fmt;

use crate::kernel::units::{Bytes, Rate, Ratio, Span};

/// Time between the two thresholds at the rate of all ports together, in the paper's evaluation [h].
pub const RAMP: Span = Span::from_microseconds(8);
/// Probability of a mark at the upper threshold, in the paper's evaluation [P_max].
pub const PROBABILITY: f64 = 0.1;

/// Buffer that a port needs for full throughput, in round trips at its rate, for the congestion controls that the paper
/// covers [lambda].
pub fn lambda(algorithm: &str) -> Option<Ratio> {
    match algorithm {
        "dctcp" => Some(Ratio::new(18, 25)),
        "ecn_star" => Some(Ratio::new(1, 1)),
        _ => None,
    }
}

/// Inputs from which the thresholds of one pool follow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pool {
    /// Size of the shared pool, reserves not counted [B].
    pub shared: Bytes,
    /// Rate of the pool's fastest port [C].
    pub rate: Rate,
    /// Rate of all the pool's ports together [C N, where they are alike].
    pub together: Rate,
    /// Least share of the free pool that any queue may take [alpha_min].
    pub alpha: Ratio,
    /// Least reserve of any queue [S_min].
    pub reserved: Bytes,
    /// Base round trip [RTT].
    pub round_trip: Span,
    /// Buffer for full throughput, in round trips at the port's rate [lambda].
    pub lambda: Ratio,
    /// Time between the two thresholds at the rate of all ports together [h].
    pub ramp: Span,
}

/// Thresholds of one pool, in whole bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// Shared bytes that a queue needs for high throughput without losses [B_R].
    pub required: Bytes,
    /// Occupancy up to which no packet is marked [K_min].
    pub minimum: Bytes,
    /// Occupancy above which every packet is marked, where a queue may take just what it needs [K_max].
    pub maximum: Bytes,
}

/// Reason why a pool has no thresholds: the bytes that a queue needs and the ramp do not fit into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Infeasible {
    /// Shared bytes that a queue needs [B_R].
    pub required: Bytes,
    /// Bytes between the two thresholds [C N h].
    pub ramp: Bytes,
    /// Size of the pool [B].
    pub shared: Bytes,
}

impl fmt::Display for Infeasible {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { required, ramp, shared } = self;
        write!(
            formatter,
            "a queue needs {required} of the pool (B_R), and the ports' ramp {ramp}, which leaves no K_min in {shared}"
        )
    }
}

impl std::error::Error for Infeasible {}

impl Pool {
    /// Computes the thresholds (section 4.3): `B_R = C RTT (1 + lambda) - S_min`, `K_max = B - B_R / alpha_min`, `K_min
    /// = K_max - C N h`.
    pub fn thresholds(&self) -> Result<Thresholds, Infeasible> {
        let in_flight = self.rate.bytes_in(self.round_trip).as_f64();
        let required = (in_flight * (1.0 + self.lambda.as_f64()) - self.reserved.as_f64()).max(0.0);
        let maximum = self.shared.as_f64() - required / self.alpha.as_f64();
        let ramp = self.together.bytes_in(self.ramp);
        let minimum = maximum - ramp.as_f64();
        let whole = |bytes: f64| Bytes::from_f64(bytes.round());
        if minimum.round() > 0.0 {
            Ok(Thresholds { required: whole(required), minimum: whole(minimum), maximum: whole(maximum) })
        } else {
            Err(Infeasible { required: whole(required), ramp, shared: self.shared })
        }
    }
}

/// Shared bytes that each of `busy` saturated queues holds under Dynamic Threshold, rounded down (section 4.2): `alpha
/// B / (1 + alpha M)`.
pub fn share(shared: Bytes, alpha: Ratio, busy: u64) -> Bytes {
    let (above, below) = (u128::from(alpha.numerator()), u128::from(alpha.denominator()));
    let share = above * u128::from(shared.get()) / (below + above * u128::from(busy));
    // At most the pool itself, which is 64 bits.
    Bytes::new(share as u64)
}

/// Number of saturated ports from which on packets are dropped before a port's threshold marks any: `alpha B / (1 +
/// alpha M) + S < K`.
///
/// None where `ports` ports can all reach the threshold.
pub fn drops_before_marking_from(
    shared: Bytes,
    alpha: Ratio,
    reserved: Bytes,
    port_threshold: Bytes,
    ports: u64,
) -> Option<u64> {
    (1..=ports).find(|&busy| share(shared, alpha, busy) + reserved < port_threshold)
}

/// Number of ports that can each have what they need before memory is overfull (section 3.1).
pub fn ports_that_fit(memory: Bytes, required: Bytes) -> u64 {
    memory.get() / required.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's evaluation: pools of 8 ports of a Tomahawk, 80 us, DCTCP.
    const PAPER: Pool = Pool {
        shared: Bytes::new(3_000_000),
        rate: Rate::from_gbps(100),
        together: Rate::from_gbps(800),
        alpha: Ratio::new(4, 1),
        reserved: Bytes::new(128_000),
        round_trip: Span::from_microseconds(80),
        lambda: Ratio::new(18, 25),
        ramp: RAMP,
    };

    fn thresholds(pool: &Pool) -> [u64; 3] {
        let Thresholds { required, maximum, minimum } = pool.thresholds().unwrap();
        [required, maximum, minimum].map(Bytes::get)
    }

    /// Section 5 prints 1.6, 2.6 and 1.8 MB.
    #[test]
    fn the_papers_setting_gives_the_papers_thresholds() {
        assert_eq!(thresholds(&PAPER), [1_592_000, 2_602_000, 1_802_000]);
    }

    #[test]
    fn at_the_upper_threshold_a_queue_may_take_just_what_it_needs() {
        let Thresholds { required, maximum, .. } = PAPER.thresholds().unwrap();
        assert_eq!(PAPER.alpha.of(PAPER.shared - maximum), required);
    }

    /// Computed by hand from the formulas of sections 4.3 and 4.4.
    #[test]
    fn every_input_counts() {
        let ecn_star = Pool { lambda: lambda("ecn_star").unwrap(), ..PAPER };
        assert_eq!(thresholds(&ecn_star), [1_872_000, 2_532_000, 1_732_000]);
        let alpha_one = Pool { alpha: Ratio::new(1, 1), ..PAPER };
        assert_eq!(thresholds(&alpha_one), [1_592_000, 1_408_000, 608_000]);
        let short = Pool { round_trip: Span::from_microseconds(30), ..PAPER };
        assert_eq!(thresholds(&short), [517_000, 2_870_750, 2_070_750]);
        let trident_2 = Pool {
            shared: Bytes::new(12_000_000),
            rate: Rate::from_gbps(40),
            together: Rate::from_gbps(32 * 40),
            reserved: Bytes::ZERO,
            ..PAPER
        };
        assert_eq!(thresholds(&trident_2), [688_000, 11_828_000, 10_548_000]);
        let future = Pool {
            shared: Bytes::new(64_000_000),
            rate: Rate::from_gbps(400),
            together: Rate::from_gbps(32 * 400),
            reserved: Bytes::ZERO,
            round_trip: Span::from_microseconds(20),
            ..PAPER
        };
        assert_eq!(thresholds(&future), [1_720_000, 63_570_000, 50_770_000]);
    }

    /// The authors' code (baiwei0427/buffer-management) writes 1 MiB for the bytes in flight.
    #[test]
    fn binary_units_give_the_thresholds_of_the_authors_code() {
        let code = Pool {
            shared: Bytes::new(3 << 20),
            rate: Rate::new((8 << 20) * 12_500),
            reserved: Bytes::new(128 << 10),
            ..PAPER
        };
        let Thresholds { required, maximum, .. } = code.thresholds().unwrap();
        assert_eq!((required.get(), maximum.get()), (1_672_479, 2_727_608));
        assert_eq!(maximum.get() - (800 << 10), 1_908_408);
    }

    #[test]
    fn a_pool_too_small_for_one_queue_and_the_ramp_has_no_thresholds() {
        let small = Pool { shared: Bytes::new(1_198_000), ..PAPER };
        let infeasible = small.thresholds().unwrap_err();
        assert_eq!((infeasible.required.get(), infeasible.ramp.get()), (1_592_000, 800_000));
        let one_byte_more = Pool { shared: Bytes::new(1_198_001), ..PAPER };
        assert_eq!(thresholds(&one_byte_more), [1_592_000, 800_001, 1]);
    }

    /// alpha B / (1 + M alpha) (section 4.2), computed by hand.
    #[test]
    fn saturated_queues_share_the_pool() {
        let four = |busy| share(PAPER.shared, PAPER.alpha, busy).get();
        let expected = [2_400_000, 1_333_333, 923_076, 705_882, 571_428, 480_000, 413_793, 363_636];
        assert_eq!([1, 2, 3, 4, 5, 6, 7, 8].map(four), expected);
        let sixteenth = |busy| share(Bytes::new(16_000_000), Ratio::new(1, 16), busy).get();
        assert_eq!([1, 32].map(sixteenth), [941_176, 333_333]);
    }

    /// By the shares of section 4.2: from four busy ports on, and from five with the reserve of 128 kB.
    #[test]
    fn drops_come_before_marks_from_a_number_of_busy_ports_on() {
        let from = |reserved, ports| {
            let port_threshold = Bytes::new(720_000);
            drops_before_marking_from(PAPER.shared, PAPER.alpha, Bytes::new(reserved), port_threshold, ports)
        };
        assert_eq!((from(0, 8), from(128_000, 8)), (Some(4), Some(5)));
        assert_eq!(from(0, 3), None);
    }

    /// Section 3.1: half the ports of a Tomahawk, and four of a core of it.
    #[test]
    fn memory_is_overfull_beyond_half_the_ports() {
        let required = Rate::from_gbps(100).bytes_in(Span::from_microseconds(80));
        assert_eq!(ports_that_fit(Bytes::new(16_000_000), required), 16);
        assert_eq!(ports_that_fit(Bytes::new(4_000_000), required), 4);
    }
}
