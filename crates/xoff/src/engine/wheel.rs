//! The wheel: all that is pending on one thread, as packets in flight and as the next event of every source.
//!
//! Links deliver packets in the order in which they were sent. So the packets on one link need no sorting: they stand
//! in a ring, the *lane*, and the first of them says when the next arrives. What remains to be sorted is small and
//! fixed: one time for each *source* of events, which is a lane, a port that may end a transmission, or a host's own
//! next event. A tournament of each cluster keeps these times (`kernel::tournament`). Sending a packet appends it to a
//! ring and touches the tournament only if the ring was empty. Taking one reads the front of a ring and writes the time
//! of the next packet into the tournament, one path from leaf to root.
//!
//! Both cost the same however many packets are in flight. A heap of all packets would cost a walk through cold memory
//! for each, and grow with the network's bandwidth-delay product.
//!
//! Lanes to other threads gather packets until the threads meet; then whole rings change hands as mail.

use std::ops::Range;

use super::in_flight::InFlight;
use super::mail::{Mail, Notice, Outbox};
use crate::agenda::{Agenda, LaneId};
use crate::kernel::prefetch::prefetch;
use crate::kernel::ring::Ring;
use crate::kernel::tournament::{NEVER, Tournaments};
use crate::kernel::units::{Span, Time};
use crate::packet::{Flight, Packet};
use crate::telemetry::Telemetry;
use crate::topology::PortId;

/// Packets sent on one port, with the source that hears of their arrival in a cluster of this thread, or on another.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub(super) struct Lane {
    /// Packets in flight, or those that wait until the threads meet.
    flights: Ring<Flight>,
    /// Cluster that hears of the packets, with [`IN_BULK`] if in bulk; [`REMOTE`] for a cluster of another thread.
    cluster: u32,
    /// Rank of the source in the cluster, or number of the other thread.
    rank: u32,
}

/// Lane of a port whose packets neither leave nor reach this thread.
pub(super) const NO_LANE: u32 = u32::MAX;

const _: () = assert!(size_of::<Lane>() == 32, "two of them share a cache line");

impl Lane {
    pub(super) fn new(cluster: u32, rank: u32) -> Self {
        Self { flights: Ring::new(), cluster, rank }
    }
}

/// Lanes by the port from which they lead.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    /// Lane of packets from each port, then lane of signals from each port; [`NO_LANE`] for none.
    pub(super) lanes: Vec<LaneId>,
    /// Port of each lane to another thread; behind all ports, those of signals.
    pub(super) remote: Vec<PortId>,
}

/// Ranks of the sources of each port, or of its node, in their cluster.
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

/// Cluster of a lane that leads to another thread.
pub(super) const REMOTE: u32 = IN_BULK - 1;
/// Number of no cluster.
const NONE: u32 = u32::MAX;

/// Flag beside a cluster where only frames of adapters change anything as they arrive.
/// The cluster hears of other packets eight at a time, and takes them whenever it looks.
pub(super) const IN_BULK: u32 = 1 << 31;
const AT_ONCE: usize = 8;

/// Pending events of one thread.
#[derive(Debug)]
pub(super) struct Wheel {
    /// Lanes to other threads, by the port from which they lead; then lanes of this thread, those to one cluster side
    /// by side.
    lanes: Vec<Lane>,
    /// Tournament of each cluster of this thread.
    tournaments: Tournaments,
    /// Least pending time of each cluster of this thread.
    next: Vec<u64>,
    /// Lane of packets from each port, then lane of signals from each port.
    outgoing: Vec<LaneId>,
    /// Port of each lane to another thread; behind all ports, those of signals.
    remote: Vec<PortId>,
    /// Number of ports, which is also the place of the first lane of signals.
    signals: PortId,
    /// Rank of each port's end of transmission in its cluster.
    ends: Vec<u32>,
    /// Rank of the pauses of each port's node in its cluster, where ports may be paused.
    pauses: Vec<u32>,
    /// Rank of the crossbar of each port's node in its cluster, where the node has a crossbar.
    crossbars: Vec<u32>,
    outboxes: Vec<Outbox>,
    /// Least arrival among packets for other threads.
    pub(super) earliest_mail: u64,
    /// Whether clusters of either turn may have sent mail, as they do when links change.
    pub(super) mails_in_both_turns: bool,
    /// Packets of this thread's ports that were in flight when a link failed.
    pub(super) lost: Vec<(PortId, Packet)>,
    /// This thread's access to the telemetry records of packets.
    pub(super) telemetry: Telemetry,
    /// Cluster that is running.
    running: u32,
    /// Difference, modulo 2^32, from the rank of an arrival in the running cluster to the number of its lane.
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

