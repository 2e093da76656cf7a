//! Packet log: every step of the packets of watched flows, and the event that let each packet set out.

use std::collections::BTreeMap;

use super::sampler::WatchedFlows;
use crate::kernel::units::Time;
use crate::observer::{DropReason, Dropped, Release};
use crate::packet::Packet;
use crate::topology::{NodeId, PortId};

/// Step of a packet on its way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The transport hands the packet to the adapter.
    Handed {
        /// Time since which the flow might have sent the packet.
        ready: Time,
        /// Event that let the flow send it; nothing for a packet without data.
        release: Option<Release>,
        /// Whether the same data has been sent before.
        retransmission: bool,
    },
    /// The packet has crossed the delay of its host, if there is one.
    Crossed,
    /// A port begins to transmit the packet.
    Sent {
        /// Port that transmits.
        port: PortId,
        /// End of the transmission.
        ends: Time,
    },
    /// The packet reaches its transport, alone or merged with others.
    Received,
    /// A node drops the packet.
    Dropped {
        /// Port by which the packet would have left, or has left.
        port: PortId,
        /// Reason of the drop.
        reason: DropReason,
    },
}

/// Step of one packet at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketEvent {
    /// Time of the step.
    pub time: Time,
    /// Packet as it is at this step.
    pub packet: Packet,
    /// Step of the packet.
    pub step: Step,
}

/// Log of the packets of watched flows, on one thread.
#[derive(Clone, Debug, Default)]
pub struct PacketLog {
    /// Watched flows, by the host that sends their data; empty where no flow is watched.
    pub flows: Vec<WatchedFlows>,
    senders: BTreeMap<(NodeId, u32), Sender>,
    events: Vec<PacketEvent>,
}

/// Events that let a flow send its next packet, with their times.
#[derive(Clone, Copy, Debug, Default)]
struct Sender {
    released: Option<(Time, Release)>,
    waiting: Option<(Time, Release)>,
}

impl Sender {
    fn release(&self, now: Time) -> Release {
        self.released.filter(|(time, _)| *time == now).map_or(Release::Turn, |(_, release)| release)
    }
}

impl PacketLog {
    /// Whether any flow is watched.
    pub fn is_watching(&self) -> bool {
        !self.flows.is_empty()
    }

    /// Joins the steps that all threads have logged, in order of time. Steps at one place and instant keep their order.
    pub fn merge(parts: impl IntoIterator<Item = Vec<PacketEvent>>) -> Vec<PacketEvent> {
        let mut all: Vec<PacketEvent> = parts.into_iter().flatten().collect();
        let rank_and_place = |event: &PacketEvent| match event.step {
            Step::Handed { .. } => (0, event.packet.source()),
            Step::Crossed => (1, event.packet.source()),
            Step::Sent { port, .. } => (2, port),
            Step::Dropped { port, .. } => (3, port),
            Step::Received => (4, event.packet.destination()),
        };
        all.sort_by_key(|event| (event.time, rank_and_place(event)));
        all
    }

    /// Returns the memory of the logged steps, in bytes.
    pub(super) fn recorded(&self) -> usize {
        size_of_val(&*self.events)
    }

    /// Returns the same steps in a log that logs no others.
    pub(super) fn ended(&mut self) -> Self {
        Self { events: std::mem::take(&mut self.events), ..Self::default() }
    }

    /// Returns the logged steps.
    pub fn into_events(self) -> Vec<PacketEvent> {
        self.events
    }

    fn watches(&self, host: NodeId, flow: u32) -> bool {
        self.flows.get(host as usize).is_some_and(|flows| flows.contains(flow))
    }

    /// Logs a step of a watched flow. The last step of a trimmed packet is the drop of its payload.
    fn record(&mut self, time: Time, packet: &Packet, step: Step) {
        if !packet.is_header() && self.watches(packet.flow_ends().0, packet.flow()) {
            self.events.push(PacketEvent { time, packet: *packet, step });
        }
    }

    pub(super) fn on_released(&mut self, now: Time, host: NodeId, flow: u32, release: Release) {
        if self.watches(host, flow) {
            self.senders.entry((host, flow)).or_default().released = Some((now, release));
        }
    }

    pub(super) fn on_waiting(&mut self, now: Time, host: NodeId, flow: u32) {
        if self.watches(host, flow) {
            let sender = self.senders.entry((host, flow)).or_default();
            sender.waiting = Some((now, sender.release(now)));
        }
    }

    pub(super) fn on_handed(&mut self, now: Time, packet: &Packet, retransmission: bool) {
        let (source, flow) = (packet.flow_ends().0, packet.flow());
        if !self.watches(source, flow) {
            return;
        }
        let (mut ready, mut release) = (now, None);
        if packet.source() == source {
            let sender = self.senders.entry((source, flow)).or_default();
            let waiting = sender.waiting.take();
            let by = sender.release(now);
            let (since, by) = waiting.filter(|_| by == Release::Turn).unwrap_or((now, by));
            (ready, release) = (since, Some(by));
        }
        let step = Step::Handed { ready, release, retransmission };
        self.events.push(PacketEvent { time: now, packet: *packet, step });
    }

    pub(super) fn on_crossed(&mut self, now: Time, packet: &Packet) {
        self.record(now, packet, Step::Crossed);
    }

    pub(super) fn on_sent(&mut self, now: Time, port: PortId, packet: &Packet, ends: Time) {
        self.record(now, packet, Step::Sent { port, ends });
    }

    pub(super) fn on_received(&mut self, now: Time, packet: &Packet) {
        self.record(now, packet, Step::Received);
    }

    pub(super) fn on_drop(&mut self, now: Time, dropped: &Dropped) {
        let &Dropped { port, reason, ref packet, .. } = dropped;
        self.record(now, packet, Step::Dropped { port, reason });
    }
}
