//! Links of `topology.failed_links`, which carry nothing. Both of their ports keep their numbers.

use super::overrides::{no_link, ordered};
use super::plan::Plan;
use super::{Names, Network};
use crate::scenario::ScenarioError;

/// Returns the numbers of the links that join two nodes.
///
/// # Errors
///
/// Reports an error at `key` if a node does not exist, or if no link joins the two.
pub fn links_between(
    network: &Network,
    names: &Names<'_>,
    key: &str,
    between: &[String; 2],
) -> Result<Vec<u32>, ScenarioError> {
    let [one, other] = between;
    let ends = ordered([names.node(key, one)?, names.node(key, other)?]);
    let links = (0..).zip(&network.links).filter(|(_, link)| ordered(link.ends) == ends);
    let links: Vec<u32> = links.map(|(number, _)| number).collect();
    if links.is_empty() { Err(no_link(key, between)) } else { Ok(links) }
}

/// Marks the named links as failed; where several join the same two nodes, all of them.
pub(super) fn apply(plan: &mut Plan, failed: &[[String; 2]]) -> Result<(), ScenarioError> {
    let Plan { nodes, hosts, links, .. } = plan;
    let names = Names::new(nodes, *hosts);
    for (index, between) in failed.iter().enumerate() {
        let key = format!("topology.failed_links[{index}]");
        let [one, other] = between;
        let ends = ordered([names.node(&key, one)?, names.node(&key, other)?]);
        let mut named = links.iter_mut().filter(|link| ordered(link.ends) == ends).peekable();
        if named.peek().is_none() {
            return Err(no_link(&key, between));
        }
        named.for_each(|link| link.failed = true);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FABRIC_LINK, HOST_LINK, network, refusal};
    use crate::kernel::units::Rate;

    fn with(failed: &str) -> String {
        format!(
            "kind = 'leaf_spine'\nleaves = 2\nspines = 2\nhosts_per_leaf = 1\n\
             {HOST_LINK}\n{FABRIC_LINK}\nfailed_links = [{failed}]"
        )
    }

    #[test]
    fn a_failed_link_keeps_its_ports_and_leaves_the_core() {
        let network = network(&with("['spine1', 'leaf0']")).unwrap();
        assert_eq!(
            network.links.iter().map(|link| link.failed).collect::<Vec<_>>(),
            [false, false, false, true, false, false]
        );
        assert_eq!(network.ports.of(2).len(), 3);
        assert_eq!(network.core.unwrap().capacity, Rate::from_gbps(3 * 400));
    }

    #[test]
    fn all_links_between_two_nodes_fail_together() {
        let link = |ends: &str| format!("{{ between = [{ends}], rate = '1Gbps', delay = '1us' }}");
        let pairs = ["'a', 's'", "'b', 't'", "'s', 't'", "'t', 's'", "'s', 'u'", "'u', 't'"];
        let network = network(&format!(
            "kind = 'custom'\nhosts = ['a', 'b']\nswitches = ['s', 't', 'u']\nlinks = [{}]\n\
             failed_links = [['s', 't']]",
            pairs.map(link).join(", ")
        ));
        let failed: Vec<bool> = network.unwrap().links.iter().map(|link| link.failed).collect();
        assert_eq!(failed, [false, false, true, true, false, false]);
    }

    #[test]
    fn a_whole_switch_may_fail_but_no_host_may_be_cut_off() {
        assert!(network(&with("['spine1', 'leaf0'], ['spine1', 'leaf1']")).is_ok());
        let cut_off = "\"host1\" on leaf1.port0 cannot be reached from \"host0\" on leaf0.port0; expected failures that leave a way";
        for failed in ["['host0', 'leaf0']", "['host1', 'leaf1']", "['spine0', 'leaf0'], ['spine1', 'leaf1']"]
        {
            let error = refusal(&with(failed));
            assert!(error.contains(&format!("topology.failed_links: {cut_off}")), "{error}");
        }
    }

    #[test]
    fn links_that_are_not_there_are_refused_by_their_key() {
        let unknown = refusal(&with("['spine0', 'leaf0'], ['spin1', 'leaf0']"));
        assert!(unknown.contains("topology.failed_links[1]: \"spin1\" does not exist"), "{unknown}");
        assert!(unknown.contains("did you mean \"spine1\"?"), "{unknown}");
        let apart = refusal(&with("['leaf0', 'leaf1']"));
        assert!(apart.contains("topology.failed_links[0]: there is no link between \"leaf0\""), "{apart}");
    }
}
