//! Notes on switches that trim packets where there are no packets to trim.

use super::Simulation;
use crate::classes::Classes;
use crate::kernel::units::Bytes;
use crate::layout::SwitchLayout;
use crate::scenario::{Transport, Trimming};

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let Some(largest) = largest_trimmed(simulation) else {
        return trimmings(simulation).next().map(|_| why_nothing(simulation)).into_iter().collect();
    };
    let sizes = trimmings(simulation).map(|(trimming, _)| trimming.size).max();
    let too_large = sizes.filter(|size| *size >= largest);
    let note = |size| {
        format!(
            "switch.trimming.size: nothing is trimmed to {size}, as no packet is larger than {largest}; set a smaller size"
        )
    };
    too_large.map(note).into_iter().collect()
}

fn why_nothing(simulation: &Simulation) -> String {
    let mut names = simulation.transports_in_use().into_iter();
    let remedy = if names.any(|name| simulation.scenario().transport[name].understands_trimming()) {
        "put its flows into a class that is not lossless"
    } else {
        "set recovery.kind = \"selective_repeat\""
    };
    format!(
        "switch.trimming: nothing is trimmed, which is for RoCE with selective repeat in a lossy class; {remedy}"
    )
}

/// Whether every switch that has no room for a packet trims it.
pub(super) fn is_in_use(simulation: &Simulation) -> bool {
    let Some(largest) = largest_trimmed(simulation) else { return false };
    let trims = |(trimming, pushes_out): (&Trimming, bool)| trimming.size < largest && !pushes_out;
    trimmings(simulation).next().is_some() && trimmings(simulation).all(trims)
}

/// Returns the trimming of each switch that trims, and whether its buffer policy pushes packets out instead.
fn trimmings(simulation: &Simulation) -> impl Iterator<Item = (&Trimming, bool)> {
    simulation.switches().iter().filter_map(|layout| match layout {
        SwitchLayout::SharedMemory(layout) => Some((layout.trimming.as_ref()?, layout.pushes_out())),
        SwitchLayout::Cioq(_) => None,
    })
}

/// Size of the largest packet that may be trimmed.
fn largest_trimmed(simulation: &Simulation) -> Option<Bytes> {
    let lossy = simulation.transports_of(Classes::ALL - simulation.scenario().lossless_classes());
    let transports = lossy.map(|name| &simulation.scenario().transport[name]);
    let understood = transports.filter(|transport| transport.understands_trimming());
    understood.map(Transport::packet_sizes).map(|sizes| sizes.payload + sizes.headers).max()
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes_of;

    fn of(switch: &str, recovery: &str) -> Vec<String> {
        let transport =
            format!("transport.roce = {{ kind = 'roce', payload = '1000B', recovery = {{ {recovery} }} }}");
        notes_of(&format!(
            "topology = {{ kind = 'star', hosts = 4, host_link = {{ rate = '10Gbps', delay = '1us' }} }}\n{transport}\n\
             switch = [{{ {switch} }}]\nworkload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]"
        ))
    }

    const PATIENT: &str = "kind = 'selective_repeat', window = '100kB', reordering = 200";

    #[test]
    fn trimming_that_nothing_understands_is_noted_and_finds_losses_elsewhere() {
        let note = "switch.trimming: nothing is trimmed, which is for RoCE with selective repeat in a lossy class; set \
                    recovery.kind = \"selective_repeat\"";
        assert_eq!(of("trimming = {}", "kind = 'go_back_n'"), [note]);
        assert_eq!(of("trimming = {}", PATIENT), [""; 0]);
    }

    #[test]
    fn lossless_packets_are_not_trimmed() {
        let text = "topology = { kind = 'star', hosts = 4, host_link = { rate = '10Gbps', delay = '1us' } }\n\
                    class = [{ priority = 0, lossless = true }, { priority = 6 }, { priority = 7 }]\n\
                    transport.roce = { kind = 'roce', recovery = { kind = 'selective_repeat' } }\n\
                    switch = [{ trimming = {}, pfc = {} }]\n\
                    workload = [{ kind = 'permutation', transport = 'roce', size = '1MB' }]";
        let [note] = &notes_of(text)[..] else { panic!("one note") };
        assert!(note.ends_with("; put its flows into a class that is not lossless"), "{note}");
    }

    #[test]
    fn what_trims_nothing_is_noted() {
        let [size, timeouts] = &of("trimming.size = '1062B'", PATIENT)[..] else { panic!("two notes") };
        assert_eq!(
            [
                size.starts_with("switch.trimming.size: nothing is trimmed to 1062B"),
                timeouts.contains("only timeouts")
            ],
            [true; 2],
            "{size} {timeouts}"
        );
        let pushes_out = of("trimming = {}, buffer = { policy = 'longest_queue_drop' }", PATIENT);
        assert!(pushes_out[0].starts_with("switch0: what longest_queue_drop pushes out"), "{pushes_out:?}");
        let [behind] = &of("trimming.priority = 0", PATIENT)[..] else { panic!("one note") };
        assert!(
            behind.starts_with("switch0: headers of trimmed packets wait behind the data of class 0"),
            "{behind}"
        );
    }
}
