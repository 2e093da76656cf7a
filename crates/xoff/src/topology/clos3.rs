//! The three-tier Clos of the DCQCN paper (SIGCOMM 2015, figure 2): pods of ToRs and leaves, joined by spines.

use super::plan::{Plan, at_least, carries};
use crate::scenario::{Clos3, ScenarioError};

/// Lays out hosts ToR by ToR, then `tor0..` and `leaf0..`, both pod by pod, and `spine0..`.
pub(super) fn plan(clos: &Clos3) -> Result<Plan, ScenarioError> {
    let Clos3 { pods, tors_per_pod, leaves_per_pod, spines, hosts_per_tor, .. } = *clos;
    at_least("topology.pods", pods, 1)?;
    at_least("topology.tors_per_pod", tors_per_pod, 1)?;
    at_least("topology.leaves_per_pod", leaves_per_pod, 1)?;
    at_least("topology.spines", spines, 1)?;
    at_least("topology.hosts_per_tor", hosts_per_tor, 1)?;
    let spine_link = clos.spine_link.unwrap_or(clos.fabric_link);
    carries("topology.host_link.rate", clos.host_link.rate)?;
    carries("topology.fabric_link.rate", clos.fabric_link.rate)?;
    carries("topology.spine_link.rate", spine_link.rate)?;
    let product = |factors: [u32; 3]| factors.iter().fold(1, |all: u64, &one| all.saturating_mul(one.into()));
    let hosts = product([pods, tors_per_pod, hosts_per_tor]);
    let in_pods = product([pods, tors_per_pod, leaves_per_pod]);
    let between_pods = product([pods, leaves_per_pod, spines]);
    let mut plan = Plan::with_hosts(hosts, hosts.saturating_add(in_pods).saturating_add(between_pods))?;
    let tors = plan.add_nodes("tor", pods * tors_per_pod);
    let leaves = plan.add_nodes("leaf", pods * leaves_per_pod);
    let spines = plan.add_nodes("spine", spines);
    plan.join_hosts(tors.clone(), hosts_per_tor, clos.host_link);
    let first = plan.links.len();
    for (index, tor) in (0..).zip(tors) {
        let first_leaf = leaves.start + index / tors_per_pod * leaves_per_pod;
        for leaf in first_leaf..first_leaf + leaves_per_pod {
            plan.join(tor, leaf, clos.fabric_link);
        }
    }
    plan.core_since(first, false);
    for leaf in leaves {
        for spine in spines.clone() {
            plan.join(leaf, spine, spine_link);
        }
    }
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FABRIC_LINK, HOST_LINK, network, refusal};
    use super::super::{Network, NodeId};
    use crate::kernel::units::Rate;

    fn table(pods: u32, tors: u32, leaves: u32, spines: u32, hosts: u32) -> String {
        format!(
            "kind = 'clos3'\npods = {pods}\ntors_per_pod = {tors}\nleaves_per_pod = {leaves}\nspines = {spines}\n\
             hosts_per_tor = {hosts}\n{HOST_LINK}\n{FABRIC_LINK}"
        )
    }

    fn peers<'a>(network: &'a Network, name: &str) -> Vec<&'a str> {
        let name_of = |node: NodeId| network.nodes[node as usize].name.as_str();
        let node = network.names().find(name).unwrap();
        network.ports.of(node).iter().map(|port| name_of(port.peer)).collect()
    }

    #[test]
    fn the_papers_testbed_is_two_pods_joined_by_two_spines() {
        let network = network(&table(2, 2, 2, 2, 2)).unwrap();
        assert_eq!(peers(&network, "tor1"), ["host2", "host3", "leaf0", "leaf1"]);
        assert_eq!(peers(&network, "tor3"), ["host6", "host7", "leaf2", "leaf3"]);
        assert_eq!(peers(&network, "leaf2"), ["tor2", "tor3", "spine0", "spine1"]);
        assert_eq!(peers(&network, "spine1"), ["leaf0", "leaf1", "leaf2", "leaf3"]);
        assert_eq!(network.racks, [0, 0, 1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn tiers_of_unequal_sizes_keep_to_their_pods() {
        let network = network(&table(3, 1, 2, 4, 1)).unwrap();
        assert_eq!(peers(&network, "tor2"), ["host2", "leaf4", "leaf5"]);
        assert_eq!(peers(&network, "leaf3"), ["tor1", "spine0", "spine1", "spine2", "spine3"]);
    }

    #[test]
    fn the_core_is_every_tor_to_leaf_link_one_way() {
        assert_eq!(network(&table(2, 2, 2, 2, 2)).unwrap().core.unwrap().capacity, Rate::from_gbps(8 * 400));
    }

    #[test]
    fn links_of_spines_may_differ() {
        let faster = "spine_link = { rate = '800Gbps', delay = '1us' }";
        let network = network(&format!("{}\n{faster}", table(2, 2, 2, 2, 1))).unwrap();
        let rates: Vec<Rate> = network.links.iter().map(|link| link.rate).collect();
        let of = |gbps, count| vec![Rate::from_gbps(gbps); count];
        assert_eq!(rates, [of(100, 4), of(400, 8), of(800, 8)].concat());
    }

    #[test]
    fn nothing_may_be_missing_or_beyond_all_bounds() {
        assert!(refusal(&table(0, 1, 1, 1, 1)).contains("topology.pods: is 0"));
        assert!(refusal(&table(1, 0, 1, 1, 1)).contains("topology.tors_per_pod: is 0"));
        assert!(refusal(&table(1, 1, 0, 1, 1)).contains("topology.leaves_per_pod: is 0"));
        assert!(refusal(&table(1, 1, 1, 0, 1)).contains("topology.spines: is 0"));
        assert!(refusal(&table(1, 1, 1, 1, 0)).contains("topology.hosts_per_tor: is 0"));
        assert!(refusal(&table(u32::MAX, u32::MAX, u32::MAX, 1, 1)).contains("topology: would have"));
        let stopped = "spine_link = { rate = '0bps', delay = '1us' }";
        let refused = refusal(&format!("{}\n{stopped}", table(1, 1, 1, 1, 1)));
        assert!(refused.contains("topology.spine_link.rate: is zero"), "{refused}");
    }
}
