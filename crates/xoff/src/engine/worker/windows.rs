//! One window on one thread: every cluster of a turn runs alone, in the loop made for its content.

use std::ops::Range;

use super::ahead::MANY_LANES;
use super::{Content, HostSource, Kind, LocalCluster, LocalSource, Turn, Worker, count_arrivals};
use crate::agenda::Context;
use crate::engine::counts::Counting;
use crate::engine::wheel::Wheel;
use crate::host::Host;
use crate::kernel::tournament::TIME_LIMIT;
use crate::kernel::units::Time;
use crate::observer::Observer;
use crate::switch::Switch;
use crate::switch::shared_memory::{SharedMemory, Steps};

/// Window of the clusters of one turn.
pub(super) struct Window {
    pub(super) clusters: Range<usize>,
    /// Earliest time at which any of their neighbours can send.
    first_sent: u64,
    limit: u64,
}

impl Window {
    /// Returns the time up to which a cluster may run alone.
    pub(super) fn horizon(&self, local: &LocalCluster) -> u64 {
        self.first_sent.saturating_add(local.lookahead.get()).min(self.limit)
    }
}

impl<O: Counting> Worker<O> {
    /// Runs every cluster of the next turn up to its horizon, before which no other cluster can affect it.
    pub(super) fn run_window(&mut self, pending: [u64; 2]) {
        self.turn = usize::from(pending[1] < pending[0]);
        let window = self.window(pending, self.instants.next());
        if self.wheel.count_lanes() >= MANY_LANES {
            return self.run_far_apart(&window);
        }
        for cluster in window.clusters.clone() {
            if self.wheel.is_due(cluster, window.horizon(&self.clusters[cluster])) {
                let local = self.clusters[cluster];
                self.wheel.prefetch_fronts(local.lanes());
                self.run_to_horizon(cluster, &window);
            }
        }
    }

    /// Runs every cluster of a window up to its horizon, where the caches hold only few clusters.
    fn run_far_apart(&mut self, window: &Window) {
        let mut from = window.clusters.start;
        let mut due = [0; 4].map(|_| {
            let cluster = self.next_due(from, window);
            from = cluster + 1;
            cluster
        });
        while due[0] < window.clusters.end {
            self.prefetch_ahead(due);
            self.run_to_horizon(due[0], window);
            due = [due[1], due[2], due[3], self.next_due(due[3] + 1, window)];
        }
    }

