//! Permutation traffic: every host sends to one other and receives from one other, by a random derangement
//! or a shift.

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
        let hosts = setup.two_hosts()?;
        let destinations = match settings.shift {
            None => derangement(&mut setup.rng(), hosts),
            Some(shift) => shifted(shift, hosts, setup)?,
        };
        Ok(Self { template, pairs: destinations.into_iter().enumerate() })
    }
}

/// Lists the receivers of all hosts in order, each `shift` hosts after its sender.
fn shifted(shift: u32, hosts: u32, setup: &Setup<'_>) -> Result<Vec<NodeId>, ScenarioError> {
    setup.at_least_one("shift", shift.into())?;
    let shift = shift % hosts;
    if shift == 0 {
        let problem = format!("is a multiple of the {hosts} hosts, so that every host would send to itself");
        return Err(setup.error("shift", problem, &format!("expected another, such as {}", hosts / 2)));
    }
    Ok((shift..hosts).chain(0..shift).collect())
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
        #![proptest_config(crate::cases::cases(256))]

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
    fn a_shift_goes_on_from_the_last_host_to_the_first() {
        for shift in [2, 7, 4_097] {
            let flows = source(&star(5), &format!("kind = 'permutation'\nshift = {shift}"));
            assert_eq!(flows.map(|flow| flow.destination).collect::<Vec<_>>(), [2, 3, 4, 0, 1], "{shift}");
        }
    }

    #[test]
    fn no_host_is_shifted_to_itself() {
        let line = refusal(&star(4), "kind = 'permutation'\nshift = 4096");
        assert!(line.starts_with("workload[0].shift: is a multiple of the 4 hosts"), "{line}");
        assert!(line.ends_with("expected another, such as 2"), "{line}");
        assert!(refusal(&star(4), "kind = 'permutation'\nshift = 0").contains("at least 1"));
    }

    #[test]
    fn one_host_alone_cannot_be_permuted() {
        assert!(refusal(&star(1), "kind = 'permutation'").contains("only one host"));
    }
}
