//! Notes on congestion controls that get no marks, markers that see no packets, and packets that cannot be marked.

use super::Simulation;
use crate::classes::Classes;
use crate::congestion_control::Parameters;
use crate::layout::SwitchLayout;
use crate::scenario::Transport;
use crate::workload::Source;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let in_vain = nothing_marks(simulation).chain(nothing_waits_in_adapters(simulation));
    in_vain.chain(drops_instead_of_marks(simulation)).collect()
}

/// Notes congestion controls that react to marks, where nothing marks.
fn nothing_marks(simulation: &Simulation) -> impl Iterator<Item = String> {
    simulation.transports_in_use().into_iter().filter_map(|name| {
        let transport = &simulation.scenario().transport[name];
        let spelling = transport.goes_by_marks()?;
        let marks = switches_mark(simulation, classes_of(simulation, name))
            || simulation.scenario().host.marking.is_some() && !transport.is_in_adapter();
        (!marks).then(|| {
            let why = if switches_mark(simulation, Classes::ALL) {
                "no switch has `marking` of its classes"
            } else if simulation.switches().iter().all(SwitchLayout::has_inputs) {
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
    let waits = names.any(|name| !simulation.scenario().transport[name].is_in_adapter());
    (simulation.scenario().host.marking.is_some() && !waits).then(|| {
        "host.marking: marks nothing, as RoCE makes a packet when the one before it starts, and none but that waits in an adapter"
            .to_owned()
    })
}

/// Notes transports whose packets cannot be marked, where switches mark.
fn drops_instead_of_marks(simulation: &Simulation) -> impl Iterator<Item = String> {
    let lossy = Classes::ALL - simulation.scenario().lossless_classes();
    let are_dropped = move |name: &&str| {
        let classes = classes_of(simulation, name) & lossy;
        simulation.switches().iter().any(|layout| layout.drops_incapable(classes))
    };
    let names = simulation.transports_of(lossy).filter(are_dropped);
    names.filter_map(|name| {
        let transport = &simulation.scenario().transport[name];
        let instead = match transport {
            Transport::Roce(_) => "; set ecn_capable = true if they are",
            Transport::Tcp(_) | Transport::ConstantRate(_) => "",
        };
        let is_known = transport.congestion_control().is_none_or(Parameters::is_known);
        (is_known && !transport.is_ecn_capable()).then(|| {
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
    simulation.switches().iter().any(|layout| layout.marks(classes))
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
