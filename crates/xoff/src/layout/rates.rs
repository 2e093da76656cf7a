//! Check of settings that are for ports of one link rate: marking and pauses.

use std::collections::BTreeSet;

use crate::kernel::units::Rate;
use crate::scenario::{Scenario, ScenarioError};
use crate::topology::{Network, NodeId};

/// Rejects a rate that no port of a table's switches has.
pub(super) fn check(scenario: &Scenario, network: &Network) -> Result<(), ScenarioError> {
    for (index, table) in scenario.switch.iter().enumerate() {
        let of_marking = table.marking.iter().flat_map(|marking| marking.at_rate.keys());
        let of_pauses = table.pfc.iter().flat_map(|pfc| pfc.at_rate.keys());
        let said = of_marking.map(|rate| ("marking", rate)).chain(of_pauses.map(|rate| ("pfc", rate)));
        let said: Vec<(&str, &Rate)> = said.collect();
        if said.is_empty() {
            continue;
        }
        let switches = network.hosts..network.nodes.len() as NodeId;
        let matching = switches.filter(|&node| table.matches(&network.nodes[node as usize].name));
        let ports = matching.flat_map(|node| network.ports.of(node).iter().map(move |port| (node, port)));
        let (mut out, mut into) = (BTreeSet::new(), BTreeSet::new());
        for (node, port) in ports {
            let link = network.links[port.link as usize];
            out.insert(link.rate_from(node));
            into.insert(link.rate_to(node));
        }
        let rates_of = |what: &str| if what == "pfc" { &into } else { &out };
        if let Some((what, rate)) = said.into_iter().find(|(what, rate)| !rates_of(what).contains(rate)) {
            let rates = rates_of(what);
            let nearest = [rates.range(..rate).next_back(), rates.range(rate..).next()];
            let nearest: Vec<String> = nearest.into_iter().flatten().map(Rate::to_string).collect();
            let key = format!("switch[{index}].{what}.at_rate.{rate}");
            let problem = format!("no port of a switch \"{}\" has this rate", table.nodes);
            return Err(ScenarioError::at(key, problem, format!("expected {}", nearest.join(" or "))));
        }
    }
    Ok(())
}
