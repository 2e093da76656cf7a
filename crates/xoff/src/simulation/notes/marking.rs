//! Notes on congestion controls that get no marks, markers that see no packets, and packets that cannot be marked.

use std::collections::BTreeSet;

use super::round_trips::longest_round_trip;
use super::{Simulation, by_note, in_microseconds};
use crate::classes::Classes;
use crate::kernel::units::Span;
use crate::layout::SwitchLayout;
use crate::scenario::Transport;
use crate::topology::NodeId;
use crate::workload::Source;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let in_vain = nothing_marks(simulation).chain(nothing_waits_in_adapters(simulation));
    in_vain.chain(drops_instead_of_marks(simulation)).chain(marks_too_early(simulation)).collect()
}

/// Round trips' worth of bytes whose part a threshold must be so that DCTCP's windows fill the link (SIGCOMM 2010,
/// equation 13: K above C x RTT / 7).
const PARTS_OF_ROUND_TRIP: u64 = 7;

/// Notes queues that mark every packet of TCP at lengths so far below a round trip's worth of bytes that a flow whose
/// window was reduced leaves the link idle.
fn marks_too_early(simulation: &Simulation) -> Vec<String> {
    let transports = simulation.scenario.transport.iter().enumerate();
    let by_marks = transports.filter(|(_, (name, transport))| {
        let in_use = simulation.transports_in_use().contains(name.as_str());
        in_use && matches!(transport, Transport::Tcp(_)) && transport.goes_by_marks().is_some()
    });
    let of_transports = by_marks.flat_map(|(index, (name, _))| {
        let longest = longest_round_trip(simulation, index, name);
        longest.into_iter().flat_map(|(round_trip, _)| too_early_for(simulation, name, round_trip))
    });
    by_note(of_transports)
}

/// Returns the notes of the switches that a transport's flows with this round trip may cross, each with its switch.
fn too_early_for(simulation: &Simulation, name: &str, round_trip: Span) -> BTreeSet<(String, String)> {
    let network = &simulation.network;
    let nodes = network.hosts..network.nodes.len() as NodeId;
    let mut notes = BTreeSet::new();
    for (node, layout) in nodes.zip(&simulation.switches) {
        for port in 0..network.ports.of(node).len() as u32 {
            let rate = network.rate_of(network.ports.first(node) + port);
            let on_the_way = rate.bytes_in(round_trip);
            for class in classes_of(simulation, name).iter() {
                let Some(threshold) = layout.marks_all_above(port, class) else { continue };
                if threshold.get() * PARTS_OF_ROUND_TRIP < on_the_way.get() {
                    let note = format!(
                        "every packet above {threshold} is marked, less than a seventh of the {on_the_way} that {rate} carry in a \
                         round trip of {name}, {}: few flows leave the link idle; set a higher threshold",
                        in_microseconds(round_trip)
                    );
                    notes.insert((note, simulation.name(node)));
                }
            }
        }
    }
    notes
}

/// Notes congestion controls that react to marks, where nothing marks.
fn nothing_marks(simulation: &Simulation) -> impl Iterator<Item = String> {
    simulation.transports_in_use().into_iter().filter_map(|name| {
        let transport = &simulation.scenario.transport[name];
        let spelling = transport.goes_by_marks()?;
        let marks = switches_mark(simulation, classes_of(simulation, name))
            || simulation.scenario.host.marking.is_some() && !transport.is_in_adapter();
        (!marks).then(|| {
            let why = if switches_mark(simulation, Classes::ALL) {
                "no switch has `marking` of its classes"
            } else if simulation.switches.iter().all(|layout| matches!(layout, SwitchLayout::Cioq(_))) {
                "no switch has `input.marking` or `output.marking`"
            } else {
                "no switch has `marking`"
            };
            format!("transport.{name}: {spelling} goes by marks, and nothing marks: {why}")
        })
    })
}

/// Notes markers in adapters in which no packet waits.
fn nothing_waits_in_adapters(simulation: &Simulation) -> Option<String> {
    let mut names = simulation.transports_in_use().into_iter();
    let waits = names.any(|name| !simulation.scenario.transport[name].is_in_adapter());
    (simulation.scenario.host.marking.is_some() && !waits).then(|| {
        "host.marking: marks nothing, as RoCE makes a packet when the one before it starts, and none but that waits in an adapter"
            .to_owned()
    })
}

/// Notes transports whose packets cannot be marked, where switches mark.
fn drops_instead_of_marks(simulation: &Simulation) -> impl Iterator<Item = String> {
    let lossy = Classes::ALL - simulation.scenario.lossless_classes();
    let are_dropped = move |name: &&str| {
        let classes = classes_of(simulation, name) & lossy;
        simulation.switches.iter().any(|layout| layout.drops_incapable(classes))
    };
    let names = simulation.transports_of(lossy).filter(are_dropped);
    names.filter_map(|name| {
        let transport = &simulation.scenario.transport[name];
        let instead = match transport {
            Transport::Roce(_) => "; set ecn_capable = true if they are",
            Transport::Tcp(_) | Transport::ConstantRate(_) => "",
        };
        (!transport.is_ecn_capable()).then(|| {
            format!(
                "transport.{name}: its packets are not ECN-capable, and switches drop them where they would mark{instead}"
            )
        })
    })
}

