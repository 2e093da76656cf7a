//! Shapers of a switch's ports, which a scenario names by the node at the other end of a port's link.

use super::Subject;
use crate::scenario::{Scenario, ScenarioError, Shaper, SwitchSettings, SwitchTable, pattern};
use crate::switch::buffer_policy::BufferPolicy;
use crate::topology::{Network, NodeId};

/// Rejects a shaper whose pattern matches no neighbour of its table's switches.
pub(super) fn check(scenario: &Scenario, network: &Network) -> Result<(), ScenarioError> {
    let name = |node: NodeId| network.nodes[node as usize].name.as_str();
    for (index, table) in scenario.switch.iter().enumerate().filter(|(_, table)| !table.shapers.is_empty()) {
        let switches = network.hosts..network.nodes.len() as NodeId;
        let matching = switches.filter(|&node| table.matches(name(node)));
        let mut neighbours: Vec<&str> =
            matching.flat_map(|node| network.ports.of(node)).map(|port| name(port.peer)).collect();
        neighbours.sort_unstable();
        neighbours.dedup();
        let is_unknown = |pattern: &&String| !neighbours.iter().any(|name| pattern::matches(pattern, name));
        if let Some(unknown) = table.shapers.keys().find(is_unknown) {
            let problem = format!("no neighbour of a switch \"{}\" is called so", table.nodes);
            let known = match neighbours[..] {
                [] => "a topology with links".to_owned(),
                [only] => format!("\"{only}\""),
                [one, other] => format!("\"{one}\" or \"{other}\""),
                [first, .., last] => format!("one of the {}, \"{first}\" to \"{last}\"", neighbours.len()),
            };
            let key = format!("switch[{index}].shapers.{unknown}");
            let error = ScenarioError::at(key, problem, format!("expected {known}"));
            return Err(error.of_unknown_name(None));
        }
    }
    Ok(())
}

impl Subject<'_> {
    /// Returns the shaper of each port. Rejects two for one port, and any beside a policy that expels packets: the packet that
    /// waits for tokens may be expelled at a time that is no event, and the next one would leave too late.
    pub(super) fn shapers(&self, settings: &SwitchSettings) -> Result<Vec<Option<Shaper>>, ScenarioError> {
        if settings.buffer.expels().is_some() && !settings.shapers.is_empty() {
            let problem =
                format!("expels packets by \"{}\" while they wait for tokens", settings.buffer.spelling());
            let says = |table: &SwitchTable| !table.shapers.is_empty();
            let expected = "expected another buffer policy, or no shapers";
            return Err(self.refuse("shapers", says, &problem, expected));
        }
        let nodes = &self.fabric.network.nodes;
        let names = self.ends().map(|(_, node)| nodes[node as usize].name.as_str());
        let of_port = |name: &str| {
            let mut matching = settings.shapers.iter().filter(|(pattern, _)| pattern::matches(pattern, name));
            let (first, second) = (matching.next(), matching.next());
            if let (Some((one, _)), Some((other, _))) = (first, second) {
                let key = format!("shapers.{other}");
                let problem = format!("has another shaper for its port to \"{name}\", by \"{one}\"");
                let says = |table: &SwitchTable| table.shapers.contains_key(other);
                return Err(self.refuse(&key, says, &problem, "expected one for each port"));
            }
            Ok(first.map(|(_, shaper)| *shaper))
        };
        names.map(of_port).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::workload::Files;
    use crate::{Scenario, Simulation};

    /// Returns what is wrong with the shapers of a star of three hosts, whose packets are of 1518 B.
    fn problem(shapers: &str) -> String {
        let text = format!(
            "topology = {{ kind = 'star', hosts = 3, host_link = {{ rate = '100Gbps', delay = '1us' }} }}\n             transport.reno = {{ kind = 'tcp', congestion_control = {{ algorithm = 'reno' }} }}\n             workload = [{{ kind = 'permutation', transport = 'reno', size = '1MB' }}]\n             switch = [{{ {shapers} }}]"
        );
        let simulation =
            Scenario::from_toml(&text, &[]).and_then(|scenario| Simulation::new(&scenario, &Files::new()));
        simulation.map_or_else(|error| error.to_string(), |_| "accepted".to_owned())
    }

    #[test]
    fn a_shaper_is_for_ports_that_there_are_and_for_packets_that_fit() {
        let shaper = |pattern: &str, burst: &str| {
            problem(&format!("shapers.'{pattern}' = {{ rate = '50Mbps', burst = '{burst}' }}"))
        };
        assert_eq!(shaper("host*", "1600B"), "accepted");
        assert_eq!(
            shaper("hots1", "1600B"),
            "switch[0].shapers.hots1: no neighbour of a switch \"*\" is called so; expected one of the 3, \"host0\" to \"host2\""
        );
        assert_eq!(
            shaper("host1", "1kB"),
            "switch[0].shapers.host1.burst: 1kB is smaller than one packet; expected at least 1518B, the largest frame of the \
             transports"
        );
    }

    #[test]
    fn a_port_has_one_shaper() {
        let shaper = "{ rate = '50Mbps', burst = '1600B' }";
        assert_eq!(
            problem(&format!("shapers = {{ 'host*' = {shaper}, host1 = {shaper} }}")),
            "switch[0].shapers.host1: switch0 has another shaper for its port to \"host1\", by \"host*\"; expected one for each \
             port"
        );
    }

    #[test]
    fn nothing_is_expelled_while_it_waits_for_tokens() {
        let text = "buffer = { policy = 'occamy' }, shapers.host1 = { rate = '50Mbps', burst = '1600B' }";
        assert_eq!(
            problem(text),
            "switch[0].shapers: switch0 expels packets by \"occamy\" while they wait for tokens; expected another buffer \
             policy, or no shapers"
        );
    }

    #[test]
    fn a_switch_with_queues_at_inputs_has_no_shapers() {
        let refused = problem("kind = 'cioq', shapers.host1 = { rate = '50Mbps', burst = '1600B' }");
        assert!(refused.starts_with("switch[0].shapers: switch0 has queues at inputs"), "{refused}");
    }
}