    /// Returns the lane of packets that leave a port of this thread, or go to a port of this thread.
    pub(super) fn lane(&self, port: PortId) -> LaneId {
        self.outgoing[port as usize]
    }

    fn lane_mut(&mut self, port: PortId) -> &mut Lane {
        &mut self.lanes[self.outgoing[port as usize] as usize]
    }

    /// Counts the packets on the wires that lead from or to this thread; signals are no packets.
    pub(super) fn in_flight(&self) -> InFlight {
        let lanes = self.outgoing[..self.signals as usize].iter().filter(|lane| **lane != NO_LANE);
        let on_lane = |lane: &LaneId| {
            InFlight::of(self.lanes[*lane as usize].flights.iter().map(|flight| &flight.packet))
        };
        lanes.map(on_lane).sum()
    }

    /// Returns the least pending time of a range of clusters.
    pub(super) fn least(&self, clusters: Range<usize>) -> u64 {
        self.next[clusters].iter().copied().min().unwrap_or(NEVER)
    }

    /// Returns the least pending time of those clusters of a range for which `counts` is true.
    pub(super) fn least_of(&self, clusters: Range<usize>, counts: impl Fn(usize) -> bool) -> u64 {
        clusters.filter(|&cluster| counts(cluster)).map(|cluster| self.next[cluster]).min().unwrap_or(NEVER)
    }

    /// Whether a cluster has anything pending before `horizon`.
    pub(super) fn is_due(&self, cluster: usize, horizon: u64) -> bool {
        self.next[cluster] < horizon
    }

    /// Prefetches what stands for a cluster: its tournament, and the `lanes` that lead to it without their packets.
    pub(super) fn prefetch_cluster(&self, cluster: usize, lanes: Range<u32>) {
        self.tournaments.prefetch(cluster);
        // Two of them share a cache line.
        self.lanes_of(lanes).iter().step_by(2).for_each(|lane| prefetch(lane));
    }

    /// Prefetches a lane without its packets.
    pub(super) fn prefetch_lane(&self, lane: LaneId) {
        prefetch(&raw const self.lanes[lane as usize]);
    }

    /// Prefetches where the next packet on a lane goes.
    pub(super) fn prefetch_next_slot(&self, lane: LaneId) {
        self.lanes[lane as usize].flights.prefetch_next_slot();
    }

    /// Prefetches the first two packets on each of `lanes`.
    pub(super) fn prefetch_first_two(&self, lanes: Range<u32>) {
        self.lanes_of(lanes).iter().for_each(|lane| lane.flights.prefetch_first_two());
    }

    /// Prefetches the first packet on each of `lanes`.
    pub(super) fn prefetch_fronts(&self, lanes: Range<u32>) {
        self.lanes_of(lanes).iter().for_each(|lane| lane.flights.prefetch_front());
    }

    /// Returns the first packet on a lane.
    pub(super) fn front(&self, lane: u32) -> Option<&Packet> {
        self.lanes.get(lane as usize)?.flights.front().map(|flight| &flight.packet)
    }

    /// Returns the number of lanes that this thread knows.
    pub(super) fn count_lanes(&self) -> usize {
        self.lanes.len()
    }

    fn lanes_of(&self, lanes: Range<u32>) -> &[Lane] {
        &self.lanes[lanes.start as usize..lanes.end as usize]
    }

    /// Opens a window of one cluster. Its source of rank `first_arrival` hears of `first_lane`, the next one of the lane
    /// behind that, and so on.
    pub(super) fn open(&mut self, cluster: usize, first_lane: u32, first_arrival: u32) {
        self.running = cluster as u32;
        self.first_lane = first_lane.wrapping_sub(first_arrival);
        self.tournaments.open(cluster);
    }

    /// Returns time and rank of the next event in the open window, which ends at `horizon`.
    #[inline]
    pub(super) fn least_before(&self, horizon: u64) -> Option<(Time, usize)> {
        self.tournaments.least_before(horizon).map(|(time, rank)| (Time::new(time), rank))
    }

