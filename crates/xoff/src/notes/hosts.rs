//! Notes on settings of hosts that have no effect without others.

use super::Simulation;
use crate::scenario::Host;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let host = &simulation.scenario().host;
    let transports = &simulation.scenario().transport;
    let in_software = |name: &str| transports.get(name).is_some_and(|transport| !transport.is_in_adapter());
    let concerns_some = simulation.transports_in_use().into_iter().any(in_software);
    joins_nothing(host).filter(|_| concerns_some).into_iter().collect()
}

/// Notes segments that could join and never meet.
fn joins_nothing(host: &Host) -> Option<String> {
    (host.receive_offload.is_some() && !host.hands_up_together()).then(|| {
        "host.receive_offload: hosts take in each packet as it comes, so that no segments join; host.poll_time or \
         host.interrupt_moderation has them wait for one another"
            .to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::notes;

    #[test]
    fn segments_that_never_meet_are_noted() {
        let of = |transport: &str, host: &str| {
            let workload = format!("{{ kind = 'permutation', transport = '{transport}', size = '1MB' }}");
            let notes = notes(&workload, &format!("host = {{ {host} }}"));
            notes.into_iter().filter(|note| note.starts_with("host.")).collect::<Vec<_>>()
        };
        let [note] = &of("reno", "receive_offload = '64kB'")[..] else { panic!("it is noted once") };
        assert!(note.starts_with("host.receive_offload: hosts take in each packet as it comes"), "{note}");
        assert_eq!(of("reno", "receive_offload = '64kB', poll_time = '1us'"), [""; 0]);
        assert_eq!(of("reno", "receive_offload = '64kB', interrupt_moderation = {}"), [""; 0]);
        assert_eq!(of("roce", "receive_offload = '64kB'"), [""; 0], "RoCE is in the adapter");
        assert_eq!(of("reno", ""), [""; 0]);
    }
}
