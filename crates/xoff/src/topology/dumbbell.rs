//! Dumbbell: two switches with hosts, joined by one middle link.

use super::plan::{CoreWay, Plan, at_least, carries};
use crate::scenario::{Dumbbell, ScenarioError};

/// Lays out the hosts of `left`, then those of `right`, and the middle link last.
pub(super) fn plan(dumbbell: &Dumbbell) -> Result<Plan, ScenarioError> {
    at_least("topology.left", dumbbell.left, 1)?;
    at_least("topology.right", dumbbell.right, 1)?;
    carries("topology.host_link", dumbbell.host_link.rates())?;
    carries("topology.middle_link", dumbbell.middle_link.rates())?;
    let hosts = u64::from(dumbbell.left) + u64::from(dumbbell.right);
    let mut plan = Plan::with_hosts(hosts, hosts + 1)?;
    let left = plan.add_node("left");
    let right = plan.add_node("right");
    for host in 0..plan.hosts {
        plan.join(host, if host < dumbbell.left { left } else { right }, dumbbell.host_link);
    }
    let middle = plan.links.len();
    plan.join(left, right, dumbbell.middle_link);
    plan.core_since(middle, CoreWay::Each);
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOST_LINK, network};
    use crate::kernel::units::Rate;

    #[test]
    fn hosts_are_numbered_from_left_to_right_and_the_middle_counts_each_way() {
        let middle = "middle_link = { rate = '10Gbps', delay = '5us' }";
        let network =
            network(&format!("kind = 'dumbbell'\nleft = 3\nright = 2\n{HOST_LINK}\n{middle}")).unwrap();
        let names: Vec<&str> = network.nodes[5..].iter().map(|node| node.name.as_str()).collect();
        assert_eq!(names, ["left", "right"]);
        assert_eq!(network.racks, [0, 0, 0, 1, 1]);
        assert_eq!(network.ports.of(5)[3].peer, 6);
        let core = network.core.unwrap();
        assert_eq!((core.capacity, core.each_way), (Rate::from_gbps(10), true));
    }
}
