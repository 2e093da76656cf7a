//! Three-tier Clos: pods of `ToRs` and leaves, under spines that join the pods, as in the testbed of DCQCN (SIGCOMM
//! 2015, figure 2).

use super::plan::{CoreWay, Plan, at_least, carries};
use crate::scenario::{Clos3, ScenarioError};

/// Lays out hosts `ToR` by `ToR`, then `tor0..`, `leaf0..` and `spine0..`, pod by pod.
pub(super) fn plan(clos: &Clos3) -> Result<Plan, ScenarioError> {
    at_least("topology.pods", clos.pods, 1)?;
    at_least("topology.tors_per_pod", clos.tors_per_pod, 1)?;
    at_least("topology.leaves_per_pod", clos.leaves_per_pod, 1)?;
    at_least("topology.spines", clos.spines, 1)?;
    at_least("topology.hosts_per_tor", clos.hosts_per_tor, 1)?;
    let spine_link = clos.spine_link.unwrap_or(clos.fabric_link);
    carries("topology.host_link", clos.host_link.rates())?;
    carries("topology.fabric_link", clos.fabric_link.rates())?;
    carries("topology.spine_link", spine_link.rates())?;
    let [pods, tors_per_pod, leaves_per_pod, spines, hosts_per_tor] =
        [clos.pods, clos.tors_per_pod, clos.leaves_per_pod, clos.spines, clos.hosts_per_tor].map(u64::from);
    let tors = pods.saturating_mul(tors_per_pod);
    let hosts = tors.saturating_mul(hosts_per_tor);
    let leaves = pods.saturating_mul(leaves_per_pod);
    let links = [tors.saturating_mul(leaves_per_pod), leaves.saturating_mul(spines)];
    let mut plan =
        Plan::with_hosts(hosts, links.iter().fold(hosts, |sum, &links| sum.saturating_add(links)))?;
    let tors = plan.add_nodes("tor", tors as u32);
    let leaves = plan.add_nodes("leaf", leaves as u32);
    let spines = plan.add_nodes("spine", clos.spines);
    plan.join_hosts(tors.clone(), clos.hosts_per_tor, clos.host_link);
    let first = plan.links.len();
    for (index, tor) in (0..).zip(tors) {
        let first_leaf = leaves.start + index / clos.tors_per_pod * clos.leaves_per_pod;
        for leaf in first_leaf..first_leaf + clos.leaves_per_pod {
            plan.join(tor, leaf, clos.fabric_link);
        }
    }
    plan.core_since(first, CoreWay::Up);
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
    use crate::kernel::units::Rate;

    fn table(pods: u32, tors: u32, leaves: u32, spines: u32) -> String {
        format!(
            "kind = 'clos3'\npods = {pods}\ntors_per_pod = {tors}\nleaves_per_pod = {leaves}\nspines = {spines}\n\
             hosts_per_tor = 2\n{HOST_LINK}\n{FABRIC_LINK}"
        )
    }

    /// SIGCOMM 2015, figure 2: T1 to T4, L1 to L4, S1 and S2.
    #[test]
    fn tors_and_leaves_of_a_pod_meet_and_leaves_meet_every_spine() {
        let network = network(&table(2, 2, 2, 2)).unwrap();
        let peers = |name: &str| {
            let node = network.names().find(name).unwrap();
            let ports = network.ports.of(node).iter();
            ports.map(|port| network.nodes[port.peer as usize].name.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(peers("tor1"), "host2 host3 leaf0 leaf1");
        assert_eq!(peers("tor2"), "host4 host5 leaf2 leaf3");
        assert_eq!(peers("leaf3"), "tor2 tor3 spine0 spine1");
        assert_eq!(peers("spine1"), "leaf0 leaf1 leaf2 leaf3");
    }

    #[test]
    fn the_core_is_every_link_above_a_tor() {
        assert_eq!(network(&table(3, 2, 4, 5)).unwrap().core.unwrap().capacity, Rate::from_gbps(24 * 400));
    }

    #[test]
    fn links_above_the_leaves_may_have_a_rate_of_their_own() {
        let spine_link = "spine_link = { rate = '800Gbps', delay = '1us' }";
        let network = network(&format!("{}\n{spine_link}", table(1, 1, 1, 1))).unwrap();
        assert_eq!(network.links[3].rates, [Rate::from_gbps(800); 2]);
    }

    #[test]
    fn nothing_may_be_missing_or_beyond_all_bounds() {
        assert!(refusal(&table(0, 1, 1, 1)).contains("topology.pods: is 0"));
        assert!(refusal(&table(1, 1, 0, 1)).contains("topology.leaves_per_pod: is 0"));
        assert!(refusal(&table(u32::MAX, u32::MAX, u32::MAX, 1)).contains("topology: would have"));
    }
}
