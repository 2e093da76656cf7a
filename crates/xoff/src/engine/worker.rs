//! Worker: one thread with its clusters and nodes, and its loop from window to window.
//! `worker/windows.rs` runs the clusters within a window, `worker/links.rs` changes links between windows, and
//! `worker/driving.rs` lets a program step through a run.

mod ahead;
pub(super) mod driving;
mod links;
mod skipping;
mod windows;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::arrivals::Arrivals;
use super::clusters::{self, Cluster};
use super::counts::Counting;
use super::fast_forward::{FastForward, Skips, Watcher};
use super::headroom_log::HeadroomLog;
use super::in_flight::InFlight;
use super::instants::Instants;
use super::packet_log::PacketLog;
use super::pause_log::PauseLog;
use super::received::Received;
use super::recorder::Recorded;
use super::sampler::{Sampler, Sampling};
use super::samples::Samples;
use super::shared::{Shared, Tally};
use super::sources::{self, Class, Equipment};
use super::standstill::{Movement, Standstill};
use super::wheel::{IN_BULK, Lane, NO_LANE, Outgoing, REMOTE, Ranks, Wheel};
use super::{Outcome, Progress};
use crate::agenda::{Context, Fabric, LaneId};
use crate::application::Plan;
use crate::host::{Host, HostCounters};
use crate::kernel::tournament::{MOST_RANKS, TIME_LIMIT};
use crate::kernel::units::{Span, Time};
use crate::observer::Observer;
use crate::packet::Flight;
use crate::scenario::Transport;
use crate::switch::Switch;
use crate::telemetry::{Records, Telemetry};
use crate::topology::{Network, NodeId, PortId};

/// Parts from which workers are made.
pub(crate) struct Workshop<'a> {
    /// Nodes and links.
    pub network: &'a Arc<Network>,
    /// Facts that nodes may look up.
    pub fabric: &'a Arc<Fabric>,
    /// Telemetry records of packets.
    pub records: Arc<Records>,
    /// Flows still to come.
    pub arrivals: Arrivals,
    /// Global instants still to come.
    pub instants: Instants,
    /// Longest pause that is no deadlock: while a receiver is slow, or until a watchdog acts.
    pub longest_pause: Span,
    /// Longest window. A test shortens it to show that results do not depend on it.
    pub longest_window: Span,
    /// Bytes that the records of all threads may take; nothing where none are kept.
    pub most_recorded: Option<u64>,
    /// Makes a host.
    pub host: &'a dyn Fn(NodeId) -> Host,
    /// Makes a switch.
    pub switch: &'a dyn Fn(NodeId) -> Switch,
    /// Equipment that only some networks have.
    pub equipment: Equipment<'a>,
    /// Whether hosts do nothing with packets but count them, apart from pause frames and CNMs. An arrival then
    /// changes the counts of its host and nothing else.
    pub hosts_only_count: bool,
    /// Settings of fast-forward, where steady times are skipped. That takes one thread.
    pub fast_forward: Option<FastForward>,
}

/// Kind of node and event that a source stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Kind {
    SwitchEndOfTransmission,
    SwitchArrival,
    HostEndOfTransmission,
    HostArrival,
    HostArrivals,
    Host,
    SwitchPause,
    SwitchSignal,
    HostPause,
    Crossbar,
}

/// Source of events, as its thread sees it.
#[derive(Clone, Copy, Debug)]
struct LocalSource {
    kind: Kind,
    /// Number of the port, from its lowest byte.
    port: [u8; 3],
    /// Index among this thread's hosts or switches.
    place: u32,
}

const _: () = assert!(size_of::<LocalSource>() == 8, "it is looked up at every event");

impl LocalSource {
    fn new(kind: Kind, port: u32, place: u32) -> Self {
        let [low, middle, high, rest] = port.to_le_bytes();
        debug_assert_eq!(rest, 0, "a network has fewer links");
        Self { kind, port: [low, middle, high], place }
    }

    #[inline]
    fn port(self) -> u32 {
        let [low, middle, high] = self.port;
        u32::from_le_bytes([low, middle, high, 0])
    }
}

