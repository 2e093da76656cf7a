//! Clusters: the nodes that must run together, and the thread that runs them.

use super::SHORTEST_WINDOW;
use super::sources::Class;
use crate::kernel::tournament::MOST_RANKS;
use crate::kernel::units::Span;
use crate::topology::{Network, NodeId};

/// Nodes that run together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cluster {
    /// Nodes in order of their numbers.
    pub(super) nodes: Vec<NodeId>,
    /// Delay of the shortest link into the cluster: no packet sent now from outside can arrive sooner.
    pub(super) lookahead: Span,
}

/// Joins nodes over links shorter than [`SHORTEST_WINDOW`].
/// Takes half that length, and half again, where clusters would otherwise have more sources than a key can name.
pub(super) fn find(network: &Network) -> Vec<Cluster> {
    let mut shortest_window = SHORTEST_WINDOW;
    loop {
        let clusters = joined(network, shortest_window);
        if shortest_window == Span::new(1) || clusters.iter().all(|cluster| cluster.fits(network)) {
            return clusters;
        }
        shortest_window = Span::new(shortest_window.get() / 2).max(Span::new(1));
    }
}

impl Cluster {
    /// Whether a key can name every source that the cluster may have, or the cluster cannot be taken apart.
    fn fits(&self, network: &Network) -> bool {
        let of_node = |&node: &NodeId| {
            let ports = network.ports.of(node);
            let with_credits = ports.iter().filter(|port| network.links[port.link as usize].has_credits());
            let of_ports = 2 * ports.len() + with_credits.count();
            of_ports + Class::ALL.iter().filter(|class| !class.is_of_ports()).count()
        };
        self.nodes.len() == 1 || self.nodes.iter().map(of_node).sum::<usize>() <= MOST_RANKS
    }
}

fn joined(network: &Network, shortest_window: Span) -> Vec<Cluster> {
    let mut leader: Vec<NodeId> = (0..network.nodes.len() as NodeId).collect();
    for link in network.links.iter().filter(|link| link.delay < shortest_window) {
        join(&mut leader, link.ends);
    }
    if let Some(servers) = network.servers {
        // A host tells its adapters at once what to send, and hears at once what has come.
        (0..network.fabric_hosts()).for_each(|host| join(&mut leader, [host, servers.beside(host)]));
    }
    let mut place = vec![u32::MAX; leader.len()];
    let mut clusters: Vec<Cluster> = Vec::new();
    for node in 0..leader.len() as NodeId {
        let leader = find_leader(&mut leader, node);
        if leader == node {
            place[node as usize] = clusters.len() as u32;
            clusters.push(Cluster { nodes: Vec::new(), lookahead: Span::MAX });
        }
        place[node as usize] = place[leader as usize];
        clusters[place[node as usize] as usize].nodes.push(node);
    }
    for link in &network.links {
        let [one, other] = link.ends.map(|end| place[end as usize]);
        if one != other {
            for place in [one, other] {
                let lookahead = &mut clusters[place as usize].lookahead;
                *lookahead = (*lookahead).min(link.delay);
            }
        }
    }
    clusters
}

/// Joins the sets of two nodes. The lower of their leaders leads both.
fn join(leader: &mut [u32], ends: [u32; 2]) {
    let [one, other] = ends.map(|end| find_leader(leader, end));
    leader[one.max(other) as usize] = one.min(other);
}

fn find_leader(leader: &mut [u32], mut node: u32) -> u32 {
    while leader[node as usize] != node {
        leader[node as usize] = leader[leader[node as usize] as usize];
        node = leader[node as usize];
    }
    node
}

