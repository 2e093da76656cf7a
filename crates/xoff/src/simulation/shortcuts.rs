//! Shortcuts that spare events: ways to run a scenario faster with the same results.
//!
//! A host's delay becomes part of its link, a port with one class and no observers becomes a plain FIFO, and hosts that
//! only count get no events. Each shortcut is taken only if nothing could tell the difference. The reference engine of
//! the tests takes none.

use std::sync::Arc;

use super::Simulation;
use crate::agenda::Fabric;
use crate::engine::SHORTEST_WINDOW;
use crate::host::{Host, Lines};
use crate::kernel::units::Span;
use crate::layout::SwitchLayout;
use crate::scenario::{Observe, Scenario, Transport, Workload};
use crate::switch::Switch;
use crate::topology::{Link, NodeId};

/// Most ports of a switch whose packets line up. All ports settle whenever memory may be fuller than ever before, which
/// costs a switch of thousands more than departures that are events.
const MOST_PORTS_OF_A_FIFO: usize = 1024;

/// Nodes of a run, with the shortcuts that they may take.
pub(super) struct Shortcuts<'a> {
    simulation: &'a Simulation,
    /// Facts that nodes look up.
    pub(super) fabric: Arc<Fabric>,
    /// Time added to the delay of links to hosts in place of the delay of hosts, or zero.
    longer: Span,
    in_adapters: Lines,
    /// See [`Workshop::hosts_only_count`](crate::engine::Workshop::hosts_only_count).
    pub(super) hosts_only_count: bool,
    /// Whether the node at the other end of a link learns of a mark before the packet comes, although it runs by
    /// itself.
    marks_are_heard_of: bool,
}

impl Shortcuts<'_> {
    /// Makes a host as it is before the run.
    pub(super) fn host(&self, node: NodeId) -> Host {
        self.simulation.host_over(node, self.longer).with_lines(self.in_adapters)
    }

    /// Makes a switch as it is before the run.
    pub(super) fn switch(&self, node: NodeId) -> Switch {
        self.simulation.switch_over(node, self.longer, self.fifo(node))
    }

    /// Returns, for each node, whether nothing but arrivals of packets happens there.
    pub(super) fn only_arrivals(&self) -> Vec<bool> {
        let network = &self.simulation.network;
        let is_shared_memory = |node| matches!(self.simulation.layout(node), SwitchLayout::SharedMemory(_));
        let nodes = 0..network.nodes.len() as NodeId;
        nodes
            .map(|node| !network.is_host(node) && is_shared_memory(node) && self.fifo(node).is_some())
            .collect()
    }

    /// Returns the class of all packets, if every port of a switch sends them in order of arrival and nothing observes
    /// them.
    fn fifo(&self, node: NodeId) -> Option<usize> {
        let Simulation { network, scenario, classes, traces, watch, link_events, .. } = self.simulation;
        let ports = network.ports.of(node);
        let is_plain = match self.simulation.layout(node) {
            SwitchLayout::SharedMemory(layout) => {
                !scenario.has_lossless_class()
                    && layout.looks_at_own_port_only()
                    && layout.shapers().next().is_none()
                    && (!layout.marks_departures() || self.marks_are_heard_of)
            }
            // Hosts that are not slow pause nobody.
            SwitchLayout::Cioq(layout) => {
                let hosts_pause_nobody = scenario.slow_receiver.is_empty();
                layout.leaves_outputs_alone()
                    && (!scenario.has_lossless_class()
                        || hosts_pause_nobody && ports.iter().all(|port| network.is_host(port.peer)))
            }
        };
        let is_fifo = is_plain
            && ports.len() <= MOST_PORTS_OF_A_FIFO
            && link_events.is_empty()
            && !scenario.balances_load()
            && !scenario.sprays()
            && !ports.iter().any(|port| network.links[port.link as usize].corrupts())
            && !traces
            && !watch.recorder.is_watching();
        classes.sole().filter(|_| is_fifo)
    }
}

impl Simulation {
    pub(super) fn shortcuts(&self) -> Shortcuts<'_> {
        // What is on its way when a link fails is lost, so it must not seem to be.
        let (fabric, longer) = if self.has_frames_for_adapters() || !self.link_events.is_empty() {
            (Arc::clone(&self.fabric), Span::ZERO)
        } else {
            let fabric = Fabric { inbound_delay: Span::ZERO, ..Fabric::clone(&self.fabric) };
            (Arc::new(fabric), self.fabric.inbound_delay)
        };
        Shortcuts {
            simulation: self,
            fabric,
            longer,
            in_adapters: self.lines_in_adapters(),
            hosts_only_count: self.hosts_only_count(),
            marks_are_heard_of: self.network.links.iter().all(|link| link.delay >= SHORTEST_WINDOW),
        }
    }

    /// Whether hosts only count what arrives: they answer nothing and start nothing, at once or later.
    pub(super) fn hosts_only_count(&self) -> bool {
        let Scenario { host, transport, workload, .. } = &self.scenario;
        let mut used = workload.iter().filter_map(|workload| transport.get(workload.transport()));
        host.delay == Span::ZERO
            && !host.hands_up_together()
            && used.all(|transport| matches!(transport, Transport::ConstantRate(_)))
            && self.fabric.plans.all().is_empty()
            && !workload.iter().any(|workload| matches!(workload, Workload::Driven(_)))
            && self.scenario.slow_receiver.is_empty()
            && !self.watch.recorder.is_watching()
            && self.link_events.is_empty()
    }

    /// Whether a frame that arrives at a host may concern its adapter, and not only what is behind the host's delay.
    fn has_frames_for_adapters(&self) -> bool {
        let Scenario { transport, .. } = &self.scenario;
        self.scenario.has_lossless_class()
            || !self.scenario.slow_receiver.is_empty()
            || self.scenario.congestion_points().next().is_some()
            || transport.values().any(Transport::is_in_adapter)
    }

    /// Returns how packets line up in adapters. They do if only the order in which they set out decides when they
    /// leave.
    fn lines_in_adapters(&self) -> Lines {
        let Scenario { host, observe, .. } = &self.scenario;
        let waits = host.delay > Span::ZERO || host.jitter;
        // What a flow has in the adapter is less than what would hold it back.
        let holds_nobody_back = host.adapter_queue.is_some_and(|limit| limit < host.small_queue);
        let lines = match (waits, host.adapter_queue) {
            (false, None) => Lines::OfSmallQueues,
            (true, _) if holds_nobody_back => Lines::BehindDelay,
            _ => Lines::Never,
        };
        let in_order = host.marking.is_none()
            && self.classes.sole().is_some()
            && !self.has_frames_for_adapters()
            && !self.network.links.iter().any(Link::corrupts)
            && self.link_events.is_empty()
            && *observe == Observe::default();
        if in_order { lines } else { Lines::Never }
    }
}
