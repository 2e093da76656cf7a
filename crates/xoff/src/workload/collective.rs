//! Plans of collectives, one for each group of ranks. Flows begin when others are done, so none is drawn here.

mod parts;
mod stragglers;

use std::collections::HashMap;

use super::FlowSpec;
use super::ends;
use super::setup::Setup;
use crate::application::Plans;
use crate::application::collective::Plan;
use crate::application::schedule::{Algorithm, Schedule};
use crate::kernel::rng::{Purpose, below};
use crate::kernel::units::{Bytes, Time};
use crate::scenario::{self, RankOrder, ScenarioError};
use crate::topology::{NodeId, Servers};

/// Plans of a workload's collectives; no flow is known beforehand.
#[derive(Clone, Debug)]
pub(super) struct Collective {
    pub(super) plans: Vec<Plan>,
}

impl Collective {
    pub(super) fn new(settings: &scenario::Collective, setup: &Setup<'_>) -> Result<Self, ScenarioError> {
        let transport = setup.template(&settings.transport)?.transport;
        let mut hosts = ranks(settings, setup)?;
        let group_size = group_size(settings, hosts.len() as u32, setup)?;
        let (size, matrix) = parts::of_group(settings, group_size, setup)?;
        let schedule = schedule(settings, size, group_size, &mut hosts, setup)?;
        setup.at_least_one("iterations", settings.iterations.into())?;
        let mut stragglers = stragglers::of_groups(settings, &hosts, group_size, setup)?.into_iter();
        let groups = hosts.chunks(schedule.ranks as usize).enumerate();
        let plans = groups.map(|(group, ranks)| Plan {
            workload: setup.index,
            group: group as u32,
            ranks: ranks.to_vec(),
            schedule,
            matrix: matrix.clone(),
            iterations: settings.iterations,
            compute: settings.compute,
            stragglers: stragglers.next().unwrap_or_default(),
            flows_per_part: settings.flows_per_part,
            start: Time::ZERO + settings.start,
            priorities: settings.priority.all().to_vec(),
            transport,
        });
        let plans: Vec<Plan> = plans.collect();
        parts::check(&plans[0], setup)?;
        Ok(Self { plans })
    }
}

impl Iterator for Collective {
    type Item = FlowSpec;

    fn next(&mut self) -> Option<FlowSpec> {
        None
    }
}

/// Rejects collectives in which a rank sends another more flows than can be told apart.
pub(super) fn check_turns(plans: &Plans) -> Result<(), ScenarioError> {
    let most = plans.most_turns();
    let collectives = (0..plans.all().len()).filter_map(|plan| plans.collective(plan));
    match collectives.into_iter().find(|plan| plan.turns() > most) {
        None => Ok(()),
        Some(plan) => {
            let fitting = most / (plan.turns() / u64::from(plan.iterations));
            let (key, is, fitting) = if fitting > 0 {
                ("iterations", plan.iterations, fitting)
            } else {
                ("flows_per_part", plan.flows_per_part, most / u64::from(plan.schedule.turns()))
            };
            let key = format!("workload[{}].{key}", plan.workload);
            let expected = format!("expected at most {fitting} between so many ranks");
            Err(ScenarioError::at(key, format!("is {is}"), expected))
        }
    }
}

/// Lists the hosts of all groups in order of their ranks.
fn ranks(settings: &scenario::Collective, setup: &Setup<'_>) -> Result<Vec<NodeId>, ScenarioError> {
    setup.two_hosts()?;
    let mut ranks = ends::listed("ranks", settings.ranks.as_ref(), setup)?;
    if ranks.len() < 2 {
        let problem = format!("there is only \"{}\"", setup.network.nodes[ranks[0] as usize].name);
        return Err(setup.error("ranks", problem, "expected at least two hosts"));
    }
    match settings.order {
        RankOrder::Listed => {}
        RankOrder::Random => {
            let mut rng = setup.stream(Purpose::RankOrder);
            for place in (1..ranks.len()).rev() {
                ranks.swap(place, below(&mut rng, place as u64 + 1) as usize);
            }
        }
        RankOrder::ByServer => put_by_server(&mut ranks, servers("order", "by_server", "listed", setup)?),
    }
    Ok(ranks)
}

/// Returns the servers, or an error at the key whose value needs them.
fn servers(key: &str, value: &str, other: &str, setup: &Setup<'_>) -> Result<Servers, ScenarioError> {
    setup.network.servers.ok_or_else(|| {
        let expected = format!("expected [scale_up], which says what hosts share a server, or \"{other}\"");
        setup.error(key, format!("\"{value}\" goes by servers, and there are none"), &expected)
    })
}

/// Orders hosts so that those of one server follow one another.
fn put_by_server(hosts: &mut [NodeId], servers: Servers) {
    let mut first = HashMap::new();
    for (place, &host) in hosts.iter().enumerate() {
        first.entry(servers.of(host)).or_insert(place);
    }
    hosts.sort_by_key(|&host| first[&servers.of(host)]);
}

