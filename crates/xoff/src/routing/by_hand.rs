//! Routes that a scenario sets by hand, in place of shortest paths. No packet may go round for ever.

use super::{Routes, first_hosts};
use crate::scenario::{Route, ScenarioError};
use crate::topology::{Network, NodeId};

impl Routes {
    /// Returns the routes with the scenario's routes in place of the shortest paths.
    ///
    /// # Errors
    ///
    /// Rejects a route that names no such switches or no link between them, or that leads packets in a circle.
    pub fn with(mut self, network: &Network, said: &[Route]) -> Result<Self, ScenarioError> {
        let (names, hosts) = (network.names(), first_hosts(network));
        let mut set = Vec::new();
        self.any_by_hand = !said.is_empty();
        for (index, route) in said.iter().enumerate() {
            let key = format!("route[{index}]");
            let switch = names.switch(&format!("{key}.switch"), &route.switch)?;
            let to = names.switch(&format!("{key}.to"), &route.to)?;
            let Some(edge) = hosts.iter().position(|&host| network.attachment(host) == to) else {
                let problem = format!("\"{}\" has no hosts", route.to);
                return Err(ScenarioError::at(
                    format!("{key}.to"),
                    problem,
                    "expected a switch that has some",
                ));
            };
            if to == switch {
                let problem = format!("the hosts of \"{}\" are on it", route.to);
                return Err(ScenarioError::at(format!("{key}.to"), problem, "expected another switch"));
            }
            if network.is_in_server(switch) != network.is_in_server(to) {
                let problem = format!("there is no way from \"{}\" to \"{}\"", route.switch, route.to);
                return Err(ScenarioError::at(
                    format!("{key}.to"),
                    problem,
                    "expected two switches of the fabric",
                ));
            }
            if set.contains(&(switch, edge)) {
                let problem = format!("says a second time how {} reaches {}", route.switch, route.to);
                return Err(ScenarioError::at(key, problem, "expected it once"));
            }
            set.push((switch, edge));
            let ports = ports_to(network, switch, names.node(&format!("{key}.via"), &route.via)?);
            if ports.is_empty() {
                let problem = format!("\"{}\" has no working link to \"{}\"", route.switch, route.via);
                let expected = "expected a switch at the other end of one of its links";
                return Err(ScenarioError::at(format!("{key}.via"), problem, expected));
            }
            self.switches[(switch - network.hosts) as usize].set(edge, &ports);
        }
        for (index, (switch, edge)) in set.into_iter().enumerate() {
            if let Some(circle) = self.circle(network, switch, hosts[edge]) {
                let names: Vec<&str> =
                    circle.iter().map(|&node| network.nodes[node as usize].name.as_str()).collect();
                let problem = format!("packets to {} go round: {}", said[index].to, names.join(" -> "));
                return Err(ScenarioError::at(
                    format!("route[{index}]"),
                    problem,
                    "expected a way that ends",
                ));
            }
        }
        Ok(self)
    }

    /// Finds a way from a switch back to itself that packets to a host may take.
    fn circle(&self, network: &Network, from: NodeId, host: NodeId) -> Option<Vec<NodeId>> {
        let mut came_from = vec![None; network.nodes.len()];
        let mut reached = vec![from];
        while let Some(node) = reached.pop() {
            if node == network.attachment(host) {
                continue;
            }
            for &port in self.table(node).equal_cost_ports(host) {
                let next = network.ports.of(node)[port as usize].peer;
                if next == from {
                    let back = std::iter::successors(Some(node), |&node| came_from[node as usize]);
                    let mut circle: Vec<NodeId> = std::iter::once(from).chain(back).collect();
                    circle.reverse();
                    return Some(circle);
                }
                if came_from[next as usize].is_none() {
                    came_from[next as usize] = Some(node);
                    reached.push(next);
                }
            }
        }
        None
    }
}

