//! Candidates for the longest path of a fabric.
//!
//! The longest path between two edges joins the hosts with the longest links there. So two hosts of each edge suffice,
//! and not every pair of hosts has to be looked at.

use crate::routing::Routes;
use crate::topology::{Network, NodeId};

/// Links from one host to another, and the links back.
pub(super) struct BothWays {
    pub(super) there: Vec<usize>,
    pub(super) back: Vec<usize>,
}

impl BothWays {
    pub(super) fn links(&self) -> impl Iterator<Item = usize> {
        self.there.iter().chain(&self.back).copied()
    }
}

/// Returns the paths between the farthest hosts of every edge, for the hosts that `counts` accepts.
pub(super) fn longest_paths<'a>(
    network: &'a Network,
    routes: &'a Routes,
    counts: impl Fn(NodeId) -> bool,
) -> impl Iterator<Item = BothWays> + 'a {
    let farthest: Vec<NodeId> = farthest_hosts(network).into_iter().filter(|&host| counts(host)).collect();
    let links =
        |from, to| routes.longest_path(network, from, to).iter().map(|hop| hop.link as usize).collect();
    let pairs = (0..farthest.len()).flat_map(move |one| {
        let (from, others) = (farthest[one], farthest[one + 1..].to_vec());
        others.into_iter().filter(move |&to| network.are_joined(from, to)).map(move |to| (from, to))
    });
    pairs.map(move |(one, other)| BothWays { there: links(one, other), back: links(other, one) })
}

/// Returns the two hosts of each edge with the longest links, or its only one. Of equally long links the slowest count.
fn farthest_hosts(network: &Network) -> Vec<NodeId> {
    let mut hosts: Vec<NodeId> = (0..network.hosts).collect();
    let edge = |host: NodeId| network.edges[host as usize];
    let distance = |host: NodeId| {
        let link = network.host_link(host);
        (std::cmp::Reverse(link.delay), link.rate)
    };
    hosts.sort_by_key(|&host| (edge(host), distance(host)));
    let edges = hosts.chunk_by(|&one, &other| edge(one) == edge(other));
    edges.flat_map(|edge| edge.iter().copied().take(2)).collect()
}
