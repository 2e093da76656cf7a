//! Shortest paths by hop count: one breadth-first search from every edge, over switches only.

use std::collections::BTreeMap;

use crate::topology::{Network, NodeId, Port};

/// Neighbour of a switch, and the port that leads there.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    switch: u32,
    port: u32,
}

/// Graph of the switches and the working links between them. Switches are numbered from zero.
#[derive(Debug)]
pub(super) struct SwitchGraph {
    starts: Vec<u32>,
    neighbours: Vec<Neighbour>,
    distances: Vec<u32>,
    reached: Vec<u32>,
}

impl SwitchGraph {
    /// Makes the graph without hosts and failed links. Neighbours are sorted by node and port, which is the order of
    /// next hops.
    pub(super) fn new(network: &Network) -> Self {
        let switches = network.nodes.len() - network.hosts as usize;
        let mut graph = Self {
            starts: vec![0],
            neighbours: Vec::new(),
            distances: vec![u32::MAX; switches],
            reached: Vec::with_capacity(switches),
        };
        for switch in network.hosts..network.nodes.len() as NodeId {
            let first = graph.neighbours.len();
            let works = |port: &Port| !network.links[port.link as usize].failed;
            let to_switches = (0..)
                .zip(network.ports.of(switch))
                .filter(|(_, port)| !network.is_host(port.peer) && works(port));
            graph.neighbours.extend(
                to_switches
                    .map(|(number, port)| Neighbour { switch: port.peer - network.hosts, port: number }),
            );
            graph.neighbours[first..].sort_unstable_by_key(|neighbour| (neighbour.switch, neighbour.port));
            graph.starts.push(graph.neighbours.len() as u32);
        }
        graph
    }

    fn neighbours(&self, switch: u32) -> &[Neighbour] {
        let range = self.starts[switch as usize] as usize..self.starts[switch as usize + 1] as usize;
        &self.neighbours[range]
    }

    /// Returns for each of some switches the place of the first among them that has the same neighbours. Such twins are
    /// equally far from all others, which reach them by the same ports unless they are their neighbours. Switches
    /// without neighbours have no twins.
    pub(super) fn first_twins(&self, switches: &[u32]) -> Vec<usize> {
        let mut first = BTreeMap::new();
        let first_twin = |(place, &switch): (usize, &u32)| {
            let neighbours: Vec<u32> = self.neighbours(switch).iter().map(|of| of.switch).collect();
            if neighbours.is_empty() { place } else { *first.entry(neighbours).or_insert(place) }
        };
        switches.iter().enumerate().map(first_twin).collect()
    }

    /// Visits the switches whose ports towards `root` are not those towards its twin `first`, except `root` itself.
    pub(super) fn visit_beside_twin(&self, root: u32, first: u32, mut visit: impl FnMut(u32, &[u32])) {
        let ports = |of: &[Neighbour]| of.iter().map(|neighbour| neighbour.port).collect::<Vec<u32>>();
        visit(first, &ports(self.neighbours(first)));
        for of_one in self.neighbours(root).chunk_by(|one, other| one.switch == other.switch) {
            let neighbours = self.neighbours(of_one[0].switch);
            let from = neighbours.partition_point(|of| of.switch < root);
            let to = neighbours.partition_point(|of| of.switch <= root);
            visit(of_one[0].switch, &ports(&neighbours[from..to]));
        }
    }

    /// Returns the distance of a switch from the root of the last search; nothing if the search has not reached it.
    pub(super) fn distance(&self, switch: u32) -> Option<u32> {
        Some(self.distances[switch as usize]).filter(|distance| *distance < u32::MAX)
    }

    /// Returns the switches that the last search has not reached.
    pub(super) fn unreached(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.distances).filter(|(_, distance)| **distance == u32::MAX).map(|(switch, _)| switch)
    }

    /// Visits every other switch with its ports towards `root`, in order of distance.
    pub(super) fn search(&mut self, root: u32, mut visit: impl FnMut(u32, &[u32])) {
        self.distances.fill(u32::MAX);
        self.distances[root as usize] = 0;
        self.reached.clear();
        self.reached.push(root);
        let mut closer = Vec::new();
        let mut next = 0;
        while let Some(&switch) = self.reached.get(next) {
            next += 1;
            let distance = self.distances[switch as usize];
            let range = self.starts[switch as usize] as usize..self.starts[switch as usize + 1] as usize;
            closer.clear();
            for neighbour in &self.neighbours[range] {
                let other = &mut self.distances[neighbour.switch as usize];
                if *other == u32::MAX {
                    *other = distance + 1;
                    self.reached.push(neighbour.switch);
                } else if *other < distance {
                    closer.push(neighbour.port);
                }
            }
            if switch != root {
                visit(switch, &closer);
            }
        }
    }
}
