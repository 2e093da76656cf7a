//! Permutation traffic: every host sends to one other and receives from one other, by a random derangement.

use super::FlowSpec;
use super::setup::Setup;
use crate::kernel::rng::{Rng, below};
use crate::kernel::units::Time;
use crate::scenario::{self, ScenarioError};
use crate::topology::NodeId;

/// Source of permutation traffic.
#[derive(Clone, Debug)]
pub(super) struct Permutation {
    template: FlowSpec,
    pairs: std::iter::Enumerate<std::vec::IntoIter<NodeId>>,
}

impl Permutation {
    pub(super) fn new(settings: &scenario::Permutation, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let mut template = setup.template(&settings.transport)?;
        template.size = setup.size(settings.size)?;
        template.start = Time::ZERO + settings.start;
        let destinations = derangement(&mut setup.rng(), setup.two_hosts()?);
        Ok(Self { template, pairs: destinations.into_iter().enumerate() })
    }
}

/// Draws a permutation without fixed point.
///
/// Shuffles until there is none, e times on average, which leaves all derangements equally likely.
fn derangement(rng: &mut Rng, count: u32) -> Vec<u32> {
    let mut permutation: Vec<u32> = (0..count).collect();
    loop {
        for place in (1..permutation.len()).rev() {
            permutation.swap(place, below(rng, place as u64 + 1) as usize);
        }
        if (0..).zip(&permutation).all(|(index, &image)| index != image) {
            return permutation;
        }
    }
}

impl Iterator for Permutation {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        let (source, destination) = self.pairs.next()?;
        Some(FlowSpec { source: source as NodeId, destination, ..self.template })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{refusal, source, star};
    use super::*;
    use crate::kernel::rng::{Purpose, stream};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_derangement_moves_everything_once(seed: u64, count in 2_u32..200) {
            let images = derangement(&mut stream(seed, Purpose::Workload, 0), count);
            prop_assert!((0..).zip(&images).all(|(index, &image)| index != image));
            let mut sorted = images;
            sorted.sort_unstable();
            prop_assert_eq!(sorted, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn all_nine_derangements_of_four_are_equally_likely() {
        let mut rng = stream(1, Purpose::Workload, 0);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..9_000 {
            *counts.entry(derangement(&mut rng, 4)).or_insert(0_u32) += 1;
        }
        assert_eq!(counts.len(), 9);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn every_host_sends_once_at_the_start() {
        let flows: Vec<_> = source(&star(5), "kind = 'permutation'\nsize = '1MiB'\nstart = '2us'").collect();
        assert_eq!(flows.iter().map(|flow| flow.source).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
        assert!(flows.iter().all(|flow| flow.start.as_nanoseconds() == 2_000 && flow.size.get() == 1 << 20));
    }

    #[test]
    fn one_host_alone_cannot_be_permuted() {
        assert!(refusal(&star(1), "kind = 'permutation'").contains("only one host"));
    }
}
