//! Servers of several hosts, joined inside by a network of their own (scale-up).
//!
//! A host of a server has a second adapter there. That is a node by itself, behind all hosts; the server's switch is a
//! node behind all others.

use super::plan::{Plan, carries, hosts_know_no_credits};
use super::{Node, NodeId};
use crate::scenario::{ScaleUp, ScenarioError};

/// Assignment of hosts to servers, and of adapters inside to hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Servers {
    /// Number of hosts in all servers.
    hosts: u32,
    per_server: u32,
    stride: u32,
}

impl Servers {
    /// Server of a host.
    pub fn of(&self, host: NodeId) -> u32 {
        debug_assert!(host < self.hosts, "an adapter inside is no host");
        host / (self.stride * self.per_server) * self.stride + host % self.stride
    }

    /// Returns the hosts that share a host's server, the host itself among them.
    pub fn together(&self, host: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        debug_assert!(host < self.hosts, "an adapter inside is no host");
        let block = self.stride * self.per_server;
        let (first, stride) = (host / block * block + host % self.stride, self.stride);
        (0..self.per_server).map(move |place| first + place * stride)
    }

    /// Returns the host that has an adapter, in the fabric or inside a server.
    pub fn host_of(&self, adapter: NodeId) -> NodeId {
        if adapter < self.hosts { adapter } else { adapter - self.hosts }
    }

    /// Returns the other adapter of the host to which `adapter` belongs.
    pub fn beside(&self, adapter: NodeId) -> NodeId {
        if adapter < self.hosts { adapter + self.hosts } else { adapter - self.hosts }
    }

    /// Whether an adapter is inside a server.
    pub fn is_inside(&self, adapter: NodeId) -> bool {
        adapter >= self.hosts
    }

    /// Returns the first of the hosts that are joined to this one while all links work, in the fabric or inside one
    /// server.
    pub fn first_joined_to(servers: Option<Self>, host: NodeId) -> NodeId {
        let inside = servers.filter(|servers| servers.is_inside(host));
        let first = inside.and_then(|servers| {
            let first = servers.together(servers.host_of(host)).next()?;
            Some(servers.beside(first))
        });
        first.unwrap_or(0)
    }

    /// Returns the adapters of two hosts between which packets go. Without servers these are the hosts themselves.
    pub fn between(servers: Option<Self>, source: NodeId, destination: NodeId) -> [NodeId; 2] {
        let hosts = [source, destination];
        match servers {
            Some(servers) if servers.of(source) == servers.of(destination) => {
                hosts.map(|host| host + servers.hosts)
            }
            _ => hosts,
        }
    }
}

/// Adds the adapters and switches of servers to a topology that is laid out.
pub(super) fn apply(plan: &mut Plan, scale_up: &ScaleUp) -> Result<Servers, ScenarioError> {
    let &ScaleUp { hosts_per_server: per_server, stride, link } = scale_up;
    let refuse = |key: &str, problem: String, expected: &str| {
        Err(ScenarioError::at(format!("scale_up.{key}"), problem, expected))
    };
    if per_server < 2 {
        return refuse("hosts_per_server", format!("is {per_server}"), "expected at least 2");
    }
    if stride == 0 {
        return refuse("stride", "is 0".to_owned(), "expected at least 1");
    }
    let hosts = plan.hosts;
    let block = u64::from(per_server) * u64::from(stride);
    if !u64::from(hosts).is_multiple_of(block) {
        let expected = format!("expected a multiple of {block} hosts, or another scale_up.stride");
        let problem = format!("{per_server} with a stride of {stride} do not divide the {hosts} hosts");
        return refuse("hosts_per_server", problem, &expected);
    }
    carries("scale_up.link", link.rates())?;
    let switches = hosts..plan.nodes.len() as NodeId;
    for link in &mut plan.links {
        let moved = |end: NodeId| if switches.contains(&end) { end + hosts } else { end };
        link.ends = link.ends.map(moved);
    }
    let inside: Vec<Node> = plan.nodes[..hosts as usize]
        .iter()
        .map(|host| Node { name: format!("{}/scale_up", host.name) })
        .collect();
    plan.nodes.splice(hosts as usize..hosts as usize, inside);
    plan.hosts += hosts;
    let first = plan.add_nodes("server", hosts / per_server).start;
    let servers = Servers { hosts, per_server, stride };
    for host in 0..hosts {
        plan.join(servers.beside(host), first + servers.of(host), link);
    }
    if let Some(link) = plan.links.last() {
        hosts_know_no_credits("scale_up.link.flow_control", link, plan.hosts)?;
    }
    if let Some(racks) = &mut plan.racks {
        let next = racks.iter().max().map_or(0, |last| last + 1);
        racks.extend((0..hosts).map(|host| next + servers.of(host)));
    }
    Ok(servers)
}

