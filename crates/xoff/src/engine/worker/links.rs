//! Link events on one thread: its ports change at a global instant, and packets on a failing link are lost.

use super::{ELSEWHERE, LocalCluster, Worker};
use crate::agenda::Context;
use crate::engine::counts::Counting;
use crate::engine::link_events::LinkEvent;
use crate::engine::wheel::Wheel;
use crate::host::Host;
use crate::kernel::units::Time;
use crate::switch::shared_memory::SharedMemory;
use crate::topology::PortId;

/// Node at one end of a link. A switch has the port's number there.
enum End<'a> {
    Host(&'a mut Host),
    Switch(&'a mut SharedMemory, u32),
}

impl<O: Counting> Worker<O> {
    /// Carries out the link events of now. All links that fail do so before any other event.
    pub(super) fn change_links(&mut self) {
        let events = self.instants.take_link_events(self.now);
        let failing: Vec<[PortId; 2]> = events
            .iter()
            .filter_map(|event| match *event {
                LinkEvent::Down(link) => Some(self.network.ends_of(link)),
                _ => None,
            })
            .collect();
        for &port in failing.as_flattened() {
            self.at_end(port, |end, context| match end {
                End::Host(host) => host.on_link_down(context),
                End::Switch(switch, number) => switch.on_link_down(number, context),
            });
        }
        for &[one, other] in &failing {
            for (port, back) in [(one, other), (other, one)] {
                self.at_end(port, |end, context| {
                    if let End::Switch(switch, number) = end {
                        switch.lose_queued(number, context);
                    }
                });
                self.wheel.lose_in_flight(port, back);
            }
        }
        for event in &events {
            match event {
                LinkEvent::Down(_) => {}
                LinkEvent::Up(link) => {
                    for port in self.network.ends_of(*link) {
                        self.at_end(port, |end, context| match end {
                            End::Host(host) => host.on_link_up(context),
                            End::Switch(switch, number) => switch.on_link_up(number, context),
                        });
                    }
                }
                LinkEvent::Rate { port, rate, pace } => {
                    self.at_end(*port, |end, context| {
                        if let End::Switch(switch, number) = end {
                            switch.on_link_rate(number, *rate, *pace, context);
                        }
                    });
                }
                LinkEvent::Routes(routes) => {
                    for switch in &mut self.switches {
                        let first = switch.ports().first().map(crate::port::Port::id);
                        let node = first.map(|first| self.network.ports.place(first).0);
                        if let (Some(node), Some(switch)) = (node, switch.shared_memory_mut()) {
                            switch.reroute(routes.table(node).clone());
                        }
                    }
                }
            }
        }
    }

    /// Has the ports of this thread count the packets that they sent and that were lost in flight.
    #[cold]
    pub(super) fn count_lost(&mut self) {
        for (port, packet) in std::mem::take(&mut self.wheel.lost) {
            self.at_end(port, |end, context| match end {
                End::Host(host) => host.lose(&packet, context),
                End::Switch(switch, number) => switch.lose(number, &packet, context),
            });
        }
    }

    /// Calls `act` with the node of a port, if this thread has it.
    fn at_end(&mut self, port: PortId, act: impl FnOnce(End<'_>, &mut Context<'_, Wheel, O>)) {
        let (node, number) = self.network.ports.place(port);
        let Self { wheel, observer, fabric, hosts, host_sources, places, switches, clusters, .. } = self;
        let place = places[node as usize];
        if place == ELSEWHERE {
            return;
        }
        let (cluster, end) = if self.network.is_host(node) {
            (host_sources[place as usize].cluster, End::Host(&mut hosts[place as usize]))
        } else {
            let has = |cluster: &LocalCluster| (cluster.switches.0..cluster.switches.1).contains(&place);
            let cluster = clusters.iter().position(has).expect("every switch is in a cluster");
            let Some(switch) = switches[place as usize].shared_memory_mut() else { return };
            (cluster, End::Switch(switch, number))
        };
        let LocalCluster { lanes, first_arrival, .. } = clusters[cluster];
        wheel.open(cluster, lanes.0, first_arrival);
        act(end, &mut Context { now: self.now, agenda: wheel, observer, fabric });
        wheel.close(Time::MAX);
    }
}