    // Called at two places; only one of them matters on any network.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn run_to_horizon(&mut self, cluster: usize, window: &Window) {
        let local = self.clusters[cluster];
        let horizon = window.horizon(&local);
        self.open(cluster, &local);
        let last = self.run_cluster(&local, horizon);
        self.close(&local, last, horizon);
    }

    /// Returns the window of the present turn, which ends at `limit` at the latest. `pending` has the least pending time
    /// of each turn.
    pub(super) fn window(&self, pending: [u64; 2], limit: Time) -> Window {
        let Turn { clusters, neighbours, .. } = self.turns[self.turn].clone();
        let (own, theirs) = (pending[self.turn], pending[neighbours]);
        // Neighbours send when they have something to do, or when they have heard from this turn.
        let first_sent = theirs.min(own.saturating_add(self.turns[neighbours].lookahead.get()));
        let longest = own.saturating_add(self.longest_window.get());
        Window { clusters, first_sent, limit: limit.get().min(longest).min(TIME_LIMIT) }
    }

    /// Opens the window of a cluster.
    pub(super) fn open(&mut self, cluster: usize, local: &LocalCluster) {
        let &LocalCluster { lanes, first_arrival, .. } = local;
        self.wheel.open(cluster, lanes.0, first_arrival);
    }

    /// Runs the open cluster up to `horizon`. Returns the time of its last event.
    pub(super) fn run_cluster(&mut self, local: &LocalCluster, horizon: u64) -> Time {
        let &LocalCluster { offset, first_arrival, content, .. } = local;
        match content {
            Content::Host(place) => self.run_host(place, offset, horizon),
            Content::Switch(place) => self.run_switch(place, first_arrival, horizon),
            Content::OnlyArrivals(place) => self.take_arrivals(place, horizon),
            Content::Any => self.run_any(offset, horizon),
        }
    }

    /// Closes the window of the open cluster, whose last event was at `last`, and which has run all that is before
    /// `horizon`.
    pub(super) fn close(&mut self, local: &LocalCluster, last: Time, horizon: u64) {
        self.last_event = self.last_event.max(last);
        let next = self.mark_departed(local.switches.0..local.switches.1, horizon);
        self.wheel.close(next);
    }

    /// Runs the open cluster, of any content, whose sources begin at `offset`. Returns the time of its last event.
    fn run_any(&mut self, offset: usize, horizon: u64) -> Time {
        let mut last = Time::ZERO;
        while let Some((now, rank)) = self.wheel.least_of_any_before(horizon) {
            last = now;
            self.handle(now, rank, self.sources[offset + rank]);
        }
        last
    }

    /// Runs the open cluster, one host that hears of every arrival. Returns the time of its last event.
    fn run_host(&mut self, place: u32, offset: usize, horizon: u64) -> Time {
        let Self { wheel, observer, fabric, hosts, host_sources, sources, events, .. } = self;
        let (host, of_host) = (&mut hosts[place as usize], host_sources[place as usize]);
        let mut context = Context { now: Time::ZERO, agenda: wheel, observer, fabric };
        while let Some((now, rank)) = context.agenda.least_before(horizon) {
            *events += 1;
            context.now = now;
            if rank == of_host.arrival {
                at_host(host, of_host, Kind::HostArrival, rank, &mut context);
            } else if rank == of_host.rank {
                at_host(host, of_host, Kind::Host, rank, &mut context);
            } else {
                at_host(host, of_host, sources[offset + rank].kind, rank, &mut context);
            }
        }
        context.now
    }

    /// Runs the open cluster, one switch with a shared memory, whose arrivals begin at rank `first_arrival`. Returns
    /// the time of its last event.
    fn run_switch(&mut self, place: u32, first_arrival: u32, horizon: u64) -> Time {
        let Self { wheel, observer, fabric, switches, events, .. } = self;
        let mut context = Context { now: Time::ZERO, agenda: wheel, observer, fabric };
        let first_arrival = first_arrival as usize;
        match &mut switches[place as usize] {
            Switch::SharedMemory(SharedMemory::Queued(switch)) => {
                run_kind(switch, first_arrival, horizon, events, &mut context);
            }
            Switch::SharedMemory(SharedMemory::Lossless(switch)) => {
                run_kind(switch, first_arrival, horizon, events, &mut context);
            }
            Switch::SharedMemory(SharedMemory::LinedUp(_)) | Switch::Cioq(_) => {
                unreachable!("these have loops of their own")
            }
        }
        context.now
    }

    /// Runs the open cluster, one switch whose events are arrivals alone. Returns the time of the last.
    #[inline(never)]
    fn take_arrivals(&mut self, switch: u32, horizon: u64) -> Time {
        let Self { wheel, observer, fabric, switches, events, .. } = self;
        let mut context = Context { now: Time::ZERO, agenda: wheel, observer, fabric };
        let Switch::SharedMemory(SharedMemory::LinedUp(switch)) = &mut switches[switch as usize] else {
            return Time::ZERO;
        };
        while let Some((now, rank)) = context.agenda.least_before(horizon) {
            *events += 1;
            context.now = now;
            let packet = context.agenda.take_plain_arrival(rank);
            switch.on_arrival(packet, &mut context);
        }
        context.now
    }

    /// Has switches mark packets that leave before `horizon` without an event. Returns the time of the next such mark.
    fn mark_departed(&mut self, switches: Range<u32>, horizon: u64) -> Time {
        let Self { wheel, observer, fabric, .. } = self;
        let then = Time::new(horizon.saturating_sub(1));
        let mut context = Context { now: then, agenda: wheel, observer, fabric };
        let switches = &mut self.switches[switches.start as usize..switches.end as usize];
        switches.iter_mut().map(|switch| switch.mark_departed(then, &mut context)).min().unwrap_or(Time::MAX)
    }

    // As a call it costs a tenth of the loop.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn handle(&mut self, now: Time, rank: usize, source: LocalSource) {
        self.events += 1;
        let Self { wheel, observer, fabric, switches, .. } = self;
        let mut context = Context { now, agenda: wheel, observer, fabric };
        match source.kind {
            Kind::SwitchArrival => {
                let packet = context.agenda.take_arrival(rank);
                switches[source.place as usize].on_arrival(source.port(), packet, &mut context);
            }
            Kind::SwitchEndOfTransmission => {
                let switch = &mut switches[source.place as usize];
                let next = switch.on_end_of_transmission(source.port(), &mut context);
                context.agenda.set(rank, next);
            }
            Kind::SwitchPause => {
                let next = switches[source.place as usize].on_pause_due(&mut context);
                context.agenda.set(rank, next);
            }
            Kind::SwitchSignal => {
                let signal = context.agenda.take_arrival(rank);
                switches[source.place as usize].on_signal(source.port(), &signal, &mut context);
            }
            Kind::Crossbar => {
                let next = switches[source.place as usize].on_crossbar_due(&mut context);
                context.agenda.set(rank, next);
            }
            _ => self.handle_host(now, rank, source),
        }
    }

    fn handle_host(&mut self, now: Time, rank: usize, source: LocalSource) {
        let Self { wheel, observer, fabric, hosts, host_sources, .. } = self;
        let mut context = Context { now, agenda: wheel, observer, fabric };
        let place = source.place as usize;
        at_host(&mut hosts[place], host_sources[place], source.kind, rank, &mut context);
        if hosts[place].has_letters() {
            self.deliver_letters(place, now);
        }
    }

    /// Has the two adapters of a host read each other's letters, until neither has written another. The one at `from`
    /// has.
    #[cold]
    fn deliver_letters(&mut self, mut from: usize, now: Time) {
        let Self { wheel, observer, fabric, hosts, host_sources, places, .. } = self;
        let mut context = Context { now, agenda: wheel, observer, fabric };
        let servers = fabric.servers.expect("a host writes letters that has an adapter in a server");
        while hosts[from].has_letters() {
            let to = places[servers.beside(hosts[from].id()) as usize] as usize;
            let [writer, reader] =
                hosts.get_disjoint_mut([from, to]).expect("both adapters of a host are on one thread");
            let told = reader.due();
            reader.read_letters(writer, &mut context);
            let due = reader.due();
            if due != told {
                context.agenda.set(host_sources[to].rank, due);
            }
            from = to;
        }
    }
}