/// Cluster, as its thread sees it.
#[derive(Clone, Copy, Debug)]
struct LocalCluster {
    /// Place of the cluster's first source.
    offset: usize,
    lookahead: Span,
    /// Range of the lanes that lead to the cluster.
    lanes: (u32, u32),
    /// Range of the cluster's switches.
    switches: (u32, u32),
    /// Rank of the first source of arrivals; the other sources of arrivals follow.
    first_arrival: u32,
    content: Content,
}

impl LocalCluster {
    /// Returns the lanes that lead to the cluster.
    fn lanes(&self) -> Range<u32> {
        self.lanes.0..self.lanes.1
    }
}

/// Content of a cluster, which decides the loop that runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Content {
    /// One host that hears of every arrival, by its place.
    Host(u32),
    /// One switch with a shared memory, by its place.
    Switch(u32),
    /// One switch whose events are arrivals alone, by its place.
    OnlyArrivals(u32),
    /// Any other nodes, or one with more sources than a key can name.
    Any,
}

/// Ranks of a host's sources in its cluster: the host's own events, and arrivals.
#[derive(Clone, Copy, Debug, Default)]
struct HostSource {
    cluster: usize,
    rank: usize,
    arrival: usize,
    lane: u32,
}

/// Part of the network that one thread runs.
pub(crate) struct Worker<O> {
    thread: usize,
    network: Arc<Network>,
    fabric: Arc<Fabric>,
    /// Clusters of the first turn, then clusters of the second turn.
    clusters: Vec<LocalCluster>,
    turns: [Turn; 2],
    /// Turn that has run last.
    turn: usize,
    sources: Vec<LocalSource>,
    hosts: Vec<Host>,
    host_sources: Vec<HostSource>,
    /// Index of each node among this thread's hosts or switches.
    places: Vec<u32>,
    switches: Vec<Switch>,
    wheel: Wheel,
    arrivals: Arrivals,
    instants: Instants,
    longest_window: Span,
    hosts_only_count: bool,
    sampling: Sampling,
    /// Bytes that the records of all threads may take; nothing where none are kept, or no longer.
    most_recorded: Option<u64>,
    /// Bytes that the records of all threads took when the threads last met.
    recorded: u64,
    /// Time at which recording ended, because records took too much memory.
    recorded_until: Option<Time>,
    /// Bytes that the hosts had received when the measured time began, and when it ended.
    received: [Option<Received>; 2],
    observer: O,
    now: Time,
    /// Time of the last event.
    last_event: Time,
    /// Whether nothing was left to do before the next instant.
    drained: bool,
    /// Search for a standstill; nothing where no port can be paused.
    standstill: Option<Standstill>,
    stood_still: bool,
    /// Number of finished flows without a record; nothing where all leave one.
    forgotten: Option<u64>,
    /// Search for steady times; nothing where none are skipped.
    watcher: Option<Box<Watcher>>,
    events: u64,
}

/// Clusters that run in the same windows, while those of the other turn wait.
#[derive(Clone, Debug)]
struct Turn {
    /// Clusters of this thread.
    clusters: Range<usize>,
    /// Least lookahead of any cluster of the turn, on any thread.
    lookahead: Span,
    /// Turn of the clusters' neighbours.
    neighbours: usize,
}

const ELSEWHERE: u32 = u32::MAX;

