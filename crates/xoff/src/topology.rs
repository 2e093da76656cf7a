//! Topologies: nodes and links, from a scenario's `[topology]`.
//!
//! Each kind of topology lays out a [`Plan`]. Overrides, failures and checks, which are the same for every kind, turn
//! it into a [`Network`]. Routing and the simulation read the network and do not know the kind.

mod checks;
mod clos3;
mod custom;
mod dumbbell;
mod fabric;
mod failures;
mod fat_tree;
mod leaf_spine;
mod names;
mod overrides;
mod plan;
mod ports;
mod servers;
mod star;

pub use failures::links_between;
pub use names::{Names, nearest};
pub use ports::{Port, PortId, Ports};
pub use servers::Servers;

use crate::kernel::units::{Rate, Ratio, Span};
use crate::scenario::{FlowControl, ScaleUp, ScenarioError, Topology, pattern};
use plan::Plan;

/// Index of a node: hosts come first, switches after them.
pub type NodeId = u32;

/// Host or switch.
#[derive(Clone, Debug)]
pub struct Node {
    /// Name of the node in scenarios and results.
    pub name: String,
}

/// Full-duplex link.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// Nodes that the link joins.
    pub ends: [NodeId; 2],
    /// Rates from the first node to the second, and back.
    pub rates: [Rate; 2],
    /// Propagation delay, one way.
    pub delay: Span,
    /// Share of packets that the link corrupts.
    pub error_rate: Ratio,
    /// Rule by which the receiving end holds back the sending end. A link with credits joins two switches.
    pub flow_control: FlowControl,
    /// Whether the link has failed: no route crosses it.
    pub failed: bool,
}

impl Link {
    /// Rate at which one of the two nodes sends to the other.
    pub fn rate_from(&self, end: NodeId) -> Rate {
        self.rates[usize::from(end != self.ends[0])]
    }

    /// Rate at which the other node sends to this one.
    pub fn rate_to(&self, end: NodeId) -> Rate {
        self.rates[usize::from(end == self.ends[0])]
    }

    /// Whether the two directions have different rates.
    pub fn is_asymmetric(&self) -> bool {
        self.rates[0] != self.rates[1]
    }

    /// Rate of the slower direction.
    pub fn slowest(&self) -> Rate {
        self.rates[0].min(self.rates[1])
    }

    /// Whether the link corrupts packets.
    pub fn corrupts(&self) -> bool {
        self.error_rate.numerator() > 0
    }

    /// Whether the receiving end gives credits.
    pub fn has_credits(&self) -> bool {
        self.flow_control == FlowControl::Credits
    }
}

/// Links that traffic between racks has to cross.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    /// Capacity of the core links that have not failed. Leaf-to-spine links count upwards only, and links between
    /// supernodes both ways, so that a flow between racks crosses the sum once. A dumbbell's middle link counts from
    /// left to right.
    pub capacity: Rate,
    /// Capacity of these links the other way: down, or from right to left. Between supernodes, as `capacity`.
    pub back: Rate,
    /// Whether each direction of the links has the capacity for itself.
    pub each_way: bool,
}

/// Nodes and links, checked: every host has one link, to a switch, and can reach every other host.
///
/// Adapters inside servers are hosts as well, if hosts share servers. They come behind the other hosts, and reach
/// the adapters of their server.
#[derive(Clone, Debug)]
pub struct Network {
    /// Nodes, hosts first.
    pub nodes: Vec<Node>,
    /// Number of hosts.
    pub hosts: u32,
    /// Servers that hosts share, if they do.
    pub servers: Option<Servers>,
    /// Links; a node numbers its ports in this order.
    pub links: Vec<Link>,
    /// Ports of every node.
    pub ports: Ports,
    /// Edge of each host: the index of its switch among the switches that have hosts.
    pub edges: Vec<u32>,
    /// Rack of each host: its edge or, in a fabric, its supernode.
    pub racks: Vec<u32>,
    /// Links that `of = "core"` refers to, where the topology has a core.
    pub core: Option<Core>,
    /// Seed of every switch's ECMP hash.
    pub hash_seeds: Vec<u32>,
}

