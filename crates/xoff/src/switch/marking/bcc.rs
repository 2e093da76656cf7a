//! BCC's shared-buffer RED: RED on a pool, its thresholds computed from the fabric (APNet 2017, section 4).
//! Differs: marks are spaced as the original RED does, as the paper says, and not as `red` does by default.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Level, Marker, Place, Pool, Range, Signal, Unfit, When, red};
use crate::kernel::rng::Rng;
use crate::kernel::units::{Bytes, Rate, Ratio, Span};
use crate::plan::bcc::{self as plan, Thresholds};

/// RED on a pool between thresholds that follow from the fabric; every input can be set.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(extend("x-only-at" = "pool"))]
pub struct Parameters {
    /// Rate of a port. Left out, that of the pool's fastest [C].
    pub rate: Option<Rate>,
    /// Base round trip. Left out, the longest of the fabric, host delays included [RTT].
    #[schemars(extend("x-above" = "0s"))]
    pub round_trip: Option<Span>,
    /// Buffer for full throughput, in round trips at a port's rate. Left out, 0.72 for DCTCP and 1 for ECN* [lambda].
    pub lambda: Option<Ratio>,
    /// Reserve of each queue. Left out, as the switch has it [S_min].
    pub reserved: Option<Bytes>,
    /// Least share of the free pool that a queue may take. Left out, as the buffer policy has it [alpha_min].
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub alpha: Option<Ratio>,
    /// Size of the pool. Left out, as the switch has it [B].
    #[schemars(extend("x-at-least" = "1B"))]
    pub shared: Option<Bytes>,
    /// Ports on the pool. Left out, as the switch has it [N].
    #[schemars(extend("minimum" = 1))]
    pub ports: Option<u32>,
    /// Time by which the two thresholds lie apart, at the rate of all ports together [h].
    #[schemars(extend("x-above" = "0s"))]
    pub ramp: Span,
    /// Probability of a mark at the upper threshold, 0 to 1 [P_max].
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub probability: f64,
    /// Whether the packets since the last mark raise the probability, so that marks are evenly spaced [count].
    pub uniform: bool,
    /// Moment at which the length is looked at. Left out, as packets leave (the paper's footnote 5, and its authors'
    /// code).
    pub when: When,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            rate: None,
            round_trip: None,
            lambda: None,
            reserved: None,
            alpha: None,
            shared: None,
            ports: None,
            ramp: plan::RAMP,
            probability: plan::PROBABILITY,
            uniform: true,
            when: When::Dequeue,
        }
    }
}

impl Parameters {
    fn thresholds(&self, pool: &Pool) -> Result<Thresholds, Unfit> {
        let unknown = |problem: &str, expected| Unfit { problem: problem.to_owned(), expected };
        let alpha = self.alpha.or(pool.alpha).filter(|alpha| alpha.numerator() > 0);
        let (rate, ports) = (self.rate.unwrap_or(pool.rate), self.ports.map_or(pool.ports, u64::from));
        let alike = Rate::new(rate.get().saturating_mul(ports));
        let inputs = plan::Pool {
            shared: self.shared.unwrap_or(pool.shared),
            rate,
            together: if self.rate.is_none() && self.ports.is_none() { pool.together } else { alike },
            alpha: alpha.ok_or_else(|| {
                unknown("the buffer policy has no alpha above 0", "expected dynamic_threshold, or `alpha`")
            })?,
            reserved: self.reserved.unwrap_or(pool.reserved),
            round_trip: self.round_trip.unwrap_or(pool.round_trip),
            lambda: self.lambda.or(pool.lambda).ok_or_else(|| {
                unknown(
                    "the congestion controls here have no known lambda",
                    "expected `lambda`, such as 0.72",
                )
            })?,
            ramp: self.ramp,
        };
        inputs.thresholds().map_err(|infeasible| Unfit {
            problem: infeasible.to_string(),
            expected: "expected a larger pool, a larger alpha, or a smaller `round_trip`, `lambda` or `ramp`",
        })
    }
}

/// Shared-buffer RED on each pool.
#[derive(Clone, Debug)]
pub struct Bcc {
    pools: Vec<red::Red>,
}

impl Marker for Bcc {
    type Parameters = Parameters;

    fn when(parameters: &Parameters) -> When {
        parameters.when
    }

