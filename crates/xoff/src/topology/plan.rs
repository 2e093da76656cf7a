//! Plan of a topology while it is being laid out, before overrides and checks.

use std::ops::Range;

use super::{Core, Link, Node, NodeId};
use crate::kernel::units::Rate;
use crate::scenario::{FlowControl, InternalLink, LinkSettings, ScenarioError};

/// Most links of a topology, more than any simulation finishes with. A mistyped number cannot fill the memory.
const MAXIMUM_LINKS: u64 = 1 << 22;

/// Core links, of whose capacity a workload's load can be a share.
#[derive(Debug)]
pub(super) struct CoreLinks {
    /// Range of the links' indices.
    pub(super) links: Range<usize>,
    /// Direction in which the links count.
    pub(super) way: CoreWay,
}

/// Direction in which the links of a core count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CoreWay {
    Up,
    Both,
    /// Each direction of a link for itself.
    Each,
}

/// Nodes and links in their final order.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    pub(super) hosts: u32,
    pub(super) links: Vec<Link>,
    pub(super) core: Option<CoreLinks>,
    /// Rack of each host, where that is not its switch.
    pub(super) racks: Option<Vec<u32>>,
}

impl Plan {
    /// Begins with `host0..`, and rejects too many links before it allocates them.
    pub(super) fn with_hosts(hosts: u64, links: u64) -> Result<Self, ScenarioError> {
        if links > MAXIMUM_LINKS {
            let expected = format!("expected at most {MAXIMUM_LINKS} links");
            return Err(ScenarioError::at("topology", format!("would have {links} links"), expected));
        }
        let mut plan = Self { hosts: hosts as u32, ..Self::default() };
        plan.add_nodes("host", hosts as u32);
        Ok(plan)
    }

    /// Adds nodes `prefix0..` and returns their range.
    pub(super) fn add_nodes(&mut self, prefix: &str, count: u32) -> Range<NodeId> {
        let first = self.nodes.len() as NodeId;
        self.nodes.extend((0..count).map(|index| Node { name: format!("{prefix}{index}") }));
        first..first + count
    }

    /// Adds one node and returns its number.
    pub(super) fn add_node(&mut self, name: &str) -> NodeId {
        self.nodes.push(Node { name: name.to_owned() });
        self.nodes.len() as NodeId - 1
    }

    /// Joins two nodes. The rate of the settings is from the first, their rate back from the second.
    pub(super) fn join(&mut self, one: NodeId, other: NodeId, settings: LinkSettings) {
        let LinkSettings { rate: _, rate_back: _, delay, error_rate, flow_control } = settings;
        let (ends, rates) = ([one, other], settings.rates());
        self.links.push(Link { ends, rates, delay, error_rate, flow_control, failed: false });
    }

    /// Joins two switches inside a fabric, by a link with credits.
    pub(super) fn join_internally(&mut self, one: NodeId, other: NodeId, settings: InternalLink) {
        let InternalLink { rate, rate_back, delay, error_rate } = settings;
        let flow_control = FlowControl::Credits;
        self.join(one, other, LinkSettings { rate, rate_back, delay, error_rate, flow_control });
    }

    /// Joins all hosts, the same number to each of `switches`, in order.
    pub(super) fn join_hosts(&mut self, switches: Range<NodeId>, per_switch: u32, settings: LinkSettings) {
        let mut host = 0;
        for switch in switches {
            for _ in 0..per_switch {
                self.join(host, switch, settings);
                host += 1;
            }
        }
    }

    /// Makes the links added since `first` the core.
    pub(super) fn core_since(&mut self, first: usize, way: CoreWay) {
        self.core = Some(CoreLinks { links: first..self.links.len(), way });
    }

    /// Returns the capacity of the core links, after overrides and failures.
    pub(super) fn core(&self) -> Option<Core> {
        let core = self.core.as_ref()?;
        let working = self.links[core.links.clone()].iter().filter(|link| !link.failed);
        let ways = working.fold([Rate::ZERO; 2], |[there, back], link| {
            [there.saturating_add(link.rates[0]), back.saturating_add(link.rates[1])]
        });
        let [capacity, back] = match core.way {
            CoreWay::Both => [ways[0].saturating_add(ways[1]); 2],
            CoreWay::Up | CoreWay::Each => ways,
        };
        Some(Core { capacity, back, each_way: core.way == CoreWay::Each })
    }
}

