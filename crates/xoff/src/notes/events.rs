//! Notes on events that never happen, and on events that distort slowdowns.

use super::Simulation;
use crate::scenario::{LinkEvent, LinkState, Scenario};
use crate::topology::links_between;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    never_reached(simulation).chain(slowdowns(simulation)).collect()
}

/// Notes events that are due after the run has ended.
fn never_reached(simulation: &Simulation) -> impl Iterator<Item = String> {
    let Scenario { link_event, slow_receiver, stop, .. } = simulation.scenario();
    let links = link_event.iter().map(|event| event.at).enumerate();
    let receivers = slow_receiver.iter().map(|slow| slow.start).enumerate();
    let all = links.map(|(index, at)| (format!("link_event[{index}].at"), at));
    let all = all.chain(receivers.map(|(index, at)| (format!("slow_receiver[{index}].start"), at)));
    let end = stop.at;
    all.filter_map(move |(key, at)| {
        let end = end.filter(|end| at >= *end)?;
        Some(format!("{key}: {at} is never reached, as stop.at = {end} ends the run"))
    })
}

/// Notes link events after which a flow may be faster than alone at the start.
fn slowdowns(simulation: &Simulation) -> Option<String> {
    let events = &simulation.scenario().link_event;
    let between_switches = || {
        let links = simulation
            .network()
            .links
            .iter()
            .filter(|link| link.ends.iter().all(|&end| !simulation.network().is_host(end)));
        links.flat_map(|link| link.rates.map(|rate| (rate, link.delay)))
    };
    let differ = between_switches().min() != between_switches().max();
    let has_failed = simulation.network().links.iter().any(|link| link.failed);
    let may_be_faster = |event: &LinkEvent| match event.state {
        Some(LinkState::Down) => differ,
        Some(LinkState::Up) => differ || has_failed,
        None => gets_faster(simulation, event),
    };
    events.iter().any(may_be_faster).then(|| {
        "link_event: slowdowns go by the network as it is at the start, and are below 1 where links come up, get faster, \
         or make way for faster ones"
            .to_owned()
    })
}

/// Whether an event gives any of its links, in either direction, a higher rate than the link has at the start.
fn gets_faster(simulation: &Simulation, event: &LinkEvent) -> bool {
    let (network, names) = (simulation.network(), simulation.network().names());
    let links = links_between(network, &names, "link_event", &event.between).unwrap_or_default();
    let first = names.find(&event.between[0]);
    links.into_iter().map(|link| network.links[link as usize]).any(|link| {
        let before = first.map(|first| [link.rate_from(first), link.rate_to(first)]).unwrap_or_default();
        event.rates().into_iter().zip(before).any(|(rate, before)| rate.is_some_and(|rate| rate > before))
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{long_lived, notes, notes_of};

    #[test]
    fn events_that_may_make_flows_faster_are_noted() {
        let of = |spine1: &str, failed: &str, event: &str| {
            let text = format!(
                "topology = {{ kind = 'leaf_spine', leaves = 2, spines = 2, hosts_per_leaf = 1, {failed} \
                 host_link = {{ rate = '10Gbps', delay = '1us' }}, fabric_link = {{ rate = '10Gbps', delay = '1us' }}, \
                 links = [{{ between = ['leaf0', 'spine1'], rate = '{spine1}' }}] }}\n\
                 transport.x = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n\
                 workload = [{{ kind = 'permutation', transport = 'x', size = '1MB' }}]\n\
                 link_event = [{{ at = '1us', between = ['leaf0', 'spine0'], {event} }}]"
            );
            let notes = notes_of(&text);
            notes.iter().filter(|note| note.starts_with("link_event: slowdowns go by")).count()
        };
        assert_eq!(of("10Gbps", "", "state = 'down'"), 0);
        assert_eq!(of("40Gbps", "", "state = 'down'"), 1, "flows may move to the faster link");
        assert_eq!(of("10Gbps", "failed_links = [['leaf0', 'spine0']],", "state = 'up'"), 1);
        assert_eq!([of("10Gbps", "", "rate = '5Gbps'"), of("10Gbps", "", "rate = '20Gbps'")], [0, 1]);
    }

    #[test]
    fn what_comes_with_the_end_or_after_it_is_never_reached() {
        let of = |start: &str| {
            let slow =
                format!("slow_receiver = [{{ hosts = ['host1'], start = '{start}', rate = '1Gbps' }}]");
            notes(&long_lived("['host1', 'host0']", "transport = 'reno', size = '1kB'"), &slow)
        };
        assert_eq!(
            of("1ms"),
            ["slow_receiver[0].start: 1ms is never reached, as stop.at = 1ms ends the run"]
        );
        assert_eq!(of("999us"), [""; 0]);
    }
}