    /// Returns time and rank of the next event in the open window, however many sources its cluster has.
    #[inline]
    pub(super) fn least_of_any_before(&self, horizon: u64) -> Option<(Time, usize)> {
        if self.tournaments.is_large() {
            return self
                .tournaments
                .least_of_large_before(horizon)
                .map(|(time, rank)| (Time::new(time), rank));
        }
        self.least_before(horizon)
    }

    /// Closes the open window. The cluster does something at `next` that is no event.
    pub(super) fn close(&mut self, next: Time) {
        self.next[self.running as usize] = self.tournaments.least().min(next.get());
        self.running = NONE;
    }

    /// Sets the next time of a source of the open window.
    #[inline]
    pub(super) fn set(&mut self, rank: usize, time: Time) {
        self.tournaments.set(rank, time.get());
    }

    /// Sets the next time of a source of the open window to `time`, if `time` is earlier.
    #[inline]
    fn set_earlier(&mut self, rank: usize, time: Time) {
        if time.get() < self.tournaments.pending(rank) {
            self.set(rank, time);
        }
    }

    /// Takes the packet that arrives now at the source of rank `rank`, and prefetches the next packet's telemetry
    /// record.
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

    /// Takes the packet that arrives now at the source of rank `rank`, where no packet has a telemetry record.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn take_plain_arrival(&mut self, rank: usize) -> Packet {
        self.take_arrival_before(rank, |_, _| {})
    }

    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn take_arrival_before(&mut self, rank: usize, see_next: impl FnOnce(&Packet, &Telemetry)) -> Packet {
        let lane = &mut self.lanes[self.first_lane.wrapping_add(rank as u32) as usize];
        // Returned together with `next`, the packet would be copied three times.
        let packet = lane.flights.first().packet;
        let next = lane.flights.drop_first(Time::MAX, |next| {
            see_next(&next.packet, &self.telemetry);
            next.arrives
        });
        self.set(rank, next);
        packet
    }

    /// Sets the next time of a source whose cluster is not running.
    pub(super) fn notify(&mut self, cluster: usize, rank: usize, time: Time) {
        self.tournaments.set_in(cluster, rank, time.get());
        self.next[cluster] = self.next[cluster].min(time.get());
    }

    /// Moves the packets and notices for another thread into empty mail.
    pub(super) fn write(&mut self, to: usize, mail: &mut Mail) {
        let Outbox { full, notices } = &mut self.outboxes[to];
        std::mem::swap(notices, &mut mail.notices);
        for lane in full.drain(..) {
            mail.enclose(self.remote[lane as usize], &mut self.lanes[lane as usize].flights);
        }
    }

    /// Takes the packets and notices of another thread, and leaves the mail empty.
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

    /// Drops all packets in flight to this thread on the link that `port` feeds, as the link fails.
    /// The thread of the port, the peer of `back`, hears of each.
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

    /// Delivers a packet to a cluster that hears of packets in bulk.
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

    /// Returns the arrival of the first frame of an adapter on a lane; `Time::MAX` without one.
    pub(super) fn next_of_adapter(&self, lane: u32) -> Time {
        let mut of_adapter =
            self.lanes[lane as usize].flights.iter().filter(|flight| flight.packet.is_of_adapter());
        of_adapter.next().map_or(Time::MAX, |flight| flight.arrives)
    }

    /// Sets the next time of a source, whether its cluster is running or not.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn hear_of(&mut self, cluster: u32, rank: usize, time: Time) {
        if cluster == self.running {
            self.set(rank, time);
        } else {
            self.notify(cluster as usize, rank, time);
        }
    }

    /// Sets the next time of a source to `time`, if `time` is earlier than the present one.
    #[cold]
    fn hear_of_earlier(&mut self, cluster: u32, rank: usize, time: Time) {
        if time.get() < self.tournaments.pending_in(cluster as usize, rank) {
            self.hear_of(cluster, rank, time);
        }
    }

    /// Has a cluster hear of the last packet on a lane.
    pub(super) fn hear_of_last(&mut self, cluster: usize, rank: usize, lane: u32) {
        let flights = &self.lanes[lane as usize].flights;
        if !flights.is_empty() {
            let last = flights.nth_back(0).arrives;
            self.notify(cluster, rank, last);
        }
    }

    /// Has a cluster that is not running here, or another thread, hear of the first packet on a lane.
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
