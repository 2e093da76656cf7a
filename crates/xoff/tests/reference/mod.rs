//! Reference engine: the same hosts and switches under the simplest engine there can be.
//!
//! One ordered list has everything that is pending in the whole network, with two events a hop. Every transmission
//! schedules its own end, whether or not anything waits for it, and every packet its arrival. There are no windows,
//! clusters, rings or threads. If it and the engine disagree, believe this one first.

use std::collections::{BTreeMap, VecDeque};

use xoff::Simulation;
use xoff::internals::agenda::{Agenda, Context, LaneId};
use xoff::internals::engine::sources::Class;
use xoff::internals::engine::{
    HeadroomLog, InFlight, LinkEvent, Outcome, PauseLog, Received, Samples, Skips,
};
use xoff::internals::host::Host;
use xoff::internals::observer::Silent;
use xoff::internals::packet::Packet;
use xoff::internals::port::Port;
use xoff::internals::switch::Switch;
use xoff::internals::switch::shared_memory::SharedMemory;
use xoff::internals::telemetry::Telemetry;
use xoff::network::PortId;
use xoff::network::{Network, NodeId};
use xoff::units::{Span, Time};

/// Key that orders events: time, class, node and port. No two pending events are alike in all four.
type Key = (Time, Class, NodeId, u32);

/// Pending events, with the packet of each arrival.
type Pending = BTreeMap<Key, Option<Packet>>;

/// Runs a simulation that observes nothing. Also returns the packets that are on wires at the end.
pub(crate) fn run(simulation: &Simulation) -> (Outcome, Vec<Packet>) {
    run_with(simulation, &[])
}

/// Runs a simulation as [`run`] does, and delivers these packets to hosts besides, from nowhere.
pub(crate) fn run_with(
    simulation: &Simulation,
    besides: &[(Time, NodeId, Packet)],
) -> (Outcome, Vec<Packet>) {
    let mut reference = Reference::new(simulation);
    reference
        .pending
        .extend(besides.iter().map(|&(at, host, packet)| ((at, Class::Arrival, host, 0), Some(packet))));
    let end = reference.run();
    // What happens at the end has not happened yet.
    reference.settle(end.map_or(Time::MAX, |end| Time::new(end.get().saturating_sub(1))));
    let Reference { hosts, switches, pending, telemetry, received, events, last_event, .. } = reference;
    // Nothing is left to do, and a port holds packets because they are paused.
    let mut ports = hosts.iter().map(Host::port).chain(switches.iter().flat_map(Switch::ports));
    let left_behind = end.is_none() && ports.any(Port::holds_back);
    let on_wires: Vec<Packet> = pending.into_values().flatten().collect();
    let outcome = Outcome {
        hosts,
        switches,
        on_wires: InFlight::of(&on_wires),
        samples: Samples::default(),
        received,
        drops: Vec::new(),
        pauses: PauseLog::default(),
        headroom: HeadroomLog::default(),
        packets: Vec::new(),
        recorded_until: None,
        telemetry_in_use: Telemetry::in_use(&[telemetry]),
        end: end.or(left_behind.then_some(last_event)),
        events,
        interrupted: false,
        forgotten: 0,
        stood_still: left_behind,
        skips: Skips::default(),
    };
    (outcome, on_wires)
}

struct Reference<'a> {
    simulation: &'a Simulation,
    hosts: Vec<Host>,
    switches: Vec<Switch>,
    pending: Pending,
    directions: Vec<Direction>,
    signals: Signals,
    telemetry: Telemetry,
    received: [Option<Received>; 2],
    events: u64,
    last_event: Time,
}

/// Signals on their way to each port.
type Signals = BTreeMap<(NodeId, u32), VecDeque<(Time, Packet)>>;

/// Direction of a link, which one port feeds.
#[derive(Clone, Copy)]
struct Direction {
    from: (NodeId, u32),
    to: (NodeId, u32),
    delay: Span,
}

/// Node whose links may change.
enum Node<'a> {
    Host(&'a mut Host),
    Switch(&'a mut SharedMemory),
}

fn shared_memory(switch: &mut Switch) -> &mut SharedMemory {
    switch.shared_memory_mut().expect("links of switches with queues at their inputs stay as they are")
}

/// Link that turns what a port puts on the wire into the two events of a hop.
struct TwoEventsAHop<'a> {
    pending: &'a mut Pending,
    directions: &'a [Direction],
    signals: &'a mut Signals,
    telemetry: &'a mut Telemetry,
}

