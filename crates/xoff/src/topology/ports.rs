//! Ports of every node, one after another in one array.

use super::{Link, NodeId};

/// Index of a port among the ports of all nodes, and so of the direction of a link that it feeds.
pub type PortId = u32;

/// End of a link, seen from the node at this end.
#[allow(clippy::struct_field_names, reason = "the port at the other end is no field of this one")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// Index of the link.
    pub link: u32,
    /// Node at the other end.
    pub peer: NodeId,
    /// Number of the port at the other end.
    pub peer_port: u32,
}

/// Ports of every node. A node numbers them in the order of the links.
#[derive(Clone, Debug)]
pub struct Ports {
    starts: Vec<u32>,
    ports: Vec<Port>,
}

impl Ports {
    /// Numbers both ends of every link.
    pub fn new(nodes: usize, links: &[Link]) -> Self {
        let starts = starts(nodes, links);
        let mut used = vec![0_u32; nodes];
        let mut ports = vec![Port { link: 0, peer: 0, peer_port: 0 }; links.len() * 2];
        for (link, &Link { ends: [one, other], .. }) in links.iter().enumerate() {
            let mut take = |node: NodeId| {
                let number = used[node as usize];
                used[node as usize] += 1;
                number
            };
            let (at_one, at_other) = (take(one), take(other));
            let link = link as u32;
            ports[(starts[one as usize] + at_one) as usize] = Port { link, peer: other, peer_port: at_other };
            ports[(starts[other as usize] + at_other) as usize] = Port { link, peer: one, peer_port: at_one };
        }
        Self { starts, ports }
    }

    /// Index of a node's first port among the ports of all nodes.
    pub fn first(&self, node: NodeId) -> PortId {
        self.starts[node as usize]
    }

    /// Returns the node that has a port, and the port's number there.
    pub fn place(&self, port: PortId) -> (NodeId, u32) {
        let node = self.starts.partition_point(|&first| first <= port) - 1;
        (node as NodeId, port - self.starts[node])
    }

    /// Returns the port at the other end of a port's link.
    pub fn other_end(&self, port: PortId) -> PortId {
        let Port { peer, peer_port, .. } = self.ports[port as usize];
        self.first(peer) + peer_port
    }

    /// Number of ports of all nodes.
    pub fn count(&self) -> usize {
        self.ports.len()
    }

    /// Ports of one node, in order of their numbers.
    #[inline]
    pub fn of(&self, node: NodeId) -> &[Port] {
        let node = node as usize;
        &self.ports[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// Returns the index at which each node's ports begin, and at which the last node's end.
fn starts(nodes: usize, links: &[Link]) -> Vec<u32> {
    let mut starts = vec![0_u32; nodes + 1];
    for end in links.iter().flat_map(|link| link.ends) {
        starts[end as usize + 1] += 1;
    }
    for node in 0..nodes {
        starts[node + 1] += starts[node];
    }
    starts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::units::{Rate, Ratio, Span};
    use crate::scenario::FlowControl;

    #[test]
    fn both_ends_of_a_link_know_each_other() {
        let links = [[0, 3], [1, 3], [2, 4], [3, 4], [3, 4]].map(|ends| Link {
            ends,
            rates: [Rate::from_gbps(1); 2],
            delay: Span::ZERO,
            error_rate: Ratio::default(),
            flow_control: FlowControl::Pause,
            failed: false,
        });
        let ports = Ports::new(5, &links);
        assert_eq!(ports.of(3).len(), 4);
        for node in 0..5 {
            for (number, port) in ports.of(node).iter().enumerate() {
                let back = ports.of(port.peer)[port.peer_port as usize];
                assert_eq!(back, Port { link: port.link, peer: node, peer_port: number as u32 });
            }
        }
    }
}