#[cfg(test)]
mod tests {
    use super::super::Network;
    use super::super::testing::{FABRIC_LINK, HOST_LINK};
    use super::*;
    use crate::kernel::units::{Rate, Span};
    use crate::reading::from_text;

    fn network(topology: &str, scale_up: &str) -> Result<Network, ScenarioError> {
        let link = "link = { rate = '900Gbps', delay = '100ns' }";
        Network::build(&from_text(topology), Some(&from_text(&format!("{scale_up}\n{link}"))))
    }

    /// Builds two leaves with four hosts each.
    fn clos(scale_up: &str) -> Result<Network, ScenarioError> {
        let shape = "kind = 'leaf_spine'\nleaves = 2\nspines = 1\nhosts_per_leaf = 4";
        network(&format!("{shape}\n{HOST_LINK}\n{FABRIC_LINK}"), scale_up)
    }

    #[test]
    fn each_host_has_an_adapter_inside_its_server_and_each_server_a_switch() {
        let network = clos("hosts_per_server = 2").unwrap();
        let names: Vec<&str> = network.nodes.iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names[7..10], ["host7", "host0/scale_up", "host1/scale_up"]);
        assert_eq!(names[16..], ["leaf0", "leaf1", "spine0", "server0", "server1", "server2", "server3"]);
        assert_eq!((network.hosts, network.fabric_hosts()), (16, 8));
        let peers = |node| network.ports.of(node).iter().map(|port| port.peer).collect::<Vec<_>>();
        assert_eq!((peers(0), peers(8), peers(16)), (vec![16], vec![19], vec![0, 1, 2, 3, 18]));
        assert_eq!((peers(19), peers(22)), (vec![8, 9], vec![14, 15]));
        let link = network.host_link(8);
        assert_eq!((link.rates, link.delay), ([Rate::from_gbps(900); 2], Span::from_nanoseconds(100)));
        assert_eq!(network.core.unwrap().capacity, Rate::from_gbps(800), "servers are no part of it");
        assert_eq!(network.racks[..9], [0, 0, 0, 0, 1, 1, 1, 1, 2]);
    }

    /// Of eight hosts, 0 and 4 are one server, or 0, 2, 4 and 6.
    #[test]
    fn servers_have_hosts_side_by_side_or_a_stride_apart() {
        let servers = |scale_up: &str| {
            let servers = clos(scale_up).unwrap().servers.unwrap();
            (0..8).map(|host| servers.of(host)).collect::<Vec<_>>()
        };
        assert_eq!(servers("hosts_per_server = 4"), [0, 0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(servers("hosts_per_server = 2\nstride = 4"), [0, 1, 2, 3, 0, 1, 2, 3]);
        assert_eq!(servers("hosts_per_server = 4\nstride = 2"), [0, 1, 0, 1, 0, 1, 0, 1]);
        assert_eq!(servers("hosts_per_server = 2\nstride = 2"), [0, 1, 0, 1, 2, 3, 2, 3]);
    }

    #[test]
    fn packets_go_inside_between_hosts_of_one_server_only() {
        let network = clos("hosts_per_server = 2\nstride = 4").unwrap();
        assert_eq!(network.adapters_between(1, 5), [9, 13]);
        assert_eq!(network.adapters_between(1, 2), [1, 2]);
        assert!(network.are_joined(1, 2) && network.are_joined(9, 13));
        assert!(!network.are_joined(1, 9) && !network.are_joined(9, 10));
        let servers = network.servers.unwrap();
        assert_eq!((servers.beside(13), servers.beside(5), servers.host_of(13)), (5, 13, 5));
    }

    #[test]
    fn the_fabric_draws_as_it_does_without_servers() {
        let network = clos("hosts_per_server = 2").unwrap();
        let shape = "kind = 'leaf_spine'\nleaves = 2\nspines = 1\nhosts_per_leaf = 4";
        let without =
            super::super::testing::network(&format!("{shape}\n{HOST_LINK}\n{FABRIC_LINK}")).unwrap();
        assert_eq!(network.hash_seeds[..3], without.hash_seeds);
        for (node, name) in (0..).zip(without.nodes.iter().map(|node| &node.name)) {
            let there = network.names().find(name).unwrap();
            assert_eq!((network.number(there), without.number(node)), (node.into(), node.into()), "{name}");
            let first = |network: &Network, node| network.port_number(network.ports.first(node));
            assert_eq!(first(&network, there), first(&without, node), "{name}");
        }
        let all = |count: u32, number: &dyn Fn(u32) -> u64| {
            let mut numbers: Vec<u64> = (0..count).map(number).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), count as usize, "each has its own");
        };
        all(network.nodes.len() as u32, &|node| network.number(node));
        all(network.ports.count() as u32, &|port| network.port_number(port));
    }

    #[test]
    fn adapters_inside_are_no_hosts_to_name() {
        let network = clos("hosts_per_server = 2").unwrap();
        assert_eq!(network.hosts_matching("key", "host*").unwrap(), (0..8).collect::<Vec<_>>());
        let refused = network.names().host("key", "host1/scale_up").unwrap_err().to_string();
        assert!(refused.contains("\"host1/scale_up\" is an adapter inside a server"), "{refused}");
        let refused = network.hosts_matching("key", "host1/scale_up").unwrap_err().to_string();
        assert!(refused.contains("\"host1/scale_up\" is an adapter inside a server"), "{refused}");
        assert_eq!(network.hosts_matching("key", "server[1-2]").unwrap(), [2, 3, 4, 5]);
        let refused = network.hosts_matching("key", "*/scale_up").unwrap_err().to_string();
        assert!(refused.contains("no node matches"), "{refused}");
    }

    #[test]
    fn links_inside_may_differ_and_fail_where_others_lead_there() {
        let shape = "kind = 'leaf_spine'\nleaves = 2\nspines = 1\nhosts_per_leaf = 4";
        let with = |rest: &str| {
            network(&format!("{shape}\n{HOST_LINK}\n{FABRIC_LINK}\n{rest}"), "hosts_per_server = 2")
        };
        let slow = with("links = [{ between = ['host5/scale_up', 'server2'], rate = '1Gbps' }]").unwrap();
        assert_eq!(slow.host_link(13).slowest(), Rate::from_gbps(1));
        let error = with("failed_links = [['host5/scale_up', 'server2']]").unwrap_err().to_string();
        let told = "topology.failed_links: \"host5/scale_up\" on server2.port1 cannot be reached from \"host4/scale_up\" on server2.port0";
        assert!(error.contains(told), "{error}");
    }

    #[test]
    fn what_makes_no_servers_is_refused() {
        let refused = |scale_up: &str| clos(scale_up).unwrap_err().to_string();
        for (scale_up, problem) in [
            ("hosts_per_server = 1", "scale_up.hosts_per_server: is 1; expected at least 2"),
            ("hosts_per_server = 2\nstride = 0", "scale_up.stride: is 0; expected at least 1"),
            (
                "hosts_per_server = 3",
                "scale_up.hosts_per_server: 3 with a stride of 1 do not divide the 8 hosts",
            ),
            ("hosts_per_server = 4\nstride = 4", "4 with a stride of 4 do not divide the 8 hosts"),
        ] {
            let error = refused(scale_up);
            assert!(error.contains(problem), "{error}");
        }
        let link = "rate = '10Gbps', delay = '1us' }";
        let taken = format!(
            "kind = 'custom'\nhosts = ['a', 'b']\nswitches = ['server0']\n\
             links = [{{ between = ['a', 'server0'], {link}, {{ between = ['b', 'server0'], {link}]"
        );
        let error = network(&taken, "hosts_per_server = 2").unwrap_err().to_string();
        assert!(error.contains("\"server0\" is what [scale_up] calls a node, too"), "{error}");
    }
}
