//! Links of `topology.links`, which differ from those of their kind.

use std::collections::HashMap;

use super::plan::{Plan, carries, hosts_know_no_credits};
use super::{Names, NodeId};
use crate::scenario::{LinkBetween, ScenarioError};

/// Changes the named links.
pub(super) fn apply(plan: &mut Plan, overrides: &[LinkBetween]) -> Result<(), ScenarioError> {
    if overrides.is_empty() {
        return Ok(());
    }
    let names = Names::new(&plan.nodes, plan.hosts);
    let by_ends: HashMap<[NodeId; 2], usize> =
        plan.links.iter().enumerate().map(|(index, link)| (ordered(link.ends), index)).collect();
    let mut changed = HashMap::new();
    for (index, change) in overrides.iter().enumerate() {
        let key = format!("topology.links[{index}]");
        let place = by_ends_of(&key, change, &names, &by_ends)?;
        if let Some(before) = changed.insert(place, index) {
            let problem = format!("is of the same link as topology.links[{before}]");
            return Err(ScenarioError::at(key, problem, "expected one table of each link"));
        }
        let link = &mut plan.links[place];
        let LinkBetween { between: _, rate, rate_back, delay, error_rate, flow_control } = change;
        let has_rate = rate.is_some() || rate_back.is_some();
        if !has_rate && delay.is_none() && error_rate.is_none() && flow_control.is_none() {
            let expected = "expected a rate, a delay, an error_rate or a flow_control";
            return Err(ScenarioError::at(key, "changes nothing", expected));
        }
        let first = names.node(&key, &change.between[0])?;
        let there = rate.unwrap_or(link.rate_from(first));
        let back = rate_back.or(*rate).unwrap_or(link.rate_to(first));
        carries(&key, [there, back])?;
        link.rates = if link.ends[0] == first { [there, back] } else { [back, there] };
        link.delay = delay.unwrap_or(link.delay);
        link.error_rate = error_rate.unwrap_or(link.error_rate);
        link.flow_control = flow_control.unwrap_or(link.flow_control);
        hosts_know_no_credits(&format!("{key}.flow_control"), link, plan.hosts)?;
    }
    Ok(())
}

fn by_ends_of(
    key: &str,
    change: &LinkBetween,
    names: &Names<'_>,
    by_ends: &HashMap<[NodeId; 2], usize>,
) -> Result<usize, ScenarioError> {
    let key = format!("{key}.between");
    let [one, other] = &change.between;
    let ends = ordered([names.node(&key, one)?, names.node(&key, other)?]);
    by_ends.get(&ends).copied().ok_or_else(|| no_link(&key, &change.between))
}

/// Makes the error of a key that names two nodes which no link joins.
pub(super) fn no_link(key: &str, [one, other]: &[String; 2]) -> ScenarioError {
    let problem = format!("there is no link between \"{one}\" and \"{other}\"");
    ScenarioError::at(key, problem, "expected two nodes that the topology joins")
}

/// Puts the two ends of a link in order.
pub(super) fn ordered([one, other]: [NodeId; 2]) -> [NodeId; 2] {
    [one.min(other), one.max(other)]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FABRIC_LINK, HOST_LINK, network, refusal};
    use crate::kernel::units::{Rate, Span};

    fn with(links: &str) -> String {
        format!(
            "kind = 'leaf_spine'\nleaves = 2\nspines = 2\nhosts_per_leaf = 1\n\
             {HOST_LINK}\n{FABRIC_LINK}\nlinks = [{links}]"
        )
    }

    #[test]
    fn only_the_named_link_changes_whatever_the_order_of_its_ends() {
        let network = network(&with("{ between = ['spine1', 'leaf0'], rate = '40Gbps' }")).unwrap();
        let rates: Vec<Rate> = network.links.iter().map(|link| link.rates[0]).collect();
        assert_eq!(rates, [100, 100, 400, 40, 400, 400].map(Rate::from_gbps));
        assert!(network.links[2..].iter().all(|link| link.delay == Span::from_microseconds(2)));
        assert_eq!(network.core.unwrap().capacity, Rate::from_gbps(1240));
    }

    #[test]
    fn what_does_not_fit_is_refused_by_its_key() {
        let refused = |links: &str| refusal(&with(links));
        let unknown = refused("{ between = ['leaf0', 'spin1'], rate = '1Gbps' }");
        assert!(unknown.contains("topology.links[0].between: \"spin1\" does not exist"), "{unknown}");
        assert!(unknown.contains("did you mean \"spine1\"?"), "{unknown}");
        let apart = refused("{ between = ['leaf0', 'leaf1'], rate = '1Gbps' }");
        assert!(apart.contains("there is no link between \"leaf0\" and \"leaf1\""), "{apart}");
        assert!(refused("{ between = ['leaf0', 'spine1'] }").contains("topology.links[0]: changes nothing"));
        let stopped = refused("{ between = ['leaf0', 'spine1'], rate = '0Gbps' }");
        assert!(stopped.contains("topology.links[0].rate: is zero"), "{stopped}");
        let twice = refused(
            "{ between = ['leaf0', 'spine1'], rate = '1Gbps' }, { between = ['spine1', 'leaf0'], delay = '1us' }",
        );
        assert!(twice.contains("topology.links[1]: is of the same link as topology.links[0]"), "{twice}");
        let granted = refused("{ between = ['leaf0', 'host0'], flow_control = 'credits' }");
        assert!(
            granted.contains("topology.links[0].flow_control: is \"credits\" on the link of a host"),
            "{granted}"
        );
    }
}
