//! Topology of nodes and links by hand.

use std::collections::HashSet;

use super::plan::{Plan, carries, hosts_know_no_credits};
use super::{Link, Names, NodeId};
use crate::scenario::{Custom, LinkBetween, ScenarioError, is_line};

/// Lays out nodes and links in the order in which they are written.
pub(super) fn plan(custom: &Custom) -> Result<Plan, ScenarioError> {
    let mut plan = Plan { hosts: custom.hosts.len() as u32, ..Plan::default() };
    let mut seen = HashSet::new();
    for (kind, names) in [("hosts", &custom.hosts), ("switches", &custom.switches)] {
        for (index, name) in names.iter().enumerate() {
            let key = format!("topology.{kind}[{index}]");
            usable_name(&key, name)?;
            if !seen.insert(name) {
                let problem = format!("\"{name}\" is there twice");
                return Err(ScenarioError::at(key, problem, "expected a name of its own for every node"));
            }
            plan.add_node(name);
        }
    }
    let names = Names::new(&plan.nodes, plan.hosts);
    plan.links = custom
        .links
        .iter()
        .enumerate()
        .map(|(index, link)| joined(index, link, &names, plan.hosts))
        .collect::<Result<_, _>>()?;
    Ok(plan)
}

/// Rejects names of several lines, and with dots or stars, which have a meaning where ports are named: `leaf0.port3`,
/// `leaf*`.
fn usable_name(key: &str, name: &str) -> Result<(), ScenarioError> {
    if !name.is_empty() && !name.contains(['.', '*']) && is_line(name) {
        return Ok(());
    }
    Err(ScenarioError::at(
        key,
        format!("{name:?} cannot name a node"),
        "expected a name in one line, without \".\" and \"*\"",
    ))
}

fn joined(index: usize, link: &LinkBetween, names: &Names<'_>, hosts: u32) -> Result<Link, ScenarioError> {
    let key = format!("topology.links[{index}]");
    let ends = ends(&key, link, names)?;
    let missing = |what: &str, example: &str| {
        let expected = format!("expected a {what}, such as \"{example}\"");
        ScenarioError::at(format!("{key}.{what}"), "is missing", expected)
    };
    let rate = link.rate.ok_or_else(|| missing("rate", "100Gbps"))?;
    let delay = link.delay.ok_or_else(|| missing("delay", "1us"))?;
    let rates = [rate, link.rate_back.unwrap_or(rate)];
    carries(&key, rates)?;
    let error_rate = link.error_rate.unwrap_or_default();
    let flow_control = link.flow_control.unwrap_or_default();
    let link = Link { ends, rates, delay, error_rate, flow_control, failed: false };
    hosts_know_no_credits(&format!("{key}.flow_control"), &link, hosts)?;
    Ok(link)
}

