//! k-ary fat tree of Al-Fares, Loukissas and Vahdat (SIGCOMM 2008), all of it or some pods.

use std::ops::Range;

use super::NodeId;
use super::plan::{CoreWay, Plan, at_least, carries};
use crate::scenario::{FatTree, ScenarioError};

/// Lays out pods one after another. Spine j of every pod is joined to the same k/2 cores.
pub(super) fn plan(tree: &FatTree) -> Result<Plan, ScenarioError> {
    at_least("topology.k", tree.k, 2)?;
    if !tree.k.is_multiple_of(2) {
        return Err(ScenarioError::at("topology.k", format!("{} is odd", tree.k), "expected an even number"));
    }
    carries("topology.host_link", tree.host_link.rates())?;
    carries("topology.fabric_link", tree.fabric_link.rates())?;
    let half = tree.k / 2;
    let (pods, per_leaf) = (tree.pods.unwrap_or(tree.k), tree.hosts_per_leaf.unwrap_or(half));
    at_least("topology.pods", pods, 1)?;
    at_least("topology.hosts_per_leaf", per_leaf, 1)?;
    if pods > tree.k {
        let problem = format!("{pods} are more than the {} for which cores have ports", tree.k);
        return Err(ScenarioError::at("topology.pods", problem, "expected at most k"));
    }
    let leaves = u64::from(pods).saturating_mul(half.into());
    let hosts = leaves.saturating_mul(per_leaf.into());
    let between_switches = leaves.saturating_mul(half.into()).saturating_mul(2);
    let mut plan = Plan::with_hosts(hosts, hosts.saturating_add(between_switches))?;
    let leaves = plan.add_nodes("leaf", pods * half);
    let spines = plan.add_nodes("spine", pods * half);
    let cores = plan.add_nodes("core", half * half);
    plan.join_hosts(leaves.clone(), per_leaf, tree.host_link);
    let first = plan.links.len();
    join_tiers(&mut plan, tree, leaves, |leaf| spines.start + leaf / half * half);
    plan.core_since(first, CoreWay::Up);
    join_tiers(&mut plan, tree, spines.clone(), |spine| cores.start + spine % half * half);
    Ok(plan)
}

/// Joins every switch of a tier to k/2 neighbours above, beginning with the one that `first_above` gives for its index.
fn join_tiers(plan: &mut Plan, tree: &FatTree, tier: Range<NodeId>, first_above: impl Fn(u32) -> NodeId) {
    for (index, switch) in (0..).zip(tier) {
        let above = first_above(index);
        for neighbour in above..above + tree.k / 2 {
            plan.join(switch, neighbour, tree.fabric_link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FABRIC_LINK, HOST_LINK, network, refusal};
    use crate::kernel::units::Rate;

    fn table(k: u32) -> String {
        format!("kind = 'fat_tree'\nk = {k}\n{HOST_LINK}\n{FABRIC_LINK}")
    }

    #[test]
    fn every_switch_has_k_ports_and_every_tier_its_size() {
        for k in [2, 4, 6, 8] {
            let network = network(&table(k)).unwrap();
            let hosts = k * k * k / 4;
            assert_eq!(network.hosts, hosts);
            assert_eq!(network.nodes.len() as u32, hosts + k * k + k * k / 4);
            assert!(
                (hosts..hosts + k * k + k * k / 4).all(|switch| network.ports.of(switch).len() as u32 == k)
            );
            assert_eq!(network.core.unwrap().capacity, Rate::from_gbps(400) * u64::from(hosts));
        }
    }

    #[test]
    fn a_core_meets_every_pod_once() {
        let network = network(&table(4)).unwrap();
        let core3 = network.names().find("core3").unwrap();
        let spines: Vec<&str> = network
            .ports
            .of(core3)
            .iter()
            .map(|port| network.nodes[port.peer as usize].name.as_str())
            .collect();
        assert_eq!(spines, ["spine1", "spine3", "spine5", "spine7"]);
    }

    /// HPCC's fat tree (SIGCOMM 2019): five pods of four leaves and spines, sixteen cores, sixteen hosts on each leaf.
    #[test]
    fn there_may_be_fewer_pods_and_more_hosts() {
        let network = network(&format!("{}\npods = 5\nhosts_per_leaf = 16", table(8))).unwrap();
        assert_eq!(network.hosts, 320);
        let ports = |name: &str| network.ports.of(network.names().find(name).unwrap()).len();
        assert_eq!(["leaf19", "spine19", "core15"].map(ports), [20, 8, 5]);
        assert_eq!(network.nodes.len(), 320 + 20 + 20 + 16);
        assert_eq!(network.core.unwrap().capacity, Rate::from_gbps(400) * (20 * 4));
        assert_eq!(network.racks[319], 19);
    }

    #[test]
    fn more_pods_than_cores_have_ports_for_are_refused() {
        assert!(refusal(&format!("{}\npods = 9", table(8))).contains("topology.pods: 9 are more than the 8"));
        assert!(refusal(&format!("{}\npods = 0", table(8))).contains("topology.pods: is 0"));
        assert!(
            refusal(&format!("{}\nhosts_per_leaf = 0", table(8))).contains("topology.hosts_per_leaf: is 0")
        );
    }

    #[test]
    fn an_odd_or_endless_k_is_refused() {
        assert!(refusal(&table(5)).contains("topology.k: 5 is odd"));
        assert!(refusal(&table(0)).contains("topology.k: is 0"));
        assert!(refusal(&table(4_000_000_000)).contains("topology: would have"));
    }
}
