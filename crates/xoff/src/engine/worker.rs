//! One thread: its clusters, its nodes and the loop that runs windows.

use std::sync::atomic::Ordering;

use super::arrivals::Arrivals;
use super::clusters::{self, Cluster};
use super::instants::Instants;
use super::sampler::{Sample, Sampler, Samples, Sampling};
use super::shared::{Notice, Shared};
use super::sources::{self, Class};
use super::wheel::{Outgoing, Wheel};
use super::{Outcome, Progress};
use crate::agenda::{Context, Fabric, PortId};
use crate::host::Host;
use crate::kernel::units::{Span, Time};
use crate::observer::Observer;
use crate::switch::shared_memory::SharedMemory;
use crate::topology::{Network, NodeId};

/// What workers are made from.
pub(crate) struct Workshop<'a> {
    /// Nodes and links.
    pub network: &'a Network,
    /// What nodes may look up.
    pub fabric: &'a Fabric,
    /// All flows.
    pub arrivals: Arrivals,
    /// All instants.
    pub instants: Instants,
    /// The longest window; a test shortens it to show that it does not matter.
    pub longest_window: Span,
    /// Makes a host.
    pub host: &'a dyn Fn(NodeId) -> Host,
    /// Makes a switch.
    pub switch: &'a dyn Fn(NodeId) -> SharedMemory,
}

/// One source of events as its thread sees it.
#[derive(Clone, Copy, Debug)]
struct LocalSource {
    class: Class,
    of_host: bool,
    /// Index among this thread's hosts or switches.
    place: u32,
    port: u16,
    /// The port at the other end of the link, which sends what arrives here.
    peer: PortId,
}

/// Sources `offset..offset + size` of this thread.
#[derive(Clone, Copy, Debug)]
struct LocalCluster {
    offset: usize,
    size: usize,
    lookahead: Span,
}

/// Where a host's own sources are.
#[derive(Clone, Copy, Debug, Default)]
struct HostSources {
    cluster: usize,
    inbound: usize,
    outbound: usize,
    start: usize,
    timer: usize,
}

/// One thread's part of the network.
pub(crate) struct Worker<'a, O> {
    thread: usize,
    fabric: &'a Fabric,
    clusters: Vec<LocalCluster>,
    sources: Vec<LocalSource>,
    hosts: Vec<Host>,
    host_sources: Vec<HostSources>,
    /// Index of each host among this thread's, by its number.
    host_places: Vec<u32>,
    switches: Vec<SharedMemory>,
    wheel: Wheel,
    arrivals: Arrivals,
    instants: Instants,
    longest_window: Span,
    sampling: Sampling<'a>,
    observer: O,
    /// The last instant, unless everything was done before the next.
    end: Option<Time>,
    events: u64,
    started: u64,
    finished: u64,
}

const ELSEWHERE: u32 = u32::MAX;

impl<'a> Workshop<'a> {
    /// One worker for each observer.
    pub(super) fn workers<O: Observer>(&self, observers: Vec<O>, sampler: &'a Sampler) -> Vec<Worker<'a, O>> {
        let clusters = clusters::find(self.network);
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
                let layout = Layout::new(self.network, own, &thread_of, thread, count);
                self.worker(thread, observer, layout, sampler)
            })
            .collect()
    }

    fn worker<O>(&self, thread: usize, observer: O, layout: Layout, sampler: &'a Sampler) -> Worker<'a, O> {
        Worker {
            thread,
            fabric: self.fabric,
            clusters: layout.clusters,
            sources: layout.sources,
            hosts: layout.hosts.iter().map(|&node| (self.host)(node)).collect(),
            host_sources: layout.host_sources,
            host_places: layout.host_places,
            switches: layout.switches.iter().map(|&node| (self.switch)(node)).collect(),
            wheel: layout.wheel,
            arrivals: self.arrivals.clone(),
            instants: self.instants.clone(),
            longest_window: self.longest_window,
            sampling: Sampling::new(sampler),
            observer,
            end: None,
            events: 0,
            started: 0,
            finished: 0,
        }
    }
}

/// How one thread numbers its sources.
struct Layout {
    clusters: Vec<LocalCluster>,
    sources: Vec<LocalSource>,
    hosts: Vec<NodeId>,
    host_sources: Vec<HostSources>,
    host_places: Vec<u32>,
    switches: Vec<NodeId>,
    wheel: Wheel,
}

