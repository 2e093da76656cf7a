//! Ranks of collectives that are later than others, named or drawn.

use std::collections::BTreeMap;

use super::super::ends;
use super::super::setup::Setup;
use crate::application::collective::Straggler;
use crate::kernel::rng::{Purpose, Rng, below};
use crate::kernel::units::Span;
use crate::scenario::{self, ScenarioError, Stragglers};
use crate::topology::NodeId;

/// Returns the stragglers of each group, by their rank.
pub(super) fn of_groups(
    settings: &scenario::Collective,
    hosts: &[NodeId],
    group_size: u32,
    setup: &Setup<'_>,
) -> Result<Vec<BTreeMap<u32, Straggler>>, ScenarioError> {
    let mut groups = vec![BTreeMap::<u32, Straggler>::new(); hosts.len() / group_size as usize];
    let mut rng = setup.stream(Purpose::Stragglers);
    for (index, stragglers) in settings.stragglers.iter().enumerate() {
        let &Stragglers { late, compute, .. } = stragglers;
        let key = format!("stragglers[{index}]");
        if late == Span::ZERO && compute == Span::ZERO {
            return Err(setup.error(&key, "nobody is later", "expected late or compute above 0s"));
        }
        if compute > Span::ZERO && settings.iterations == 1 {
            let expected = "expected iterations of at least 2, or late";
            return Err(setup.error(
                &format!("{key}.compute"),
                "ranks compute only between collectives",
                expected,
            ));
        }
        for place in places(stragglers, &key, hosts, &mut rng, setup)? {
            let straggler = groups[place / group_size as usize].entry(place as u32 % group_size).or_default();
            straggler.late = straggler.late.saturating_add(late);
            straggler.compute = straggler.compute.saturating_add(compute);
        }
    }
    Ok(groups)
}

/// Returns the places of stragglers among the ranks of all groups.
fn places(
    stragglers: &Stragglers,
    key: &str,
    hosts: &[NodeId],
    rng: &mut Rng,
    setup: &Setup<'_>,
) -> Result<Vec<usize>, ScenarioError> {
    match (&stragglers.ranks, stragglers.drawn) {
        (Some(patterns), None) => {
            let key = format!("{key}.ranks");
            let place_of = |host| {
                hosts.iter().position(|&rank| rank == host).ok_or_else(|| {
                    let problem = format!("\"{}\" has no rank", setup.network.nodes[host as usize].name);
                    setup.error(&key, problem, "expected hosts that `ranks` of the workload names")
                })
            };
            ends::listed(&key, Some(patterns), setup)?.into_iter().map(place_of).collect()
        }
        (None, Some(drawn)) => {
            let most = hosts.len();
            if drawn == 0 || drawn as usize > most {
                let expected = format!("expected at least 1 and at most {most}, the ranks of all groups");
                return Err(setup.error(&format!("{key}.drawn"), format!("is {drawn}"), &expected));
            }
            let mut places: Vec<usize> = (0..most).collect();
            for place in 0..drawn as usize {
                places.swap(place, place + below(rng, (most - place) as u64) as usize);
            }
            places.truncate(drawn as usize);
            Ok(places)
        }
        (Some(_), Some(_)) => {
            Err(setup.error(&format!("{key}.drawn"), "is there beside ranks", "expected one of them"))
        }
        (None, None) => Err(setup.error(key, "stands for no rank", "expected ranks, or how many are drawn")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::{refusal, scenario, source_with, star};
    use super::super::super::{Files, plans};
    use super::*;

    const TWO_GROUPS: &str = "kind = 'collective'\noperation = 'all_reduce'\nsize = '1MB'\ngroup_size = 3\n\
                              ranks = ['host5', 'host*']\niterations = 2";

    /// Lists stragglers as group, rank, and how much later they begin and compute in nanoseconds.
    fn found(stragglers: &str, seed: u64) -> Vec<(u32, u32, u64, u64)> {
        let mut scenario = scenario(&star(6), &format!("{TWO_GROUPS}\nstragglers = [{stragglers}]"));
        scenario.seed = seed;
        let plans = plans(&[source_with(&scenario, &Files::new()).unwrap().1]).unwrap();
        let of_group = |group| {
            let plan = plans.collective(group).unwrap();
            let of_rank = |(&rank, late): (&u32, &Straggler)| {
                (plan.group, rank, late.late.get() / 1_000, late.compute.get() / 1_000)
            };
            plan.stragglers.iter().map(of_rank).collect::<Vec<_>>()
        };
        (0..2).flat_map(of_group).collect()
    }

    #[test]
    fn named_ranks_are_late_by_the_sum_of_what_names_them() {
        let named = "{ ranks = ['host5', 'host4'], late = '2us' }, { ranks = ['host[4-5]'], compute = '1us' }, \
                     { ranks = ['host4'], late = '500ns', compute = '100ns' }";
        assert_eq!(found(named, 1), [(0, 0, 2_000, 1_000), (1, 2, 2_500, 1_100)]);
    }

    #[test]
    fn drawn_ranks_go_by_the_seed_and_differ() {
        let drawn = |seed| found("{ drawn = 5, late = '2us' }", seed);
        assert_eq!(drawn(1).len(), 5);
        assert_eq!(drawn(1), drawn(1));
        assert!((2..9).any(|seed| drawn(seed) != drawn(1)));
        assert!(drawn(1).iter().all(|&(.., late, _)| late == 2_000), "nobody is drawn twice");
    }

    #[test]
    fn stragglers_that_are_not_there_or_not_late_are_refused() {
        for (stragglers, problem) in [
            ("{ late = '1us' }", "stragglers[0]: stands for no rank; expected ranks, or how many are drawn"),
            (
                "{ drawn = 1, late = '1us' }, { drawn = 1 }",
                "stragglers[1]: nobody is later; expected late or compute above 0s",
            ),
            (
                "{ drawn = 1, ranks = ['host1'], late = '1us' }",
                "stragglers[0].drawn: is there beside ranks; expected one of them",
            ),
            (
                "{ drawn = 7, late = '1us' }",
                "stragglers[0].drawn: is 7; expected at least 1 and at most 6, the ranks of all groups",
            ),
            ("{ ranks = ['host9'], late = '1us' }", "stragglers[0].ranks[0]: no node matches \"host9\""),
        ] {
            let error = refusal(&star(6), &format!("{TWO_GROUPS}\nstragglers = [{stragglers}]"));
            assert!(error.starts_with(&format!("workload[0].{problem}")), "{error}");
        }
        let few = "kind = 'collective'\noperation = 'all_reduce'\nsize = '1MB'\nranks = ['host[0-2]']";
        for (stragglers, problem) in [
            (
                "{ ranks = ['host3'], late = '1us' }",
                "stragglers[0].ranks: \"host3\" has no rank; expected hosts that `ranks` of the workload names",
            ),
            (
                "{ drawn = 1, compute = '1us' }",
                "stragglers[0].compute: ranks compute only between collectives; expected iterations of at least 2, or late",
            ),
        ] {
            let error = refusal(&star(6), &format!("{few}\nstragglers = [{stragglers}]"));
            assert_eq!(error, format!("workload[0].{problem}"));
        }
    }
}
