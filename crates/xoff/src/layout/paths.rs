//! Candidates for the longest path of a fabric.
//!
//! The longest path between two edges joins the hosts with the longest links there. So two hosts of each edge suffice,
//! and not every pair of hosts has to be looked at.

use std::cmp::Reverse;

use crate::kernel::units::Rate;
use crate::routing::{Hop, Routes};
use crate::topology::{Link, Network, NodeId};

/// Hops from one host to another, and the hops back.
pub(super) struct BothWays {
    pub(super) there: Vec<Hop>,
    pub(super) back: Vec<Hop>,
}

impl BothWays {
    pub(super) fn hops(&self) -> impl Iterator<Item = &Hop> {
        self.there.iter().chain(&self.back)
    }

    fn reversed(&self) -> Self {
        Self { there: self.back.clone(), back: self.there.clone() }
    }
}

/// Returns the paths between the farthest hosts of every edge, for the hosts that `counts` accepts.
pub(super) fn longest_paths<'a>(
    network: &'a Network,
    routes: &'a Routes,
    counts: impl Fn(NodeId) -> bool,
) -> impl Iterator<Item = BothWays> + 'a {
    let farthest: Vec<NodeId> = farthest_hosts(network).into_iter().filter(|&host| counts(host)).collect();
    let is_asymmetric = network.links.iter().any(Link::is_asymmetric);
    let pairs = (0..farthest.len()).flat_map(move |one| {
        let (from, others) = (farthest[one], farthest[one + 1..].to_vec());
        others.into_iter().filter(move |&to| network.are_joined(from, to)).map(move |to| (from, to))
    });
    pairs.flat_map(move |(one, other)| {
        let there = routes.longest_path(network, one, other);
        let paths = BothWays { there, back: routes.longest_path(network, other, one) };
        // With different rates each way, it matters who sends.
        let reversed = is_asymmetric.then(|| paths.reversed());
        [paths].into_iter().chain(reversed)
    })
}

/// Returns the two hosts of each edge with the longest links, or its only one. Of equally long links the slowest count,
/// in either direction.
fn farthest_hosts(network: &Network) -> Vec<NodeId> {
    let edge = |host: NodeId| network.edges[host as usize];
    let by_rate = |rate_of: &dyn Fn(NodeId) -> Rate| {
        let mut hosts: Vec<NodeId> = (0..network.hosts).collect();
        let distance = |host: NodeId| (Reverse(network.host_link(host).delay), rate_of(host));
        hosts.sort_by_key(|&host| (edge(host), distance(host)));
        let edges = hosts.chunk_by(|&one, &other| edge(one) == edge(other));
        edges.flat_map(|edge| edge.iter().copied().take(2)).collect::<Vec<NodeId>>()
    };
    let mut farthest = by_rate(&|host| network.rate_from_host(host));
    if (0..network.hosts).any(|host| network.host_link(host).is_asymmetric()) {
        farthest.extend(by_rate(&|host| network.rate_to_host(host)));
        farthest.sort_unstable();
        farthest.dedup();
    }
    farthest
}
