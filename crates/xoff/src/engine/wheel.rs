//! What one thread has pending: packets in flight to its nodes, and the times of all its sources.

use std::ops::Range;

use super::mail::{Mail, Notice, Outbox};
use crate::agenda::{Agenda, LaneId};
use crate::kernel::ring::Ring;
use crate::kernel::tournament::{NEVER, Tournaments};
use crate::kernel::units::{Span, Time};
use crate::packet::{Flight, Packet};
use crate::telemetry::Telemetry;
use crate::topology::PortId;

/// Packets that were sent on a port, and where they are heard of: at the rank of their arrival in a cluster of this thread, or on
/// another.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(super) struct Lane {
    /// Those on their way, or those that wait until the threads meet.
    flights: Ring<Flight>,
    /// The cluster, with [`IN_BULK`] where that is how they are heard of, or [`REMOTE`].
    cluster: u32,
    /// The rank, or the thread.
    rank: u32,
}

/// Stands for that of a port that sends from another thread to another.
pub(super) const NO_LANE: u32 = u32::MAX;

const _: () = assert!(size_of::<Lane>() == 32, "two of them share a cache line");

impl Lane {
    pub(super) fn new(cluster: u32, rank: u32) -> Self {
        Self { flights: Ring::new(), cluster, rank }
    }
}

/// Which lane leads from where.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// The lane of packets from each port, and behind them that of signals; [`NO_LANE`] for none.
    pub(super) lanes: Vec<LaneId>,
    /// Of the first lanes, which lead to other threads, the port, or behind all ports that of signals.
    pub(super) remote: Vec<PortId>,
}

/// Ranks of the sources of each port, or of its node, in its cluster.
#[derive(Debug, Default)]
pub(super) struct Ranks {
    pub(super) ends: Vec<u32>,
    pub(super) pauses: Vec<u32>,
    pub(super) crossbars: Vec<u32>,
}

impl Ranks {
    pub(super) fn new(ports: usize) -> Self {
        Self { ends: vec![u32::MAX; ports], pauses: vec![0; ports], crossbars: vec![0; ports] }
    }
}

/// Stands for clusters of other threads.
pub(super) const REMOTE: u32 = IN_BULK - 1;
/// No cluster.
const NONE: u32 = u32::MAX;

/// Beside the cluster: nobody waits for what arrives there, but for frames of adapters. It is heard of when so many have set out,
/// and by whoever looks.
pub(super) const IN_BULK: u32 = 1 << 31;
const AT_ONCE: usize = 8;

/// The pending events of one thread.
#[derive(Debug)]
pub(super) struct Wheel {
    /// To other threads, by the port from which they lead. Then those of this thread, by the port to which they lead; those of a cluster
    /// side by side.
    lanes: Vec<Lane>,
    /// One for every cluster of this thread.
    tournaments: Tournaments,
    /// The least pending time of every cluster of this thread.
    next: Vec<u64>,
    /// The lane of packets from each port, and behind them that of signals.
    outgoing: Vec<LaneId>,
    /// The ports of the lanes to other threads; those of signals behind all ports.
    remote: Vec<PortId>,
    /// Where those for signals begin.
    signals: PortId,
    /// The rank of each port's end of transmission in its cluster.
    ends: Vec<u32>,
    /// The rank of what is due about pauses at each port's node in its cluster, where ports may be paused.
    pauses: Vec<u32>,
    /// The rank of what is due about the crossbar of each port's node in its cluster, where it has one.
    crossbars: Vec<u32>,
    outboxes: Vec<Outbox>,
    /// The least arrival among packets for the other threads.
    pub(super) earliest_mail: u64,
    /// Whether clusters of either turn may have sent it, as they do when links change.
    pub(super) mails_in_both_turns: bool,
    /// Packets of this thread's ports that were on their way when a link failed.
    pub(super) lost: Vec<(PortId, Packet)>,
    /// What packets carry of their way.
    pub(super) telemetry: Telemetry,
    /// The cluster that is running.
    running: u32,
    /// What its arrivals' ranks are added to, modulo 2^32, for the number of their lane.
    first_lane: u32,
}