/// Returns the ports of a switch whose links to a neighbouring switch work.
fn ports_to(network: &Network, switch: NodeId, neighbour: NodeId) -> Vec<u32> {
    let leads_there = |link: u32, peer: NodeId| {
        peer == neighbour && !network.is_host(peer) && !network.links[link as usize].failed
    };
    let ports = (0..).zip(network.ports.of(switch));
    ports.filter(|(_, port)| leads_there(port.link, port.peer)).map(|(number, _)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::super::FiveTuple;
    use super::*;
    use crate::topology::testing::{FABRIC_LINK, HOST_LINK, network};

    /// Builds the deadlock fabric of DSH (figure 16).
    fn fabric() -> Network {
        network(&format!(
            "kind = 'leaf_spine'\nleaves = 4\nspines = 2\nhosts_per_leaf = 1\n{HOST_LINK}\n{FABRIC_LINK}\n\
             failed_links = [['spine0', 'leaf3'], ['spine1', 'leaf0']]"
        ))
        .unwrap()
    }

    fn route([switch, to, via]: [&str; 3]) -> Route {
        Route { switch: switch.to_owned(), to: to.to_owned(), via: via.to_owned() }
    }

    fn with(network: &Network, said: &[[&str; 3]]) -> Result<Routes, ScenarioError> {
        Routes::new(network).with(network, &said.iter().copied().map(route).collect::<Vec<_>>())
    }

    /// The paths that make up the paper's cycle.
    #[test]
    fn a_route_by_hand_takes_the_place_of_all_shortest_paths() {
        let network = fabric();
        let said = [["spine0", "leaf3", "leaf1"], ["spine1", "leaf0", "leaf2"]];
        let routes = with(&network, &said).unwrap();
        let through = |from, to, flow| {
            let hops = routes.path(&network, from, to, FiveTuple::of_flow(from, to, flow));
            let names: Vec<_> = hops.map(|hop| network.nodes[hop.node as usize].name.as_str()).collect();
            names[1..].join(" ")
        };
        for flow in 0..64 {
            assert_eq!(through(0, 3, flow), "leaf0 spine0 leaf1 spine1 leaf3");
            assert_eq!(through(3, 0, flow), "leaf3 spine1 leaf2 spine0 leaf0");
        }
        assert_eq!(through(0, 1, 0), "leaf0 spine0 leaf1");
        assert_eq!(
            routes.longest_path(&network, 0, 3),
            routes.path(&network, 0, 3, FiveTuple::of_flow(0, 3, 0)).collect::<Vec<_>>()
        );
    }

    /// One of two spines sends its packets by way of the other.
    #[test]
    fn the_longest_path_is_found_among_all() {
        let network = network(&format!(
            "kind = 'leaf_spine'\nleaves = 3\nspines = 2\nhosts_per_leaf = 1\n{HOST_LINK}\n{FABRIC_LINK}"
        ))
        .unwrap();
        let routes = with(&network, &[["spine1", "leaf1", "leaf2"], ["leaf2", "leaf1", "spine0"]]).unwrap();
        let names = routes.longest_path(&network, 0, 1);
        let names: Vec<_> = names.iter().map(|hop| network.nodes[hop.node as usize].name.as_str()).collect();
        assert_eq!(names.join(" "), "host0 leaf0 spine1 leaf2 spine0 leaf1");
    }

    #[test]
    fn what_leads_nowhere_is_refused() {
        let network = fabric();
        let problem = |said: &[[&str; 3]]| with(&network, said).unwrap_err().to_string();
        for (said, expected) in [
            (
                ["spin0", "leaf3", "leaf1"],
                "route[0].switch: \"spin0\" does not exist; did you mean \"spine0\"? ",
            ),
            (
                ["host0", "leaf3", "leaf1"],
                "route[0].switch: \"host0\" is a host; expected the name of a switch",
            ),
            (
                ["spine0", "spine1", "leaf1"],
                "route[0].to: \"spine1\" has no hosts; expected a switch that has",
            ),
            (
                ["leaf3", "leaf3", "spine1"],
                "route[0].to: the hosts of \"leaf3\" are on it; expected another switch",
            ),
            (
                ["spine0", "leaf3", "leaf3"],
                "route[0].via: \"spine0\" has no working link to \"leaf3\"; expected a",
            ),
            (
                ["leaf1", "leaf0", "host1"],
                "route[0].via: \"leaf1\" has no working link to \"host1\"; expected a",
            ),
        ] {
            let problem = problem(&[said]);
            assert!(problem.starts_with(expected), "{problem}");
        }
        assert_eq!(
            problem(&[["spine0", "leaf1", "leaf2"], ["spine1", "leaf1", "leaf2"]]),
            "route[0]: packets to leaf1 go round: spine0 -> leaf2 -> spine0; expected a way that ends"
        );
        assert_eq!(
            problem(&[["spine0", "leaf3", "leaf1"], ["spine0", "leaf3", "leaf2"]]),
            "route[1]: says a second time how spine0 reaches leaf3; expected it once"
        );
    }
}