impl Network {
    /// Lays out the network that a scenario's `[topology]` and `[scale_up]` describe.
    pub fn build(topology: &Topology, scale_up: Option<&ScaleUp>) -> Result<Self, ScenarioError> {
        let none = &[][..];
        let (mut plan, overrides, failed) = match topology {
            Topology::Star(star) => (star::plan(star)?, &star.links[..], &star.failed_links),
            Topology::Dumbbell(dumbbell) => {
                (dumbbell::plan(dumbbell)?, &dumbbell.links[..], &dumbbell.failed_links)
            }
            Topology::LeafSpine(clos) => (leaf_spine::plan(clos)?, &clos.links[..], &clos.failed_links),
            Topology::Clos3(clos) => (clos3::plan(clos)?, &clos.links[..], &clos.failed_links),
            Topology::FatTree(tree) => (fat_tree::plan(tree)?, &tree.links[..], &tree.failed_links),
            Topology::Fabric(fabric) => (fabric::plan(fabric)?, &fabric.links[..], &fabric.failed_links),
            Topology::Custom(custom) => (custom::plan(custom)?, none, &custom.failed_links),
        };
        let servers = scale_up.map(|scale_up| servers::apply(&mut plan, scale_up)).transpose()?;
        overrides::apply(&mut plan, overrides)?;
        failures::apply(&mut plan, failed)?;
        let ports = Ports::new(plan.nodes.len(), &plan.links);
        checks::check(&plan, &ports, servers)?;
        Ok(Self::from_plan(plan, ports, servers, topology.routing().hash_seed))
    }

    fn from_plan(plan: Plan, ports: Ports, servers: Option<Servers>, hash_seed: u32) -> Self {
        let edges = edges(plan.hosts, plan.nodes.len(), &ports);
        let core = plan.core();
        let Plan { nodes, hosts, links, racks, .. } = plan;
        let racks = racks.unwrap_or_else(|| edges.clone());
        let switches = hosts..nodes.len() as NodeId;
        let network =
            Self { nodes, hosts, servers, links, ports, edges, racks, core, hash_seeds: Vec::new() };
        let seed = |switch| hash_seed.wrapping_add(network.number(switch) as u32);
        Self { hash_seeds: switches.map(seed).collect(), ..network }
    }

    /// Returns the network with other seeds for ECMP, where `seed_of` has one for the name of a switch.
    #[must_use]
    pub fn with_hash_seeds(mut self, seed_of: impl Fn(&str) -> Option<u32>) -> Self {
        let switches = self.nodes[self.hosts as usize..].iter();
        for (seed, switch) in self.hash_seeds.iter_mut().zip(switches) {
            *seed = seed_of(&switch.name).unwrap_or(*seed);
        }
        self
    }

    /// Whether a node is a host.
    #[inline]
    pub fn is_host(&self, node: NodeId) -> bool {
        node < self.hosts
    }

    /// Number of hosts that the fabric joins, not counting adapters inside servers.
    pub fn fabric_hosts(&self) -> u32 {
        if self.servers.is_some() { self.hosts / 2 } else { self.hosts }
    }

    /// Returns the adapters between which packets go from one host to another.
    pub fn adapters_between(&self, source: NodeId, destination: NodeId) -> [NodeId; 2] {
        Servers::between(self.servers, source, destination)
    }

    /// Whether a switch is inside a server.
    pub fn is_in_server(&self, switch: NodeId) -> bool {
        let ports = self.ports.of(switch);
        ports.iter().any(|port| (self.fabric_hosts()..self.hosts).contains(&port.peer))
    }

    /// Number of a node by which random streams are drawn. A node has the same number whether or not hosts share
    /// servers.
    pub fn number(&self, node: NodeId) -> u64 {
        self.without_servers(node, self.nodes.len())
    }

    /// Number of a port by which random streams are drawn. A port has the same number whether or not hosts share
    /// servers.
    pub fn port_number(&self, port: PortId) -> u64 {
        self.without_servers(port, self.ports.count())
    }

    /// Returns the number that a node or port would have without servers. Those inside servers come behind all others.
    ///
    /// `count` is the number of nodes or ports. The first of them are those of hosts, one each.
    fn without_servers(&self, number: u32, count: usize) -> u64 {
        let hosts = self.fabric_hosts();
        if number < hosts {
            number.into()
        } else if number < self.hosts {
            u64::from(number) + count as u64
        } else {
            (number - (self.hosts - hosts)).into()
        }
    }

    /// Whether two hosts are joined at all, while every link works.
    pub fn are_joined(&self, one: NodeId, other: NodeId) -> bool {
        self.first_joined_to(one) == self.first_joined_to(other)
    }

    /// Returns the first of the hosts that are joined to this one.
    pub fn first_joined_to(&self, host: NodeId) -> NodeId {
        Servers::first_joined_to(self.servers, host)
    }