/// Classes in which a transport has flows.
fn classes_of(simulation: &Simulation, name: &str) -> Classes {
    simulation.sources_of(name).map(Source::classes).collect()
}

/// Whether any switch marks packets of these classes.
fn switches_mark(simulation: &Simulation, classes: Classes) -> bool {
    simulation.switches.iter().any(|layout| layout.marks(classes))
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes;

    #[test]
    fn a_congestion_control_that_goes_by_marks_needs_some() {
        let of = |transport: &str, rest: &str| {
            notes(&format!("{{ kind = 'permutation', transport = '{transport}', size = '1MB' }}"), rest)
        };
        let unmarked = |name: &str, algorithm: &str| {
            [format!(
                "transport.{name}: {algorithm} goes by marks, and nothing marks: no switch has `marking`"
            )]
        };
        assert_eq!(of("dctcp", ""), unmarked("dctcp", "dctcp"));
        assert_eq!(of("roce", ""), unmarked("roce", "dcqcn"));
        assert_eq!(of("reno", ""), [""; 0]);
        let sprayed = "transport.uet = { kind = 'roce', spraying = { algorithm = 'reps' } }";
        assert_eq!(of("uet", sprayed), unmarked("uet", "reps"));
        assert_eq!(of("burst", ""), [""; 0]);
        let threshold = "{ kind = 'threshold', threshold = '30kB' }";
        for place in ["queue", "port", "pool", "at_rate.10Gbps.queue"] {
            assert_eq!(of("dctcp", &format!("switch = [{{ marking.{place} = {threshold} }}]")), [""; 0]);
        }
        let of_class =
            |class: u8| format!("switch = [{{ marking.queue_by_priority.{class} = {threshold} }}]");
        assert_eq!(of("dctcp", &of_class(0)), [""; 0]);
        assert_eq!(
            of("dctcp", &of_class(3)),
            unmarked("dctcp", "dctcp").map(|note| note + " of its classes")
        );
        assert_eq!(of("dctcp", &format!("host.marking = {threshold}")), [""; 0]);
        let in_vain = "host.marking: marks nothing, as RoCE makes a packet when the one before it starts, and none but that waits in an adapter";
        let [unmarked] = unmarked("roce", "dcqcn");
        assert_eq!(of("roce", &format!("host.marking = {threshold}")), [unmarked, in_vain.to_owned()]);
    }

    /// At 10 Gbps a full packet of 1538 B takes 1230.4 ns over each of two links of 1 us, an acknowledgement of 84 B 67.2
    /// ns: 6.5952 us there and back, in which the link carries 8244 B.
    #[test]
    fn a_threshold_far_below_a_round_trip_leaves_links_idle() {
        let of = |transport: &str, threshold: &str| {
            let workload = format!("{{ kind = 'permutation', transport = '{transport}', size = '1MB' }}");
            let marking = format!("marking.queue = {{ kind = 'threshold', threshold = '{threshold}' }}");
            notes(&workload, &format!("switch = [{{ {marking} }}]"))
        };
        let told = "switch0: every packet above 1177B is marked, less than a seventh of the 8244B that 10Gbps carry in a round \
                    trip of dctcp, 6.6 us: few flows leave the link idle; set a higher threshold";
        assert_eq!(of("dctcp", "1177B"), [told]);
        assert_eq!(of("dctcp", "1178B"), [""; 0]);
        assert_eq!(of("roce", "1177B"), [""; 0], "rates are not reduced by halves of a window");
    }

    #[test]
    fn what_cannot_be_marked_is_dropped() {
        let of = |transport: &str, switch: &str| {
            let workload = format!("{{ kind = 'permutation', transport = '{transport}', size = '1MB' }}");
            notes(&workload, switch)
        };
        let marking = "marking.queue = { kind = 'threshold', threshold = '30kB' }";
        let marks = format!("switch = [{{ {marking} }}]");
        let note = |name| {
            [format!(
                "transport.{name}: its packets are not ECN-capable, and switches drop them where they would mark"
            )]
        };
        let swift =
            "transport.swift = { kind = 'roce', congestion_control = { algorithm = 'swift' }, ecn_capable = ";
        let told = note("swift").map(|note| note + "; set ecn_capable = true if they are");
        assert_eq!(of("swift", &format!("{swift}false }}\n{marks}")), told);
        assert_eq!(of("swift", &format!("{swift}true }}\n{marks}")), [""; 0]);
        assert_eq!(of("reno", &marks), note("reno"));
        assert_eq!(of("burst", &marks), note("burst"));
        assert_eq!(of("reno", &marks.replace("queue", "queue_by_priority.0")), note("reno"));
        assert_eq!(of("reno", &marks.replace("queue", "queue_by_priority.3")), [""; 0]);
        assert_eq!(of("reno", &marks.replace("'30kB'", "'30kB', marks_only = true")), [""; 0]);
        assert_eq!(of("dctcp", &marks), [""; 0]);
        assert_eq!(of("roce", &marks), [""; 0]);
        let lossless = "class = [{ priority = 0, lossless = true }, { priority = 7 }]";
        assert_eq!(of("burst", &format!("switch = [{{ pfc = {{}}, {marking} }}]\n{lossless}")), [""; 0]);
    }
}
