//! Random streams: one per purpose and entity, so that no stream depends on what another drew.

use rand_core::SeedableRng;
use rand_pcg::Pcg64Mcg;

/// Generator of every stream: PCG 128-bit MCG (O'Neill 2014). The name is fixed because its output decides results.
pub type Rng = Pcg64Mcg;

/// Purpose of a random stream. The numbers are part of every digest: never reuse or renumber one.
#[derive(Clone, Copy, Debug)]
pub enum Purpose {
    /// Arrivals and sizes of a workload.
    Workload = 1,
    /// Jitter of a host.
    HostJitter = 2,
    /// Marking at one place of a switch.
    Marking = 3,
    /// Random stream for marking in the adapter of a host.
    AdapterMarking = 4,
    /// Errors of the link that begins at a port.
    LinkErrors = 5,
    /// Traffic classes of a workload's flows.
    Priorities = 6,
    /// Intervals and culprits of a congestion point.
    CongestionPoint = 7,
    /// Workers, classes and intervals of an aggregator's queries.
    Queries = 8,
    /// Time that a worker waits before it answers.
    ResponseJitter = 9,
    /// Classes of a rank's parts.
    Collectives = 10,
    /// Order of the ranks of a workload's collectives.
    RankOrder = 11,
    /// Next hops of a switch's packets.
    LoadBalancing = 12,
    /// Entropies of a host's packets.
    Spraying = 13,
    /// Marking at the outputs of a crossbar.
    OutputMarking = 14,
    /// Draws of a scheme from outside, for a flow or a switch.
    Scheme = 15,
    /// Ranks of a workload's collectives that are later than others.
    Stragglers = 16,
}

/// Returns the stream of `entity` for `purpose` under the scenario's seed.
pub fn stream(seed: u64, purpose: Purpose, entity: u64) -> Rng {
    let mut state = mix(seed);
    state = mix(state ^ purpose as u64);
    state = mix(state ^ entity);
    Rng::seed_from_u64(state)
}

/// Mixes 64 bits: every input bit reaches every output bit (finaliser of SplitMix64, Steele et al. 2014).
fn mix(value: u64) -> u64 {
    let mut mixed = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Draws a number in [0, 1) with 53 random bits.
pub fn unit_interval(rng: &mut Rng) -> f64 {
    use rand_core::Rng as _;
    (rng.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
}

/// Draws from the exponential distribution with mean 1. The logarithm is computed in software, the same on every
/// machine.
pub fn exponential(rng: &mut Rng) -> f64 {
    -libm::log(1.0 - unit_interval(rng))
}

/// Draws a number in [0, bound). Its bias is below 2^-32 for bounds that fit 32 bits.
pub fn below(rng: &mut Rng, bound: u64) -> u64 {
    use rand_core::Rng as _;
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng as _;

    #[test]
    fn streams_differ_by_purpose_and_entity_and_repeat() {
        let first = stream(1, Purpose::Workload, 0).next_u64();
        assert_eq!(first, stream(1, Purpose::Workload, 0).next_u64());
        assert_ne!(first, stream(1, Purpose::Workload, 1).next_u64());
        assert_ne!(first, stream(1, Purpose::Marking, 0).next_u64());
        assert_ne!(first, stream(2, Purpose::Workload, 0).next_u64());
    }

    #[test]
    fn below_stays_below() {
        let mut rng = stream(7, Purpose::Workload, 3);
        assert!((0..1000).all(|_| below(&mut rng, 10) < 10));
        assert!((0..1000).all(|_| (0.0..1.0).contains(&unit_interval(&mut rng))));
    }
}