    /// Returns the ports at both ends of a link, in the order of its ends.
    pub fn ends_of(&self, link: u32) -> [PortId; 2] {
        let [one, _] = self.links[link as usize].ends;
        let ports = self.ports.of(one);
        let number = ports.iter().position(|port| port.link == link).expect("a link has its ends");
        let port = self.ports.first(one) + number as PortId;
        [port, self.ports.other_end(port)]
    }

    /// Rate at which a port sends.
    pub fn rate_of(&self, port: PortId) -> Rate {
        let (node, number) = self.ports.place(port);
        self.links[self.ports.of(node)[number as usize].link as usize].rate_from(node)
    }

    /// Rate at which a host sends on its link.
    pub fn rate_from_host(&self, host: NodeId) -> Rate {
        self.host_link(host).rate_from(host)
    }

    /// Rate at which a host receives on its link.
    pub fn rate_to_host(&self, host: NodeId) -> Rate {
        self.host_link(host).rate_to(host)
    }

    /// Link of a host.
    pub fn host_link(&self, host: NodeId) -> Link {
        self.links[self.ports.of(host)[0].link as usize]
    }

    /// Switch to which a host is attached.
    pub fn attachment(&self, host: NodeId) -> NodeId {
        self.ports.of(host)[0].peer
    }

    /// Returns the hosts that match a pattern by their name, by that of their switch, or by that of their server.
    ///
    /// # Errors
    ///
    /// Reports an error at `key` if no host matches.
    pub fn hosts_matching(&self, key: &str, pattern: &str) -> Result<Vec<NodeId>, ScenarioError> {
        let matches = |node: NodeId| pattern::matches(pattern, &self.nodes[node as usize].name);
        let is_on = |host: NodeId| matches(self.attachment(host));
        let inside = |host: NodeId| self.servers.map(|servers| servers.beside(host));
        let is_meant = |host: NodeId| matches(host) || is_on(host) || inside(host).is_some_and(is_on);
        let matched = (0..self.fabric_hosts()).filter(|&host| is_meant(host));
        let matched: Vec<NodeId> = matched.collect();
        if !matched.is_empty() {
            return Ok(matched);
        }
        let expected = "expected the name of a host, of a switch with hosts, or a pattern such as `host*` or `host[8-15]`";
        if let Some(node) = self.names().find(pattern) {
            let problem = if self.is_host(node) { "is an adapter inside a server" } else { "has no hosts" };
            return Err(ScenarioError::at(key, format!("\"{pattern}\" {problem}"), expected));
        }
        let (hosts, switches) =
            (&self.nodes[..self.fabric_hosts() as usize], &self.nodes[self.hosts as usize..]);
        let meant = nearest(pattern, hosts.iter().chain(switches).map(|node| node.name.as_str()));
        let error = ScenarioError::at(key, format!("no node matches \"{pattern}\""), expected);
        Err(error.of_unknown_name(meant))
    }

    /// Index of all nodes by name.
    pub fn names(&self) -> Names<'_> {
        Names::with_adapters(&self.nodes, self.hosts, self.fabric_hosts())
    }
}

/// Numbers the switches that have hosts, in their order, and returns the number of each host's switch.
fn edges(hosts: u32, nodes: usize, ports: &Ports) -> Vec<u32> {
    let attachment = |host| ports.of(host)[0].peer as usize;
    let mut edge_of = vec![u32::MAX; nodes];
    for host in 0..hosts {
        edge_of[attachment(host)] = 0;
    }
    let with_hosts = edge_of.iter_mut().filter(|edge| **edge == 0);
    for (index, edge) in with_hosts.enumerate() {
        *edge = index as u32;
    }
    (0..hosts).map(|host| edge_of[attachment(host)]).collect()
}

#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use crate::reading::from_text;

    /// Builds the network of a `[topology]` table.
    pub(crate) fn network(table: &str) -> Result<Network, ScenarioError> {
        Network::build(&from_text(table), None)
    }

    /// Returns the one line that rejects a `[topology]` table.
    pub(crate) fn refusal(table: &str) -> String {
        network(table).expect_err("the test's table is refused").to_string()
    }

    /// Key of the links of hosts that most kinds require.
    pub(crate) const HOST_LINK: &str = r#"host_link = { rate = "100Gbps", delay = "1us" }"#;
    /// Key of the links between switches that most kinds require.
    pub(crate) const FABRIC_LINK: &str = r#"fabric_link = { rate = "400Gbps", delay = "2us" }"#;
}
