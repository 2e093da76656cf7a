//! Targets that a congestion control can never meet.

use super::Simulation;
use crate::congestion_control::{Parameters, Path};
use crate::scenario::Transport;

/// Targets of Swift that a path without queues exceeds.
pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let paths = simulation.scenario.transport.iter().zip(&simulation.fabric.longest_paths);
    let in_use = simulation.transports_in_use();
    let of_them = paths.filter(|((name, _), _)| in_use.contains(name.as_str()));
    let note = |((name, transport), path): ((&String, &Transport), &Path)| {
        let Some(Parameters::Swift(settings)) = transport.congestion_control() else { return None };
        let target = settings.base_target + settings.target_per_switch * u64::from(path.switches);
        (target < path.base_rtt).then(|| {
            format!(
                "transport.{name}: swift's target of {target} (base_target, target_per_switch) is below the longest base \
                 round trip, {}: its windows shrink although nothing waits",
                path.base_rtt
            )
        })
    };
    of_them.filter_map(note).collect()
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
        assert!(note.starts_with("transport.swift: swift's target of 3054ns (base_target, "), "{note}");
    }
}
