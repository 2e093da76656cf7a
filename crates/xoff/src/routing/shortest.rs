//! Shortest paths by hop count: one breadth-first search from every edge, over switches only.

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