    fn new(parameters: &Parameters, places: &[Place]) -> Result<Self, Unfit> {
        let on_pool = |place: &Place| {
            let pool = place.pool.as_ref().ok_or_else(|| Unfit {
                problem: "bcc sets the thresholds of a pool".to_owned(),
                expected: "expected it in marking.pool of a switch with a shared memory",
            })?;
            let Thresholds { minimum, maximum, .. } = parameters.thresholds(pool)?;
            let &Parameters { probability, uniform, when, .. } = parameters;
            let red =
                red::Parameters { uniform, when, ..red::Parameters::between(minimum, maximum, probability) };
            red::Red::new(&red, &[*place])
        };
        Ok(Self { pools: places.iter().map(on_pool).collect::<Result<_, _>>()? })
    }

    fn signal(&mut self, place: usize, level: &Level, rng: &mut Rng) -> Signal {
        self.pools[place].signal(0, level, rng)
    }

    fn range(&self, place: usize) -> Option<Range> {
        self.pools[place].range(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The pool of the paper's evaluation (section 5).
    const POOL: Pool = Pool {
        shared: Bytes::new(3_000_000),
        ports: 8,
        rate: Rate::from_gbps(100),
        together: Rate::from_gbps(800),
        alpha: Some(Ratio::new(4, 1)),
        reserved: Bytes::new(128_000),
        round_trip: Span::from_microseconds(80),
        lambda: Some(Ratio::new(18, 25)),
    };

    fn range(parameters: &Parameters, pool: Pool) -> Result<(u64, u64), String> {
        let place = Place { pool: Some(pool), ..Place::at(pool.rate, Bytes::new(1500)) };
        let marker = Bcc::new(parameters, &[place]);
        let range = marker.map_err(|unfit| unfit.problem)?.range(0).unwrap();
        Ok((range.none_up_to.get(), range.all_above.get()))
    }

    #[test]
    fn what_is_not_set_is_taken_from_the_pool() {
        assert_eq!(range(&Parameters::default(), POOL), Ok((1_802_000, 2_602_000)));
        let other = Pool { shared: Bytes::ZERO, ports: 1, rate: Rate::from_gbps(1), alpha: None, ..POOL };
        let other = Pool { reserved: Bytes::ZERO, round_trip: Span::ZERO, lambda: None, ..other };
        let set = Parameters {
            rate: Some(POOL.rate),
            round_trip: Some(POOL.round_trip),
            lambda: POOL.lambda,
            reserved: Some(POOL.reserved),
            alpha: POOL.alpha,
            shared: Some(POOL.shared),
            ports: Some(8),
            ..Parameters::default()
        };
        assert_eq!(range(&set, other), Ok((1_802_000, 2_602_000)));
    }

    /// 28 ports of 100 Gbps and 2 of 400 are 3.6 Tbps: 3.6 MB in 8 us.
    #[test]
    fn the_ramp_is_of_all_ports_together_unless_they_are_said_to_be_alike() {
        let pool = Pool { shared: Bytes::new(20_000_000), ports: 30, rate: Rate::from_gbps(400), ..POOL };
        let pool = Pool { together: Rate::from_gbps(28 * 100 + 2 * 400), ..pool };
        let ramp =
            |parameters: Parameters| range(&parameters, pool).map(|(minimum, maximum)| maximum - minimum);
        assert_eq!(ramp(Parameters::default()), Ok(3_600_000));
        assert_eq!(ramp(Parameters { ports: Some(8), ..Parameters::default() }), Ok(3_200_000));
        assert_eq!(
            ramp(Parameters { rate: Some(Rate::from_gbps(100)), ..Parameters::default() }),
            Ok(3_000_000)
        );
    }

    #[test]
    fn what_cannot_be_computed_is_said() {
        let problem = |pool| range(&Parameters::default(), pool).unwrap_err();
        assert_eq!(problem(Pool { alpha: None, ..POOL }), "the buffer policy has no alpha above 0");
        let without_lambda = problem(Pool { lambda: None, ..POOL });
        assert_eq!(without_lambda, "the congestion controls here have no known lambda");
        assert_eq!(
            problem(Pool { shared: Bytes::new(1_000_000), ..POOL }),
            "a queue needs 1592kB of the pool (B_R), and the ports' ramp 800kB, which leaves no K_min in 1MB"
        );
        assert!(Bcc::new(&Parameters::default(), &[Place::at(POOL.rate, Bytes::new(1500))]).is_err());
    }
}
