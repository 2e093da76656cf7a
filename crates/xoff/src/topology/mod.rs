//! Topologies: from a scenario's `[topology]` to nodes and links.
//! A builder makes a [`Network`]; routing and the simulation read it and never ask which kind it was.

use crate::kernel::units::{Rate, Span};

/// Index of a node: hosts come first, switches after them.
pub type NodeId = u32;

/// A node by name.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its name in scenarios and results.
    pub name: String,
}

/// A full-duplex link.
#[derive(Clone, Copy, Debug)]
pub struct Link {
    /// The two nodes it joins.
    pub ends: [NodeId; 2],
    /// Bits per second in each direction.
    pub rate: Rate,
    /// Propagation, one way.
    pub delay: Span,
}

/// Links whose capacity a load can be a share of, in one direction.
#[derive(Clone, Copy, Debug)]
pub struct Core {
    /// Sum over all core links, one direction.
    pub capacity: Rate,
}

/// Nodes and links, checked: every host has one link, every host can reach every other.
#[derive(Clone, Debug)]
pub struct Network {
    /// All nodes, hosts first.
    pub nodes: Vec<Node>,
    /// How many of them are hosts.
    pub hosts: u32,
    /// All links; a node numbers its ports in this order.
    pub links: Vec<Link>,
    /// The rack of each host.
    pub racks: Vec<u32>,
    /// What `of = "core"` refers to, where the topology has a core.
    pub core: Option<Core>,
    /// Added to every switch's number to seed its ECMP hash.
    pub hash_seed: u32,
}
