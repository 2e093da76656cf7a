//! Driven run: a program steps through the run on one thread, and reacts at a host to what has just happened there.
//!
//! A host's cluster stops where the program is to hear of something, and goes on when the program has reacted. So a
//! reaction is as exact as that of any application: what it begins at its host begins at that instant. Other clusters
//! meanwhile run to their own horizons, which count from the stopped cluster as from any that has something pending.
//! They may therefore be ahead of the program by its *reach*, and no reaction changes another host sooner.
//!
//! The program hears of all in the order of time, then of hosts. A stop is told only when no other cluster has anything
//! pending up to its time. So the order does not depend on the length of windows.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::{Content, Turn, Worker, Workshop};
use crate::engine::counts::Counting;
use crate::engine::recorder::Recorded;
use crate::engine::sampler::Sampler;
use crate::engine::shared::Shared;
use crate::engine::{Outcome, Progress};
use crate::host::{FlowStart, Happened, Host};
use crate::kernel::tournament::TIME_LIMIT;
use crate::kernel::units::{Span, Time};
use crate::topology::NodeId;

/// Event at a host at which the run has stopped, for the program to react.
#[derive(Clone, Copy, Debug)]
pub struct Stop {
    /// Time of the event, up to which every host has run.
    pub time: Time,
    /// Host where it happened. One with two adapters is the one into the fabric.
    pub host: NodeId,
    /// The event.
    pub happened: Happened,
}

/// Point up to which a driven run has gone.
#[derive(Clone, Copy, Debug)]
pub enum Reached {
    /// An event of which the program is to hear.
    Stop(Stop),
    /// The time that was asked for, or where that is `Time::MAX`, the time from which on nothing is left to do.
    Until(Time),
    /// The end of the run.
    End(Time),
}

/// Run under way that a program steps through.
pub(crate) trait DrivenRun: Send {
    /// Goes on to the next event for which `hears` is true, or until `until`, of which nothing happens yet.
    fn go_on(
        &mut self,
        until: Time,
        hears: &mut dyn FnMut(&Happened) -> bool,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> Reached;
    /// Returns how long it takes at most until a reaction at one host can be felt anywhere else.
    fn reach(&self) -> Span;
    /// Returns the number of the next flow to a host, by which the host knows the flow.
    fn take_reception(&mut self, destination: NodeId) -> u32;
    /// Has a flow start at this adapter, now that every host has run up to its start.
    fn announce(&mut self, source: NodeId, start: FlowStart);
    /// Has a flow begin at this adapter in reaction to what has just happened at its host.
    fn begin(&mut self, adapter: NodeId, start: FlowStart);
    /// Has the program hear at this host that a time has come, by a number that is higher than all before.
    fn wake(&mut self, host: NodeId, time: Time, number: u64);
    /// Keeps no record of flows that finish from now on.
    fn forget_flows(&mut self);
    /// Ends the run at `now`, up to which every host has run.
    fn finish(self: Box<Self>, now: Time) -> Outcome;
}

/// Time, host, number among all, and cluster of an event, and the event: the order in which the program hears.
type Untold = (Time, NodeId, u64, usize, Happened);

/// Events of which the program has not heard, and the clusters that stand still until it has.
#[derive(Debug, Default)]
struct Stops {
    events: BinaryHeap<Reverse<Untold>>,
    /// Number of events so far.
    count: u64,
    /// Number of events of each cluster of which the program has not heard.
    waiting: Vec<u32>,
}

impl Stops {
    fn push(&mut self, time: Time, host: NodeId, cluster: usize, happened: Happened) {
        self.events.push(Reverse((time, host, self.count, cluster, happened)));
        self.count += 1;
        self.waiting[cluster] += 1;
    }

    fn next(&self) -> u64 {
        self.events.peek().map_or(u64::MAX, |Reverse((time, ..))| time.get())
    }