impl Workshop<'_> {
    /// Makes one worker for each observer.
    pub(super) fn workers<O: Counting>(&self, observers: Vec<O>, sampler: &Arc<Sampler>) -> Vec<Worker<O>> {
        let by_turn = clusters::in_turns(self.network, clusters::find(self.network));
        let lookaheads = by_turn.each_ref().map(|turn| turn.iter().map(|cluster| cluster.lookahead).min());
        let first = by_turn[0].len();
        let clusters = by_turn.concat();
        let threads = clusters::divide(self.network, &clusters, observers.len());
        let mut thread_of = vec![0; self.network.nodes.len()];
        for (cluster, &thread) in clusters.iter().zip(&threads) {
            for &node in &cluster.nodes {
                thread_of[node as usize] = thread;
            }
        }
        let count = observers.len();
        observers
            .into_iter()
            .enumerate()
            .map(|(thread, observer)| {
                let own = clusters.iter().zip(&threads).filter(|pair| *pair.1 == thread).map(|pair| pair.0);
                let layout = Layout::new(self, own, &thread_of, thread, count);
                let own_first = threads[..first].iter().filter(|of| **of == thread).count();
                let ranges = [0..own_first, own_first..layout.clusters.len()];
                let turns = [0, 1].map(|turn| Turn {
                    clusters: ranges[turn].clone(),
                    lookahead: lookaheads[turn].unwrap_or_default(),
                    neighbours: if lookaheads[1].is_some() { 1 - turn } else { 0 },
                });
                self.worker(thread, observer, layout, turns, sampler)
            })
            .collect()
    }

    /// Returns the search for a standstill, if nothing else ends the run and pauses can bring it to one.
    fn standstill(&self) -> Option<Standstill> {
        if !self.equipment.pauses || self.instants.latest_end().is_some() {
            return None;
        }
        let timeouts = self.fabric.transports.iter().filter_map(Transport::first_timeout);
        let rests = self.fabric.plans.all().iter().map(Plan::longest_rest).chain([self.longest_pause]);
        Some(Standstill::new(self.network, timeouts.chain(rests).max().unwrap_or_default()))
    }

    /// Returns the global instants, with the first look for steady times where some may be skipped.
    fn instants(&self) -> Instants {
        let mut instants = self.instants.clone();
        if let Some(settings) = self.fast_forward {
            instants.look_at(Time::ZERO + settings.interval);
        }
        instants
    }

    fn worker<O>(
        &self,
        thread: usize,
        observer: O,
        layout: Layout,
        turns: [Turn; 2],
        sampler: &Arc<Sampler>,
    ) -> Worker<O> {
        let mut wheel = layout.wheel;
        wheel.telemetry = Telemetry::new(Arc::clone(&self.records));
        let mut hosts: Vec<Host> = layout.hosts.iter().map(|&node| (self.host)(node)).collect();
        let mut switches: Vec<Switch> = layout.switches.iter().map(|&node| (self.switch)(node)).collect();
        let ports =
            hosts.iter_mut().map(Host::port_mut).chain(switches.iter_mut().flat_map(Switch::ports_mut));
        ports.for_each(|port| port.set_lane(wheel.lane(port.id())));
        for (host, source) in hosts.iter().zip(&layout.host_sources) {
            wheel.notify(source.cluster, source.rank, host.due());
        }
        Worker {
            thread,
            network: Arc::clone(self.network),
            fabric: Arc::clone(self.fabric),
            clusters: layout.clusters,
            turns,
            turn: 0,
            sources: layout.sources,
            hosts,
            host_sources: layout.host_sources,
            places: layout.places,
            switches,
            wheel,
            arrivals: self.arrivals.clone(),
            instants: self.instants(),
            longest_window: self.longest_window,
            hosts_only_count: self.hosts_only_count,
            sampling: Sampling::new(Arc::clone(sampler)),
            most_recorded: self.most_recorded,
            recorded: 0,
            recorded_until: None,
            received: [None, None],
            observer,
            now: Time::ZERO,
            last_event: Time::ZERO,
            drained: false,
            standstill: self.standstill(),
            stood_still: false,
            forgotten: None,
            watcher: self.fast_forward.map(|settings| Box::new(Watcher::new(settings))),
            events: 0,
        }
    }
}

/// Sources, clusters and nodes as one thread numbers them.
struct Layout {
    clusters: Vec<LocalCluster>,
    sources: Vec<LocalSource>,
    hosts: Vec<NodeId>,
    host_sources: Vec<HostSource>,
    places: Vec<u32>,
    switches: Vec<NodeId>,
    lanes: Vec<Lane>,
    wheel: Wheel,
}

