//! Index of nodes by name, which suggests the nearest name where there is none.

use std::collections::HashMap;

use super::{Node, NodeId};
use crate::scenario::ScenarioError;

/// Index of nodes by name.
#[derive(Debug)]
pub struct Names<'a> {
    nodes: &'a [Node],
    hosts: u32,
    /// Number of hosts before any adapters inside servers.
    fabric_hosts: u32,
    by_name: HashMap<&'a str, NodeId>,
}

impl<'a> Names<'a> {
    /// Makes an index of `nodes`, of which the first `hosts` are hosts.
    pub fn new(nodes: &'a [Node], hosts: u32) -> Self {
        Self::with_adapters(nodes, hosts, hosts)
    }

    /// Makes an index of nodes whose hosts from `fabric_hosts` on are adapters inside servers.
    pub(super) fn with_adapters(nodes: &'a [Node], hosts: u32, fabric_hosts: u32) -> Self {
        let by_name =
            nodes.iter().enumerate().map(|(index, node)| (node.name.as_str(), index as NodeId)).collect();
        Self { nodes, hosts, fabric_hosts, by_name }
    }

    /// Finds the node of this name.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        self.by_name.get(name).copied()
    }

    /// Finds the node of this name, or reports an error at the key that named it.
    pub fn node(&self, key: &str, name: &str) -> Result<NodeId, ScenarioError> {
        self.find(name).ok_or_else(|| {
            ScenarioError::at(key, format!("\"{name}\" does not exist"), "expected the name of a node")
                .of_unknown_name(nearest_node(name, self.nodes))
        })
    }

    /// Finds the switch of this name, or reports an error at the key that named it.
    pub fn switch(&self, key: &str, name: &str) -> Result<NodeId, ScenarioError> {
        let node = self.node(key, name)?;
        if node < self.hosts {
            let expected = "expected the name of a switch";
            let error = ScenarioError::at(key, format!("\"{name}\" is a host"), expected);
            return Err(error.of_unknown_name(None));
        }
        Ok(node)
    }

    /// Finds the host of this name, or reports an error at the key that named it.
    pub fn host(&self, key: &str, name: &str) -> Result<NodeId, ScenarioError> {
        let problem = match self.find(name) {
            Some(node) if node < self.fabric_hosts => return Ok(node),
            Some(node) if node < self.hosts => "is an adapter inside a server",
            Some(_) => "is a switch",
            None => "does not exist",
        };
        let error = ScenarioError::at(key, format!("\"{name}\" {problem}"), "expected the name of a host");
        Err(error.of_unknown_name(nearest_node(name, &self.nodes[..self.fabric_hosts as usize])))
    }
}

fn nearest_node<'a>(name: &str, nodes: &'a [Node]) -> Option<&'a str> {
    nearest(name, nodes.iter().map(|node| node.name.as_str()))
}

/// Returns the candidate that takes the fewest edits, the earliest of several; none if more than half of the letters differ.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let by_edits = candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .min_by_key(|(edits, _)| *edits);
    by_edits.filter(|(edits, _)| edits * 2 <= name.chars().count()).map(|(_, near)| near)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes() -> Vec<Node> {
        ["host0", "host1", "leaf0"].map(|name| Node { name: name.to_owned() }).to_vec()
    }

    #[test]
    fn a_wrong_name_is_answered_with_the_nearest() {
        let nodes = nodes();
        let names = Names::new(&nodes, 2);
        assert_eq!(names.node("key", "leaf0"), Ok(2));
        let error = names.node("key", "laef0").unwrap_err();
        assert_eq!(error.problem, "\"laef0\" does not exist");
        assert_eq!(error.expected(), "did you mean \"leaf0\"? expected the name of a node");
    }

    #[test]
    fn a_name_like_no_other_is_answered_with_none() {
        assert_eq!(nearest("router", ["host0", "leaf0"]), None);
        assert_eq!(nearest("host7", []), None);
    }

    #[test]
    fn a_switch_is_not_a_host() {
        let nodes = nodes();
        let error = Names::new(&nodes, 2).host("key", "leaf0").unwrap_err();
        assert_eq!(error.problem, "\"leaf0\" is a switch");
    }
}
