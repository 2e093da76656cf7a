//! Notes on flows that should share a queue pair, and on flows that wait for a queue pair that never becomes free.

use std::collections::{BTreeMap, BTreeSet};

use super::Simulation;
use crate::application::Plan;
use crate::kernel::units::Time;
use crate::scenario::{Collective, QueuePairs, Transport, Workload};
use crate::workload::Source;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let of_collectives = steps_that_share_links(simulation).chain(flows_that_share_queue_pairs(simulation));
    of_collectives.chain(flows_without_end(simulation)).collect()
}

/// Notes collectives in which a step shares links with the step before.
fn steps_that_share_links(simulation: &Simulation) -> impl Iterator<Item = String> {
    let plans = simulation.fabric().plans.all().iter();
    let of_steps = |plan: &Plan| match plan {
        Plan::Collective(plan) if plan.schedule.steps() > 1 && !plan.waits_for_sent() => {
            Some(simulation.scenario().workload[plan.workload].transport())
        }
        _ => None,
    };
    let names: BTreeSet<&str> = plans.filter_map(of_steps).collect();
    names.into_iter().filter_map(|name| {
        let Transport::Roce(roce) = &simulation.scenario().transport[name] else { return None };
        (roce.connections == QueuePairs::PerFlow).then(|| {
            format!(
                "transport.{name}: a step of a collective shares the link with the one before, which is then later still; \
                 set connections = \"persistent\""
            )
        })
    })
}

/// Notes collectives whose parts are divided into more flows than there are queue pairs.
fn flows_that_share_queue_pairs(simulation: &Simulation) -> impl Iterator<Item = String> {
    let workloads = (0..).zip(&simulation.scenario().workload);
    workloads.filter_map(|(index, workload): (usize, _)| {
        let Workload::Collective(Collective { transport, flows_per_part, .. }) = workload else { return None };
        let Transport::Roce(roce) = &simulation.scenario().transport[transport] else { return None };
        let is_short = roce.connections == QueuePairs::Persistent && *flows_per_part > roce.queue_pairs.into();
        is_short.then(|| {
            format!(
                "workload[{index}]: of the {flows_per_part} flows of a part, only {} go at once, as many as queue pairs; set \
                 transport.{transport}.queue_pairs = {flows_per_part}",
                roce.queue_pairs
            )
        })
    })
}

/// Notes persistent queue pairs that flows without end never release, where other flows may wait for them.
fn flows_without_end(simulation: &Simulation) -> impl Iterator<Item = String> {
    let names = simulation.transports_in_use().into_iter();
    names.filter(|name| keeps_queue_pairs_for_ever(simulation, name)).map(|name| {
        format!(
            "transport.{name}: a flow without end never passes its queue pair on, and no other to the same host begins; give it \
             another transport, or set connections = \"per_flow\""
        )
    })
}

fn keeps_queue_pairs_for_ever(simulation: &Simulation, name: &str) -> bool {
    let Transport::Roce(roce) = &simulation.scenario().transport[name] else { return false };
    let mut endless: BTreeMap<_, u32> = BTreeMap::new();
    for flow in simulation.sources_of(name).flat_map(Source::without_end) {
        if flow.end == Time::MAX {
            *endless.entry((flow.source, flow.destination, flow.priority)).or_default() += 1;
        }
    }
    let most = endless.into_values().max().unwrap_or(0);
    let others_may_come = most > roce.queue_pairs.into() || simulation.sources_of(name).count() > 1;
    roce.connections == QueuePairs::Persistent && most > 0 && others_may_come
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes;

    #[test]
    fn steps_that_share_a_link_are_noted() {
        let of = |algorithm: &str, keys: &str| {
            let collective = format!(
                "{{ kind = 'collective', transport = 'lasting', operation = 'all_reduce', algorithm = '{algorithm}', \
                 size = '1MB', iterations = 1 }}"
            );
            notes(&collective, &format!("transport.lasting = {{ kind = 'roce', {keys} }}"))
        };
        for algorithm in ["ring", "direct"] {
            let [note] = &of(algorithm, "")[..] else { panic!("{algorithm}: one note") };
            assert!(note.starts_with("transport.lasting: a step of a collective shares the link"), "{note}");
            assert_eq!(of(algorithm, "connections = 'persistent'"), [""; 0]);
        }
        assert_eq!(of("halving_doubling", ""), [""; 0]);
    }

    #[test]
    fn more_flows_of_a_part_than_queue_pairs_are_noted() {
        let of = |keys: &str| {
            let collective = "{ kind = 'collective', transport = 'lasting', operation = 'all_reduce', size = '1MB', \
                              flows_per_part = 4 }";
            let rest = format!(
                "transport.lasting = {{ kind = 'roce', connections = 'persistent', queue_pairs = {keys} }}"
            );
            notes(collective, &rest)
        };
        let [note] = &of("2")[..] else { panic!("one note") };
        assert!(note.starts_with("workload[0]: of the 4 flows of a part, only 2 go at once"), "{note}");
        assert_eq!(of("4"), [""; 0]);
    }

    #[test]
    fn flows_without_end_on_queue_pairs_that_last_are_noted() {
        let of = |connections: &str, workload: &str, more: &str| {
            let workloads = format!("{{ kind = 'long_lived', transport = 'lasting', {workload} }}{more}");
            let rest = format!("transport.lasting = {{ kind = 'roce', connections = {connections} }}");
            notes(&workloads, &rest)
                .into_iter()
                .filter(|note| note.contains("without end"))
                .collect::<Vec<_>>()
        };
        let pair = "pairs = [['host0', 'host1']]";
        let twice = format!("{pair}, flows_per_pair = 2");
        let more = ", { kind = 'permutation', transport = 'lasting', size = '1MB' }";
        assert_eq!(of("'persistent'", pair, ""), [""; 0]);
        for (workload, more) in [(pair, more), (&twice, "")] {
            let [note] = &of("'persistent'", workload, more)[..] else { panic!("{workload}: one note") };
            assert!(note.starts_with("transport.lasting: a flow without end never passes"), "{note}");
            assert_eq!(of("'per_flow'", workload, more), [""; 0]);
        }
        assert_eq!(of("'persistent', queue_pairs = 2", &twice, ""), [""; 0]);
        assert_eq!(of("'persistent'", &format!("{twice}, size = '1MB'"), ""), [""; 0]);
    }
}
