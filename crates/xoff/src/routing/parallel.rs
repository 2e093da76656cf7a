//! Parallel links of shortest paths: for each hop those of which a packet takes one, where load is balanced.
//!
//! Between two edges they are the same for all hosts. They are found when they are first needed, since a run may have
//! millions of flows.

use std::iter::once;
use std::sync::OnceLock;

use super::{Hop, Routes, first_hosts};
use crate::kernel::units::{Rate, Span};
use crate::topology::{Network, NodeId};

/// Links of one hop side by side, at least one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParallelLinks {
    /// Rate of the fastest link.
    pub fastest: Rate,
    /// Delay of the shortest link.
    pub shortest: Span,
    /// Sum of the links' rates; none for a single link.
    pub together: Option<Rate>,
}

impl ParallelLinks {
    fn of(network: &Network, hops: &[Hop]) -> Self {
        let links = || hops.iter().map(|hop| &network.links[hop.link as usize]);
        let rates = || hops.iter().map(|hop| network.links[hop.link as usize].rate_from(hop.node));
        let together = rates().fold(Rate::ZERO, Rate::saturating_add);
        Self {
            fastest: rates().max().unwrap_or_default(),
            shortest: links().map(|link| link.delay).min().unwrap_or_default(),
            together: (hops.len() > 1).then_some(together),
        }
    }
}

/// Parallel links between each two edges of a network.
#[derive(Clone, Debug)]
pub struct ParallelPaths {
    /// First host of each edge.
    hosts: Vec<NodeId>,
    between: Vec<OnceLock<Vec<ParallelLinks>>>,
}

impl ParallelPaths {
    /// Begins with nothing found.
    pub fn new(network: &Network) -> Self {
        let hosts = first_hosts(network);
        let between = vec![OnceLock::new(); hosts.len() * hosts.len()];
        Self { hosts, between }
    }

    /// Returns the links of each hop from one host to another.
    pub fn by_hop(
        &self,
        network: &Network,
        routes: &Routes,
        from: NodeId,
        to: NodeId,
    ) -> impl Iterator<Item = ParallelLinks> {
        let edge = |host: NodeId| network.edges[host as usize] as usize;
        let (here, there) = (edge(from), edge(to));
        let between = self.between[here * self.hosts.len() + there].get_or_init(|| {
            let hops = routes.links_by_hop(network, self.hosts[here], self.hosts[there]);
            // Those of the two hosts are not between.
            let inner = hops.get(1..hops.len().saturating_sub(1)).unwrap_or_default();
            inner.iter().map(|hops| ParallelLinks::of(network, hops)).collect()
        });
        let of_host = |host, rate| {
            let shortest = network.host_link(host).delay;
            once(ParallelLinks { fastest: rate, shortest, together: None })
        };
        let [first, last] =
            [of_host(from, network.rate_from_host(from)), of_host(to, network.rate_to_host(to))];
        first.chain(between.iter().copied()).chain(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{FABRIC_LINK, HOST_LINK, network};

    #[test]
    fn what_is_kept_of_two_edges_is_what_any_two_hosts_there_have_between_them() {
        let network = network(&format!(
            "kind = 'leaf_spine'\nleaves = 3\nspines = 3\nhosts_per_leaf = 2\n{HOST_LINK}\n{FABRIC_LINK}\n\
             links = [{{ between = ['leaf0', 'spine1'], rate = '7Gbps', delay = '9us' }}, \
             {{ between = ['host3', 'leaf1'], rate = '3Gbps' }}]"
        ))
        .unwrap();
        let routes = Routes::new(&network);
        let paths = ParallelPaths::new(&network);
        for (from, to) in (0..6).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(a, b)| a != b) {
            let found: Vec<_> = paths.by_hop(&network, &routes, from, to).collect();
            let hops = routes.links_by_hop(&network, from, to);
            let asked: Vec<_> = hops.iter().map(|hops| ParallelLinks::of(&network, hops)).collect();
            assert_eq!(found, asked, "{from} {to}");
        }
    }
}
