//! Facts about the fabric that the layout of every switch may use.

use std::cell::OnceCell;

use super::paths::{BothWays, longest_paths};
use crate::classes::Classes;
use crate::kernel::units::{Ratio, Span};
use crate::plan::bcc;
use crate::routing::Routes;
use crate::scenario::{Scenario, Transport};
use crate::topology::Network;

/// Fabric that all switches are in.
pub(super) struct Fabric<'a> {
    pub(super) network: &'a Network,
    routes: &'a Routes,
    /// Classes in use.
    pub(super) classes: Classes,
    /// Classes that have flows.
    pub(super) classes_of_flows: Classes,
    /// Largest buffer that a congestion control in use needs for full throughput, in round trips, where it is known
    /// [lambda].
    pub(super) lambda: Option<Ratio>,
    host_delay: Span,
    round_trip: OnceCell<Span>,
}

impl<'a> Fabric<'a> {
    pub(super) fn new(
        scenario: &Scenario,
        network: &'a Network,
        routes: &'a Routes,
        classes: Classes,
        classes_of_flows: Classes,
    ) -> Self {
        Self {
            network,
            routes,
            classes,
            classes_of_flows,
            lambda: lambda(scenario),
            host_delay: scenario.host.delay,
            round_trip: OnceCell::new(),
        }
    }

    /// Longest base round trip between two hosts, host delays included.
    pub(super) fn round_trip(&self) -> Span {
        let compute = || longest_round_trip(self.network, self.routes) + self.host_delay * 4;
        *self.round_trip.get_or_init(compute)
    }
}

fn lambda(scenario: &Scenario) -> Option<Ratio> {
    let used = scenario.workload.iter().filter_map(|workload| scenario.transport.get(workload.transport()));
    let known = used.filter_map(|transport| match transport {
        Transport::Tcp(tcp) => bcc::lambda(tcp.congestion_control.spelling()),
        Transport::Roce(_) | Transport::ConstantRate(_) => None,
    });
    known.max_by(|one, other| one.as_f64().total_cmp(&other.as_f64()))
}

/// Returns the longest propagation delay from one host to another and back.
fn longest_round_trip(network: &Network, routes: &Routes) -> Span {
    let propagation = |paths: &BothWays| paths.hops().map(|hop| network.links[hop.link as usize].delay).sum();
    longest_paths(network, routes, |_| true).map(|paths| propagation(&paths)).max().unwrap_or(Span::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::topology::testing::{FABRIC_LINK, HOST_LINK, network};

    #[test]
    fn the_longest_round_trip_crosses_the_fabric() {
        let table = format!(
            "kind = 'leaf_spine'\nleaves = 3\nspines = 2\nhosts_per_leaf = 2\n{HOST_LINK}\n{FABRIC_LINK}"
        );
        let network = network(&table).unwrap();
        assert_eq!(longest_round_trip(&network, &Routes::new(&network)), Span::from_microseconds(12));
    }

    #[test]
    fn the_longest_round_trip_of_a_star_is_that_of_its_longest_links() {
        let longer = "links = [{ between = ['host2', 'switch0'], delay = '5us' }]";
        let network = network(&format!("kind = 'star'\nhosts = 4\n{HOST_LINK}\n{longer}")).unwrap();
        assert_eq!(longest_round_trip(&network, &Routes::new(&network)), Span::from_microseconds(12));
    }
}