fn ends(key: &str, link: &LinkBetween, names: &Names<'_>) -> Result<[NodeId; 2], ScenarioError> {
    let key = format!("{key}.between");
    let [one, other] = &link.between;
    let ends = [names.node(&key, one)?, names.node(&key, other)?];
    if ends[0] == ends[1] {
        let problem = format!("\"{one}\" is linked to itself");
        return Err(ScenarioError::at(key, problem, "expected two different nodes"));
    }
    Ok(ends)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{network, refusal};
    use crate::scenario::FlowControl;

    const LINK: &str = "rate = '10Gbps', delay = '1us'";

    fn table(hosts: &[&str], switches: &[&str], links: &[[&str; 2]]) -> String {
        let links: Vec<String> =
            links.iter().map(|ends| format!("{{ between = {ends:?}, {LINK} }}")).collect();
        format!("kind = 'custom'\nhosts = {hosts:?}\nswitches = {switches:?}\nlinks = [{}]", links.join(", "))
    }

    #[test]
    fn ports_follow_the_order_of_the_links() {
        let links = [["s", "t"], ["b", "t"], ["s", "a"], ["s", "t"]];
        let network = network(&table(&["a", "b"], &["s", "t"], &links)).unwrap();
        let peers = |node| network.ports.of(node).iter().map(|port| port.peer).collect::<Vec<_>>();
        assert_eq!((peers(2), peers(3)), (vec![3, 0, 3], vec![2, 1, 2]));
        assert_eq!(network.racks, [0, 1]);
        assert!(network.core.is_none());
    }

    #[test]
    fn racks_count_only_switches_with_hosts() {
        let links = [["a", "z"], ["b", "x"], ["x", "y"], ["y", "z"], ["c", "z"]];
        let network = network(&table(&["a", "b", "c"], &["x", "y", "z"], &links)).unwrap();
        assert_eq!(network.racks, [1, 0, 1]);
    }

    #[test]
    fn a_host_has_exactly_one_link_and_it_goes_to_a_switch() {
        let two = refusal(&table(&["a", "b"], &["s"], &[["a", "s"], ["b", "s"], ["a", "s"]]));
        assert!(two.contains("topology.links[2].between: host \"a\" has two links"), "{two}");
        let none = refusal(&table(&["a", "b"], &["s"], &[["a", "s"]]));
        assert!(none.contains("host \"b\" has no link"), "{none}");
        let direct = refusal(&table(&["a", "b"], &[], &[["a", "b"]]));
        assert!(direct.contains("topology.links[0].between: joins the hosts \"a\" and \"b\""), "{direct}");
    }

    #[test]
    fn names_and_ends_are_checked() {
        let twice = refusal(&table(&["a", "b"], &["a"], &[]));
        assert!(twice.contains("topology.switches[0]: \"a\" is there twice"), "{twice}");
        let dotted = refusal(&table(&["a.b"], &[], &[]));
        assert!(dotted.contains("topology.hosts[0]: \"a.b\" cannot name a node"), "{dotted}");
        let lines = refusal(&table(&["a\nb"], &[], &[]));
        assert!(lines.contains("topology.hosts[0]: \"a\\nb\" cannot name a node"), "{lines}");
        let itself = refusal(&table(&["a"], &["s"], &[["a", "s"], ["s", "s"]]));
        assert!(itself.contains("topology.links[1].between: \"s\" is linked to itself"), "{itself}");
        let unknown = refusal(&table(&["a"], &["switch"], &[["a", "swich"]]));
        assert!(unknown.contains("did you mean \"switch\"?"), "{unknown}");
        assert!(refusal(&table(&[], &["s"], &[])).contains("topology.hosts: there are no hosts"));
    }

    #[test]
    fn what_cannot_be_reached_is_named() {
        let links = [["a", "s"], ["b", "t"]];
        let apart = refusal(&table(&["a", "b"], &["s", "t"], &links));
        assert!(apart.contains("topology.links: \"b\" cannot be reached from \"a\""), "{apart}");
    }

    #[test]
    fn credits_join_switches_and_no_host() {
        let table = |of_a: &str, of_s: &str| {
            format!(
                "kind = 'custom'\nhosts = ['a']\nswitches = ['s', 't']\nlinks = [\
                 {{ between = ['a', 's'], {LINK}{of_a} }}, {{ between = ['t', 's'], {LINK}{of_s} }}]"
            )
        };
        let credits = ", flow_control = 'credits'";
        let links = network(&table("", credits)).unwrap().links;
        let flow_controls: Vec<FlowControl> = links.iter().map(|link| link.flow_control).collect();
        assert_eq!(flow_controls, [FlowControl::Pause, FlowControl::Credits]);
        let refused = refusal(&table(credits, ""));
        assert!(
            refused.contains("topology.links[0].flow_control: is \"credits\" on the link of a host"),
            "{refused}"
        );
    }

    #[test]
    fn a_link_by_hand_needs_rate_and_delay() {
        let table = |keys: &str| {
            format!(
                "kind = 'custom'\nhosts = ['a']\nswitches = ['s']\n\
                 links = [{{ between = ['a', 's'], {keys} }}]"
            )
        };
        let no_rate = refusal(&table("delay = '1us'"));
        assert!(no_rate.contains("topology.links[0].rate: is missing"), "{no_rate}");
        let no_delay = refusal(&table("rate = '1Gbps'"));
        assert!(no_delay.contains("topology.links[0].delay: is missing"), "{no_delay}");
    }
}