/// Rejects a number of nodes below `minimum`.
pub(super) fn at_least(key: &str, value: u32, minimum: u32) -> Result<(), ScenarioError> {
    if value >= minimum {
        return Ok(());
    }
    Err(ScenarioError::at(key, format!("is {value}"), format!("expected at least {minimum}")))
}

/// Rejects a link with a rate of zero in either direction. `key` is that of the link.
pub(super) fn carries(key: &str, rates: [Rate; 2]) -> Result<(), ScenarioError> {
    let Some(way) = rates.iter().position(|rate| *rate == Rate::ZERO) else { return Ok(()) };
    let name = ["rate", "rate_back"][way];
    let expected = "expected a rate above zero, such as \"100Gbps\"";
    Err(ScenarioError::at(format!("{key}.{name}"), "is zero", expected))
}

/// Rejects credits on a link of a host; the first `hosts` nodes are hosts.
pub(super) fn hosts_know_no_credits(key: &str, link: &Link, hosts: u32) -> Result<(), ScenarioError> {
    if link.flow_control == FlowControl::Pause || link.ends.iter().all(|&end| end >= hosts) {
        return Ok(());
    }
    let expected = "expected \"pause\", or \"credits\" between two switches of kind \"cioq\"";
    Err(ScenarioError::at(key, "is \"credits\" on the link of a host, which knows only pauses", expected))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{network, refusal};
    use crate::kernel::units::Rate;
    use crate::topology::Network;

    /// Returns the Gbps from one node to another and back.
    fn between(network: &Network, one: &str, other: &str) -> [u64; 2] {
        let [one, other] = [one, other].map(|name| network.names().find(name).unwrap());
        let link = network.links.iter().find(|link| link.ends == [one, other] || link.ends == [other, one]);
        let link = link.expect("a link joins them");
        [link.rate_from(one), link.rate_to(one)].map(|rate| rate.get() / 1_000_000_000)
    }

    const HOST: &str = "host_link = { rate = '10Gbps', rate_back = '20Gbps', delay = '1us' }";
    const UP: &str = "{ rate = '40Gbps', rate_back = '80Gbps', delay = '1us' }";

    #[test]
    fn a_link_with_two_rates_has_the_first_from_hosts_upwards_and_from_left_to_right() {
        let build = |kind: &str| network(&format!("{kind}\n{HOST}")).unwrap();
        let star = build("kind = 'star'\nhosts = 2");
        assert_eq!(between(&star, "host1", "switch0"), [10, 20]);
        assert_eq!(
            (star.rate_from_host(1), star.rate_to_host(1)),
            (Rate::from_gbps(10), Rate::from_gbps(20))
        );
        let dumbbell = build(&format!("kind = 'dumbbell'\nleft = 1\nright = 1\nmiddle_link = {UP}"));
        assert_eq!(between(&dumbbell, "left", "right"), [40, 80]);
        assert_eq!(between(&dumbbell, "host1", "right"), [10, 20]);
        let clos =
            format!("kind = 'leaf_spine'\nleaves = 2\nspines = 2\nhosts_per_leaf = 1\nfabric_link = {UP}");
        assert_eq!(between(&build(&clos), "leaf1", "spine0"), [40, 80]);
        let clos3 = "kind = 'clos3'\npods = 2\ntors_per_pod = 1\nleaves_per_pod = 1\nspines = 1\nhosts_per_tor = 1\n\
                     fabric_link = { rate = '1Gbps', rate_back = '2Gbps', delay = '1us' }";
        assert_eq!(between(&build(clos3), "leaf1", "spine0"), [1, 2]);
        let clos3 = build(&format!("{clos3}\nspine_link = {UP}"));
        assert_eq!(
            [between(&clos3, "tor1", "leaf1"), between(&clos3, "leaf1", "spine0")],
            [[1, 2], [40, 80]]
        );
        let tree = build(&format!("kind = 'fat_tree'\nk = 4\nfabric_link = {UP}"));
        assert_eq!([between(&tree, "leaf0", "spine1"), between(&tree, "spine1", "core3")], [[40, 80]; 2]);
        let fabric = build(&format!(
            "kind = 'fabric'\nsupernodes = 2\nports_per_supernode = 1\nsupernode_link = {UP}"
        ));
        assert_eq!(between(&fabric, "host1", "card1"), [10, 20]);
        assert_eq!(between(&fabric, "card1", "element1"), [20, 40], "twice as much each way");
        assert_eq!(between(&fabric, "element0", "element1"), [40, 80]);
    }

    #[test]
    fn the_core_has_a_capacity_each_way() {
        let core = |kind: &str| {
            let core = network(&format!("{kind}\n{HOST}")).unwrap().core.unwrap();
            [core.capacity, core.back].map(|rate| rate.get() / 1_000_000_000)
        };
        let clos =
            format!("kind = 'leaf_spine'\nleaves = 2\nspines = 2\nhosts_per_leaf = 1\nfabric_link = {UP}");
        assert_eq!(core(&clos), [160, 320]);
        assert_eq!(core(&format!("kind = 'dumbbell'\nleft = 1\nright = 1\nmiddle_link = {UP}")), [40, 80]);
        let fabric =
            format!("kind = 'fabric'\nsupernodes = 2\nports_per_supernode = 1\nsupernode_link = {UP}");
        assert_eq!(core(&fabric), [120, 120]);
    }

    /// The rates of a link by hand go by the order of its two nodes.
    #[test]
    fn a_table_of_one_link_changes_either_way_or_both() {
        let star = |change: &str| {
            let star = format!("kind = 'star'\nhosts = 2\n{HOST}\nlinks = [{{ between = {change} }}]");
            between(&network(&star).unwrap(), "host1", "switch0")
        };
        assert_eq!(star("['host1', 'switch0'], rate = '1Gbps', rate_back = '2Gbps'"), [1, 2]);
        assert_eq!(star("['switch0', 'host1'], rate = '1Gbps', rate_back = '2Gbps'"), [2, 1]);
        assert_eq!(star("['switch0', 'host1'], rate = '1Gbps'"), [1, 1]);
        assert_eq!(star("['switch0', 'host1'], rate_back = '2Gbps'"), [2, 20]);
        assert_eq!(star("['host1', 'switch0'], rate_back = '2Gbps'"), [10, 2]);
        assert_eq!(star("['host1', 'switch0'], delay = '2us'"), [10, 20]);
        let custom = "kind = 'custom'\nhosts = ['a']\nswitches = ['s']\n\
                      links = [{ between = ['s', 'a'], rate = '1Gbps', rate_back = '2Gbps', delay = '1us' }]";
        assert_eq!(between(&network(custom).unwrap(), "a", "s"), [2, 1]);
    }

    #[test]
    fn a_link_without_a_rate_back_is_refused_by_its_key() {
        let dead = |table: &str, key: &str| {
            let error = refusal(table);
            assert!(
                error.contains(&format!("{key}.rate_back: is zero; expected a rate above zero")),
                "{error}"
            );
        };
        let zero = "rate = '1Gbps', rate_back = '0Gbps', delay = '1us'";
        dead(&format!("kind = 'star'\nhosts = 2\nhost_link = {{ {zero} }}"), "topology.host_link");
        let dumbbell = format!("kind = 'dumbbell'\nleft = 1\nright = 1\n{HOST}\nmiddle_link = {{ {zero} }}");
        dead(&dumbbell, "topology.middle_link");
        let change = "links = [{ between = ['host1', 'switch0'], rate_back = '0Gbps' }]";
        dead(&format!("kind = 'star'\nhosts = 2\n{HOST}\n{change}"), "topology.links[0]");
        let custom = format!(
            "kind = 'custom'\nhosts = ['a']\nswitches = ['s']\nlinks = [{{ between = ['s', 'a'], {zero} }}]"
        );
        dead(&custom, "topology.links[0]");
    }
}
