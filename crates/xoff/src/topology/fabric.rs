//! Multi-stage switch of QCN occupancy sampling (section V, figure 8).
//!
//! Every Ethernet port has a line card. One element joins the cards of a supernode, and elements are joined to each
//! other.

use super::plan::{CoreWay, Plan, at_least, carries};
use crate::kernel::units::Rate;
use crate::scenario::{Fabric, InternalLink, LinkSettings, ScenarioError};

/// Lays out hosts supernode by supernode, then `card0..` in their order, and `element0..`.
pub(super) fn plan(fabric: &Fabric) -> Result<Plan, ScenarioError> {
    at_least("topology.supernodes", fabric.supernodes, 1)?;
    at_least("topology.ports_per_supernode", fabric.ports_per_supernode, 1)?;
    let twice = |rate: Rate| rate.saturating_add(rate);
    let LinkSettings { rate, rate_back, .. } = fabric.host_link;
    let enough = || InternalLink { rate_back: rate_back.map(twice), ..InternalLink::at(twice(rate)) };
    let card_link = fabric.card_link.unwrap_or_else(enough);
    carries("topology.host_link", fabric.host_link.rates())?;
    carries("topology.card_link", card_link.rates())?;
    carries("topology.supernode_link", fabric.supernode_link.rates())?;
    let [supernodes, ports_per_supernode] = [fabric.supernodes, fabric.ports_per_supernode].map(u64::from);
    let ports = supernodes * ports_per_supernode;
    let between_supernodes = supernodes * (supernodes - 1) / 2;
    let mut plan = Plan::with_hosts(ports, ports.saturating_mul(2).saturating_add(between_supernodes))?;
    let cards = plan.add_nodes("card", ports as u32);
    let elements = plan.add_nodes("element", fabric.supernodes);
    plan.join_hosts(cards.clone(), 1, fabric.host_link);
    let supernode = |card: u32| (card - cards.start) / fabric.ports_per_supernode;
    plan.racks = Some(cards.clone().map(supernode).collect());
    for card in cards.clone() {
        plan.join_internally(card, elements.start + supernode(card), card_link);
    }
    if supernodes == 1 {
        return Ok(plan);
    }
    let first = plan.links.len();
    for one in elements.clone() {
        for other in one + 1..elements.end {
            plan.join_internally(one, other, fabric.supernode_link);
        }
    }
    plan.core_since(first, CoreWay::Both);
    Ok(plan)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{HOST_LINK, network, refusal};
    use crate::kernel::units::{Rate, Span};
    use crate::routing::{FiveTuple, Routes};
    use crate::scenario::FlowControl;
    use crate::topology::{Link, Network};

    fn table(supernodes: u32, ports: u32, rest: &str) -> String {
        format!(
            "kind = 'fabric'\nsupernodes = {supernodes}\nports_per_supernode = {ports}\n{HOST_LINK}\n{rest}"
        )
    }

    fn peers(network: &Network, node: &str) -> String {
        let node = network.names().find(node).unwrap();
        let ports = network.ports.of(node).iter();
        ports.map(|port| network.nodes[port.peer as usize].name.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_port_has_a_card_and_every_supernode_an_element() {
        let network = network(&table(3, 2, "")).unwrap();
        assert_eq!(peers(&network, "card4"), "host4 element2");
        assert_eq!(peers(&network, "element0"), "card0 card1 element1 element2");
        assert_eq!(peers(&network, "element2"), "card4 card5 element0 element1");
    }

    /// Figure 8: two supernodes, 10 Gbps ports, 2.5 Gbps between the supernodes.
    #[test]
    fn what_is_left_out_is_as_in_the_paper() {
        let host_link = "host_link = { rate = '10Gbps', delay = '50ns' }";
        let network = network(&format!("kind = 'fabric'\nports_per_supernode = 2\n{host_link}")).unwrap();
        let of = |link: &Link| (link.rates[0], link.delay.get(), link.flow_control);
        let ends = |one: &str, other: &str| {
            let ends = [one, other].map(|name| network.names().find(name).unwrap());
            of(network.links.iter().find(|link| link.ends == ends).unwrap())
        };
        assert_eq!(ends("host0", "card0"), (Rate::from_gbps(10), 50_000, FlowControl::Pause));
        assert_eq!(ends("card3", "element1"), (Rate::from_gbps(20), 10_000, FlowControl::Credits));
        let quarter = Rate::new(2_500_000_000);
        assert_eq!(ends("element0", "element1"), (quarter, 10_000, FlowControl::Credits));
    }

    #[test]
    fn links_inside_may_be_others() {
        let links = "card_link = { rate = '10Gbps' }\nsupernode_link = { rate = '5Gbps', delay = '1us' }\n\
                     links = [{ between = ['card0', 'element0'], flow_control = 'pause' }]";
        let links = network(&table(2, 1, links)).unwrap().links;
        let expected = [100, 100, 10, 10, 5].map(Rate::from_gbps);
        assert_eq!(links.iter().map(|link| link.rates[0]).collect::<Vec<_>>(), expected);
        assert_eq!(links[4].delay, Span::from_microseconds(1));
        assert_eq!(links.iter().filter(|link| link.flow_control == FlowControl::Credits).count(), 2);
    }

    #[test]
    fn supernodes_are_racks_and_the_core_is_what_joins_them() {
        let three = network(&table(3, 2, "")).unwrap();
        assert_eq!(three.racks, [0, 0, 1, 1, 2, 2]);
        assert_eq!(three.core.unwrap().capacity, Rate::new(2 * 3 * 2_500_000_000));
        assert!(network(&table(1, 2, "")).unwrap().core.is_none());
    }

    #[test]
    fn paths_cross_one_element_within_a_supernode_and_two_between() {
        let through = |failed: &str, to: u32| {
            let network = network(&table(3, 2, &format!("failed_links = [{failed}]"))).unwrap();
            let routes = Routes::new(&network);
            let path = routes.path(&network, 0, to, FiveTuple::of_flow(0, to, 0));
            path.skip(1)
                .map(|hop| network.nodes[hop.node as usize].name.clone())
                .collect::<Vec<_>>()
                .join(" ")
        };
        assert_eq!(through("", 1), "card0 element0 card1");
        assert_eq!(through("", 4), "card0 element0 element2 card4");
        assert_eq!(through("['element2', 'element0']", 4), "card0 element0 element1 element2 card4");
    }

    #[test]
    fn a_port_that_cannot_be_reached_is_named() {
        let refused = |failed: &str| refusal(&table(2, 2, &format!("failed_links = [{failed}]")));
        let cut_off = |host: u32| {
            format!(
                "topology.failed_links: \"host{host}\" on card{host}.port0 cannot be reached from \"host0\" on card0.port0"
            )
        };
        for (failed, host) in [("['card3', 'element1']", 3), ("['element0', 'element1']", 2)] {
            assert!(refused(failed).contains(&cut_off(host)), "{}", refused(failed));
        }
    }

    #[test]
    fn nothing_may_be_missing_or_beyond_all_bounds_and_ports_know_no_credits() {
        assert!(refusal(&table(0, 1, "")).contains("topology.supernodes: is 0"));
        assert!(refusal(&table(1, 0, "")).contains("topology.ports_per_supernode: is 0"));
        assert!(refusal(&table(u32::MAX, u32::MAX, "")).contains("topology: would have"));
        let dead = refusal(&table(1, 2, "card_link = { rate = '0Gbps' }"));
        assert!(dead.contains("topology.card_link.rate: is zero"), "{dead}");
        let credits = table(1, 2, "").replace("delay", "flow_control = 'credits', delay");
        assert!(
            refusal(&credits)
                .contains("topology.host_link.flow_control: is \"credits\" on the link of a host")
        );
    }
}
