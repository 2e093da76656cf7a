//! Notes on settings of congestion controls that do not suit the network: targets below the round trip, and steps that
//! are too small.

use super::{Simulation, in_gigabits, in_microseconds};
use crate::congestion_control::{Parameters, Path, hpcc, nscc, power_tcp, rccc, swift, timely};
use crate::kernel::units::{Rate, Span};
use crate::scenario::{Roce, RoceRecovery, Transport};

/// Number of steps of TIMELY from zero to the line rate, in its paper with links of 10 Gbps.
const MOST_STEPS: u64 = 1000;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let paths = simulation.scenario().transport.iter().zip(&simulation.fabric().longest_paths);
    let in_use = simulation.transports_in_use();
    let of_them = paths.filter(|((name, _), _)| in_use.contains(name.as_str()));
    let note =
        |((name, transport), path): ((&String, &Transport), &Path)| match transport.congestion_control()? {
            Parameters::Swift(settings) => below_the_round_trip(name, settings, path),
            Parameters::Timely(settings) => small_steps(name, settings, simulation),
            Parameters::Hpcc(hpcc::Parameters { base_rtt: Some(base_rtt), .. })
            | Parameters::PowerTcp(power_tcp::Parameters { base_rtt: Some(base_rtt), .. }) => {
                too_short(name, transport.congestion_control()?.spelling(), *base_rtt, 1.0, path)
            }
            Parameters::Nscc(nscc::Parameters { base_rtt: Some(base_rtt), maximum_window, .. }) => {
                too_short(name, "nscc", *base_rtt, maximum_window.as_f64(), path)
            }
            Parameters::Rccc(rccc::Parameters { base_rtt: Some(base_rtt), maximum_credit, .. }) => {
                too_short(name, "rccc", *base_rtt, maximum_credit.as_f64(), path)
            }
            _ => None,
        };
    let mut notes: Vec<String> = of_them.clone().filter_map(note).collect();
    notes
        .extend(of_them.filter_map(|((name, transport), path)| too_small(name, transport, path, simulation)));
    notes
}

/// Notes a base round-trip time that is too short for `windows` windows to fill a link on the longest path.
fn too_short(name: &str, algorithm: &str, base_rtt: Span, windows: f64, path: &Path) -> Option<String> {
    (base_rtt.as_seconds() * windows < path.base_rtt.as_seconds()).then(|| {
        let longest = in_microseconds(path.base_rtt);
        format!(
            "transport.{name}: {algorithm}'s base_rtt of {base_rtt} is below the longest base round trip, {longest}: its flows \
             do not fill a link although nothing waits"
        )
    })
}

/// Notes a window of the recovery that is smaller than the bandwidth-delay product of the longest path.
fn too_small(name: &str, transport: &Transport, path: &Path, simulation: &Simulation) -> Option<String> {
    let Transport::Roce(Roce { recovery: RoceRecovery::SelectiveRepeat(recovery), .. }) = transport else {
        return None;
    };
    let window = recovery.window;
    let fastest = fastest_host(simulation);
    let on_the_way = fastest.bytes_in(path.base_rtt);
    (window < on_the_way).then(|| {
        format!(
            "transport.{name}: recovery.window of {window} is less than is on the way at {} in the longest base round trip, {}: \
             {on_the_way}; set a larger one",
            in_gigabits(fastest),
            in_microseconds(path.base_rtt)
        )
    })
}

fn fastest_host(simulation: &Simulation) -> Rate {
    let rate_of = |host| simulation.network().rate_from_host(host);
    (0..simulation.network().fabric_hosts()).map(rate_of).max().unwrap_or(Rate::ZERO)
}

/// Notes a target of Swift that a path without queues exceeds.
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

/// Notes steps of TIMELY that take long to reach the rate of a link.
fn small_steps(name: &str, settings: &timely::Parameters, simulation: &Simulation) -> Option<String> {
    let fastest = fastest_host(simulation);
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

    /// All hosts have links of 10 Gb/s.
    #[test]
    fn what_leaves_a_link_empty_is_noted() {
        let of = |keys: &str| {
            let transport = format!("transport.nscc = {{ kind = 'roce', ecn_capable = false, {keys} }}");
            notes("{ kind = 'permutation', transport = 'nscc', size = '1MB' }", &transport)
                .into_iter()
                .filter(|note| note.contains("base round trip"))
                .collect::<Vec<_>>()
        };
        let control = |base_rtt: &str| {
            format!("congestion_control = {{ algorithm = 'nscc', base_rtt = '{base_rtt}' }}")
        };
        for algorithm in ["nscc", "rccc"] {
            let control = |base_rtt| control(base_rtt).replace("nscc", algorithm);
            assert_eq!(of(&control("1ms")), [""; 0]);
            let [note] = &of(&control("1ns"))[..] else { panic!("it is noted once") };
            let expected = format!("transport.nscc: {algorithm}'s base_rtt of 1ns is below the longest");
            assert!(note.starts_with(&expected), "{note}");
        }
        let window = |bytes: u32| {
            format!("{}, recovery = {{ kind = 'selective_repeat', window = '{bytes}B' }}", control("1ms"))
        };
        assert_eq!(of(&window(100_000)), [""; 0]);
        let [note] = &of(&window(2_000))[..] else { panic!("it is noted once") };
        assert!(
            note.starts_with("transport.nscc: recovery.window of 2kB is less than is on the way at 10 Gb/s"),
            "{note}"
        );
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