impl Layout {
    fn new<'c>(
        workshop: &Workshop<'_>,
        own: impl Iterator<Item = &'c Cluster>,
        thread_of: &[usize],
        thread: usize,
        threads: usize,
    ) -> Self {
        let network = workshop.network;
        let (mut outgoing, lanes) = to_other_threads(network, thread_of, thread);
        let mut ranks = Ranks::new(network.ports.count());
        let mut layout = Self {
            clusters: Vec::new(),
            sources: Vec::new(),
            hosts: Vec::new(),
            host_sources: Vec::new(),
            places: vec![ELSEWHERE; network.nodes.len()],
            switches: Vec::new(),
            lanes,
            wheel: Wheel::new(Outgoing::default(), Vec::new(), Ranks::default(), &[], 0),
        };
        let mut sizes = Vec::new();
        for cluster in own {
            debug_assert!(cluster.nodes.iter().all(|&node| thread_of[node as usize] == thread));
            layout.place_nodes(network, cluster);
            let before = layout.sources.len();
            layout.add_cluster(workshop, cluster, &mut outgoing.lanes, &mut ranks);
            sizes.push(layout.sources.len() - before);
        }
        layout.wheel = Wheel::new(outgoing, std::mem::take(&mut layout.lanes), ranks, &sizes, threads);
        layout
    }

    fn place_nodes(&mut self, network: &Network, cluster: &Cluster) {
        for &node in &cluster.nodes {
            let list = if network.is_host(node) { &mut self.hosts } else { &mut self.switches };
            self.places[node as usize] = list.len() as u32;
            list.push(node);
            if network.is_host(node) {
                self.host_sources.push(HostSource::default());
            }
        }
    }

    fn add_cluster(
        &mut self,
        workshop: &Workshop<'_>,
        cluster: &Cluster,
        outgoing: &mut [u32],
        ranks: &mut Ranks,
    ) {
        let &Workshop { network, equipment, hosts_only_count, .. } = workshop;
        let number = self.clusters.len();
        let (offset, first_lane) = (self.sources.len(), self.lanes.len() as u32);
        let mut first_arrival = None;
        for (rank, source) in sources::of_nodes(network, &cluster.nodes, equipment).into_iter().enumerate() {
            let own = network.ports.first(source.node) + source.port;
            let there = network.ports.of(source.node)[source.port as usize];
            let peer = network.ports.first(there.peer) + there.peer_port;
            let place = self.places[source.node as usize];
            match source.class {
                Class::EndOfTransmission => ranks.ends[own as usize] = rank as u32,
                Class::Pause | Class::Crossbar => {
                    let of_class =
                        if source.class == Class::Pause { &mut ranks.pauses } else { &mut ranks.crossbars };
                    let ports = network.ports.of(source.node).len();
                    of_class[own as usize..][..ports].fill(rank as u32);
                }
                Class::Arrival | Class::Signal => {
                    let first_arrival = *first_arrival.get_or_insert(rank as u32);
                    let lane = self.lanes.len() as u32;
                    debug_assert_eq!(
                        lane - first_lane,
                        rank as u32 - first_arrival,
                        "arrivals follow each other"
                    );
                    let signals = if source.class == Class::Signal { network.ports.count() } else { 0 };
                    let is_host = network.is_host(source.node);
                    let how = if is_host && hosts_only_count { IN_BULK } else { 0 };
                    self.lanes.push(Lane::new(number as u32 | how, rank as u32));
                    outgoing[signals + peer as usize] = lane;
                    if is_host {
                        let host = &mut self.host_sources[place as usize];
                        (host.arrival, host.lane) = (rank, lane);
                    }
                }
                Class::Host => {
                    let host = &mut self.host_sources[place as usize];
                    (host.cluster, host.rank) = (number, rank);
                }
            }
            let kind = Kind::new(source.class, network.is_host(source.node), hosts_only_count);
            self.sources.push(LocalSource::new(kind, source.port, place));
        }
        let lanes = (first_lane, self.lanes.len() as u32);
        let of_cluster = cluster.nodes.iter().filter(|&&node| !network.is_host(node)).count();
        let switches = ((self.switches.len() - of_cluster) as u32, self.switches.len() as u32);
        let first_arrival = first_arrival.unwrap_or_default();
        let is_large = self.sources.len() - offset > MOST_RANKS;
        let content = match cluster.nodes[..] {
            _ if is_large => Content::Any,
            [node] if network.is_host(node) && !hosts_only_count => Content::Host(self.places[node as usize]),
            [node] if equipment.has_only_arrivals(node) => Content::OnlyArrivals(switches.0),
            [node] if !network.is_host(node) && !equipment.has_crossbar(node) => Content::Switch(switches.0),
            _ => Content::Any,
        };
        self.clusters.push(LocalCluster {
            offset,
            lookahead: cluster.lookahead,
            lanes,
            switches,
            first_arrival,
            content,
        });
    }
}

