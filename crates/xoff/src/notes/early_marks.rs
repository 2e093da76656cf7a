//! Notes on queues that mark every packet of TCP so early that flows whose windows are reduced leave the link idle.

use std::collections::{BTreeMap, BTreeSet};

use super::round_trips::round_trips;
use super::{Simulation, about, in_microseconds};
use crate::classes::Classes;
use crate::flow_path;
use crate::kernel::units::{Rate, Span};
use crate::scenario::Transport;
use crate::topology::PortId;
use crate::workload::Source;

/// Share of a round trip's bytes that a threshold must exceed, as a divisor, so that windows that DCTCP reduces still
/// fill the link (SIGCOMM 2010, equation 13: K > C x RTT / 7). Other controls reduce theirs further.
const PARTS_OF_ROUND_TRIP: u64 = 7;

pub(super) fn of(simulation: &Simulation) -> Vec<String> {
    let in_use = simulation.transports_in_use();
    let transports = simulation.scenario().transport.iter().enumerate();
    let by_marks = transports.filter(|(_, (name, transport))| {
        let is_tcp = matches!(transport, Transport::Tcp(_));
        is_tcp && transport.goes_by_marks().is_some() && in_use.contains(name.as_str())
    });
    by_marks.flat_map(|(index, (name, _))| of_transport(simulation, index, name)).collect()
}

/// Notes the ports that mark too early even for the shortest round trip by them, a line for each threshold and rate.
fn of_transport(simulation: &Simulation, index: usize, name: &str) -> Vec<String> {
    let classes: Classes = simulation.sources_of(name).map(Source::classes).collect();
    let mut early = BTreeMap::new();
    for (port, round_trip) in shortest_by_bottleneck(simulation, index, name) {
        let (node, number) = simulation.network().ports.place(port);
        let layout = simulation.layout(node);
        let thresholds = classes.iter().filter_map(|class| layout.all_marked_above(number, class));
        let (Some(threshold), rate) = (thresholds.min(), rate_of(simulation, port)) else { continue };
        if threshold.get() * PARTS_OF_ROUND_TRIP < rate.bytes_in(round_trip).get() {
            let (shortest, names) = early.entry((threshold, rate)).or_insert((round_trip, BTreeSet::new()));
            *shortest = round_trip.min(*shortest);
            names.insert(simulation.name(node));
        }
    }
    let told = early.into_iter().map(|((threshold, rate), (shortest, names))| {
        format!(
            "{}: every packet above {threshold} is marked, less than a seventh of the {} that {rate} carry in the shortest \
             round trip of {name} there, {}: few flows leave the link idle; set a higher threshold",
            about(&Vec::from_iter(names)),
            rate.bytes_in(shortest),
            in_microseconds(shortest)
        )
    });
    told.collect()
}

/// Returns the switch ports at which flows of a transport have the least rate of their path, each with the shortest round
/// trip of such a flow.
fn shortest_by_bottleneck(simulation: &Simulation, index: usize, name: &str) -> BTreeMap<PortId, Span> {
    let mut shortest = BTreeMap::new();
    for (round_trip, ends) in round_trips(simulation, index, name) {
        let ports = flow_path::ports(simulation, ends, index as u8, 0);
        let least = ports.iter().map(|&port| rate_of(simulation, port)).min();
        // The first is the source's own.
        for &port in ports[1..].iter().filter(|&&port| Some(rate_of(simulation, port)) == least) {
            shortest
                .entry(port)
                .and_modify(|least: &mut Span| *least = round_trip.min(*least))
                .or_insert(round_trip);
        }
    }
    shortest
}

/// Rate at which a port can send for long: its link's, or its shaper's.
fn rate_of(simulation: &Simulation, port: PortId) -> Rate {
    let network = simulation.network();
    let (node, number) = network.ports.place(port);
    let shaper = if network.is_host(node) { None } else { simulation.layout(node).shaper(number as usize) };
    shaper.map_or(Rate::new(u64::MAX), |shaper| shaper.rate).min(network.rate_of(port))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{notes, notes_of};

    fn with(transport: &str, rest: &str) -> Vec<String> {
        notes(&format!("{{ kind = 'permutation', transport = '{transport}', size = '1MB' }}"), rest)
    }

    /// At 10 Gbps a full packet of 1538 B takes 1230.4 ns over each of two links of 1 us, an acknowledgement of 84 B 67.2
    /// ns: 6.5952 us there and back, in which the link carries 8244 B.
    #[test]
    fn a_threshold_below_a_seventh_of_a_round_trip_leaves_links_idle() {
        let of = |transport: &str, place: &str, threshold: &str| {
            let marker = format!("{{ kind = 'threshold', threshold = '{threshold}' }}");
            with(transport, &format!("switch = [{{ marking.{place} = {marker} }}]"))
        };
        let told = "switch0: every packet above 1177B is marked, less than a seventh of the 8244B that 10Gbps carry in the \
                    shortest round trip of dctcp there, 6.6 us: few flows leave the link idle; set a higher threshold";
        for place in ["queue", "port", "queue_by_priority.0"] {
            assert_eq!(of("dctcp", place, "1177B"), [told], "{place}");
            assert_eq!(of("dctcp", place, "1178B"), [""; 0], "{place}");
        }
        assert_eq!(of("roce", "queue", "1177B"), [""; 0], "rates are not halved as windows are");
    }

    /// A packet in a shaper's bucket does not wait: the idle round trip stays, in which 1 Gbps carry a tenth.
    #[test]
    fn a_shaped_port_needs_as_much_less() {
        let of = |threshold: &str| {
            let marker = format!("{{ kind = 'threshold', threshold = '{threshold}' }}");
            let shapers = "shapers.\"*\" = { rate = '1Gbps', burst = '10kB' }";
            with("dctcp", &format!("switch = [{{ marking.queue = {marker}, {shapers} }}]"))
        };
        assert!(of("117B")[0].contains("a seventh of the 824B that 1Gbps carry in the"));
        assert_eq!(of("118B"), [""; 0]);
    }

    /// 30 kB are a seventh of what 10 Gbps carry in 168 us. The round trip from far takes 2 ms, that from near 7 us. Packets
    /// from slow wait at their source.
    #[test]
    fn only_the_slowest_links_of_paths_count_each_with_its_shortest_round_trip() {
        let of = |pairs: &str| {
            notes_of(&format!(
                "topology = {{ kind = 'custom', hosts = ['near', 'far', 'slow', 'sink'], switches = ['s'], links = [\
                 {{ between = ['near', 's'], rate = '10Gbps', delay = '1us' }}, \
                 {{ between = ['far', 's'], rate = '10Gbps', delay = '1ms' }}, \
                 {{ between = ['slow', 's'], rate = '1Gbps', delay = '1ms' }}, \
                 {{ between = ['sink', 's'], rate = '10Gbps', delay = '1us' }}] }}\n\
                 transport.dctcp = {{ kind = 'tcp', congestion_control = {{ algorithm = 'dctcp' }}, minimum_rto = '9ms' }}\n\
                 workload = [{{ kind = 'long_lived', transport = 'dctcp', pairs = [{pairs}] }}]\n\
                 switch = [{{ marking.queue = {{ kind = 'threshold', threshold = '30kB' }} }}]\nstop.at = '1ms'"
            ))
        };
        assert!(of("['far', 'sink']")[0].starts_with("s: every packet above 30kB is marked"));
        assert_eq!(of("['slow', 'sink']"), [""; 0]);
        assert_eq!(of("['far', 'sink'], ['near', 'sink']"), [""; 0]);
    }
}