/// Orders the ranks of each group by server, and returns how many ranks each server has.
fn put_groups_by_server(
    ranks: &mut [NodeId],
    group_size: u32,
    algorithm: Algorithm,
    setup: &Setup<'_>,
) -> Result<u32, ScenarioError> {
    let servers = servers("algorithm", algorithm.name(), "ring", setup)?;
    let mut per_server = None;
    for group in ranks.chunks_mut(group_size as usize) {
        put_by_server(group, servers);
        for inside in group.chunk_by(|&one, &other| servers.of(one) == servers.of(other)) {
            let (count, usual) = (inside.len() as u32, *per_server.get_or_insert(inside.len() as u32));
            if count < 2 || count == group_size || count != usual {
                let name = &setup.network.nodes[inside[0] as usize].name;
                let problem = format!(
                    "\"{}\" has {count} of {group_size} ranks together in the server of \"{name}\"",
                    algorithm.name()
                );
                let expected = "expected as many in each of several servers, at least 2: other ranks, another group_size, or \
                                order = \"by_server\"";
                return Err(setup.error("algorithm", problem, expected));
            }
        }
    }
    let per_server = per_server.unwrap_or_default();
    if algorithm == Algorithm::Rings && per_server % 2 == 1 {
        let problem = format!("\"rings\" has {per_server} ranks in each server");
        return Err(setup.error("algorithm", problem, "expected an even number, or \"hierarchical\""));
    }
    Ok(per_server)
}

/// Returns the number of ranks of a group.
fn group_size(settings: &scenario::Collective, ranks: u32, setup: &Setup<'_>) -> Result<u32, ScenarioError> {
    let group_size = settings.group_size.unwrap_or(ranks);
    if group_size < 2 || !ranks.is_multiple_of(group_size) {
        let expected = format!("expected at least 2 and a divisor of the {ranks} ranks");
        return Err(setup.error("group_size", format!("is {group_size}"), &expected));
    }
    Ok(group_size)
}

/// Makes the schedule of one group. Hosts are reordered if the algorithm goes by servers.
fn schedule(
    settings: &scenario::Collective,
    size: Bytes,
    group_size: u32,
    hosts: &mut [NodeId],
    setup: &Setup<'_>,
) -> Result<Schedule, ScenarioError> {
    let operation = settings.operation;
    let able = operation.algorithms();
    let algorithm = settings.algorithm.unwrap_or(able[0]);
    if !able.contains(&algorithm) {
        let named: Vec<&str> = able.iter().map(|algorithm| algorithm.name()).collect();
        let problem = format!("\"{}\" does no {}", algorithm.name(), operation.name());
        return Err(setup.error("algorithm", problem, &format!("expected one of {}", named.join(", "))));
    }
    if algorithm == Algorithm::HalvingDoubling && !group_size.is_power_of_two() {
        let problem = format!("\"halving_doubling\" does not work with {group_size} ranks");
        return Err(setup.error("algorithm", problem, "expected a power of two of them, or \"ring\""));
    }
    let per_server = if algorithm.goes_by_servers() {
        put_groups_by_server(hosts, group_size, algorithm, setup)?
    } else {
        1
    };
    Ok(Schedule { operation, algorithm, ranks: group_size, per_server, size })
}

#[cfg(test)]
mod tests {
    use super::super::plans;
    use super::super::testing::{clos, refusal, scenario, source, star};
    use super::*;
    use crate::application::schedule::Operation;
    use crate::kernel::units::Bytes;

    const ALL_REDUCE: &str = "kind = 'collective'\noperation = 'all_reduce'\nsize = '8MB'";

    fn plans_of(topology: &str, keys: &str) -> Vec<Plan> {
        let plans = plans(&[source(topology, &format!("{ALL_REDUCE}\n{keys}"))]).unwrap();
        (0..plans.all().len()).map(|plan| plans.collective(plan).unwrap().clone()).collect()
    }

    #[test]
    fn ranks_are_in_the_order_in_which_they_are_named_each_once() {
        let [plan] = &plans_of(&clos(), "ranks = ['host7', 'leaf3', 'host?']")[..] else {
            panic!("one group")
        };
        assert_eq!(plan.ranks, [7, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 8, 9]);
        let (operation, algorithm) = (Operation::AllReduce, Algorithm::Ring);
        assert_eq!(
            plan.schedule,
            Schedule { operation, algorithm, ranks: 14, per_server: 1, size: Bytes::new(8_000_000) }
        );
    }

