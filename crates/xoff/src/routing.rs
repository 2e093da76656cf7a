//! Routing: the port by which each switch reaches each host.
//!
//! Tables are computed once, by hop count or by the scenario's routes. Destinations are grouped by edge, the switch
//! they are attached to, so that one search per edge suffices. Among next hops of equal cost the hash of a packet's
//! five-tuple decides (ECMP), the same for every packet of a flow. A switch that balances load decides otherwise
//! (`load_balancing/`).

mod by_hand;
mod ecmp;
mod lengths;
mod load_balancing;
mod parallel;
mod shortest;
mod table;

use std::collections::BTreeSet;
use std::sync::Arc;

pub use ecmp::{FiveTuple, SharedTuples};
pub use lengths::Lengths;
pub use load_balancing::{Load, LoadBalancer};
pub use parallel::{ParallelLinks, ParallelPaths};
pub use table::SwitchRoutes;

use crate::topology::{Network, NodeId};
use shortest::SwitchGraph;
use table::Attachment;

/// Forwarding tables of all switches.
#[derive(Clone, Debug)]
pub struct Routes {
    hosts: u32,
    switches: Vec<SwitchRoutes>,
    /// Whether routes by hand may make paths between two hosts differ in length.
    any_by_hand: bool,
}

/// Link of a path, from the node that sends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop {
    /// Node that sends.
    pub node: NodeId,
    /// Number of the node's port.
    pub port: u32,
    /// Index of the link.
    pub link: u32,
}

impl Routes {
    /// Finds all shortest paths.
    pub fn new(network: &Network) -> Self {
        Self::find(network, |_, _| Vec::new())
    }

    /// Finds the shortest paths again, once links of the network have failed or come back.
    ///
    /// A switch that can no longer reach an edge keeps sending as before, until the packets meet a failed link.
    #[must_use]
    pub fn after(&self, network: &Network) -> Self {
        Self::find(network, |switch, host| self.table(switch).equal_cost_ports(host).to_vec())
    }

    /// Finds all shortest paths. For a switch and a host with no path between them, `otherwise` returns the ports to
    /// use.
    fn find(network: &Network, otherwise: impl Fn(NodeId, NodeId) -> Vec<u32>) -> Self {
        let mut graph = SwitchGraph::new(network);
        let attachments: Arc<[Attachment]> =
            (0..network.hosts).map(|host| attachment(network, host)).collect();
        let hosts = first_hosts(network);
        let mut switches: Vec<SwitchRoutes> = (network.hosts..network.nodes.len() as NodeId)
            .map(|switch| {
                let seed = network.hash_seeds[(switch - network.hosts) as usize];
                let ports = network.ports.of(switch).len();
                SwitchRoutes::new(Arc::clone(&attachments), hosts.len(), ports, seed)
            })
            .collect();
        let roots = roots(network, &hosts);
        let first_twins = graph.first_twins(&roots);
        // Of twins only the first is searched from, if the search reaches all.
        let mut twins = Vec::new();
        let mut reaches_all = vec![false; hosts.len()];
        for (edge, host) in hosts.into_iter().enumerate() {
            let first = first_twins[edge];
            if first != edge && reaches_all[first] {
                twins.push((first, edge));
                continue;
            }
            graph.search(roots[edge], |switch, ports| switches[switch as usize].set(edge, ports));
            reaches_all[edge] = graph.unreached().next().is_none();
            for switch in graph.unreached() {
                switches[switch as usize].set(edge, &otherwise(switch + network.hosts, host));
            }
        }
        for table in &mut switches {
            for &(first, edge) in &twins {
                table.copy(first, edge);
            }
        }
        for (first, edge) in twins {
            let set = |switch: u32, ports: &[u32]| switches[switch as usize].set(edge, ports);
            graph.visit_beside_twin(roots[edge], roots[first], set);
            switches[roots[edge] as usize].set_local(edge);
        }
        Self { hosts: network.hosts, switches, any_by_hand: false }
    }

    /// Table of one switch.
    #[inline]
    pub fn table(&self, switch: NodeId) -> &SwitchRoutes {
        &self.switches[(switch - self.hosts) as usize]
    }

    /// Whether any switch has several next hops towards some host.
    pub fn have_choices(&self) -> bool {
        self.switches.iter().any(SwitchRoutes::has_choices)
    }