impl Kind {
    /// Whether the events of this kind happen at a host.
    fn is_of_host(self) -> bool {
        matches!(
            self,
            Self::HostEndOfTransmission
                | Self::HostArrival
                | Self::HostArrivals
                | Self::Host
                | Self::HostPause
        )
    }

    fn new(class: Class, of_host: bool, hosts_only_count: bool) -> Self {
        match class {
            Class::EndOfTransmission if of_host => Self::HostEndOfTransmission,
            Class::EndOfTransmission => Self::SwitchEndOfTransmission,
            Class::Pause if of_host => Self::HostPause,
            Class::Pause => Self::SwitchPause,
            Class::Signal => Self::SwitchSignal,
            Class::Arrival if of_host && hosts_only_count => Self::HostArrivals,
            Class::Arrival if of_host => Self::HostArrival,
            Class::Arrival => Self::SwitchArrival,
            Class::Host => Self::Host,
            Class::Crossbar => Self::Crossbar,
        }
    }
}

/// Hands a host that only counts all packets that have arrived by now, each at its own time.
fn count_arrivals(host: &mut Host, lane: u32, context: &mut Context<'_, Wheel, impl Observer>) {
    let now = context.now;
    while let Some(Flight { arrives, packet }) = context.agenda.take_arrived(lane, now) {
        context.now = arrives;
        host.on_arrival(packet, context);
    }
    context.now = now;
}

/// Returns the lanes that lead from `thread` to others.
fn to_other_threads(network: &Network, thread_of: &[usize], thread: usize) -> (Outgoing, Vec<Lane>) {
    let mut lanes = Vec::new();
    let mut outgoing = Outgoing::default();
    for _ in ["packets", "signals"] {
        for (node, &owner) in (0..).zip(thread_of) {
            for port in network.ports.of(node) {
                let peer = thread_of[port.peer as usize];
                if owner == thread && peer != thread {
                    outgoing.remote.push(outgoing.lanes.len() as PortId);
                    outgoing.lanes.push(lanes.len() as LaneId);
                    lanes.push(Lane::new(REMOTE, peer as u32));
                } else {
                    outgoing.lanes.push(NO_LANE);
                }
            }
        }
    }
    (outgoing, lanes)
}

impl<O: Counting> Worker<O> {
    /// Runs windows until nothing is pending anywhere or an instant ends the run.
    pub(super) fn run(&mut self, shared: &Shared, progress: &mut dyn FnMut(&Progress) -> bool) {
        let _poison = shared.barrier.poison_on_panic();
        let mut parity = 0;
        loop {
            let pending = self.meet(shared, parity);
            parity ^= 1;
            let least = Time::new(pending[0].min(pending[1])).min(self.next_to_come());
            if self.instants.next() > least {
                self.run_window(pending);
            } else if !self.stand_still(least, shared, progress) {
                return;
            }
        }
    }

    /// Returns the time of the next flow or link event that is still to come, and pending nowhere.
    fn next_to_come(&self) -> Time {
        self.arrivals.next_start().min(self.instants.next_link_event())
    }

