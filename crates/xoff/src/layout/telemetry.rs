//! Facts about the fabric for congestion controls by delay or telemetry: the longest path, and the codes of link rates.

use super::paths::longest_paths;
use crate::congestion_control::{Needs, Path};
use crate::kernel::units::{Bytes, Rate, Span};
use crate::routing::{Hop, Routes};
use crate::scenario::{Roce, Scenario, ScenarioError, Transport};
use crate::telemetry::{MOST_HOPS, MOST_RATES};
use crate::topology::{Network, NodeId};

/// Returns the longest path of each transport's packets, in order of their names.
///
/// A path counts where it belongs to any of these routes, inside servers or outside them by `inside`. A transport whose
/// congestion control needs no path gets an empty one.
pub fn longest_path_of_each(
    scenario: &Scenario,
    network: &Network,
    routes_over_time: &[&Routes],
    inside: bool,
) -> Vec<Path> {
    let counts = |host| network.servers.is_some_and(|servers| servers.is_inside(host)) == inside;
    let path = |transport: &Transport| match transport {
        Transport::Roce(roce) if roce.needs().asks_for_path() => {
            longest_path(roce, network, routes_over_time, counts)
        }
        _ => Path::default(),
    };
    scenario.transport.values().map(path).collect()
}

fn longest_path(
    roce: &Roce,
    network: &Network,
    routes_over_time: &[&Routes],
    counts: impl Fn(NodeId) -> bool + Copy,
) -> Path {
    let packet = roce.payload + roce.packet_headers() + roce.wire_overhead;
    let acknowledgement = roce.acknowledgement_frame() + roce.wire_overhead;
    longest_round_trip(network, routes_over_time, packet, acknowledgement, counts)
}

/// Returns the longest path between hosts that count, for packets and acknowledgements of these sizes on the wire.
pub fn longest_round_trip(
    network: &Network,
    routes_over_time: &[&Routes],
    packet: Bytes,
    acknowledgement: Bytes,
    counts: impl Fn(NodeId) -> bool + Copy,
) -> Path {
    let time = |hops: &[Hop], wire| -> Span {
        let links = hops.iter().map(|hop| (hop.node, network.links[hop.link as usize]));
        links.map(|(node, link)| link.delay + link.rate_from(node).transmission_time(wire)).sum()
    };
    let mut longest = Path::default();
    for paths in routes_over_time.iter().flat_map(|routes| longest_paths(network, routes, counts)) {
        let base_rtt = time(&paths.there, packet) + time(&paths.back, acknowledgement);
        longest.base_rtt = longest.base_rtt.max(base_rtt);
        longest.switches = longest.switches.max(paths.there.len() as u32 - 1);
    }
    longest
}

/// Returns the link rates that switches write into packets, if any transport reads telemetry.
///
/// Then every switch must write it, every path must fit into a packet, and every rate must have a code, those of
/// `later` included.
pub fn rates(
    scenario: &Scenario,
    network: &Network,
    paths: &[Path],
    later: impl Iterator<Item = Rate>,
) -> Result<Vec<Rate>, ScenarioError> {
    let mut transports = scenario.transport.iter().zip(paths);
    let reader = transports.find_map(|((name, transport), path)| match transport {
        Transport::Roce(roce) if roce.needs().reads_telemetry() => Some((name, roce, path.switches)),
        _ => None,
    });
    let Some((name, roce, switches)) = reader else { return Ok(Vec::new()) };
    let algorithm = roce.congestion_control.as_ref().map_or("", |control| control.spelling());
    let refuse = |problem: String, expected: String| {
        let key = format!("transport.{name}.congestion_control.algorithm");
        Err(ScenarioError::at(key, format!("{algorithm} {problem}"), expected))
    };
    if switches as usize > MOST_HOPS {
        let problem = format!("reads what every switch writes, and up to {switches} are on a path");
        return refuse(problem, format!("expected at most {MOST_HOPS}, which is what a packet has room for"));
    }
    let mut rates: Vec<Rate> = network.links.iter().flat_map(|link| link.rates).chain(later).collect();
    rates.sort_unstable();
    rates.dedup();
    if rates.len() > MOST_RATES {
        let problem = format!("reads the rates of links, and there are {} different ones", rates.len());
        return refuse(problem, format!("expected at most {MOST_RATES}, which is what has a code"));
    }
    let silent = (network.hosts..network.nodes.len() as NodeId)
        .map(|node| network.nodes[node as usize].name.as_str())
        .find(|name| !scenario.switch_settings(name).telemetry);
    if let Some(switch) = silent {
        let key = scenario.switch_key(switch, |table| table.telemetry.is_some(), "telemetry");
        let problem = format!("{switch} writes no telemetry, which {algorithm} of transport.{name} reads");
        return Err(ScenarioError::at(key, problem, "expected true, or another congestion control"));
    }
    Ok(rates)
}