/// Divides clusters into two turns, so that no packet goes from a cluster to another of its own turn.
/// Where that cannot be, all clusters have the first turn.
pub(super) fn in_turns(network: &Network, clusters: Vec<Cluster>) -> [Vec<Cluster>; 2] {
    let mut cluster_of = vec![0; network.nodes.len()];
    for (number, cluster) in (0..).zip(&clusters) {
        cluster.nodes.iter().for_each(|&node| cluster_of[node as usize] = number);
    }
    // Every cluster twice, with the first turn and, behind all those, with the second.
    let count = clusters.len() as u32;
    let mut leader: Vec<u32> = (0..2 * count).collect();
    for link in &network.links {
        let [one, other] = link.ends.map(|end| cluster_of[end as usize]);
        if one != other {
            join(&mut leader, [one, other + count]);
            join(&mut leader, [one + count, other]);
        }
    }
    let leaders: Vec<[u32; 2]> =
        (0..count).map(|own| [own, own + count].map(|one| find_leader(&mut leader, one))).collect();
    if leaders.iter().any(|[first, second]| first == second) {
        return [clusters, Vec::new()];
    }
    // The least of each part of the network has the first turn.
    let (first, second): (Vec<_>, Vec<_>) =
        clusters.into_iter().zip(leaders).partition(|(_, [first, second])| first < second);
    [first, second].map(|turn| turn.into_iter().map(|(cluster, _)| cluster).collect())
}

