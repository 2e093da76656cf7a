//! Sources of the events of a cluster, in the order in which simultaneous events run.

use crate::topology::{Network, NodeId};

/// Class of an event. Of simultaneous events, the earlier class runs first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// Transmissions that end.
    EndOfTransmission,
    /// Pause frames that take effect, pauses that end, and pauses to be sent again.
    Pause,
    /// Messages beside all packets, which arrive over links with credits.
    Signal,
    /// Packets that arrive over links.
    Arrival,
    /// Events that a host makes itself.
    /// In this order: a packet has crossed the host's delay towards the transport, or towards the adapter; a flow
    /// starts; a timer may expire.
    Host,
    /// Crossbars that have moved frames, or may begin to. They run last, so that a match sees all frames that have
    /// come.
    Crossbar,
}

impl Class {
    /// All classes in their order.
    pub const ALL: [Self; 6] =
        [Self::EndOfTransmission, Self::Pause, Self::Signal, Self::Arrival, Self::Host, Self::Crossbar];

    /// Whether every port has a source of this class, rather than every node.
    pub const fn is_of_ports(self) -> bool {
        matches!(self, Self::EndOfTransmission | Self::Signal | Self::Arrival)
    }
}

/// Source of events: a class at a node, and at a port where the class is of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// Class of the source's events.
    pub class: Class,
    /// Node at which the events happen.
    pub node: NodeId,
    /// Port at which the events happen; 0 for events of a whole node.
    pub port: u32,
}

/// Equipment that only some networks have, and that needs sources of events.
#[derive(Clone, Copy, Debug)]
pub struct Equipment<'a> {
    /// Whether any port may be paused.
    pub pauses: bool,
    /// Whether each node has a crossbar, by number; nodes beyond the end have none.
    pub crossbars: &'a [bool],
    /// Whether each node has no end of transmission that is an event; nodes beyond the end have some.
    pub only_arrivals: &'a [bool],
}

impl Equipment<'_> {
    /// Whether arrivals are the only events of a node.
    pub(super) fn has_only_arrivals(self, node: NodeId) -> bool {
        is_among(self.only_arrivals, node)
    }

    /// Whether a node is a switch with a crossbar.
    pub(super) fn has_crossbar(self, node: NodeId) -> bool {
        is_among(self.crossbars, node)
    }

    fn has(self, class: Class, node: NodeId, port: u32, network: &Network) -> bool {
        match class {
            Class::EndOfTransmission => !self.has_only_arrivals(node),
            Class::Arrival => true,
            Class::Signal => {
                let link = network.ports.of(node)[port as usize].link;
                network.links[link as usize].has_credits()
            }
            Class::Pause => self.pauses,
            Class::Host => network.is_host(node),
            Class::Crossbar => self.has_crossbar(node),
        }
    }
}

fn is_among(nodes: &[bool], node: NodeId) -> bool {
    nodes.get(node as usize).copied().unwrap_or(false)
}

/// Returns the sources of some nodes in the order of their key.
pub fn of_nodes(network: &Network, nodes: &[NodeId], equipment: Equipment<'_>) -> Vec<Source> {
    let mut sources = Vec::new();
    for class in Class::ALL {
        for &node in nodes {
            let ports = if class.is_of_ports() { network.ports.of(node).len() as u32 } else { 1 };
            let ports = (0..ports).filter(|&port| equipment.has(class, node, port, network));
            sources.extend(ports.map(|port| Source { class, node, port }));
        }
    }
    sources
}