    fn pop(&mut self) -> Option<Stop> {
        let Reverse((time, host, _, cluster, happened)) = self.events.pop()?;
        self.waiting[cluster] -= 1;
        Some(Stop { time, host, happened })
    }
}

/// The one worker of a driven run.
struct Driver<O> {
    worker: Worker<O>,
    shared: Shared,
    parity: usize,
    stops: Stops,
    /// Number of times of which the program is still to hear.
    wakes: u64,
    is_over: bool,
    recorded: fn(O) -> Recorded,
}

impl Workshop<'_> {
    /// Begins a run that a program steps through.
    pub(crate) fn driven<O: Counting + Send + 'static>(
        &self,
        observer: O,
        sampler: &Arc<Sampler>,
        recorded: fn(O) -> Recorded,
    ) -> Box<dyn DrivenRun> {
        let worker = self.workers(vec![observer], sampler).pop().expect("there is one observer");
        let stops = Stops { waiting: vec![0; worker.clusters.len()], ..Stops::default() };
        Box::new(Driver {
            worker,
            shared: Shared::new(1),
            parity: 0,
            stops,
            wakes: 0,
            is_over: false,
            recorded,
        })
    }
}

impl<O: Counting + Send> DrivenRun for Driver<O> {
    fn go_on(
        &mut self,
        until: Time,
        hears: &mut dyn FnMut(&Happened) -> bool,
        progress: &mut dyn FnMut(&Progress) -> bool,
    ) -> Reached {
        while !self.is_over {
            let pending = self.meet();
            let open = [0, 1].map(|turn| self.least_open(turn));
            let (stop, least_open) = (self.stops.next(), open[0].min(open[1]));
            let limit = until.min(self.worker.instants.next()).get();
            if stop < limit && stop < least_open {
                let stop = self.stops.pop().expect("the first is there");
                self.wakes -= u64::from(matches!(stop.happened, Happened::Due(_)));
                return Reached::Stop(stop);
            }
            let earliest = stop.min(least_open);
            if earliest < limit {
                self.run_window(pending, usize::from(open[1] < open[0]), limit, hears);
                continue;
            }
            let least = self.worker.next_to_come().min(Time::new(earliest)).min(until);
            if least == Time::MAX && self.worker.instants.latest_end().is_none() {
                return Reached::Until(self.worker.last_event);
            }
            if self.worker.instants.next() >= until {
                return Reached::Until(until);
            }
            if let Some(standstill) = &mut self.worker.standstill {
                standstill.expects_more = until != Time::MAX || self.wakes > 0;
            }
            self.is_over = !self.worker.stand_still(least, &self.shared, progress);
        }
        Reached::End(self.worker.now)
    }

    fn reach(&self) -> Span {
        let of_turn = |Turn { clusters, neighbours, .. }: &Turn| {
            let answer = self.worker.turns[*neighbours].lookahead;
            let clusters = self.worker.clusters[clusters.clone()].iter();
            clusters
                .filter(|cluster| cluster.lookahead != Span::MAX)
                .map(move |cluster| cluster.lookahead + answer)
                .max()
        };
        self.worker.turns.iter().filter_map(of_turn).max().unwrap_or_default()
    }

    fn take_reception(&mut self, destination: NodeId) -> u32 {
        self.worker.arrivals.take_reception(destination)
    }

    fn announce(&mut self, source: NodeId, start: FlowStart) {
        self.change(source, |host| host.announce_among(start));
    }

    fn begin(&mut self, adapter: NodeId, start: FlowStart) {
        let host = self.worker.fabric.servers.map_or(adapter, |servers| servers.host_of(adapter));
        self.change(host, |host| host.begin(adapter, start));
    }

    fn wake(&mut self, host: NodeId, time: Time, number: u64) {
        self.wakes += 1;
        self.change(host, |host| host.wake(time, number));
    }

    fn forget_flows(&mut self) {
        self.worker.forgotten.get_or_insert(0);
    }

    fn finish(mut self: Box<Self>, now: Time) -> Outcome {
        if !self.is_over {
            let [first, second] = self.meet();
            let worker = &mut self.worker;
            let least = worker.next_to_come().min(Time::new(first.min(second)));
            worker.drained = least == Time::MAX && worker.instants.latest_end().is_none();
            if worker.drained {
                worker.settle(Time::new(TIME_LIMIT));
            } else if worker.instants.next() == now {
                worker.stand_still(now, &self.shared, &mut |_| true);
            } else {
                worker.now = now;
                worker.settle(Time::new(now.get().saturating_sub(1)));
            }
        }
        let interrupted = self.shared.interrupted.load(Ordering::Relaxed);
        Worker::gather(vec![self.worker], interrupted, self.recorded)
    }
}