impl Wheel {
    pub(super) fn new(
        Outgoing { lanes: outgoing, remote }: Outgoing,
        lanes: Vec<Lane>,
        Ranks { ends, pauses, crossbars }: Ranks,
        cluster_sizes: &[usize],
        threads: usize,
    ) -> Self {
        Self {
            lanes,
            tournaments: Tournaments::new(cluster_sizes.iter().copied()),
            next: vec![NEVER; cluster_sizes.len()],
            outgoing,
            remote,
            signals: ends.len() as PortId,
            ends,
            pauses,
            crossbars,
            outboxes: vec![Outbox::default(); threads],
            earliest_mail: NEVER,
            mails_in_both_turns: false,
            lost: Vec::new(),
            telemetry: Telemetry::default(),
            running: NONE,
            first_lane: 0,
        }
    }

    /// The lane of packets from a port of this thread, or to one.
    pub(super) fn lane(&self, port: PortId) -> LaneId {
        self.outgoing[port as usize]
    }

    fn lane_mut(&mut self, port: PortId) -> &mut Lane {
        &mut self.lanes[self.outgoing[port as usize] as usize]
    }

    /// The least pending time of these clusters.
    pub(super) fn least(&self, clusters: Range<usize>) -> u64 {
        self.next[clusters].iter().copied().min().unwrap_or(NEVER)
    }

    /// Whether a cluster has anything pending before `horizon`.
    pub(super) fn is_due(&self, cluster: usize, horizon: u64) -> bool {
        self.next[cluster] < horizon
    }

    /// Opens a window of one cluster, to which these lanes lead. What comes by the first arrives at the source of rank
    /// `first_arrival`, and so on.
    pub(super) fn open(&mut self, cluster: usize, lanes: Range<u32>, first_arrival: u32) {
        self.running = cluster as u32;
        self.first_lane = lanes.start.wrapping_sub(first_arrival);
        self.tournaments.open(cluster);
        for lane in &self.lanes[lanes.start as usize..lanes.end as usize] {
            lane.flights.prefetch_front();
        }
    }

    /// The next event of the open window, which ends at `horizon`: its time and the rank of its source.
    #[inline]
    pub(super) fn least_before(&self, horizon: u64) -> Option<(Time, usize)> {
        self.tournaments.least_before(horizon).map(|(time, rank)| (Time::new(time), rank))
    }

    /// Closes the open window, after which the cluster does something at `next` that is no event.
    pub(super) fn close(&mut self, next: Time) {
        self.next[self.running as usize] = self.tournaments.least().min(next.get());
        self.running = NONE;
    }

    /// Changes what a source of the open window has pending.
    #[inline]
    pub(super) fn set(&mut self, rank: usize, time: Time) {
        self.tournaments.set(rank, time.get());
    }

    /// A source of the open window has something pending at this time, if it has nothing earlier.
    #[inline]
    fn set_earlier(&mut self, rank: usize, time: Time) {
        if time.get() < self.tournaments.pending(rank) {
            self.set(rank, time);
        }
    }

