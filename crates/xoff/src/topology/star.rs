//! Star: hosts around one switch.

use super::plan::{Plan, at_least, carries};
use crate::scenario::{ScenarioError, Star};

/// Lays out `host0..` on `switch0`.
pub(super) fn plan(star: &Star) -> Result<Plan, ScenarioError> {
    at_least("topology.hosts", star.hosts, 1)?;
    carries("topology.host_link", star.host_link.rates())?;
    let mut plan = Plan::with_hosts(star.hosts.into(), star.hosts.into())?;
    let switch = plan.add_nodes("switch", 1);
    plan.join_hosts(switch, star.hosts, star.host_link);
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOST_LINK, network, refusal};

    #[test]
    fn every_host_is_on_the_port_of_its_number() {
        let network = network(&format!("kind = 'star'\nhosts = 5\n{HOST_LINK}")).unwrap();
        assert_eq!(network.nodes[5].name, "switch0");
        let peers: Vec<u32> = network.ports.of(5).iter().map(|port| port.peer).collect();
        assert_eq!(peers, [0, 1, 2, 3, 4]);
        assert_eq!(network.racks, [0; 5]);
        assert!(network.core.is_none());
    }

    #[test]
    fn no_hosts_and_dead_links_are_refused() {
        let none = refusal(&format!("kind = 'star'\nhosts = 0\n{HOST_LINK}"));
        assert!(none.contains("topology.hosts: is 0"), "{none}");
        let many = refusal(&format!("kind = 'star'\nhosts = 4_000_000_000\n{HOST_LINK}"));
        assert!(many.contains("would have 4000000000 links"), "{many}");
        let dead = refusal("kind = 'star'\nhosts = 2\nhost_link = { rate = '0Gbps', delay = '1us' }");
        assert!(dead.contains("topology.host_link.rate: is zero"), "{dead}");
    }
}
