//! Notes for the user about a scenario, before it runs.

mod early_marks;
mod events;
mod fast_forward;
mod hosts;
mod late;
mod links;
mod marking;
mod queue_pairs;
mod recovery;
mod round_trips;
mod switches;
mod targets;
mod timeouts;
mod trimming;
mod watchdog;

use std::collections::{BTreeMap, BTreeSet};

use crate::classes::Classes;
use crate::kernel::units::{Rate, Span};
use crate::scenario::Workload;
use crate::simulation::Simulation;
use crate::topology::NodeId;
use crate::workload::Source;

/// Sources of notes, in the order in which the notes are printed.
const ALL: &[fn(&Simulation) -> Vec<String>] = &[
    switches::of,
    watchdog::of,
    marking::of,
    early_marks::of,
    trimming::of,
    recovery::of,
    timeouts::of,
    queue_pairs::of,
    hosts::of,
    targets::of,
    late::of,
    links::of,
    events::of,
    fast_forward::of,
];

impl Simulation {
    /// Lists the notes, a line each. A line begins with the key or node that it is about.
    pub fn notes(&self) -> Vec<String> {
        ALL.iter().flat_map(|notes_of| notes_of(self)).collect()
    }

    fn transports_in_use(&self) -> BTreeSet<&str> {
        self.scenario().workload.iter().map(Workload::transport).collect()
    }

    /// Returns the names of transports that have flows in any of these classes.
    fn transports_of(&self, classes: Classes) -> impl Iterator<Item = &str> {
        let workloads = self.scenario().workload.iter().zip(self.sources());
        let of_them = workloads.filter(|(_, source)| !(source.classes() & classes).is_empty());
        of_them.map(|(workload, _)| workload.transport()).collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns the sources of the workloads that use a transport.
    fn sources_of(&self, name: &str) -> impl Iterator<Item = &Source> {
        let workloads = self.scenario().workload.iter().zip(self.sources());
        workloads.filter(move |(workload, _)| workload.transport() == name).map(|(_, source)| source)
    }

    fn name(&self, node: NodeId) -> String {
        self.network().nodes[node as usize].name.clone()
    }
}

/// Joins equal notes into one line with all names that they are about.
fn by_note(notes: impl Iterator<Item = (String, String)>) -> Vec<String> {
    let mut names_by_note = BTreeMap::<String, Vec<String>>::new();
    for (note, name) in notes {
        names_by_note.entry(note).or_default().push(name);
    }
    names_by_note.iter().map(|(note, names)| format!("{}: {note}", about(names))).collect()
}

fn about(names: &[String]) -> String {
    match names {
        [name] => name.clone(),
        names => format!("{} and {} more", names[0], names.len() - 1),
    }
}

fn in_microseconds(span: Span) -> String {
    format!("{} us", (span.get() as f64 / 1e4).round() / 1e2)
}

fn in_gigabits(rate: Rate) -> String {
    format!("{} Gb/s", (rate.as_f64() / 1e6).round() / 1e3)
}

#[cfg(test)]
mod testing {
    use super::*;
    use crate::scenario::Scenario;
    use crate::workload::Files;

    pub(super) fn notes_of(scenario: &str) -> Vec<String> {
        let scenario = Scenario::from_toml(scenario, &[]).unwrap();
        Simulation::new(&scenario, &Files::new()).unwrap().notes()
    }

    /// Returns the notes of four hosts at 10 Gb/s around a switch without markers.
    pub(super) fn notes(workloads: &str, rest: &str) -> Vec<String> {
        notes_of(&format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n\
             transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }} }}\n\
             transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
             transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = 'dcqcn' }} }}\n\
             transport.six = {{ kind = 'constant_rate', rate = '6Gbps' }}\n\
             transport.burst = {{ kind = 'constant_rate' }}\n\
             workload = [{workloads}]\nstop.at = '1ms'\n{rest}"
        ))
    }

    pub(super) fn long_lived(pairs: &str, rest: &str) -> String {
        format!("{{ kind = 'long_lived', pairs = [{pairs}], {rest} }}")
    }
}