    /// Takes the packet that arrives now at the source of this rank.
    // Called for hosts and for switches, and for each as often as anything is.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn take_arrival(&mut self, rank: usize) -> Packet {
        self.take_arrival_before(rank, |next, telemetry| {
            // Another node wrote the record last, long ago: whoever takes the packet would wait for it.
            if let Some(record) = next.record() {
                telemetry.prefetch(record);
            }
        })
    }

    /// The same where no packet carries anything of its way.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn take_plain_arrival(&mut self, rank: usize) -> Packet {
        self.take_arrival_before(rank, |_, _| {})
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn take_arrival_before(&mut self, rank: usize, see_next: impl FnOnce(&Packet, &Telemetry)) -> Packet {
        let lane = &mut self.lanes[self.first_lane.wrapping_add(rank as u32) as usize];
        let (Flight { packet, .. }, next) = lane.flights.take_front_before(Time::MAX, |next| {
            see_next(&next.packet, &self.telemetry);
            next.arrives
        });
        self.set(rank, next);
        packet
    }

    /// A source of a cluster that is not running has something pending at `time`.
    pub(super) fn notify(&mut self, cluster: usize, rank: usize, time: Time) {
        self.tournaments.set_in(cluster, rank, time.get());
        self.next[cluster] = self.next[cluster].min(time.get());
    }

    /// Puts what there is for another thread into mail that is empty.
    pub(super) fn write(&mut self, to: usize, mail: &mut Mail) {
        let Outbox { full, notices } = &mut self.outboxes[to];
        std::mem::swap(notices, &mut mail.notices);
        for lane in full.drain(..) {
            mail.enclose(self.remote[lane as usize], &mut self.lanes[lane as usize].flights);
        }
    }

    /// Takes in what another thread has sent, and leaves the mail empty.
    pub(super) fn accept(&mut self, mail: &mut Mail) {
        for &mut (port, ref mut packets) in mail.take_packets() {
            let Lane { flights, cluster, rank } = self.lane_mut(port);
            if flights.is_empty() && *cluster < REMOTE {
                std::mem::swap(flights, packets);
                if let Some(&Flight { arrives, .. }) = flights.front() {
                    let (cluster, rank) = (*cluster as usize, *rank as usize);
                    self.notify(cluster, rank, arrives);
                }
            } else {
                while let Some(Flight { arrives, packet }) = packets.pop_front() {
                    self.deliver(self.outgoing[port as usize], arrives, packet);
                }
            }
        }
        for notice in mail.notices.drain(..) {
            match notice {
                Notice::Mark(port, arrives) => self.mark_in_flight(port, arrives, 0),
                Notice::Lost(port, packet) => self.lost.push((port, packet)),
            }
        }
    }

    /// The link that this port feeds fails: what is on its way to this thread never arrives, and the thread of the port, the peer of
    /// `back`, hears of it.
    pub(super) fn lose_in_flight(&mut self, port: PortId, back: PortId) {
        if self.outgoing[port as usize] == NO_LANE {
            return;
        }
        let Lane { cluster, rank, .. } = *self.lane_mut(port);
        if cluster == REMOTE {
            return;
        }
        let Lane { cluster: sender, rank: thread, .. } = *self.lane_mut(back);
        while let Some(Flight { packet, .. }) = self.lane_mut(port).flights.pop_front() {
            match packet.control() {
                Some(_) => {}
                None if sender == REMOTE => {
                    self.outboxes[thread as usize].notices.push(Notice::Lost(port, packet));
                }
                None => self.lost.push((port, packet)),
            }
        }
        let cluster = cluster as usize;
        self.tournaments.set_in(cluster, rank as usize, NEVER);
        self.tournaments.open(cluster);
        self.next[cluster] = self.tournaments.least();
    }

    /// Delivers to where packets are heard of in bulk.
    // As part of its callers it costs `fabric_128`, which has nothing of the kind, a twentieth.
    #[inline(never)]
    fn deliver_in_bulk(&mut self, lane: LaneId, flight: Flight) {
        let Lane { flights, cluster, rank } = &mut self.lanes[lane as usize];
        flights.push_back(flight);
        if flights.len().is_multiple_of(AT_ONCE) || flight.packet.is_of_adapter() {
            let (cluster, rank) = (*cluster & !IN_BULK, *rank as usize);
            self.hear_of_earlier(cluster, rank, flight.arrives);
        }
    }

    /// Takes the first packet from a lane, if it has arrived by `then`.
    #[inline]
    pub(super) fn take_arrived(&mut self, lane: u32, then: Time) -> Option<Flight> {
        let flights = &mut self.lanes[lane as usize].flights;
        if flights.front()?.arrives <= then { Some(flights.take_front()) } else { None }
    }

    /// When the first frame of an adapter arrives among these; `Time::MAX` for never.
    pub(super) fn next_of_adapter(&self, lane: u32) -> Time {
        let mut of_adapter =
            self.lanes[lane as usize].flights.iter().filter(|flight| flight.packet.is_of_adapter());
        of_adapter.next().map_or(Time::MAX, |flight| flight.arrives)
    }

    /// A source has something pending at `time`.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn hear_of(&mut self, cluster: u32, rank: usize, time: Time) {
        if cluster == self.running {
            self.set(rank, time);
        } else {
            self.notify(cluster as usize, rank, time);
        }
    }

    /// The same, if it has nothing earlier.
    #[cold]
    fn hear_of_earlier(&mut self, cluster: u32, rank: usize, time: Time) {
        if time.get() < self.tournaments.pending_in(cluster as usize, rank) {
            self.hear_of(cluster, rank, time);
        }
    }

    /// The last of those in a lane is heard of.
    pub(super) fn hear_of_last(&mut self, cluster: usize, rank: usize, lane: u32) {
        let flights = &self.lanes[lane as usize].flights;
        if !flights.is_empty() {
            let last = flights.from_back(0).arrives;
            self.notify(cluster, rank, last);
        }
    }

    /// The first packet in this lane has set out for a cluster that is not running here.
    // As part of `deliver` it costs `fabric_128` 16 instructions a packet-hop.
    #[inline(never)]
    fn hear_elsewhere(&mut self, lane: LaneId, arrives: Time) {
        let Lane { cluster, rank, .. } = self.lanes[lane as usize];
        if cluster == REMOTE {
            self.earliest_mail = self.earliest_mail.min(arrives.get());
            self.outboxes[rank as usize].full.push(lane);
        } else {
            self.notify(cluster as usize, rank as usize, arrives);
        }
    }
}