impl<O: Counting> Driver<O> {
    /// Returns the least pending time of each turn. Clusters that stand still count from where they stand.
    fn meet(&mut self) -> [u64; 2] {
        let pending = self.worker.meet(&self.shared, self.parity);
        self.parity ^= 1;
        // A reaction may begin something at the time of a stop, where nothing is pending.
        pending.map(|least| least.min(self.stops.next()))
    }

    /// Returns the least pending time of the clusters of a turn that do not stand still.
    fn least_open(&self, turn: usize) -> u64 {
        let clusters = self.worker.turns[turn].clusters.clone();
        self.worker.wheel.least_of(clusters, |cluster| self.stops.waiting[cluster] == 0)
    }

    /// Changes what a host is to do.
    fn change(&mut self, host: NodeId, change: impl FnOnce(&mut Host)) {
        let Worker { hosts, wheel, host_sources, places, .. } = &mut self.worker;
        let place = places[host as usize] as usize;
        change(&mut hosts[place]);
        wheel.notify(host_sources[place].cluster, host_sources[place].rank, hosts[place].due());
    }

    /// Runs every cluster of a turn that does not stand still, up to its horizon or to where the program is to hear of
    /// something.
    fn run_window(
        &mut self,
        pending: [u64; 2],
        turn: usize,
        limit: u64,
        hears: &mut dyn FnMut(&Happened) -> bool,
    ) {
        let Self { worker, stops, .. } = self;
        worker.turn = turn;
        let window = worker.window(pending, Time::new(limit));
        for cluster in window.clusters.clone() {
            let local = worker.clusters[cluster];
            let horizon = window.horizon(&local);
            if stops.waiting[cluster] > 0 || !worker.wheel.is_due(cluster, horizon) {
                continue;
            }
            worker.wheel.prefetch_fronts(local.lanes());
            worker.open(cluster, &local);
            let (last, reached) = match local.content {
                Content::Host(_) | Content::Any => {
                    worker.run_until_stop(cluster, local.offset, horizon, stops, hears)
                }
                Content::Switch(_) | Content::OnlyArrivals(_) => {
                    (worker.run_cluster(&local, horizon), horizon)
                }
            };
            worker.close(&local, last, reached);
        }
    }
}

impl<O: Counting> Worker<O> {
    /// Runs the open cluster up to `horizon`, or until the program is to hear of something. Returns the time of the last
    /// event, and the time up to which the cluster has run.
    fn run_until_stop(
        &mut self,
        cluster: usize,
        offset: usize,
        horizon: u64,
        stops: &mut Stops,
        hears: &mut dyn FnMut(&Happened) -> bool,
    ) -> (Time, u64) {
        let mut last = Time::ZERO;
        while let Some((now, rank)) = self.wheel.least_of_any_before(horizon) {
            last = now;
            let source = self.sources[offset + rank];
            self.handle(now, rank, source);
            if source.kind.is_of_host() && self.stops_at(source.place as usize, cluster, now, stops, hears) {
                return (last, now.get());
            }
        }
        (last, horizon)
    }

    /// Takes what has happened at a host. Returns whether the program is to hear of any of it.
    fn stops_at(
        &mut self,
        place: usize,
        cluster: usize,
        now: Time,
        stops: &mut Stops,
        hears: &mut dyn FnMut(&Happened) -> bool,
    ) -> bool {
        let before = stops.waiting[cluster];
        let adapter = self.hosts[place].id();
        let servers = self.fabric.servers;
        let host = servers.map_or(adapter, |servers| servers.host_of(adapter));
        let beside = servers.map(|servers| self.places[servers.beside(adapter) as usize] as usize);
        let places = [Some(place), beside];
        for place in places.into_iter().flatten() {
            let at_adapter = &mut self.hosts[place];
            if at_adapter.has_news() {
                at_adapter.tell(|happened| {
                    if hears(&happened) {
                        stops.push(now, host, cluster, happened);
                    }
                });
                if let Some(forgotten) = &mut self.forgotten {
                    *forgotten += at_adapter.forget_finished(&self.fabric.plans);
                }
            }
        }
        stops.waiting[cluster] > before
    }
}