    /// Lists the links that packets may cross, hop by hop along the shortest paths.
    pub fn links_by_hop(&self, network: &Network, source: NodeId, destination: NodeId) -> Vec<Vec<Hop>> {
        let (mut nodes, mut hops) = (BTreeSet::from([source]), Vec::new());
        while !nodes.contains(&destination) {
            let links = |&node: &NodeId| {
                let ports =
                    if network.is_host(node) { &[0] } else { self.table(node).equal_cost_ports(destination) };
                ports.iter().map(move |&port| {
                    let connection = network.ports.of(node)[port as usize];
                    (connection.peer, Hop { node, port, link: connection.link })
                })
            };
            let mut hop: Vec<(NodeId, Hop)> = nodes.iter().flat_map(links).collect();
            if hop.iter().any(|(peer, _)| *peer == destination) {
                hop.retain(|(peer, _)| *peer == destination);
            }
            nodes = hop.iter().map(|(peer, _)| *peer).collect();
            hops.push(hop.into_iter().map(|(_, hop)| hop).collect());
        }
        hops
    }

    /// Returns the links that a packet with this five-tuple crosses, in order.
    pub fn path<'a>(
        &'a self,
        network: &'a Network,
        source: NodeId,
        destination: NodeId,
        tuple: FiveTuple,
    ) -> impl Iterator<Item = Hop> + 'a {
        let mut node = source;
        std::iter::from_fn(move || {
            if node == destination {
                return None;
            }
            let port = if network.is_host(node) { 0 } else { self.table(node).port(destination, || tuple) };
            let connection = network.ports.of(node)[port as usize];
            let hop = Hop { node, port, link: connection.link };
            node = connection.peer;
            Some(hop)
        })
    }
}

fn attachment(network: &Network, host: NodeId) -> Attachment {
    let port = network.ports.of(host)[0].peer_port;
    Attachment { edge: network.edges[host as usize] as u16, port }
}

/// Returns the first host of every edge.
fn first_hosts(network: &Network) -> Vec<NodeId> {
    let edges = network.edges.iter().max().map_or(0, |last| last + 1);
    let mut hosts = vec![0; edges as usize];
    for host in (0..network.hosts).rev() {
        hosts[network.edges[host as usize] as usize] = host;
    }
    hosts
}