impl Agenda for TwoEventsAHop<'_> {
    fn deliver(&mut self, lane: LaneId, arrives: Time, packet: Packet) {
        let Direction { from, to, delay } = self.directions[lane as usize];
        let end = Time::new(arrives.get() - delay.get());
        // A port with a shaper may have asked to be looked at just then.
        self.pending.insert((end, Class::EndOfTransmission, from.0, from.1), None);
        let meets = self.pending.insert((arrives, Class::Arrival, to.0, to.1), Some(packet));
        assert!(meets.is_none(), "a link carries one packet at a time");
    }

    fn mark_in_flight(&mut self, _port: PortId, _arrives: Time, _behind: usize) {
        unreachable!("every departure is an event");
    }

    fn deliver_ahead(&mut self, _port: PortId, _arrives: Time, _packet: Packet, _by: Span) {
        unreachable!("nothing lines up");
    }

    /// Schedules an end of transmission for a class that resumes while the wire is free, or a look at a port whose shaper
    /// has tokens again. All other ends are scheduled already.
    fn end_of_transmission(&mut self, port: PortId, at: Time) {
        let (node, number) = self.directions[port as usize].from;
        self.pending.insert((at, Class::EndOfTransmission, node, number), None);
    }

    fn telemetry(&mut self) -> &mut Telemetry {
        self.telemetry
    }

    fn pause_due(&mut self, port: PortId, at: Time) {
        let (node, _) = self.directions[port as usize].from;
        self.pending.insert((at, Class::Pause, node, 0), None);
    }

    fn signal(&mut self, port: PortId, arrives: Time, signal: Packet) {
        let Direction { to, .. } = self.directions[port as usize];
        self.signals.entry(to).or_default().push_back((arrives, signal));
        self.pending.insert((arrives, Class::Signal, to.0, to.1), None);
    }

    fn crossbar_due(&mut self, port: PortId, at: Time) {
        let (node, _) = self.directions[port as usize].from;
        let earlier = forget_crossbar(self.pending, node);
        self.pending.insert((at.min(earlier), Class::Crossbar, node, 0), None);
    }
}

impl<'a> Reference<'a> {
    fn new(simulation: &'a Simulation) -> Self {
        let network = simulation.network();
        Self {
            simulation,
            hosts: (0..network.hosts).map(|node| simulation.host(node)).collect(),
            switches: (network.hosts..network.nodes.len() as NodeId)
                .map(|node| simulation.switch(node))
                .collect(),
            pending: Pending::new(),
            directions: directions(network),
            signals: Signals::new(),
            telemetry: Telemetry::new(simulation.records()),
            received: [None, None],
            events: 0,
            last_event: Time::ZERO,
        }
    }

    /// Runs to the end. Returns when that was, if the run did not end by itself.
    fn run(&mut self) -> Option<Time> {
        let mut arrivals = self.simulation.arrivals();
        let mut instants = self.simulation.instants();
        for host in self.hosts.iter().filter(|host| host.due() != Time::MAX) {
            self.pending.insert((host.due(), Class::Host, host.id(), 0), None);
        }
        loop {
            let next_event = self.pending.first_key_value().map_or(Time::MAX, |(key, _)| key.0);
            let least = next_event.min(arrivals.next_start()).min(instants.next_link_event());
            let instant = instants.next();
            if least < instant {
                self.handle_next();
                continue;
            }
            if least == Time::MAX && instants.latest_end().is_none() {
                return None;
            }
            if let Some(which) = instants.take_measured(instant) {
                self.received[which] = Some(Received::by(&self.hosts));
            }
            if instants.is_end(instant) {
                return Some(instant);
            }
            if let Some(until) = instants.take_check(instant, least) {
                if instants.has_enough(self.hosts.iter().map(|host| host.counters.finished).sum()) {
                    return Some(instant);
                }
                arrivals.announce_until(until, |source, start| {
                    self.hosts[source as usize].announce(start);
                    self.pending.insert((start.flow.start, Class::Host, source, 0), None);
                });
            }
            // What is expelled at this instant has not been expelled yet.
            self.settle(Time::new(instant.get().saturating_sub(1)));
            self.change_links(instant, &instants.take_link_events(instant));
        }
    }

