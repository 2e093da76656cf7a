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
    /// A packet arrives over a link.
    Arrival,
    /// Something a host does by itself is due: in this order a packet has crossed its delay towards the transport, or
    /// towards the adapter, a flow starts, a timer may expire.
    Host,
}

impl Class {
    /// All classes in their order.
    pub const ALL: [Self; 4] = [Self::EndOfTransmission, Self::Pause, Self::Arrival, Self::Host];

    /// Whether every port has a source of this class, rather than every node or host one.
    pub const fn is_of_ports(self) -> bool {
        matches!(self, Self::EndOfTransmission | Self::Arrival)
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

/// The sources of some nodes in the order of their key; `pauses` tells whether any port may be paused.
pub fn of_nodes(network: &Network, nodes: &[NodeId], pauses: bool) -> Vec<Source> {
    let mut sources = Vec::new();
    for class in Class::ALL {
        for &node in nodes {
            if class.is_of_ports() {
                let ports = network.ports.of(node).len() as u16;
                sources.extend((0..ports).map(|port| Source { class, node, port }));
            } else if (class == Class::Pause && pauses) || (class == Class::Host && network.is_host(node)) {
                sources.push(Source { class, node, port: 0 });
            }
        }
    }
    sources
}
