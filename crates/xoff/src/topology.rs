//! Topologies: from a scenario's `[topology]` to nodes and links.
//! A kind lays out a [`Plan`]; overrides and checks, the same for every kind, make it a [`Network`].
//! Routing and the simulation read the network and never ask which kind it was.

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
pub use names::{Names, did_you_mean};
pub use ports::{Port, PortId, Ports};
pub use servers::Servers;

use crate::kernel::units::{Rate, Ratio, Span};
use crate::scenario::{FlowControl, ScaleUp, ScenarioError, Topology, pattern};
use plan::Plan;

/// Index of a node: hosts come first, switches after them.
pub type NodeId = u32;

/// A node by name.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name in scenarios and results.
    pub name: String,
}

/// A full-duplex link.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The two nodes it joins.
    pub ends: [NodeId; 2],
    /// Bits per second in each direction.
    pub rate: Rate,
    /// Propagation, one way.
    pub delay: Span,
    /// Share of packets that it corrupts.
    pub error_rate: Ratio,
    /// How its receiving end holds back the sending end; with credits it joins two switches.
    pub flow_control: FlowControl,
    /// Whether it has failed: no route crosses it.
    pub failed: bool,
}

impl Link {
    /// Whether it corrupts packets.
    pub fn corrupts(&self) -> bool {
        self.error_rate.numerator() > 0
    }

    /// Whether its receiving end gives credits.
    pub fn has_credits(&self) -> bool {
        self.flow_control == FlowControl::Credits
    }
}

/// The links that traffic between racks has to cross.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    /// What those that have not failed carry at most: leaf-to-spine links count upwards only, those between supernodes both ways,
    /// so that every flow between racks takes its bytes from this sum once. A dumbbell's middle link counts one way.
    pub capacity: Rate,
    /// Whether either way has that capacity and what crosses it for itself.
    pub each_way: bool,
}

/// Nodes and links, checked: every host has one link, to a switch, and can reach every other host. Where hosts share servers, their
/// adapters inside are hosts as well, behind the others, and reach those of their server.
#[derive(Clone, Debug)]
pub struct Network {
    /// All nodes, hosts first.
    pub nodes: Vec<Node>,
    /// How many of them are hosts.
    pub hosts: u32,
    /// Which of them share a server, where any do.
    pub servers: Option<Servers>,
    /// All links; a node numbers its ports in this order.
    pub links: Vec<Link>,
    /// The ports of every node.
    pub ports: Ports,
    /// The edge of each host: the index of its switch among the switches that have hosts.
    pub edges: Vec<u32>,
    /// The rack of each host: its edge or, in a fabric, its supernode.
    pub racks: Vec<u32>,
    /// What `of = "core"` refers to, where the topology has a core.
    pub core: Option<Core>,
    /// The seed of every switch's ECMP hash.
    pub hash_seeds: Vec<u32>,
}

impl Network {
    /// Lays out what a scenario's `[topology]` describes, and its `[scale_up]`.
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

    /// The same network, in which `seed_of` says by the name of a switch what seed its ECMP hash has, if it is another.
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

    /// How many hosts the fabric joins: those before any adapters inside servers.
    pub fn fabric_hosts(&self) -> u32 {
        if self.servers.is_some() { self.hosts / 2 } else { self.hosts }
    }

    /// Between which adapters packets go from one host to another.
    pub fn adapters_between(&self, source: NodeId, destination: NodeId) -> [NodeId; 2] {
        Servers::between(self.servers, source, destination)
    }

    /// Whether a switch is that of a server.
    pub fn is_in_server(&self, switch: NodeId) -> bool {
        let ports = self.ports.of(switch);
        ports.iter().any(|port| (self.fabric_hosts()..self.hosts).contains(&port.peer))
    }

    /// The number of a node by which random streams go: one that it has whether or not hosts share servers.
    pub fn number(&self, node: NodeId) -> u64 {
        self.without_servers(node, self.nodes.len())
    }

    /// The same of a port.
    pub fn port_number(&self, port: PortId) -> u64 {
        self.without_servers(port, self.ports.count())
    }

    /// Of so many nodes, or ports, of which hosts have the first, and one each: the number without those inside servers, which come
    /// behind all others.
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

    /// Whether there is any way between two hosts, while all links work.
    pub fn are_joined(&self, one: NodeId, other: NodeId) -> bool {
        self.first_joined_to(one) == self.first_joined_to(other)
    }

    /// The first of the hosts that are joined to this one.
    pub fn first_joined_to(&self, host: NodeId) -> NodeId {
        Servers::first_joined_to(self.servers, host)
    }

    /// The link of a host.
    pub fn host_link(&self, host: NodeId) -> Link {
        self.links[self.ports.of(host)[0].link as usize]
    }

    /// The switch that a host hangs on.
    pub fn attachment(&self, host: NodeId) -> NodeId {
        self.ports.of(host)[0].peer
    }

    /// The hosts of which a pattern is the name, or the name of their switch or of their server's.
    ///
    /// # Errors
    ///
    /// Under `key`, where there are none.
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
        let meant = did_you_mean(pattern, hosts.iter().chain(switches).map(|node| node.name.as_str()));
        Err(ScenarioError::at(key, format!("no node matches \"{pattern}\""), format!("{meant}{expected}")))
    }

    /// All nodes by name.
    pub fn names(&self) -> Names<'_> {
        Names::with_adapters(&self.nodes, self.hosts, self.fabric_hosts())
    }
}

/// Numbers the switches that have hosts, in their order, and says which of them each host is on.
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

    /// The network of a `[topology]` table.
    pub(crate) fn network(table: &str) -> Result<Network, ScenarioError> {
        Network::build(&from_text(table), None)
    }

    /// The one line that refuses a `[topology]` table.
    pub(crate) fn refusal(table: &str) -> String {
        network(table).expect_err("the test's table is refused").to_string()
    }

    /// The two keys that every link wants.
    pub(crate) const HOST_LINK: &str = r#"host_link = { rate = "100Gbps", delay = "1us" }"#;
    /// The same between switches.
    pub(crate) const FABRIC_LINK: &str = r#"fabric_link = { rate = "400Gbps", delay = "2us" }"#;
}