/// Assigns clusters to threads, so that work is even and most packets stay on their thread. Racks stay whole. A switch
/// without hosts goes to the thread of its neighbours nearer to hosts if these share one, and pods stay whole so; the
/// others are dealt out in turn. Any division gives the same results.
pub(super) fn divide(network: &Network, clusters: &[Cluster], threads: usize) -> Vec<usize> {
    let mut rack_of: Vec<Option<u32>> = vec![None; network.nodes.len()];
    for adapter in 0..network.hosts {
        let host = network.servers.map_or(adapter, |servers| servers.host_of(adapter));
        let rack = network.racks[host as usize];
        rack_of[adapter as usize] = Some(rack);
        rack_of[network.attachment(adapter) as usize] = Some(rack);
    }
    let racks = network.racks[..network.fabric_hosts() as usize].iter().max();
    let racks = racks.map_or(1, |last| *last as usize + 1);
    let mut cluster_of = vec![0; network.nodes.len()];
    for (index, cluster) in clusters.iter().enumerate() {
        cluster.nodes.iter().for_each(|&node| cluster_of[node as usize] = index);
    }
    let of_rack = |rack: u32| rack as usize * threads / racks;
    let mut thread_of: Vec<Option<usize>> = clusters
        .iter()
        .map(|cluster| cluster.nodes.iter().find_map(|&node| rack_of[node as usize]).map(of_rack))
        .collect();
    let mut spread = (0..threads).cycle();
    while let Some(first) = thread_of.iter().position(Option::is_none) {
        // Clusters next to those that have a thread, and the thread if all of these have one.
        let mut tier: Vec<(usize, Option<usize>)> = Vec::new();
        for (index, cluster) in clusters.iter().enumerate().filter(|(index, _)| thread_of[*index].is_none()) {
            let ports = cluster.nodes.iter().flat_map(|&node| network.ports.of(node));
            let mut near = ports.filter_map(|port| thread_of[cluster_of[port.peer as usize]]);
            if let Some(thread) = near.next() {
                tier.push((index, near.all(|other| other == thread).then_some(thread)));
            }
        }
        if tier.is_empty() {
            tier.push((first, None));
        }
        for (index, thread) in tier {
            thread_of[index] = thread.or_else(|| spread.next());
        }
    }
    thread_of.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::network;

    fn line(delays: [&str; 3]) -> Network {
        let [first, middle, last] = delays;
        network(&format!(
            "kind = 'custom'\nhosts = ['a', 'b']\nswitches = ['s', 't']\nlinks = [\
             {{ between = ['a', 's'], rate = '1Gbps', delay = '{first}' }}, \
             {{ between = ['s', 't'], rate = '1Gbps', delay = '{middle}' }}, \
             {{ between = ['t', 'b'], rate = '1Gbps', delay = '{last}' }}]"
        ))
        .unwrap()
    }

    fn nodes(network: &Network) -> Vec<Vec<NodeId>> {
        find(network).into_iter().map(|cluster| cluster.nodes).collect()
    }

    #[test]
    fn nodes_on_long_links_stand_alone() {
        let network = line(["1us", "2us", "3us"]);
        assert_eq!(nodes(&network), [[0], [1], [2], [3]]);
        let lookaheads: Vec<Span> = find(&network).iter().map(|cluster| cluster.lookahead).collect();
        assert_eq!(lookaheads, [1, 3, 1, 2].map(Span::from_microseconds));
    }

    #[test]
    fn nodes_on_short_links_run_together() {
        assert_eq!(nodes(&line(["1us", "1ns", "1us"])), [vec![0], vec![1], vec![2, 3]]);
        let network = line(["0ns", "0ns", "0ns"]);
        assert_eq!(nodes(&network), [[0, 1, 2, 3]]);
        assert_eq!(find(&network)[0].lookahead, Span::MAX);
    }

    #[test]
    fn neighbours_never_have_the_same_turn() {
        let turns = |network: &Network| {
            in_turns(network, find(network))
                .map(|turn| turn.into_iter().map(|cluster| cluster.nodes).collect::<Vec<_>>())
        };
        let line = line(["1us", "2us", "3us"]);
        assert_eq!(turns(&line), [vec![vec![0], vec![3]], vec![vec![1], vec![2]]]);
        let short = "kind = 'custom'\nhosts = ['a', 'b']\nswitches = ['s', 't', 'u']\nlinks = [";
        let link =
            |one, other| format!("{{ between = ['{one}', '{other}'], rate = '1Gbps', delay = '1us' }},");
        let ring =
            [("a", "s"), ("b", "t"), ("s", "t"), ("t", "u"), ("u", "s")].map(|(one, other)| link(one, other));
        let ring = network(&format!("{short}{}]", ring.concat())).unwrap();
        assert_eq!(turns(&ring), [vec![vec![0], vec![1], vec![2], vec![3], vec![4]], vec![]]);
    }

    #[test]
    fn clusters_with_too_many_sources_are_taken_apart_where_links_have_a_delay() {
        let tree = |delay: &str| {
            let link = format!("{{ rate = '1Gbps', delay = '{delay}' }}");
            network(&format!("kind = 'fat_tree'\nk = 16\nhost_link = {link}\nfabric_link = {link}")).unwrap()
        };
        let short = tree("100ns");
        assert_eq!(find(&short).len(), short.nodes.len());
        assert_eq!(find(&tree("0ns")).len(), 1);
    }

    #[test]
    fn a_rack_stays_on_one_thread() {
        let network = network(
            "kind = 'leaf_spine'\nleaves = 4\nspines = 2\nhosts_per_leaf = 2\n\
             host_link = { rate = '1Gbps', delay = '1us' }\nfabric_link = { rate = '1Gbps', delay = '1us' }",
        )
        .unwrap();
        let threads = divide(&network, &find(&network), 2);
        assert_eq!(threads, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 0, 1]);
    }

    #[test]
    fn a_pod_stays_on_one_thread() {
        let tree = network(
            "kind = 'fat_tree'\nk = 4\n\
             host_link = { rate = '1Gbps', delay = '1us' }\nfabric_link = { rate = '1Gbps', delay = '1us' }",
        )
        .unwrap();
        let threads = divide(&tree, &find(&tree), 2);
        // 4 hosts, 2 edge and 2 aggregation switches a pod; core switches have neighbours on both threads.
        let crossing = tree.links.iter().filter(|link| {
            let [one, other] = link.ends.map(|node| threads[node as usize]);
            one != other
        });
        assert_eq!(crossing.count(), 8);
    }
}
