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

    /// Joins two nodes.
    pub(super) fn join(&mut self, one: NodeId, other: NodeId, settings: LinkSettings) {
        let LinkSettings { rate, delay, error_rate, flow_control } = settings;
        self.links.push(Link { ends: [one, other], rate, delay, error_rate, flow_control, failed: false });
    }

    /// Joins two switches inside a fabric, by a link with credits.
    pub(super) fn join_internally(&mut self, one: NodeId, other: NodeId, settings: InternalLink) {
        let InternalLink { rate, delay, error_rate } = settings;
        self.join(one, other, LinkSettings { rate, delay, error_rate, flow_control: FlowControl::Credits });
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
        let one_way = working.fold(Rate::ZERO, |sum, link| sum.saturating_add(link.rate));
        let capacity = match core.way {
            CoreWay::Both => one_way.saturating_add(one_way),
            CoreWay::Up | CoreWay::Each => one_way,
        };
        Some(Core { capacity, each_way: core.way == CoreWay::Each })
    }
}

/// Rejects a number of nodes below `minimum`.
pub(super) fn at_least(key: &str, value: u32, minimum: u32) -> Result<(), ScenarioError> {
    if value >= minimum {
        return Ok(());
    }
    Err(ScenarioError::at(key, format!("is {value}"), format!("expected at least {minimum}")))
}

/// Rejects a link whose rate is zero.
pub(super) fn carries(key: &str, rate: Rate) -> Result<(), ScenarioError> {
    if rate > Rate::ZERO {
        return Ok(());
    }
    Err(ScenarioError::at(key, "is zero", "expected a rate above zero, such as \"100Gbps\""))
}

/// Rejects credits on a link of a host; the first `hosts` nodes are hosts.
pub(super) fn hosts_know_no_credits(key: &str, link: &Link, hosts: u32) -> Result<(), ScenarioError> {
    if link.flow_control == FlowControl::Pause || link.ends.iter().all(|&end| end >= hosts) {
        return Ok(());
    }
    let expected = "expected \"pause\", or \"credits\" between two switches of kind \"cioq\"";
    Err(ScenarioError::at(key, "is \"credits\" on the link of a host, which knows only pauses", expected))
}