    #[test]
    fn groups_follow_one_another_and_random_ranks_are_all_there() {
        let groups = plans_of(&clos(), "group_size = 4");
        assert_eq!(groups.iter().map(|plan| plan.group).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(groups[2].ranks, [8, 9, 10, 11]);
        let drawn = |seed| {
            let mut scenario = scenario(&clos(), &format!("{ALL_REDUCE}\norder = 'random'\ngroup_size = 8"));
            scenario.seed = seed;
            let source = super::super::testing::source_with(&scenario, &super::super::Files::new());
            let plans = plans(&[source.unwrap().1]).unwrap();
            (0..2).flat_map(|group| plans.collective(group).unwrap().ranks.clone()).collect::<Vec<_>>()
        };
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(drawn(1), drawn(1));
        let mut all = drawn(1);
        all.sort_unstable();
        assert_eq!(all, (0..16).collect::<Vec<_>>());
    }

    /// Eight servers of two hosts, one in each half of the racks.
    const SERVERS: &str =
        "[scale_up]\nhosts_per_server = 2\nstride = 8\nlink = { rate = '900Gbps', delay = '100ns' }";

    #[test]
    fn ranks_of_a_server_are_put_behind_one_another_where_that_is_asked_for() {
        let by_server = "order = 'by_server'\nranks = ['host3', 'host8', 'host*']";
        let [plan] = &plans_of(&clos(), &format!("{by_server}\n{SERVERS}"))[..] else { panic!("one group") };
        assert_eq!(plan.ranks[..6], [3, 11, 8, 0, 1, 9]);
        let groups =
            "algorithm = 'hierarchical'\ngroup_size = 8\nranks = ['host[0-3]', 'host[8-11]', 'host*']";
        let [first, second] = &plans_of(&clos(), &format!("{groups}\n{SERVERS}"))[..] else {
            panic!("two groups")
        };
        assert_eq!(first.ranks, [0, 8, 1, 9, 2, 10, 3, 11]);
        assert_eq!(second.ranks, [4, 12, 5, 13, 6, 14, 7, 15]);
        assert_eq!((first.schedule.per_server, first.schedule.steps()), (2, 8));
    }

    #[test]
    fn what_goes_by_servers_needs_several_that_are_alike() {
        let refused = |keys: &str| refusal(&clos(), &format!("{ALL_REDUCE}\n{keys}"));
        for (keys, problem) in [
            ("algorithm = 'hierarchical'", "algorithm: \"hierarchical\" goes by servers, and there are none"),
            (
                "order = 'by_server'",
                "order: \"by_server\" goes by servers, and there are none; expected [scale_up]",
            ),
        ] {
            let error = refused(keys);
            assert!(error.contains(&format!("workload[0].{problem}")), "{error}");
        }
        let one_missing = "ranks = ['host[0-3]', 'host8', 'host9']";
        let one_server = "ranks = ['host0', 'host8']";
        for (ranks, problem) in [
            (
                one_missing,
                "\"hierarchical\" has 1 of 6 ranks together in the server of \"host2\"; expected as many",
            ),
            (one_server, "\"hierarchical\" has 2 of 2 ranks together in the server of \"host0\""),
        ] {
            let error = refused(&format!("algorithm = 'hierarchical'\n{ranks}\n{SERVERS}"));
            assert!(error.contains(&format!("workload[0].algorithm: {problem}")), "{error}");
        }
        let of_three = "ranks = ['host0', 'host4', 'host8', 'host1', 'host5', 'host9']\n[scale_up]\nhosts_per_server = 4\nstride = 4\n\
                        link = { rate = '900Gbps', delay = '100ns' }";
        let error = refused(&format!("algorithm = 'rings'\n{of_three}"));
        let expected = "workload[0].algorithm: \"rings\" has 3 ranks in each server; expected an even number, or \"hierarchical\"";
        assert!(error.contains(expected), "{error}");
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let refused = |keys: &str| refusal(&star(6), &format!("kind = 'collective'\n{keys}"));
        let all_reduce = |keys: &str| refused(&format!("operation = 'all_reduce'\nsize = '1MB'\n{keys}"));
        for (error, problem) in [
            (refused("operation = 'all_to_all'\nsize = '0B'"), "size: is zero"),
            (
                refused("operation = 'all_to_all'"),
                "size: missing; expected the bytes that a rank begins with",
            ),
            (
                refused("operation = 'all_to_all'\nsize = '1MB'\nalgorithm = 'ring'"),
                "algorithm: \"ring\" does no all_to_all; expected one of direct, pairwise",
            ),
            (all_reduce("iterations = 0"), "iterations: is 0"),
            (
                all_reduce("group_size = 4"),
                "group_size: is 4; expected at least 2 and a divisor of the 6 ranks",
            ),
            (all_reduce("group_size = 1"), "group_size: is 1"),
            (all_reduce("ranks = ['host1', 'host1']"), "ranks: there is only \"host1\""),
            (all_reduce("ranks = ['host9']"), "ranks[0]: no node matches \"host9\""),
            (
                refused("operation = 'all_to_all'\nsize = '12B'\nflows_per_part = 3"),
                "flows_per_part: is 3; expected at most 2, the bytes of a part",
            ),
            (
                all_reduce("algorithm = 'halving_doubling'"),
                "algorithm: \"halving_doubling\" does not work with 6 ranks; expected a power of two",
            ),
        ] {
            assert!(error.contains(&format!("workload[0].{problem}")), "{error}");
        }
    }

    #[test]
    fn parts_that_cannot_be_told_apart_are_refused() {
        let source = source(&star(6), &format!("{ALL_REDUCE}\niterations = 4000000000"));
        let error = plans(&[source]).unwrap_err().to_string();
        let expected =
            "workload[0].iterations: is 4000000000; expected at most 26843545 between so many ranks";
        assert!(error.contains(expected), "{error}");
    }
}