    /// Makes switches remove the packets that they have expelled by then, which is no event.
    fn settle(&mut self, then: Time) {
        let Self { pending, directions, signals, telemetry, .. } = self;
        let mut agenda = TwoEventsAHop { pending, directions, signals, telemetry };
        let fabric = self.simulation.fabric();
        let mut context = Context { now: then, agenda: &mut agenda, observer: &mut Silent, fabric };
        for switch in self.switches.iter_mut().filter_map(Switch::shared_memory_mut) {
            switch.settle(then, &mut context);
        }
    }

    /// Applies link events that are due now. All failures come before any message about other links.
    fn change_links(&mut self, now: Time, events: &[LinkEvent]) {
        let failing: Vec<Direction> = events
            .iter()
            .filter_map(|event| match *event {
                LinkEvent::Down(link) => Some(self.both_directions(link)),
                _ => None,
            })
            .flatten()
            .collect();
        for direction in &failing {
            self.at(direction.from, now, |node, port, context| match node {
                Node::Host(host) => host.on_link_down(context),
                Node::Switch(switch) => switch.on_link_down(port, context),
            });
        }
        for &Direction { from, to, .. } in &failing {
            let is_on_its_way =
                |&&(_, class, node, port): &&Key| class == Class::Arrival && (node, port) == to;
            let lost: Vec<Key> = self.pending.keys().filter(is_on_its_way).copied().collect();
            let lost: Vec<Packet> =
                lost.iter().filter_map(|key| self.pending.remove(key).flatten()).collect();
            self.at(from, now, |node, port, context| {
                for packet in lost.iter().filter(|packet| packet.control().is_none()) {
                    match node {
                        Node::Host(host) => host.lose(packet, context),
                        Node::Switch(switch) => switch.lose(port, packet, context),
                    }
                }
                if let Node::Switch(switch) = node {
                    switch.lose_queued(port, context);
                }
            });
        }
        for event in events {
            match event {
                LinkEvent::Down(_) => {}
                LinkEvent::Up(link) => {
                    for direction in self.both_directions(*link) {
                        self.at(direction.from, now, |node, port, context| match node {
                            Node::Host(host) => host.on_link_up(context),
                            Node::Switch(switch) => switch.on_link_up(port, context),
                        });
                    }
                }
                LinkEvent::Rate { port, rate, pace } => {
                    let place = self.simulation.network().ports.place(*port);
                    self.at(place, now, |node, port, context| match node {
                        Node::Host(_) => unreachable!("a host keeps its rate"),
                        Node::Switch(switch) => switch.on_link_rate(port, *rate, *pace, context),
                    });
                }
                LinkEvent::Routes(routes) => {
                    for (node, switch) in (self.simulation.network().hosts..).zip(&mut self.switches) {
                        shared_memory(switch).reroute(routes.table(node).clone());
                    }
                }
            }
        }
    }

    fn both_directions(&self, link: u32) -> [Direction; 2] {
        let ends = self.simulation.network().links[link as usize].ends;
        let ports = &self.simulation.network().ports;
        ends.map(|node| {
            let number = ports.of(node).iter().position(|port| port.link == link);
            let number = number.expect("a link has a port at each end") as u32;
            *self
                .directions
                .iter()
                .find(|direction| direction.from == (node, number))
                .expect("ports feed links")
        })
    }