/// Runs the open cluster, one switch of this kind, whose arrivals begin at rank `first_arrival`.
#[inline(always)]
#[allow(clippy::inline_always)]
fn run_kind(
    switch: &mut impl Steps,
    first_arrival: usize,
    horizon: u64,
    events: &mut u64,
    context: &mut Context<'_, Wheel, impl Observer>,
) {
    let ports = switch.count_ports();
    while let Some((now, rank)) = context.agenda.least_before(horizon) {
        *events += 1;
        context.now = now;
        if rank >= first_arrival {
            let packet = context.agenda.take_arrival(rank);
            switch.on_arrival((rank - first_arrival) as u32, packet, context);
        } else {
            let next = if rank < ports {
                switch.on_end_of_transmission(rank as u32, context)
            } else {
                switch.on_pause_due(context)
            };
            context.agenda.set(rank, next);
        }
    }
}

/// Handles one event of a host.
// As a call, or with a kind that is looked up, it costs five to ten instructions a packet-hop.
#[inline(always)]
#[allow(clippy::inline_always)]
fn at_host(
    host: &mut Host,
    of_host: HostSource,
    kind: Kind,
    rank: usize,
    context: &mut Context<'_, Wheel, impl Observer>,
) {
    let told = host.due();
    match kind {
        Kind::HostArrival => {
            let packet = context.agenda.take_arrival(rank);
            host.on_arrival(packet, context);
        }
        Kind::HostArrivals => {
            count_arrivals(host, of_host.lane, context);
            let next = context.agenda.next_of_adapter(of_host.lane);
            context.agenda.set(rank, next);
        }
        Kind::HostEndOfTransmission => {
            let next = host.on_end_of_transmission(context);
            context.agenda.set(rank, next);
        }
        Kind::HostPause => {
            let next = host.on_pause_due(context);
            context.agenda.set(rank, next);
        }
        _ => host.on_due(context),
    }
    let due = host.due();
    if due != told {
        context.agenda.set(of_host.rank, due);
    }
}
