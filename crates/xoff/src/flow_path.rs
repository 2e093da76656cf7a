//! Path of a flow: the ports that its data leaves by, from its source on, and the stages that its frames pass.

use crate::kernel::units::{Bytes, Rate, Span, Time, TransmissionClock};
use crate::routing::{FiveTuple, Hop, ParallelLinks};
use crate::simulation::Simulation;
use crate::topology::{Network, NodeId, PortId};

/// Flow with the ports that its data leaves by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowPath {
    /// Host that receives the data.
    pub destination: NodeId,
    /// Traffic class, 0 to 7.
    pub priority: u8,
    /// Time when the flow starts.
    pub start: Time,
    /// Ports, the source's own first: of the one path, or of all paths that the flow may take.
    pub ports: Vec<PortId>,
    /// Whether the flow takes one path only, as by ECMP.
    pub is_one: bool,
}

/// Stage of a path, which frames enter and leave whole and in order: a link, or the crossbar of a switch.
/// Parallel links are one stage; each frame takes one of them.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    clock: TransmissionClock,
    /// Clock of the rates of parallel links together.
    together: Option<TransmissionClock>,
    overhead: Bytes,
    delay: Span,
}

impl Stage {
    /// Returns the stage of a link. `wire_overhead` is preamble and gap of every frame.
    pub fn link(rate: Rate, delay: Span, wire_overhead: Bytes) -> Self {
        Self { clock: TransmissionClock::new(rate), together: None, overhead: wire_overhead, delay }
    }

    /// Returns the stage of parallel links, with the rate of the fastest and the delay of the shortest.
    pub fn side_by_side(links: &ParallelLinks, wire_overhead: Bytes) -> Self {
        let together = links.together.map(TransmissionClock::new);
        Self { together, ..Self::link(links.fastest, links.shortest, wire_overhead) }
    }

    /// Returns the stage of a crossbar, which moves a frame alone from the buffer of an input to that of an output.
    pub fn crossbar(rate: Rate) -> Self {
        let clock = TransmissionClock::new(rate);
        Self { clock, together: None, overhead: Bytes::ZERO, delay: Span::ZERO }
    }

    /// Returns the rate; of parallel links, the sum of their rates.
    pub fn rate(&self) -> Rate {
        self.together.as_ref().unwrap_or(&self.clock).rate()
    }

    /// Returns the propagation delay, one way.
    pub fn delay(&self) -> Span {
        self.delay
    }

    /// Returns the time that a frame takes. Unless links are parallel, the next frame waits for it.
    pub fn time_of(&self, frame: Bytes) -> Span {
        self.clock.transmission_time(frame + self.overhead)
    }

    /// Returns a frame's share of the time of parallel links; nothing for a single link.
    pub fn share_of(&self, frame: Bytes) -> Option<Span> {
        self.together.as_ref().map(|together| together.transmission_time(frame + self.overhead))
    }
}

/// Returns the stages of a path in order: every link, and before it the crossbar of the switch that sends on it.
/// `crossbar` returns the rate of a switch's crossbar, where it has one.
pub fn stages(
    network: &Network,
    path: impl Iterator<Item = Hop>,
    wire_overhead: Bytes,
    crossbar: impl Fn(NodeId) -> Option<Rate>,
) -> Vec<Stage> {
    let of_hop = |hop: Hop| {
        let link = network.links[hop.link as usize];
        let link = Stage::link(link.rate_from(hop.node), link.delay, wire_overhead);
        let rate = if network.is_host(hop.node) { None } else { crossbar(hop.node) };
        rate.map(Stage::crossbar).into_iter().chain([link])
    };
    path.flat_map(of_hop).collect()
}

/// Finds flow `number` of host `source`, if the run will ever have this flow. Returns nothing where the host takes
/// part in an application: its flows are numbered as they start, which only a run shows.
pub fn of_flow(simulation: &Simulation, source: NodeId, number: u32) -> Option<FlowPath> {
    let fabric = simulation.fabric();
    let host = fabric.servers.map_or(source, |servers| servers.host_of(source));
    if fabric.plans.all().iter().any(|plan| plan.concerns(host)) {
        return None;
    }
    let (mut arrivals, mut found) = (simulation.arrivals(), None);
    while found.is_none() && arrivals.next_start() <= Time::ZERO + crate::engine::LONGEST_RUN {
        let just_after = arrivals.next_start() + Span::new(1);
        arrivals.announce_until(just_after, |host, start| {
            if host == source && start.flow.number == number {
                found = Some(start.flow);
            }
        });
    }
    let flow = found?;
    Some(FlowPath {
        destination: flow.destination,
        priority: flow.priority,
        start: flow.start,
        ports: ports(simulation, [source, flow.destination], flow.transport, number),
        is_one: simulation.parallel_paths(flow.transport).is_none(),
    })
}

/// Returns the ports that data of a flow leaves by, the source's own first, as the network routes when the run begins.
/// These are the ports of its one path, or of all that it may take. `number` is the flow's number at its source, the
/// first of `ends`.
pub fn ports(simulation: &Simulation, ends: [NodeId; 2], transport: u8, number: u32) -> Vec<PortId> {
    let ([source, destination], network) = (ends, simulation.network());
    let hops: Vec<Hop> = if simulation.parallel_paths(transport).is_none() {
        let number = simulation.fabric().shared_tuples.number(transport, number);
        let tuple = FiveTuple::of_flow(source, destination, number);
        simulation.routes().path(network, source, destination, tuple).collect()
    } else {
        simulation.routes().links_by_hop(network, source, destination).concat()
    };
    hops.iter().map(|hop| network.ports.first(hop.node) + PortId::from(hop.port)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::routing::Routes;
    use crate::topology::testing::network;

    #[test]
    fn a_frame_crosses_a_switch_s_crossbar_between_its_links() {
        let network = network(
            "kind = 'fabric'\nsupernodes = 1\nports_per_supernode = 2\n\
             host_link = { rate = '10Gbps', delay = '50ns' }",
        )
        .unwrap();
        let routes = Routes::new(&network);
        let stages_with = |crossbar: &dyn Fn(NodeId) -> Option<Rate>| {
            let path = routes.path(&network, 0, 1, FiveTuple::of_flow(0, 1, 0));
            stages(&network, path, Bytes::new(20), crossbar)
        };
        let gbps = |stages: Vec<Stage>| -> Vec<u64> {
            stages.iter().map(|stage| stage.rate().get() / 1_000_000_000).collect()
        };
        assert_eq!(gbps(stages_with(&|_| None)), [10, 20, 20, 10]);
        let only_the_element = |node| (node == 4).then(|| Rate::from_gbps(80));
        assert_eq!(gbps(stages_with(&only_the_element)), [10, 20, 80, 20, 10]);
        assert_eq!(gbps(stages_with(&|_| Some(Rate::from_gbps(40)))), [10, 40, 20, 40, 20, 40, 10]);
    }

    /// At 10 Gbps 1522 B take 1217.6 ns, and the 20 B of preamble and gap 16 ns more.
    #[test]
    fn preamble_and_gap_stay_on_the_link() {
        let (rate, frame) = (Rate::from_gbps(10), Bytes::new(1522));
        assert_eq!(Stage::crossbar(rate).time_of(frame), Span::new(1_217_600));
        let link = Stage::link(rate, Span::from_nanoseconds(50), Bytes::new(20));
        assert_eq!(link.time_of(frame), Span::new(1_233_600));
    }
}