    /// Exchanges mail with the other threads. Returns the least pending time of each turn.
    fn meet(&mut self, shared: &Shared, parity: usize) -> [u64; 2] {
        for to in (0..shared.threads).filter(|&to| to != self.thread) {
            shared.post(parity, self.thread, to, |mail| self.wheel.write(to, mail));
        }
        if self.hosts_only_count && self.wheel.least(0..self.clusters.len()) == u64::MAX {
            for &HostSource { cluster, arrival, lane, .. } in &self.host_sources {
                self.wheel.hear_of_last(cluster, arrival, lane);
            }
        }
        let mut own = [0, 1].map(|turn| self.wheel.least(self.turns[turn].clusters.clone()));
        if std::mem::take(&mut self.wheel.mails_in_both_turns) {
            own = own.map(|least| self.wheel.earliest_mail.min(least));
        }
        let received = &mut own[self.turns[self.turn].neighbours];
        *received = self.wheel.earliest_mail.min(*received);
        if self.most_recorded.is_some() {
            let own = self.sampling.recorded().saturating_add(self.observer.recorded());
            shared.publish_recorded(parity, self.thread, own);
        }
        let least = shared.exchange_least(parity, self.thread, own);
        if self.most_recorded.is_some() {
            self.recorded = shared.recorded(parity);
        }
        self.wheel.earliest_mail = u64::MAX;
        shared.collect(parity, self.thread, |mail| self.wheel.accept(mail));
        if !self.wheel.lost.is_empty() {
            self.count_lost();
        }
        least
    }