impl Layout {
    fn new<'c>(
        network: &Network,
        own: impl Iterator<Item = &'c Cluster>,
        thread_of: &[usize],
        thread: usize,
        threads: usize,
    ) -> Self {
        let mut outgoing = remote_ports(network, thread_of);
        let mut ends = vec![0; network.ports.count()];
        let mut layout = Self {
            clusters: Vec::new(),
            sources: Vec::new(),
            hosts: Vec::new(),
            host_sources: Vec::new(),
            host_places: vec![ELSEWHERE; network.hosts as usize],
            switches: Vec::new(),
            wheel: Wheel::new(Vec::new(), Vec::new(), &[], 0),
        };
        let mut places = vec![0; network.nodes.len()];
        for cluster in own {
            debug_assert!(cluster.nodes.iter().all(|&node| thread_of[node as usize] == thread));
            layout.place_nodes(network, cluster, &mut places);
            layout.add_cluster(network, cluster, &places, &mut outgoing, &mut ends);
        }
        let sizes: Vec<usize> = layout.clusters.iter().map(|cluster| cluster.size).collect();
        layout.wheel = Wheel::new(outgoing, ends, &sizes, threads);
        layout
    }

    fn place_nodes(&mut self, network: &Network, cluster: &Cluster, places: &mut [u32]) {
        for &node in &cluster.nodes {
            let list = if network.is_host(node) { &mut self.hosts } else { &mut self.switches };
            places[node as usize] = list.len() as u32;
            list.push(node);
            if network.is_host(node) {
                self.host_places[node as usize] = places[node as usize];
                self.host_sources.push(HostSources::default());
            }
        }
    }

    fn add_cluster(
        &mut self,
        network: &Network,
        cluster: &Cluster,
        places: &[u32],
        outgoing: &mut [Outgoing],
        ends: &mut [u32],
    ) {
        let number = self.clusters.len();
        let offset = self.sources.len();
        for source in sources::of_nodes(network, &cluster.nodes) {
            let index = self.sources.len();
            let own = network.ports.first(source.node) + u32::from(source.port);
            let there = network.ports.of(source.node)[source.port as usize];
            let peer = network.ports.first(there.peer) + u32::from(there.peer_port);
            let place = places[source.node as usize];
            let of_host = network.is_host(source.node);
            match source.class {
                Class::EndOfTransmission => ends[own as usize] = index as u32,
                Class::Arrival => {
                    outgoing[peer as usize] =
                        Outgoing::Local { source: index as u32, cluster: number as u32 };
                }
                class => self.host_sources[place as usize].place(class, index, number),
            }
            self.sources.push(LocalSource { class: source.class, of_host, place, port: source.port, peer });
        }
        let size = self.sources.len() - offset;
        self.clusters.push(LocalCluster { offset, size, lookahead: cluster.lookahead });
    }
}

impl HostSources {
    fn place(&mut self, class: Class, index: usize, cluster: usize) {
        self.cluster = cluster;
        match class {
            Class::Inbound => self.inbound = index,
            Class::Outbound => self.outbound = index,
            Class::FlowStart => self.start = index,
            Class::Timer => self.timer = index,
            Class::EndOfTransmission | Class::Arrival => {}
        }
    }
}

/// Every port as if what it sends went to another thread.
fn remote_ports(network: &Network, thread_of: &[usize]) -> Vec<Outgoing> {
    let nodes = 0..network.nodes.len() as NodeId;
    nodes
        .flat_map(|node| network.ports.of(node))
        .map(|port| Outgoing::Remote { thread: thread_of[port.peer as usize] as u32 })
        .collect()
}

