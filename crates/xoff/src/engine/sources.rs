//! The sources of events of a cluster, in the order in which simultaneous events run.

use crate::topology::{Network, NodeId};

/// Classes of simultaneous events, the earlier class first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Class {
    /// A transmission has ended.
    EndOfTransmission,
    /// A pause frame takes effect, a pause is over or is to be said again.
    Pause,
    /// A message besides all packets arrives over a link with credits.
    Signal,
    /// A packet arrives over a link.
    Arrival,
    /// Something a host does by itself is due: in this order a packet has crossed its delay towards the transport, or
    /// towards the adapter, a flow starts, a timer may expire.
    Host,
    /// Frames have crossed a crossbar, or others may begin to: after all else, so that whoever has come is matched with the rest.
    Crossbar,
}

impl Class {
    /// All classes in their order.
    pub const ALL: [Self; 6] =
        [Self::EndOfTransmission, Self::Pause, Self::Signal, Self::Arrival, Self::Host, Self::Crossbar];

    /// Whether every port has a source of this class, rather than every node or host one.
    pub const fn is_of_ports(self) -> bool {
        matches!(self, Self::EndOfTransmission | Self::Signal | Self::Arrival)
    }
}

/// One source of events: a class at a node, and at a port where the class is of ports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// What happens.
    pub class: Class,
    /// Where.
    pub node: NodeId,
    /// At which port; 0 for what hosts do by themselves.
    pub port: u16,
}

/// What only some networks have sources for.
#[derive(Clone, Copy, Debug)]
pub struct Equipment<'a> {
    /// Whether any port may be paused.
    pub pauses: bool,
    /// Which nodes have a crossbar, by number; beyond the end none has.
    pub crossbars: &'a [bool],
    /// Likewise those where no end of a transmission is an event.
    pub only_arrivals: &'a [bool],
}

impl Equipment<'_> {
    /// Whether nothing happens at a node but that packets arrive.
    pub(super) fn has_only_arrivals(self, node: NodeId) -> bool {
        is_among(self.only_arrivals, node)
    }

    /// Whether a node is a switch with a crossbar.
    pub(super) fn has_crossbar(self, node: NodeId) -> bool {
        is_among(self.crossbars, node)
    }

    fn has(self, class: Class, node: NodeId, port: u16, network: &Network) -> bool {
        match class {
            Class::EndOfTransmission => !self.has_only_arrivals(node),
            Class::Arrival => true,
            Class::Signal => {
                let link = network.ports.of(node)[usize::from(port)].link;
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

/// The sources of some nodes in the order of their key.
pub fn of_nodes(network: &Network, nodes: &[NodeId], equipment: Equipment<'_>) -> Vec<Source> {
    let mut sources = Vec::new();
    for class in Class::ALL {
        for &node in nodes {
            let ports = if class.is_of_ports() { network.ports.of(node).len() as u16 } else { 1 };
            let ports = (0..ports).filter(|&port| equipment.has(class, node, port, network));
            sources.extend(ports.map(|port| Source { class, node, port }));
        }
    }
    sources
}
