//! Lengths of paths between hosts, in switches.
//!
//! A path between two hosts is as long as that between their edges. All paths between two edges are equally long unless
//! routes by hand make some longer; then the longest counts.

use std::collections::BTreeMap;

use super::shortest::SwitchGraph;
use super::{FiveTuple, Hop, Routes, first_hosts, roots};
use crate::topology::{Network, NodeId, Port};

/// Number of switches on the paths of a network.
#[derive(Clone, Debug, Default)]
pub struct Lengths {
    /// Edge of each host.
    edges: Vec<u32>,
    /// Class of each edge. Edges of one class have the same neighbours, so they are equally far from all others.
    classes: Vec<u32>,
    /// Number of switches between two different edges, by their classes.
    switches: Vec<Vec<u16>>,
}

impl Lengths {
    /// Measures the paths between each two edges.
    pub fn new(network: &Network, routes: &Routes) -> Self {
        if routes.any_by_hand { Self::along(network, routes) } else { Self::shortest(network) }
    }

    /// Follows a longest path between each two edges.
    fn along(network: &Network, routes: &Routes) -> Self {
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
        Self { edges: network.edges.clone(), classes: (0..hosts.len() as u32).collect(), switches }
    }

    /// Searches for the shortest paths from one edge of each class.
    fn shortest(network: &Network) -> Self {
        let roots = roots(network, &first_hosts(network));
        let mut graph = SwitchGraph::new(network);
        let first_twins = graph.first_twins(&roots);
        let firsts: Vec<usize> = (0..roots.len()).filter(|&edge| first_twins[edge] == edge).collect();
        let class = |edge: &usize| firsts.partition_point(|first| first < edge) as u32;
        let switches_from = |&from: &usize| {
            graph.search(roots[from], |_, _| {});
            let switches_to = |&to: &usize| {
                // Twins have a neighbour between them.
                let distance = if to == from { Some(2) } else { graph.distance(roots[to]) };
                distance.map_or(0, |distance| distance as u16 + 1)
            };
            firsts.iter().map(switches_to).collect()
        };
        let switches = firsts.iter().map(switches_from).collect();
        Self { edges: network.edges.clone(), classes: first_twins.iter().map(class).collect(), switches }
    }

    /// Number of switches on the longest path between two hosts.
    pub fn switches(&self, from: NodeId, to: NodeId) -> u32 {
        let [from, to] = [from, to].map(|host| self.edges[host as usize] as usize);
        if from == to {
            return 1;
        }
        let [from, to] = [from, to].map(|edge| self.classes[edge] as usize);
        self.switches[from][to].into()
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

    /// Leaves of one pod are twins, and so are those of a second pod.
    #[test]
    fn classes_of_edges_are_as_far_apart_as_the_paths_between_their_hosts() {
        let table = format!(
            "kind = 'fat_tree'\nk = 6\nfailed_links = [['leaf1', 'spine0']]\n{HOST_LINK}\n{FABRIC_LINK}"
        );
        let network = network(&table).unwrap();
        let routes = Routes::new(&network);
        let lengths = Lengths::new(&network, &routes);
        let followed = Lengths::along(&network, &routes);
        assert!(lengths.switches.len() < followed.switches.len());
        for (from, to) in (0..network.hosts).flat_map(|from| (0..network.hosts).map(move |to| (from, to))) {
            assert_eq!(lengths.switches(from, to), followed.switches(from, to), "{from} {to}");
        }
    }

    /// Packets from leaf 0 to leaf 3 bounce off another leaf.
    #[test]
    fn a_way_round_a_failed_link_is_longer() {
        let bounce = "kind = 'leaf_spine'\nleaves = 4\nspines = 2\nhosts_per_leaf = 1\n\
                      failed_links = [['spine0', 'leaf3'], ['spine1', 'leaf0']]";
        assert_eq!(switches_from_the_first(bounce, &[1, 2, 3]), [3, 3, 5]);
    }
}