/// Whether any transport's acknowledgements bring back the window at the time when their packet was sent.
pub fn reads_sent_windows(scenario: &Scenario) -> bool {
    scenario.transport.values().any(|transport| match transport {
        Transport::Roce(roce) => roce.needs() == Needs::Telemetry { sent_window: true },
        Transport::Tcp(_) | Transport::ConstantRate(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Simulation;
    use crate::workload::Files;

    fn simulation(topology: &str, rest: &str) -> Result<Simulation, ScenarioError> {
        let text = format!(
            "topology = {{ {topology} }}\n\
             transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = 'hpcc' }} }}\n\
             workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]\n{rest}"
        );
        Simulation::new(&Scenario::from_toml(&text, &[])?, &Files::new())
    }

    fn problem(topology: &str, rest: &str) -> String {
        simulation(topology, rest).map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    /// Makes a row of switches with a host at either end, where every link has another rate.
    fn row(switches: usize) -> String {
        let mut nodes = vec!["'a'".to_owned()];
        nodes.extend((0..switches).map(|switch| format!("'s{switch}'")));
        nodes.push("'b'".to_owned());
        let links = nodes.windows(2).enumerate().map(|(place, pair)| {
            format!("{{ between = [{}, {}], rate = '{}Gbps', delay = '1us' }}", pair[0], pair[1], place + 10)
        });
        let links = links.collect::<Vec<_>>().join(", ");
        let switches = nodes[1..=switches].join(", ");
        format!("kind = 'custom', hosts = ['a', 'b'], switches = [{switches}], links = [{links}]")
    }

    const STAR: &str = "kind = 'star', hosts = 3, host_link = { rate = '100Gbps', delay = '3us' }";

    /// 1024 + 62 + 42 + 20 bytes go there and 66 + 42 + 20 back, each over two links of 80 ps a byte and 3 us.
    #[test]
    fn the_base_round_trip_is_that_of_a_full_packet_on_the_longest_path() {
        let longer = format!("{STAR}, links = [{{ between = ['host1', 'switch0'], delay = '5us' }}]");
        let simulation = simulation(&longer, "").unwrap();
        let transmission = 2 * 80 * (1024 + 62 + 42 + 20 + 66 + 42 + 20);
        let base_rtt = Span::from_microseconds(16) + Span::new(transmission);
        assert_eq!(simulation.fabric().longest_paths, [Path { switches: 1, base_rtt }]);
    }

    /// Packets take 800 ps a byte over the slow way of the middle link, and acknowledgements do where packets go the other
    /// way. Every other link takes 80 ps a byte.
    #[test]
    fn with_two_rates_each_way_the_base_round_trip_is_that_of_data_on_the_slower() {
        for rates in ["rate = '10Gbps', rate_back = '100Gbps'", "rate = '100Gbps', rate_back = '10Gbps'"] {
            let dumbbell = format!(
                "kind = 'dumbbell', left = 1, right = 1, host_link = {{ rate = '100Gbps', delay = '1us' }}, \
                 middle_link = {{ {rates}, delay = '1us' }}"
            );
            let (data, acknowledgement) = (1024 + 62 + 42 + 20, 66 + 42 + 20);
            let transmission = (80 + 800 + 80) * data + 3 * 80 * acknowledgement;
            let base_rtt = Span::from_microseconds(6) + Span::new(transmission);
            let simulation = simulation(&dumbbell, "").unwrap();
            assert_eq!(simulation.fabric().longest_paths, [Path { switches: 2, base_rtt }]);
        }
    }

    /// Inside servers a byte takes 10 ps, and a link 100 ns.
    #[test]
    fn what_goes_inside_servers_has_the_base_round_trip_there() {
        let star = STAR.replace("hosts = 3", "hosts = 4");
        let scale_up = "scale_up = { hosts_per_server = 2, link = { rate = '800Gbps', delay = '100ns' } }";
        let simulation = simulation(&star, scale_up).unwrap();
        let bytes = 1024 + 62 + 42 + 20 + 66 + 42 + 20;
        let base_rtt = |delays: u64, byte: u64| Span::from_nanoseconds(delays) + Span::new(2 * byte * bytes);
        let fabric = simulation.fabric();
        assert_eq!(fabric.path(0, 0, 2), Path { switches: 1, base_rtt: base_rtt(12_000, 80) });
        assert_eq!(fabric.path(0, 4, 5), Path { switches: 1, base_rtt: base_rtt(400, 10) });
    }

    #[test]
    fn a_packet_has_room_for_five_switches() {
        assert_eq!(problem(&row(5), ""), "accepted");
        assert_eq!(
            problem(&row(6), ""),
            "transport.roce.congestion_control.algorithm: hpcc reads what every switch writes, and up to 6 are on a path; \
             expected at most 5, which is what a packet has room for"
        );
    }

    #[test]
    fn eight_rates_have_a_code() {
        let star = |hosts: u32| {
            let links = (0..hosts)
                .map(|host| format!("{{ between = ['host{host}', 'switch0'], rate = '{}Gbps' }}", host + 1));
            let links = links.collect::<Vec<_>>().join(", ");
            format!(
                "kind = 'star', hosts = {hosts}, host_link = {{ rate = '1Gbps', delay = '1us' }}, links = [{links}]"
            )
        };
        assert_eq!(problem(&star(8), ""), "accepted");
        assert_eq!(
            problem(&star(9), ""),
            "transport.roce.congestion_control.algorithm: hpcc reads the rates of links, and there are 9 different ones; \
             expected at most 8, which is what has a code"
        );
    }

    #[test]
    fn every_switch_writes_telemetry_where_it_is_read() {
        let silent = "switch = [{ total = '9MB' }, { telemetry = false }]";
        assert_eq!(
            problem(STAR, silent),
            "switch[1].telemetry: switch0 writes no telemetry, which hpcc of transport.roce reads; \
             expected true, or another congestion control"
        );
        let timely = "transport.roce.congestion_control.algorithm=timely".to_owned();
        let text = format!(
            "topology = {{ {STAR} }}\n{silent}\n\
             transport.roce = {{ kind = 'roce', congestion_control = {{ algorithm = 'hpcc' }} }}\n\
             workload = [{{ kind = 'permutation', transport = 'roce', size = '1MB' }}]"
        );
        let scenario = Scenario::from_toml(&text, &[timely]).unwrap();
        assert!(Simulation::new(&scenario, &Files::new()).is_ok());
    }
}