    /// Calls a function on a node, outside of all events.
    fn at(
        &mut self,
        (node, port): (NodeId, u32),
        now: Time,
        act: impl FnOnce(&mut Node<'_>, u32, &mut Context<'_, TwoEventsAHop<'_>, Silent>),
    ) {
        let Self { pending, directions, signals, telemetry, .. } = self;
        let mut agenda = TwoEventsAHop { pending, directions, signals, telemetry };
        let fabric = self.simulation.fabric();
        let mut context = Context { now, agenda: &mut agenda, observer: &mut Silent, fabric };
        let mut node = match node.checked_sub(self.simulation.network().hosts) {
            None => Node::Host(&mut self.hosts[node as usize]),
            Some(switch) => Node::Switch(shared_memory(&mut self.switches[switch as usize])),
        };
        act(&mut node, port, &mut context);
    }

    fn pause_due(&mut self, now: Time, node: NodeId, due: Time) {
        assert!(due > now, "everything that was due is done");
        if due != Time::MAX {
            self.pending.insert((due, Class::Pause, node, 0), None);
        }
    }

    /// Takes the first signal that is due at a port. Of several at once each is an event.
    fn take_signal(&mut self, now: Time, port: (NodeId, u32)) -> Option<Packet> {
        let signals = self.signals.get_mut(&port)?;
        let (_, signal) = signals.pop_front()?;
        if signals.front().is_some_and(|&(due, _)| due == now) {
            self.pending.insert((now, Class::Signal, port.0, port.1), None);
        }
        Some(signal)
    }

    fn handle_next(&mut self) {
        let Some(((now, class, node, port), packet)) = self.pending.pop_first() else { return };
        self.events += 1;
        self.last_event = now;
        let key = (node, port);
        let signal = if class == Class::Signal { self.take_signal(now, key) } else { None };
        let Self { pending, directions, signals, telemetry, .. } = self;
        let mut agenda = TwoEventsAHop { pending, directions, signals, telemetry };
        let fabric = self.simulation.fabric();
        let mut context = Context { now, agenda: &mut agenda, observer: &mut Silent, fabric };
        if let Some(switch) = node.checked_sub(self.simulation.network().hosts) {
            let switch = &mut self.switches[switch as usize];
            match (class, packet) {
                (Class::Signal, _) => {
                    if let Some(signal) = signal {
                        switch.on_signal(port, &signal, &mut context);
                    }
                }
                (_, Some(packet)) => switch.on_arrival(port, packet, &mut context),
                (Class::Pause, None) => {
                    let due = switch.on_pause_due(&mut context);
                    self.pause_due(now, node, due);
                }
                (Class::Crossbar, None) => {
                    let due = switch.on_crossbar_due(&mut context);
                    // It matches once an instant, whatever it asked for meanwhile, and not in vain: that would pair what was left over.
                    forget_crossbar(&mut self.pending, node);
                    if due != Time::MAX {
                        self.pending.insert((due, Class::Crossbar, node, 0), None);
                    }
                }
                (_, None) => {
                    // Memory that is released here may resume the sender by the same port, which asks to be heard at once
                    // and starts within this event. The engine replaces a port's next end; here what was asked for is pending.
                    if switch.on_end_of_transmission(port, &mut context) > now {
                        self.pending.remove(&(now, Class::EndOfTransmission, node, port));
                    }
                }
            }
            return;
        }
        let host = &mut self.hosts[node as usize];
        match (class, packet) {
            (Class::Arrival, Some(packet)) => host.on_arrival(packet, &mut context),
            (Class::Arrival, None) => unreachable!("what arrives is a packet"),
            (Class::Crossbar | Class::Signal, _) => unreachable!("hosts have none"),
            (Class::Pause, _) => {
                let due = host.on_pause_due(&mut context);
                self.pause_due(now, node, due);
                return;
            }
            (Class::EndOfTransmission, _) => drop(host.on_end_of_transmission(&mut context)),
            (Class::Host, _) => {
                assert_eq!(host.due(), now, "nothing is pending in vain");
                host.on_due(&mut context);
            }
        }
        let mut wrote = host.has_letters().then_some(node);
        if host.due() != Time::MAX {
            context.agenda.pending.insert((host.due(), Class::Host, node, 0), None);
        }
        while let (Some(writer), Some(servers)) = (wrote, fabric.servers) {
            let reader = servers.beside(writer);
            let [one, other] = self
                .hosts
                .get_disjoint_mut([writer as usize, reader as usize])
                .expect("a host has two adapters");
            other.read_letters(one, &mut context);
            if other.due() != Time::MAX {
                context.agenda.pending.insert((other.due(), Class::Host, reader, 0), None);
            }
            wrote = other.has_letters().then_some(reader);
        }
    }
}

/// Removes the pending event of a node's crossbar. Returns when it was due; `Time::MAX` if there was none.
fn forget_crossbar(pending: &mut Pending, node: NodeId) -> Time {
    let is_its_own = |key: &&Key| key.1 == Class::Crossbar && key.2 == node;
    let due = pending.keys().find(is_its_own).copied();
    due.map_or(Time::MAX, |key| {
        pending.remove(&key);
        key.0
    })
}

/// Lists both directions of all links, by the port that feeds each.
fn directions(network: &Network) -> Vec<Direction> {
    let mut directions = Vec::new();
    for node in 0..network.nodes.len() as NodeId {
        for (number, port) in network.ports.of(node).iter().enumerate() {
            let delay = network.links[port.link as usize].delay;
            directions.push(Direction {
                from: (node, number as u32),
                to: (port.peer, port.peer_port),
                delay,
            });
        }
    }
    directions
}
