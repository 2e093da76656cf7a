//! Conditions that every network must satisfy, whatever its kind.
//!
//! Regular kinds satisfy most of them by construction. Overrides, failures and links by hand may not.

use super::plan::{Plan, hosts_know_no_credits};
use super::{NodeId, Ports, Servers};
use crate::scenario::ScenarioError;

/// Most switches with hosts, since routing tables hold their number in 15 bits.
const MAXIMUM_EDGES: usize = (1 << 15) - 1;

/// Rejects a network that cannot be routed.
pub(super) fn check(plan: &Plan, ports: &Ports, servers: Option<Servers>) -> Result<(), ScenarioError> {
    if plan.hosts == 0 {
        return Err(ScenarioError::at("topology.hosts", "there are no hosts", "expected at least one"));
    }
    if servers.is_some() {
        names(plan)?;
    }
    host_links(plan, ports)?;
    sizes(plan, ports)?;
    connected(plan, ports, servers)
}

/// Rejects nodes that have the name of a server or of an adapter inside one.
fn names(plan: &Plan) -> Result<(), ScenarioError> {
    let mut names: Vec<&str> = plan.nodes.iter().map(|node| node.name.as_str()).collect();
    names.sort_unstable();
    match names.windows(2).find(|pair| pair[0] == pair[1]) {
        Some([twice, _]) => {
            let problem = format!("\"{twice}\" is what [scale_up] calls a node, too");
            Err(ScenarioError::at("topology", problem, "expected another name"))
        }
        _ => Ok(()),
    }
}

fn name(plan: &Plan, node: NodeId) -> &str {
    &plan.nodes[node as usize].name
}

fn host_links(plan: &Plan, ports: &Ports) -> Result<(), ScenarioError> {
    let expected = "expected exactly one link for every host";
    for host in 0..plan.hosts {
        let name = name(plan, host);
        match ports.of(host) {
            [] => {
                let problem = format!("host \"{name}\" has no link");
                return Err(ScenarioError::at("topology.links", problem, expected));
            }
            [port] if port.peer < plan.hosts => {
                let key = format!("topology.links[{}].between", port.link);
                let problem = format!("joins the hosts \"{name}\" and \"{}\"", self::name(plan, port.peer));
                return Err(ScenarioError::at(key, problem, "expected a host and a switch"));
            }
            [port] => {
                let link = &plan.links[port.link as usize];
                hosts_know_no_credits("topology.host_link.flow_control", link, plan.hosts)?;
            }
            [_, second, ..] => {
                let key = format!("topology.links[{}].between", second.link);
                return Err(ScenarioError::at(key, format!("host \"{name}\" has two links"), expected));
            }
        }
    }
    Ok(())
}

fn sizes(plan: &Plan, ports: &Ports) -> Result<(), ScenarioError> {
    let switches = plan.hosts..plan.nodes.len() as NodeId;
    let has_hosts = |&switch: &NodeId| ports.of(switch).iter().any(|port| port.peer < plan.hosts);
    let edges = switches.filter(has_hosts).count();
    if edges > MAXIMUM_EDGES {
        let expected = format!("expected at most {MAXIMUM_EDGES}, with more hosts on each");
        return Err(ScenarioError::at("topology", format!("{edges} switches have hosts"), expected));
    }
    Ok(())
}

/// Rejects a network in which some node is not joined to the others, or some host cannot reach another over the links
/// that work.
fn connected(plan: &Plan, ports: &Ports, servers: Option<Servers>) -> Result<(), ScenarioError> {
    let first = |host: NodeId| Servers::first_joined_to(servers, host);
    let mut firsts: Vec<NodeId> = (0..plan.hosts).map(first).collect();
    firsts.sort_unstable();
    firsts.dedup();
    if let Some(node) = reached(plan, ports, &firsts, |_| true).iter().position(|reached| !reached) {
        let problem = format!("\"{}\" cannot be reached from \"{}\"", plan.nodes[node].name, name(plan, 0));
        let expected = "expected links that join all nodes to one network";
        return Err(ScenarioError::at("topology.links", problem, expected));
    }
    let working = reached(plan, ports, &firsts, |link| !plan.links[link as usize].failed);
    if let Some(host) = (0..plan.hosts).find(|&host| !working[host as usize]) {
        let at_port = |host: NodeId| {
            let port = ports.of(host)[0];
            format!("\"{}\" on {}.port{}", name(plan, host), name(plan, port.peer), port.peer_port)
        };
        let problem = format!("{} cannot be reached from {}", at_port(host), at_port(first(host)));
        let expected = "expected failures that leave a way between all hosts";
        return Err(ScenarioError::at("topology.failed_links", problem, expected));
    }
    Ok(())
}

/// Returns whether each node can be reached from any of these hosts over the links that `crosses` accepts.
fn reached(plan: &Plan, ports: &Ports, from: &[NodeId], crosses: impl Fn(u32) -> bool) -> Vec<bool> {
    let mut reached = vec![false; plan.nodes.len()];
    for &host in from {
        reached[host as usize] = true;
    }
    let mut waiting = from.to_vec();
    while let Some(node) = waiting.pop() {
        for port in ports.of(node).iter().filter(|port| crosses(port.link)) {
            if !std::mem::replace(&mut reached[port.peer as usize], true) {
                waiting.push(port.peer);
            }
        }
    }
    reached
}