    /// Handles all that is due at the next global instant, before which no event is pending. Returns whether the run
    /// goes on.
    fn stand_still(
        &mut self,
        least: Time,
        shared: &Shared,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> bool {
        self.drained = least == Time::MAX && self.instants.latest_end().is_none();
        if self.drained {
            // Whatever has lined up starts before that.
            self.settle(Time::new(TIME_LIMIT));
            return false;
        }
        self.now = self.instants.next();
        // What happens at this instant has not happened yet.
        self.settle(Time::new(self.now.get().saturating_sub(1)));
        if self.most_recorded.is_some_and(|most| self.recorded > most) {
            self.end_recording();
        }
        for index in 0..self.sampling.count() {
            if self.instants.take_sample(index, self.now) {
                let counts = self.observer.counts();
                self.sampling.sample(index, self.now, &self.hosts, &self.switches, counts);
            }
        }
        if let Some(which) = self.instants.take_measured(self.now) {
            let mut received = Received::by(&self.hosts);
            if let Some(watcher) = &self.watcher {
                received.add(|source, number| watcher.skips.of(source, number));
            }
            self.received[which] = Some(received);
        }
        if self.instants.is_end(self.now) {
            return false;
        }
        if self.instants.is_look(self.now) {
            self.look(least);
        }
        // Where hosts only count, more may have happened than is pending.
        let least = if self.hosts_only_count && least != Time::MAX { self.now } else { least };
        let goes_on = match self.instants.take_check(self.now, least) {
            Some(next_check) => self.check(next_check, shared, progress),
            None => true,
        };
        if goes_on && self.instants.next_link_event() == self.now {
            self.change_links();
            self.wheel.mails_in_both_turns = true;
        }
        goes_on
    }

    /// Ends recording at this instant. All threads know as much, and do so at once.
    #[cold]
    fn end_recording(&mut self) {
        self.most_recorded = None;
        self.recorded_until = Some(self.now);
        self.instants.end_samples();
        self.observer.end_recording();
    }

    /// Has all nodes count what has happened by `then` without an event.
    fn settle(&mut self, then: Time) {
        let Self { wheel, observer, fabric, hosts, host_sources, switches, .. } = self;
        let mut context = Context { now: then, agenda: wheel, observer, fabric };
        for (host, source) in hosts.iter_mut().zip(host_sources) {
            if self.hosts_only_count {
                count_arrivals(host, source.lane, &mut context);
            }
            host.settle(then, &mut context);
        }
        for switch in switches {
            switch.settle(then, &mut context);
        }
    }

    /// Asks the caller whether to go on, and announces the flows that start before the next check.
    fn check(
        &mut self,
        next_check: Time,
        shared: &Shared,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> bool {
        let count =
            |counter: fn(&HostCounters) -> u64| self.hosts.iter().map(|host| counter(&host.counters)).sum();
        let movement = match self.standstill {
            Some(_) => Movement::of(&self.hosts, &self.switches),
            None => Movement::default(),
        };
        let (started, finished) = (count(|host| host.started), count(|host| host.finished));
        let all = shared.exchange_tallies(self.thread, Tally { started, finished, movement });
        let all_started = self.next_to_come() == Time::MAX;
        self.stood_still = self
            .standstill
            .as_mut()
            .is_some_and(|standstill| standstill.is_reached(self.now, all.movement) && all_started);
        if self.stood_still || self.instants.has_enough(all.finished) {
            return false;
        }
        if self.thread == 0 {
            let skipped = self.instants.skipped();
            let end = self.instants.latest_end().map(|end| end + skipped);
            let report =
                Progress { now: self.now + skipped, end, started: all.started, finished: all.finished };
            if !progress(&report) {
                shared.interrupted.store(true, Ordering::Relaxed);
            }
        }
        self.announce(next_check);
        shared.barrier.wait();
        !shared.interrupted.load(Ordering::Relaxed)
    }

    /// Announces to this thread's hosts the flows that start before `until`.
    fn announce(&mut self, until: Time) {
        let Self { hosts, wheel, host_sources, places, arrivals, .. } = self;
        arrivals.announce_until(until, |source, start| {
            let place = places[source as usize];
            if place != ELSEWHERE {
                let host = &mut hosts[place as usize];
                host.announce(start);
                let source = host_sources[place as usize];
                wheel.notify(source.cluster, source.rank, host.due());
            }
        });
    }

    /// Joins the nodes and records of all workers, in order of the nodes' numbers.
    pub(super) fn gather(workers: Vec<Self>, interrupted: bool, recorded: impl Fn(O) -> Recorded) -> Outcome {
        let mut outcome = Outcome {
            hosts: Vec::new(),
            switches: Vec::new(),
            on_wires: InFlight::default(),
            samples: Samples::default(),
            received: [None, None],
            drops: Vec::new(),
            pauses: PauseLog::default(),
            headroom: HeadroomLog::default(),
            packets: Vec::new(),
            recorded_until: None,
            telemetry_in_use: 0,
            end: None,
            events: 0,
            forgotten: 0,
            interrupted,
            stood_still: false,
            skips: Skips::default(),
        };
        let mut skips = Skips::default();
        let (mut rows, mut pauses, mut headroom, mut packets) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (mut telemetry, mut received, mut tails) = (Vec::new(), [Vec::new(), Vec::new()], Vec::new());
        let mut last_event = Time::ZERO;
        for worker in workers {
            outcome.hosts.extend(worker.hosts);
            outcome.switches.extend(worker.switches);
            outcome.on_wires = outcome.on_wires + worker.wheel.in_flight();
            outcome.events += worker.events;
            outcome.forgotten += worker.forgotten.unwrap_or_default();
            outcome.end = (!worker.drained).then_some(worker.now);
            last_event = last_event.max(worker.last_event);
            outcome.recorded_until = worker.recorded_until;
            outcome.stood_still = worker.stood_still;
            for (of_all, own) in received.iter_mut().zip(worker.received) {
                of_all.extend(own);
            }
            let (sampled, tails_of_worker) = worker.sampling.into_parts();
            rows.push(sampled);
            tails.extend(tails_of_worker);
            if let Some(watcher) = worker.watcher {
                skips = watcher.into_skips();
            }
            let recorded = recorded(worker.observer);
            rows.push(recorded.rows);
            outcome.drops.extend(recorded.drops);
            pauses.push(recorded.pauses);
            headroom.push(recorded.headroom);
            packets.push(recorded.packets);
            telemetry.push(worker.wheel.telemetry);
        }
        if outcome.end.is_none() && Movement::of(&outcome.hosts, &outcome.switches).held > 0 {
            outcome.end = Some(last_event);
            outcome.stood_still = true;
        }
        outcome.received = received.map(|parts| (!parts.is_empty()).then(|| Received::merge(parts)));
        outcome.samples = Samples::merge(rows, tails);
        outcome.drops.sort_by_key(|(time, dropped)| (*time, dropped.port));
        outcome.pauses = PauseLog::merge(pauses);
        outcome.headroom = HeadroomLog::merge(headroom);
        outcome.packets = PacketLog::merge(packets);
        outcome.telemetry_in_use = Telemetry::in_use(&telemetry);
        outcome.hosts.sort_by_key(Host::id);
        outcome.switches.sort_by_key(|switch| switch.ports().first().map(crate::port::Port::id));
        outcome.report_skips(skips);
        outcome
    }
}