impl Agenda for Wheel {
    // Called at two places of each kind of node; as a call it costs a fifth of what it does.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn deliver(&mut self, lane: LaneId, arrives: Time, packet: Packet) {
        let Lane { flights, cluster, rank } = &mut self.lanes[lane as usize];
        if *cluster >= IN_BULK {
            return self.deliver_in_bulk(lane, Flight { arrives, packet });
        }
        let was_empty = flights.is_empty();
        flights.push_back(Flight { arrives, packet });
        if was_empty {
            if *cluster == self.running {
                let rank = *rank as usize;
                self.set(rank, arrives);
            } else {
                self.hear_elsewhere(lane, arrives);
            }
        }
    }

    #[cold]
    fn mark_in_flight(&mut self, port: PortId, arrives: Time, behind: usize) {
        let Lane { flights, cluster, rank } = self.lane_mut(port);
        match flights.find_mut(&arrives, |flight| flight.arrives, behind) {
            Some(flight) => flight.packet.mark(),
            None if *cluster == REMOTE => {
                let thread = *rank as usize;
                self.outboxes[thread].notices.push(Notice::Mark(port, arrives));
            }
            None => panic!("what has just left is on its way"),
        }
    }

    #[cold]
    fn deliver_ahead(&mut self, port: PortId, arrives: Time, packet: Packet, by: Span) {
        let Lane { flights, cluster, rank } = self.lane_mut(port);
        let (cluster, rank) = (*cluster, *rank as usize);
        assert_ne!(cluster, REMOTE, "hosts are on the thread of their switch");
        let is_in_bulk = cluster >= IN_BULK;
        flights.push_ahead(Flight { arrives, packet }, |other| {
            // Whatever has left before would have met it.
            let is_behind = other.arrives + by > arrives;
            other.arrives = if is_behind { other.arrives + by } else { other.arrives };
            is_behind
        });
        let first = if is_in_bulk { arrives } else { flights.front().map_or(arrives, |first| first.arrives) };
        self.hear_of(cluster & !IN_BULK, rank, first);
    }

    #[inline]
    fn end_of_transmission(&mut self, port: PortId, at: Time) {
        self.set(self.ends[port as usize] as usize, at);
    }

    #[inline]
    fn is_last_of(&self, now: Time) -> bool {
        self.tournaments.least() > now.get()
    }

    fn telemetry(&mut self) -> &mut Telemetry {
        &mut self.telemetry
    }

    fn pause_due(&mut self, port: PortId, at: Time) {
        self.set_earlier(self.pauses[port as usize] as usize, at);
    }

    fn signal(&mut self, port: PortId, arrives: Time, signal: Packet) {
        self.deliver(self.outgoing[(self.signals + port) as usize], arrives, signal);
    }

    fn crossbar_due(&mut self, port: PortId, at: Time) {
        self.set_earlier(self.crossbars[port as usize] as usize, at);
    }
}
