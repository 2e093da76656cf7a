//! Leaf-spine topology: leaves with hosts, each joined to every spine.

use super::plan::{CoreWay, Plan, at_least, carries};
use crate::scenario::{LeafSpine, ScenarioError};

/// Lays out hosts leaf by leaf, then `leaf0..` and `spine0..`.
pub(super) fn plan(clos: &LeafSpine) -> Result<Plan, ScenarioError> {
    at_least("topology.leaves", clos.leaves, 1)?;
    at_least("topology.spines", clos.spines, 1)?;
    at_least("topology.hosts_per_leaf", clos.hosts_per_leaf, 1)?;
    carries("topology.host_link", clos.host_link.rates())?;
    carries("topology.fabric_link", clos.fabric_link.rates())?;
    let hosts = u64::from(clos.leaves) * u64::from(clos.hosts_per_leaf);
    let fabric = u64::from(clos.leaves) * u64::from(clos.spines);
    let mut plan = Plan::with_hosts(hosts, hosts.saturating_add(fabric))?;
    let leaves = plan.add_nodes("leaf", clos.leaves);
    let spines = plan.add_nodes("spine", clos.spines);
    plan.join_hosts(leaves.clone(), clos.hosts_per_leaf, clos.host_link);
    let first = plan.links.len();
    for leaf in leaves {
        for spine in spines.clone() {
            plan.join(leaf, spine, clos.fabric_link);
        }
    }
    plan.core_since(first, CoreWay::Up);
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FABRIC_LINK, HOST_LINK, network, refusal};
    use crate::kernel::units::Rate;

    fn table(leaves: u32, spines: u32, hosts: u32) -> String {
        format!(
            "kind = 'leaf_spine'\nleaves = {leaves}\nspines = {spines}\nhosts_per_leaf = {hosts}\n\
             {HOST_LINK}\n{FABRIC_LINK}"
        )
    }

    #[test]
    fn a_leaf_has_its_hosts_first_and_then_every_spine() {
        let network = network(&table(4, 3, 2)).unwrap();
        let names: Vec<&str> = network.nodes[8..].iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["leaf0", "leaf1", "leaf2", "leaf3", "spine0", "spine1", "spine2"]);
        let peers = |node| network.ports.of(node).iter().map(|port| port.peer).collect::<Vec<_>>();
        assert_eq!(peers(9), [2, 3, 12, 13, 14]);
        assert_eq!(peers(13), [8, 9, 10, 11]);
        assert_eq!(network.racks, [0, 0, 1, 1, 2, 2, 3, 3]);
    }

    #[test]
    fn the_core_is_every_leaf_to_spine_link_one_way() {
        assert_eq!(network(&table(4, 3, 2)).unwrap().core.unwrap().capacity, Rate::from_gbps(12 * 400));
    }

    #[test]
    fn nothing_may_be_missing_or_beyond_all_bounds() {
        assert!(refusal(&table(0, 1, 1)).contains("topology.leaves: is 0"));
        assert!(refusal(&table(1, 0, 1)).contains("topology.spines: is 0"));
        assert!(refusal(&table(1, 1, 0)).contains("topology.hosts_per_leaf: is 0"));
        assert!(refusal(&table(u32::MAX, u32::MAX, u32::MAX)).contains("topology: would have"));
        let many = refusal(&table(40_000, 1, 1));
        assert!(many.contains("40000 switches have hosts; expected at most 32767, with more hosts on each"));
    }
}