/// Returns the switch of every edge, numbered from zero, by its first host.
fn roots(network: &Network, first_hosts: &[NodeId]) -> Vec<u32> {
    first_hosts.iter().map(|&host| network.attachment(host) - network.hosts).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{FABRIC_LINK, HOST_LINK, network};
    use proptest::prelude::*;

    fn fat_tree(k: u32) -> Network {
        network(&format!("kind = 'fat_tree'\nk = {k}\n{HOST_LINK}\n{FABRIC_LINK}")).unwrap()
    }

    fn path(network: &Network, routes: &Routes, from: NodeId, to: NodeId, flow: u32) -> Vec<Hop> {
        let tuple = FiveTuple::of_flow(from, to, flow);
        routes.path(network, from, to, tuple).take(network.nodes.len()).collect()
    }

    #[test]
    fn paths_in_a_fat_tree_have_two_four_or_six_links() {
        let network = fat_tree(4);
        let routes = Routes::new(&network);
        let length = |to| path(&network, &routes, 0, to, 0).len();
        assert_eq!([1, 2, 3, 4, 15].map(length), [2, 4, 4, 6, 6]);
    }

    /// The deadlock fabric of DSH (figure 16): packets from leaf 0 to leaf 3 bounce off another leaf.
    #[test]
    fn paths_go_round_failed_links() {
        let network = network(&format!(
            "kind = 'leaf_spine'\nleaves = 4\nspines = 2\nhosts_per_leaf = 1\n{HOST_LINK}\n{FABRIC_LINK}\n\
             failed_links = [['spine0', 'leaf3'], ['spine1', 'leaf0']]"
        ))
        .unwrap();
        let routes = Routes::new(&network);
        let through = |from, to| {
            let hops = (0..64).flat_map(|flow| path(&network, &routes, from, to, flow));
            let names = hops.map(|hop| network.nodes[hop.node as usize].name.as_str());
            names.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(through(0, 3), "host0 leaf0 leaf1 leaf2 leaf3 spine0 spine1");
        assert_eq!(through(1, 2), "host1 leaf1 leaf2 spine0 spine1");
        assert_eq!(through(0, 1), "host0 leaf0 leaf1 spine0");
        assert!((0..64).all(|flow| path(&network, &routes, 0, 3, flow).len() == 6));
    }

    /// A switch that no longer reaches a host uses its routes from before the failures, and its packets get as far as
    /// the failed link.
    #[test]
    fn what_nobody_reaches_goes_as_it_went() {
        let mut network = network(&format!(
            "kind = 'leaf_spine'\nleaves = 3\nspines = 2\nhosts_per_leaf = 1\n{HOST_LINK}\n{FABRIC_LINK}"
        ))
        .unwrap();
        let intact = Routes::new(&network);
        let [leaf0, leaf1, leaf2, spine0, spine1] =
            ["leaf0", "leaf1", "leaf2", "spine0", "spine1"].map(|name| network.names().find(name).unwrap());
        let fail = |network: &mut Network, one, other| {
            let is_it =
                |link: &&mut crate::topology::Link| link.ends.contains(&one) && link.ends.contains(&other);
            network.links.iter_mut().find(is_it).unwrap().failed = true;
        };
        fail(&mut network, leaf0, spine0);
        let routes = intact.after(&network);
        let peers = |routes: &Routes, switch: NodeId, host| {
            let ports = routes.table(switch).equal_cost_ports(host);
            ports.iter().map(|&port| network.ports.of(switch)[port as usize].peer).collect::<Vec<_>>()
        };
        assert_eq!(peers(&routes, leaf1, 0), [spine1]);
        assert_eq!(peers(&routes, leaf1, 2), [spine0, spine1]);
        assert_eq!(peers(&routes, spine0, 0), [leaf1, leaf2], "round the link that failed");

        let mut cut_off = network.clone();
        fail(&mut cut_off, leaf0, spine1);
        let routes = intact.after(&cut_off);
        assert_eq!(peers(&routes, leaf1, 0), [spine0, spine1]);
        assert_eq!(peers(&routes, spine0, 0), [leaf0], "into the link that failed");
        assert_eq!(peers(&routes, leaf0, 1), [spine0, spine1]);
        assert_eq!(peers(&routes, leaf1, 2), [spine0, spine1]);
    }

    #[test]
    fn next_hops_are_ordered_by_node() {
        let network = fat_tree(8);
        let routes = Routes::new(&network);
        let leaf = network.attachment(0);
        let peers: Vec<NodeId> = (routes.table(leaf).equal_cost_ports(127).iter())
            .map(|&port| network.ports.of(leaf)[port as usize].peer)
            .collect();
        let spine0 = network.names().find("spine0").unwrap();
        assert_eq!(peers, (spine0..spine0 + 4).collect::<Vec<_>>());
    }

    #[test]
    fn a_switch_hashes_with_the_scenario_s_seed_plus_its_own_number() {
        let table = format!(
            "kind = 'leaf_spine'\nleaves = 2\nspines = 16\nhosts_per_leaf = 1\nhash_seed = 5\n\
             {HOST_LINK}\n{FABRIC_LINK}"
        );
        let network = network(&table).unwrap();
        let tuple = FiveTuple::of_flow(0, 1, 0);
        // Leaf 0 is node 2: seed 7, with which the hash is 0xd4126565 (as in `ecmp.rs`). Port 0 is the host.
        assert_eq!(Routes::new(&network).table(2).port(1, || tuple), 1 + 5);
    }

    /// Among two next hops at the edge and two above it, the second choice is the same as the first.
    #[test]
    fn switches_with_the_same_seed_leave_half_of_the_cores_unused() {
        let cores = |network: &Network| {
            let routes = Routes::new(network);
            let of_flow = |flow| path(network, &routes, 0, 15, flow)[3].node;
            (0..64).map(of_flow).collect::<BTreeSet<_>>().len()
        };
        assert_eq!(cores(&fat_tree(4)), 4);
        assert_eq!(cores(&fat_tree(4).with_hash_seeds(|_| Some(7))), 2);
        assert_eq!(cores(&fat_tree(4).with_hash_seeds(|switch| switch.starts_with("leaf").then_some(7))), 4);
    }

    #[test]
    fn flows_spread_over_all_equal_paths() {
        let network = fat_tree(4);
        let routes = Routes::new(&network);
        let mut cores: Vec<NodeId> =
            (0..200).map(|flow| path(&network, &routes, 0, 15, flow)[3].node).collect();
        cores.sort_unstable();
        cores.dedup();
        assert_eq!(cores.len(), 4);
    }

    /// Leaves that have the same spines are searched from once, whatever links they have there.
    #[test]
    fn routes_towards_twins_are_those_of_a_search_from_each() {
        let network = network(&format!(
            "kind = 'custom'\nhosts = ['a', 'b', 'c', 'd']\nswitches = ['s', 't', 'u', 'v', 'w']\nlinks = [{}]",
            ["at", "bs", "cu", "dv", "sv", "sw", "wt", "tv", "tv", "uw", "uv", "vt"]
                .map(|ends| {
                    let (one, other) = ends.split_at(1);
                    format!("{{ between = ['{one}', '{other}'], rate = '1Gbps', delay = '1us' }}")
                })
                .join(", ")
        ))
        .unwrap();
        let routes = Routes::new(&network);
        let peers = |switch: &str, host: &str| {
            let [switch, host] = [switch, host].map(|name| network.names().find(name).unwrap());
            let ports = routes.table(switch).equal_cost_ports(host).iter();
            let name = |&port: &u32| {
                network.nodes[network.ports.of(switch)[port as usize].peer as usize].name.as_str()
            };
            ports.map(name).collect::<Vec<_>>().concat()
        };
        assert_eq!(["s", "t", "u", "v", "w"].map(|switch| peers(switch, "b")), ["b", "vvvw", "vw", "s", "s"]);
        assert_eq!(["s", "t", "u", "v", "w"].map(|switch| peers(switch, "c")), ["vw", "vvvw", "c", "u", "u"]);
        assert_eq!(["s", "t", "u", "v", "w"].map(|switch| peers(switch, "a")), ["vw", "a", "vw", "ttt", "t"]);
    }

    /// Draws a random tree of switches with extra links, and hosts on random switches.
    fn random_network() -> impl Strategy<Value = Network> {
        let switches = proptest::collection::vec(any::<prop::sample::Index>(), 0..12);
        let extra = proptest::collection::vec(any::<[prop::sample::Index; 2]>(), 0..8);
        let hosts = proptest::collection::vec(any::<prop::sample::Index>(), 2..12);
        (switches, extra, hosts).prop_map(|(parents, extra, hosts)| {
            let switches = parents.len() + 1;
            let mut pairs: Vec<(String, String)> =
                (1..).zip(&parents).map(|(child, parent)| (name(child), name(parent.index(child)))).collect();
            pairs.extend(
                extra
                    .iter()
                    .map(|ends| ends.map(|end| end.index(switches)))
                    .filter(|[one, other]| one != other)
                    .map(|[one, other]| (name(one), name(other))),
            );
            pairs.extend(
                (0..)
                    .zip(&hosts)
                    .map(|(host, on): (usize, _)| (format!("h{host}"), name(on.index(switches)))),
            );
            let links: Vec<String> = (pairs.iter())
                .map(|(one, other)| {
                    format!("{{ between = ['{one}', '{other}'], rate = '1Gbps', delay = '1us' }}")
                })
                .collect();
            let host_names: Vec<String> = (0..hosts.len()).map(|host| format!("h{host}")).collect();
            let switch_names: Vec<String> = (0..switches).map(name).collect();
            network(&format!(
                "kind = 'custom'\nhosts = {host_names:?}\nswitches = {switch_names:?}\nlinks = [{}]",
                links.join(", ")
            ))
            .unwrap()
        })
    }

    fn name(switch: usize) -> String {
        format!("s{switch}")
    }

    /// Counts the hops from every node to one host, without the tables.
    fn distances(network: &Network, to: NodeId) -> Vec<u32> {
        let mut distances = vec![u32::MAX; network.nodes.len()];
        distances[to as usize] = 0;
        for _ in 0..network.nodes.len() {
            for link in &network.links {
                let [one, other] = link.ends.map(|end| end as usize);
                distances[one] = distances[one].min(distances[other].saturating_add(1));
                distances[other] = distances[other].min(distances[one].saturating_add(1));
            }
        }
        distances
    }

    proptest! {
        #![proptest_config(crate::cases::cases(256))]

        #[test]
        fn every_host_reaches_every_other_by_a_shortest_path(
            network in random_network(),
            flow in 0_u32..1000,
        ) {
            let routes = Routes::new(&network);
            for to in 0..network.hosts {
                let distances = distances(&network, to);
                for from in (0..network.hosts).filter(|&from| from != to) {
                    let path = path(&network, &routes, from, to, flow);
                    prop_assert_eq!(path.len() as u32, distances[from as usize]);
                }
            }
        }

        #[test]
        fn next_hops_are_exactly_the_ports_that_come_closer(network in random_network()) {
            let routes = Routes::new(&network);
            for to in 0..network.hosts {
                let distances = distances(&network, to);
                for switch in network.hosts..network.nodes.len() as NodeId {
                    let mut ports = routes.table(switch).equal_cost_ports(to).to_vec();
                    ports.sort_unstable();
                    let closer: Vec<u32> = (0..).zip(network.ports.of(switch))
                        .filter(|(_, port)| distances[port.peer as usize] < distances[switch as usize])
                        .map(|(number, _)| number)
                        .collect();
                    prop_assert_eq!(ports, closer);
                }
            }
        }
    }
}
