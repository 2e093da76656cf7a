//! What a congestion control aims at that does not suit the network: targets that it can never meet, steps that are too small.

use super::{Simulation, in_gigabits, in_microseconds};
use crate::congestion_control::{Parameters, Path, swift, timely};
use crate::kernel::units::Rate;
use crate::scenario::Transport;

/// How many steps TIMELY's paper takes from nothing to the rate of its links of 10 Gbps.
const MOST_STEPS: u64 = 1000;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let paths = simulation.scenario.transport.iter().zip(&simulation.fabric.longest_paths);
    let in_use = simulation.transports_in_use();
    let of_them = paths.filter(|((name, _), _)| in_use.contains(name.as_str()));
    let note =
        |((name, transport), path): ((&String, &Transport), &Path)| match transport.congestion_control()? {
            Parameters::Swift(settings) => below_the_round_trip(name, settings, path),
            Parameters::Timely(settings) => small_steps(name, settings, simulation),
            _ => None,
        };
    of_them.filter_map(note).collect()
}

/// A target of Swift that a path without queues exceeds.
fn below_the_round_trip(name: &str, settings: &swift::Parameters, path: &Path) -> Option<String> {
    let target = settings.base_target + settings.target_per_switch * u64::from(path.switches);
    (target < path.base_rtt).then(|| {
        let [target, base_rtt] = [target, path.base_rtt].map(in_microseconds);
        format!(
            "transport.{name}: swift's target of {target} (base_target, target_per_switch) is below the longest base \
             round trip, {base_rtt}: its windows shrink although nothing waits"
        )
    })
}

/// Increases of TIMELY that take long to come to the rate of a link.
fn small_steps(name: &str, settings: &timely::Parameters, simulation: &Simulation) -> Option<String> {
    let rate_of = |host| simulation.network.host_link(host).rate;
    let fastest = (0..simulation.network.fabric_hosts()).map(rate_of).max().unwrap_or(Rate::ZERO);
    let step = settings.additive_increase;
    (step.get().saturating_mul(MOST_STEPS) < fastest.get()).then(|| {
        format!(
            "transport.{name}: timely's additive_increase of {step} is for links of {}, and the fastest here has {}: rates \
             that were reduced take long to rise again",
            in_gigabits(Rate::new(step.get() * MOST_STEPS)),
            in_gigabits(fastest)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes;

    #[test]
    fn a_target_below_the_round_trip_is_noted() {
        let of = |target: &str| {
            let control = format!("{{ algorithm = 'swift', base_target = '{target}' }}");
            let transport = format!("transport.swift = {{ kind = 'roce', congestion_control = {control} }}");
            notes("{ kind = 'permutation', transport = 'swift', size = '1MB' }", &transport)
        };
        assert_eq!(of("20us"), [""; 0]);
        let [note] = &of("1ns")[..] else { panic!("it is noted once") };
        assert!(note.starts_with("transport.swift: swift's target of 3.05 us (base_target, "), "{note}");
    }

    #[test]
    fn steps_for_slower_links_are_noted() {
        let of = |increase: &str| {
            let control = format!("{{ algorithm = 'timely', additive_increase = '{increase}' }}");
            let transport = format!("transport.timely = {{ kind = 'roce', congestion_control = {control} }}");
            notes("{ kind = 'permutation', transport = 'timely', size = '1MB' }", &transport)
        };
        assert_eq!(of("10Mbps"), [""; 0], "links of 10 Gbps");
        let [note] = &of("9Mbps")[..] else { panic!("it is noted once") };
        let expected =
            "timely's additive_increase of 9Mbps is for links of 9 Gb/s, and the fastest here has 10 Gb/s";
        assert!(note.contains(expected), "{note}");
    }
}
