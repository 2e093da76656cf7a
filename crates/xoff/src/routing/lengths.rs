//! Lengths of paths between hosts, in switches.
//!
//! A path between two hosts is as long as that between their edges. All paths between two edges are equally long unless
//! routes by hand make some longer; then the longest counts.

use std::collections::BTreeMap;

use super::{FiveTuple, Hop, Routes, first_hosts};
use crate::topology::{Network, NodeId, Port};

/// Number of switches on the paths of a network.
#[derive(Clone, Debug, Default)]
pub struct Lengths {
    /// Edge of each host.
    edges: Vec<u32>,
    /// Number of switches between each two edges.
    switches: Vec<Vec<u16>>,
}

impl Lengths {
    /// Follows a path between each two edges.
    pub fn new(network: &Network, routes: &Routes) -> Self {
        let hosts = first_hosts(network);
        let switches_between = |from, to| {
            if from == to {
                return 1;
            }
            if !network.are_joined(from, to) {
                return 0;
            }
            routes.longest_path(network, from, to).len() as u16 - 1
        };
        let switches_from = |&from: &NodeId| hosts.iter().map(|&to| switches_between(from, to)).collect();
        let switches = hosts.iter().map(switches_from).collect();
        Self { edges: network.edges.clone(), switches }
    }

    /// Number of switches on the longest path between two hosts.
    pub fn switches(&self, from: NodeId, to: NodeId) -> u32 {
        let edge = |host: NodeId| self.edges[host as usize] as usize;
        self.switches[edge(from)][edge(to)].into()
    }
}

impl Routes {
    /// Returns the links of a longest path from one host to another. Where all paths are equally long, that of the
    /// first flow is taken.
    pub fn longest_path(&self, network: &Network, from: NodeId, to: NodeId) -> Vec<Hop> {
        if !self.any_by_hand {
            return self.path(network, from, to, FiveTuple::of_flow(from, to, 0)).collect();
        }
        let mut longest = BTreeMap::from([(to, Vec::new())]);
        self.find_longest(network, from, to, &mut longest);
        let mut links = longest.remove(&from).unwrap_or_default();
        links.reverse();
        links
    }

    /// Finds the longest path from every node on the way, last link first.
    fn find_longest(
        &self,
        network: &Network,
        node: NodeId,
        to: NodeId,
        longest: &mut BTreeMap<NodeId, Vec<Hop>>,
    ) {
        if longest.contains_key(&node) {
            return;
        }
        let ports = if network.is_host(node) { &[0] } else { self.table(node).equal_cost_ports(to) };
        let mut most = Vec::new();
        for &port in ports {
            let Port { peer, link, .. } = network.ports.of(node)[port as usize];
            self.find_longest(network, peer, to, longest);
            if longest[&peer].len() >= most.len() {
                most.clone_from(&longest[&peer]);
                most.push(Hop { node, port, link });
            }
        }
        longest.insert(node, most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{FABRIC_LINK, HOST_LINK, network};

    fn switches_from_the_first(topology: &str, to: &[NodeId]) -> Vec<u32> {
        let network = network(&format!("{topology}\n{HOST_LINK}\n{FABRIC_LINK}")).unwrap();
        let lengths = Lengths::new(&network, &Routes::new(&network));
        to.iter().map(|&to| lengths.switches(0, to)).collect()
    }

    #[test]
    fn there_are_one_three_or_five_switches_between_hosts_of_a_fat_tree() {
        assert_eq!(switches_from_the_first("kind = 'fat_tree'\nk = 4", &[1, 2, 3, 4, 15]), [1, 3, 3, 5, 5]);
    }

    /// Packets from leaf 0 to leaf 3 bounce off another leaf.
    #[test]
    fn a_way_round_a_failed_link_is_longer() {
        let bounce = "kind = 'leaf_spine'\nleaves = 4\nspines = 2\nhosts_per_leaf = 1\n\
                      failed_links = [['spine0', 'leaf3'], ['spine1', 'leaf0']]";
        assert_eq!(switches_from_the_first(bounce, &[1, 2, 3]), [3, 3, 5]);
    }
}
