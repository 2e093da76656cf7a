//! Where a flow goes: the ports that its data leaves by, from its source on.

use crate::kernel::units::{Span, Time};
use crate::routing::FiveTuple;
use crate::simulation::Simulation;
use crate::topology::{NodeId, PortId};

/// One flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPath {
    /// The host that its data is for.
    pub destination: NodeId,
    /// Traffic class.
    pub priority: u8,
    /// When it starts.
    pub start: Time,
    /// The ports, the source's own first.
    pub ports: Vec<PortId>,
}

/// The flow of this number at this host, if there will ever be one.
pub fn of_flow(simulation: &Simulation, source: NodeId, number: u32) -> Option<FlowPath> {
    let (mut arrivals, mut found) = (simulation.arrivals(), None);
    while found.is_none() && arrivals.next_start() <= Time::ZERO + crate::engine::LONGEST_RUN {
        let just_after = arrivals.next_start() + Span::new(1);
        arrivals.announce_until(just_after, |host, start| {
            if host == source && start.number == number {
                found = Some(start);
            }
        });
    }
    let flow = found?;
    let network = simulation.network();
    let tuple = FiveTuple::of_flow(source, flow.destination, number);
    let path = simulation.routes().path(network, source, flow.destination, tuple);
    let ports = path.map(|hop| network.ports.first(hop.node) + PortId::from(hop.port)).collect();
    Some(FlowPath { destination: flow.destination, priority: flow.priority, start: flow.start, ports })
}
