//! What one thread has pending: packets in flight to its nodes, and the times of all its sources.

use super::shared::Mail;
use crate::agenda::{Agenda, PortId};
use crate::kernel::ring::Ring;
use crate::kernel::tournament::{NEVER, Tournament};
use crate::kernel::units::Time;
use crate::packet::{Flight, Packet};

/// Where packets sent on a port are heard of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Outgoing {
    /// On this thread: the arrival's source and its cluster.
    Local { source: u32, cluster: u32 },
    /// On another thread.
    Remote { thread: u32 },
}

/// The pending events of one thread.
#[derive(Debug)]
pub(super) struct Wheel {
    /// Packets in flight, by the port that sent them.
    pub(super) rings: Vec<Ring<Flight>>,
    /// The pending time of every source of this thread, cluster by cluster.
    pub(super) pending: Vec<u64>,
    /// The least pending time of every cluster of this thread.
    pub(super) next: Vec<u64>,
    outgoing: Vec<Outgoing>,
    /// The source of each port's end of transmission.
    ends: Vec<u32>,
    /// Packets for the other threads.
    pub(super) outboxes: Vec<Vec<Mail>>,
    /// The least arrival among packets for the other threads.
    pub(super) earliest_mail: u64,
    tournament: Tournament,
    cluster: u32,
    offset: usize,
}

impl Wheel {
    pub(super) fn new(outgoing: Vec<Outgoing>, ends: Vec<u32>, cluster_sizes: &[usize], threads: usize) -> Self {
        Self {
            rings: vec![Ring::new(); outgoing.len()],
            pending: vec![NEVER; cluster_sizes.iter().sum()],
            next: vec![NEVER; cluster_sizes.len()],
            outgoing,
            ends,
            outboxes: vec![Vec::new(); threads],
            earliest_mail: NEVER,
            tournament: Tournament::with_capacity(cluster_sizes.iter().copied().max().unwrap_or(1)),
            cluster: u32::MAX,
            offset: 0,
        }
    }

    /// The least pending time, mail included.
    pub(super) fn least(&self) -> u64 {
        self.next.iter().copied().min().unwrap_or(NEVER).min(self.earliest_mail)
    }

    /// Opens the window up to `horizon` for one cluster, whose sources are `offset..offset + size`.
    pub(super) fn open(&mut self, cluster: usize, offset: usize, size: usize, horizon: u64) {
        self.cluster = cluster as u32;
        self.offset = offset;
        self.tournament.begin(self.next[cluster], horizon, &self.pending[offset..offset + size]);
    }

    /// The next event of the open window: its time and its source.
    #[inline]
    pub(super) fn least_in_window(&self) -> Option<(Time, usize)> {
        self.tournament.least().map(|(time, rank)| (Time::new(time), self.offset + rank))
    }

    /// Closes the window of a cluster.
    pub(super) fn close(&mut self, size: usize) {
        let pending = &self.pending[self.offset..self.offset + size];
        self.next[self.cluster as usize] = pending.iter().copied().min().unwrap_or(NEVER);
        self.cluster = u32::MAX;
    }

    /// Changes what a source of the open cluster has pending.
    #[inline]
    pub(super) fn set(&mut self, source: usize, time: Time) {
        self.pending[source] = time.get();
        self.tournament.set(source - self.offset, time.get());
    }

    /// Takes the packet that arrives now from `port`, of whose arrivals `source` tells.
    #[inline]
    pub(super) fn take_arrival(&mut self, port: PortId, source: usize) -> Option<Packet> {
        let ring = &mut self.rings[port as usize];
        let flight = ring.pop_front();
        let next = ring.front().map_or(Time::MAX, |flight| flight.arrives);
        self.set(source, next);
        flight.map(|flight| flight.packet)
    }

    /// A source of a cluster that is not running now has something pending at `time`.
    pub(super) fn notify(&mut self, source: usize, cluster: usize, time: u64) {
        self.pending[source] = self.pending[source].min(time);
        self.next[cluster] = self.next[cluster].min(time);
    }

    /// Takes in a packet from another thread.
    pub(super) fn accept(&mut self, mail: Mail) {
        self.deliver(mail.port, mail.flight.arrives, mail.flight.packet);
    }
}

impl Agenda for Wheel {
    #[inline]
    fn deliver(&mut self, port: PortId, arrives: Time, packet: Packet) {
        match self.outgoing[port as usize] {
            Outgoing::Local { source, cluster } => {
                let ring = &mut self.rings[port as usize];
                let was_empty = ring.is_empty();
                ring.push_back(Flight { arrives, packet });
                if was_empty {
                    if cluster == self.cluster {
                        self.set(source as usize, arrives);
                    } else {
                        self.notify(source as usize, cluster as usize, arrives.get());
                    }
                }
            }
            Outgoing::Remote { thread } => {
                self.earliest_mail = self.earliest_mail.min(arrives.get());
                self.outboxes[thread as usize].push(Mail { port, flight: Flight { arrives, packet } });
            }
        }
    }

    #[inline]
    fn end_of_transmission(&mut self, port: PortId, at: Time) {
        self.set(self.ends[port as usize] as usize, at);
    }
}