impl<O: Observer> Worker<'_, O> {
    /// Runs windows until nothing is pending anywhere or an instant ends the run.
    pub(super) fn run(&mut self, shared: &Shared, progress: &mut dyn FnMut(&Progress) -> bool) {
        let _poison = shared.barrier.poison_on_panic();
        let mut parity = 0;
        loop {
            let all = self.meet(shared, parity);
            parity ^= 1;
            let least = Time::new(all.least);
            if self.instants.next() <= least {
                if !self.stand_still(least, &all, shared, progress) {
                    return;
                }
                continue;
            }
            self.run_window(least);
        }
    }

    /// Exchanges mail and notices with the other threads.
    fn meet(&mut self, shared: &Shared, parity: usize) -> Notice {
        for to in 0..self.wheel.outboxes.len() {
            shared.post(parity, self.thread, to, &mut self.wheel.outboxes[to]);
        }
        let least = self.wheel.least().min(self.arrivals.next_start().get());
        let notice = Notice { least, started: self.started, finished: self.finished };
        let all = shared.exchange(parity, self.thread, notice);
        self.wheel.earliest_mail = u64::MAX;
        shared.collect(parity, self.thread, |mail| self.wheel.accept(mail));
        all
    }

    /// What happens at the next instant, before which nothing is pending. Returns whether the run goes on.
    fn stand_still(
        &mut self,
        least: Time,
        all: &Notice,
        shared: &Shared,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> bool {
        let now = self.instants.next();
        let drained = least == Time::MAX;
        if drained && self.instants.latest_end().is_none() {
            self.end = None;
            return false;
        }
        self.end = Some(now);
        for index in 0..self.sampling.count() {
            if self.instants.take_sample(index, now) {
                self.sampling.sample(index, now, &self.hosts, &self.switches);
            }
        }
        if self.instants.ends(now, all.finished) {
            return false;
        }
        let Some(announce_until) = self.instants.take_check(now, least) else { return true };
        if self.thread == 0 {
            let end = self.instants.latest_end();
            let report = Progress { now, end, started: all.started, finished: all.finished };
            if !progress(&report) {
                shared.interrupted.store(true, Ordering::Relaxed);
            }
        }
        self.announce(announce_until);
        shared.barrier.wait();
        !shared.interrupted.load(Ordering::Relaxed)
    }

    /// Announces to this thread's hosts the flows that start before `until`.
    fn announce(&mut self, until: Time) {
        let (hosts, wheel, sources) = (&mut self.hosts, &mut self.wheel, &self.host_sources);
        let places = &self.host_places;
        self.arrivals.announce_until(until, |source, start| {
            let place = places[source as usize];
            if place != ELSEWHERE {
                hosts[place as usize].announce(start);
                let sources = &sources[place as usize];
                wheel.notify(sources.start, sources.cluster, start.start.get());
            }
        });
    }

    /// Runs every cluster that has something to do before it could hear of another.
    fn run_window(&mut self, least: Time) {
        let limit = self.instants.next().min(least + self.longest_window.min(LONGEST_WINDOW));
        for cluster in 0..self.clusters.len() {
            let LocalCluster { offset, size, lookahead } = self.clusters[cluster];
            let horizon = least.get().saturating_add(lookahead.get()).min(limit.get());
            if self.wheel.next[cluster] < horizon {
                self.wheel.open(cluster, offset, size, horizon);
                while let Some((now, source)) = self.wheel.least_in_window() {
                    self.handle(now, source);
                }
                self.wheel.close(size);
            }
        }
    }

    #[inline]
    fn handle(&mut self, now: Time, index: usize) {
        self.events += 1;
        let source = self.sources[index];
        if source.of_host {
            return self.handle_host(now, index, source);
        }
        let switch = &mut self.switches[source.place as usize];
        let mut context =
            Context { now, agenda: &mut self.wheel, observer: &mut self.observer, fabric: self.fabric };
        if source.class == Class::Arrival {
            if let Some(packet) = context.agenda.take_arrival(source.peer, index) {
                switch.on_arrival(packet, &mut context);
            }
        } else {
            let next = switch.on_end_of_transmission(source.port, &mut context);
            context.agenda.set(index, next);
        }
    }

    #[inline]
    fn handle_host(&mut self, now: Time, index: usize, source: LocalSource) {
        let place = source.place as usize;
        let host = &mut self.hosts[place];
        let before = (host.counters.started, host.counters.finished);
        let mut context =
            Context { now, agenda: &mut self.wheel, observer: &mut self.observer, fabric: self.fabric };
        match source.class {
            Class::EndOfTransmission => {
                let next = host.on_end_of_transmission(&mut context);
                context.agenda.set(index, next);
            }
            Class::Arrival => {
                if let Some(packet) = context.agenda.take_arrival(source.peer, index) {
                    host.on_arrival(packet, &mut context);
                }
            }
            Class::Inbound => host.on_inbound(&mut context),
            Class::Outbound => host.on_outbound(&mut context),
            Class::FlowStart => host.on_start(&mut context),
            Class::Timer => host.on_timer(&mut context),
        }
        self.started += host.counters.started - before.0;
        self.finished += host.counters.finished - before.1;
        let agenda = host.agenda();
        let sources = self.host_sources[place];
        for (source, time) in [
            (sources.inbound, agenda.inbound),
            (sources.outbound, agenda.outbound),
            (sources.start, agenda.start),
            (sources.timer, agenda.timer),
        ] {
            if self.wheel.pending[source] != time.get() {
                self.wheel.set(source, time);
            }
        }
    }

    /// Puts the nodes of all workers together in order of their numbers.
    pub(super) fn gather(
        workers: Vec<Self>,
        interrupted: bool,
        recorded: impl Fn(O) -> Vec<Sample>,
    ) -> Outcome {
        let mut outcome = Outcome {
            hosts: Vec::new(),
            switches: Vec::new(),
            samples: Samples::default(),
            end: None,
            events: 0,
            interrupted,
        };
        let mut rows = Vec::new();
        for worker in workers {
            outcome.hosts.extend(worker.hosts);
            outcome.switches.extend(worker.switches);
            outcome.events += worker.events;
            outcome.end = outcome.end.max(worker.end);
            rows.push(worker.sampling.rows);
            rows.push(recorded(worker.observer));
        }
        outcome.samples = Samples::merge(rows);
        outcome.hosts.sort_by_key(Host::id);
        outcome.switches.sort_by_key(|switch| switch.ports().first().map(crate::port::Port::id));
        outcome
    }
}

/// A window never needs to be longer: clusters without a link to another would otherwise overflow their keys.
const LONGEST_WINDOW: Span = Span::from_milliseconds(1_000);
