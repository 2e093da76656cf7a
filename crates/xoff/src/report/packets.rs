//! Packets of watched flows as columns, with one row for every port that a packet comes to.
//!
//! The run records steps of packets without names. This module follows each packet from port to port by matching the
//! steps of packets that are alike.

use std::collections::{BTreeMap, VecDeque};

use super::{Outcome, Simulation};
use crate::engine::{PacketEvent, Step};
use crate::kernel::units::Time;
use crate::observer::{DropReason, PacketKind};
use crate::packet::{EVERYTHING, MARKED, Packet};
use crate::topology::{Network, NodeId, PortId};

/// Value of a time or number that does not apply.
const NONE: u64 = u64::MAX;
/// Value of an index that does not apply.
const NO_INDEX: u8 = u8::MAX;

/// Columns of `packets.parquet`, packet by packet in the order in which they set out, and port by port.
///
/// Times are in picoseconds, so that they add up exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketColumns {
    /// Position of the packet among all packets in the columns.
    pub packet: Vec<u64>,
    /// Host that sends the flow's data, as an index into [`super::Report::node_names`].
    pub source: Vec<u32>,
    /// Host that receives the flow's data, as an index into [`super::Report::node_names`].
    pub destination: Vec<u32>,
    /// Number of the flow at its source.
    pub number: Vec<u32>,
    /// Kind of the packet, as an index into the names of [`PacketKind`].
    pub kind: Vec<u8>,
    /// First byte of the payload of data; first byte not yet received of an acknowledgement; a missing byte of a NACK.
    ///
    /// `u64::MAX` for an acknowledgement of everything, and for other kinds.
    pub sequence: Vec<u64>,
    /// Bytes of payload; 0 if the packet is not data.
    pub payload_bytes: Vec<u64>,
    /// Bytes of the packet that buffers count.
    pub frame_bytes: Vec<u64>,
    /// Traffic class.
    pub priority: Vec<u8>,
    /// Whether the same data was sent before.
    pub retransmission: Vec<bool>,
    /// Event that let the flow send the packet, as an index into the names of [`crate::observer::Release`]. Only in the
    /// first row of data; 255 elsewhere.
    pub release: Vec<u8>,
    /// Time when the event in `release` let the flow send; `u64::MAX` in rows without this event.
    pub ready_ps: Vec<u64>,
    /// Time when the transport handed the packet to the adapter, in its first row; `u64::MAX` elsewhere.
    pub handed_ps: Vec<u64>,
    /// Number of ports that the packet came to before.
    pub hop: Vec<u64>,
    /// Port, as an index into [`super::Report::series_names`].
    pub port: Vec<u32>,
    /// Time when the packet came to the port's node; in the first row to the adapter, after the host's delay.
    pub arrived_ps: Vec<u64>,
    /// Time when the first bit left by the port; `u64::MAX` if none did.
    pub started_ps: Vec<u64>,
    /// Time when the last bit left by the port; `u64::MAX` if none did.
    pub ended_ps: Vec<u64>,
    /// Time when the last bit is at the other end of the port's link; `u64::MAX` if none left.
    pub reached_ps: Vec<u64>,
    /// Time when the packet reached its transport at the other end of the link; `u64::MAX` where another port follows,
    /// or a drop.
    pub received_ps: Vec<u64>,
    /// Whether the packet carried a mark as it left.
    pub marked: Vec<bool>,
    /// Reason for a drop at the port or on its link, as an index into the names of [`DropReason`]; 255 if there was
    /// none.
    pub drop_reason: Vec<u8>,
}

/// Flow, kind, node and sequence of a packet. Packets that are alike in these are matched in the order in which they
/// came.
type Alike = (NodeId, u32, PacketKind, NodeId, u64);

/// Packet at a node, or on its way there.
#[derive(Clone, Debug)]
struct Here {
    packet: usize,
    arrives: Time,
    /// Whether the packet has crossed the delay of the host that sends it.
    has_crossed: bool,
}

/// Course of one packet from port to port.
#[derive(Debug)]
struct Course {
    handed: PacketEvent,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    port: PortId,
    arrived: Time,
    /// Times when the packet starts, ends and reaches the other end.
    sent: Option<[Time; 3]>,
    received: Option<Time>,
    marked: bool,
    reason: Option<DropReason>,
}

impl Row {
    /// Makes the row of a packet that has come to a port and not left by it.
    fn waiting(port: PortId, arrived: Time, packet: &Packet) -> Self {
        Self { port, arrived, sent: None, received: None, marked: packet.is(MARKED), reason: None }
    }
}

/// Matcher of steps, which follows packets from port to port.
struct Follower<'a> {
    simulation: &'a Simulation,
    courses: Vec<Course>,
    here: BTreeMap<Alike, VecDeque<Here>>,
}

/// Makes the rows of all packets whose steps were recorded.
pub(super) fn columns(simulation: &Simulation, outcome: &Outcome) -> PacketColumns {
    let mut follower = Follower { simulation, courses: Vec::new(), here: BTreeMap::new() };
    for event in &outcome.packets {
        follower.follow(event);
    }
    follower.find_waiting(outcome);
    let mut columns = PacketColumns::default();
    for (number, course) in follower.courses.iter().enumerate() {
        columns.add(number as u64, course, simulation);
    }
    columns
}

impl Follower<'_> {
    fn network(&self) -> &Network {
        self.simulation.network()
    }

    fn alike(&self, packet: &Packet, node: NodeId) -> Alike {
        let kind = self.simulation.fabric().kind(packet);
        (packet.flow_ends().0, packet.flow(), kind, node, packet.sequence())
    }

    /// Returns the node at the other end of a port's link, and the time when a packet that leaves at `ends` is there.
    fn other_end(&self, port: PortId, ends: Time) -> (NodeId, Time) {
        let (node, local) = self.network().ports.place(port);
        let to = &self.network().ports.of(node)[local as usize];
        (to.peer, ends + self.network().links[to.link as usize].delay)
    }

    fn put(&mut self, packet: &Packet, node: NodeId, here: Here) {
        let alike = self.alike(packet, node);
        self.here.entry(alike).or_default().push_back(here);
    }

    /// Takes the first packet that is like `packet` and came to `node` by `now`. At a host, packets that have crossed
    /// its delay go first.
    fn take(&mut self, packet: &Packet, node: NodeId, now: Time) -> Option<Here> {
        self.take_first(packet, node, now, |here| (!here.has_crossed, here.arrives))
    }

    /// Takes the packet that is like `packet`, came to `node` by `now`, and is first by `order`.
    fn take_first<K: Ord>(
        &mut self,
        packet: &Packet,
        node: NodeId,
        now: Time,
        order: impl Fn(&Here) -> K,
    ) -> Option<Here> {
        let alike = self.alike(packet, node);
        let here = self.here.get_mut(&alike)?;
        let place = (0..here.len()).filter(|&place| here[place].arrives <= now);
        let first = place.min_by_key(|&place| order(&here[place]))?;
        let found = here.remove(first);
        if here.is_empty() {
            self.here.remove(&alike);
        }
        found
    }

    fn follow(&mut self, event: &PacketEvent) {
        let &PacketEvent { time, ref packet, step } = event;
        match step {
            Step::Handed { .. } => {
                let here = Here { packet: self.courses.len(), arrives: time, has_crossed: false };
                self.courses.push(Course { handed: *event, rows: Vec::new() });
                self.put(packet, packet.source(), here);
            }
            Step::Crossed => {
                let (node, order) = (packet.source(), |here: &Here| (here.has_crossed, here.arrives));
                if let Some(here) = self.take_first(packet, node, time, order) {
                    self.put(packet, node, Here { arrives: time, has_crossed: true, ..here });
                }
            }
            Step::Sent { port, ends } => {
                let node = self.network().ports.place(port).0;
                if let Some(Here { packet: number, arrives, .. }) = self.take(packet, node, time) {
                    let (peer, reaches) = self.other_end(port, ends);
                    let sent = Some([time, ends, reaches]);
                    self.courses[number].rows.push(Row { sent, ..Row::waiting(port, arrives, packet) });
                    self.put(packet, peer, Here { packet: number, arrives: reaches, has_crossed: false });
                }
            }
            Step::Received => {
                if let Some(Here { packet: number, .. }) = self.take(packet, packet.destination(), time)
                    && let Some(row) = self.courses[number].rows.last_mut()
                {
                    row.received = Some(time);
                }
            }
            Step::Dropped { port, reason } => self.drop(packet, port, reason, time),
        }
    }

    /// Ends the course of a packet that is lost at a port or on its link.
    fn drop(&mut self, packet: &Packet, port: PortId, reason: DropReason, now: Time) {
        let node = self.network().ports.place(port).0;
        if matches!(reason, DropReason::LinkError | DropReason::LinkDown)
            && let Some(Here { packet: number, .. }) = self.take_under_way(packet, port, now)
            && let Some(row) = self.courses[number].rows.last_mut()
        {
            row.reason = Some(reason);
        } else if let Some(Here { packet: number, arrives, .. }) =
            self.take_dropped(packet, node, reason, now)
        {
            let reason = Some(reason);
            self.courses[number].rows.push(Row { reason, ..Row::waiting(port, arrives, packet) });
        }
    }

    /// Takes the packet like `packet` that `node` drops: the one that comes now, unless the reason is to lose packets that
    /// wait. A copy that was sent before may still wait there.
    fn take_dropped(&mut self, packet: &Packet, node: NodeId, reason: DropReason, now: Time) -> Option<Here> {
        if matches!(reason, DropReason::PushedOut | DropReason::PfcWatchdog) {
            return self.take(packet, node, now);
        }
        self.take_first(packet, node, now, |here| (here.arrives != now, !here.has_crossed, here.arrives))
    }

    /// Adds rows of packets that wait in switches at the end, for which no step names the port.
    fn find_waiting(&mut self, outcome: &Outcome) {
        let Some(end) = outcome.end.filter(|_| !self.here.is_empty()) else { return };
        for (node, switch) in (self.network().hosts..).zip(&outcome.switches) {
            for (local, port) in (0..).zip(switch.ports()) {
                for packet in switch.waiting_for(local) {
                    if let Some(Here { packet: number, arrives, .. }) = self.take(packet, node, end) {
                        self.courses[number].rows.push(Row::waiting(port.id(), arrives, packet));
                    }
                }
            }
        }
    }

    /// Takes the last packet like `packet` that `port` sent and that is still on the port's link.
    fn take_under_way(&mut self, packet: &Packet, port: PortId, now: Time) -> Option<Here> {
        let alike = self.alike(packet, self.other_end(port, now).0);
        let here = self.here.get_mut(&alike)?;
        let courses = &self.courses;
        let is_by_port = |here: &Here| courses[here.packet].rows.last().is_some_and(|row| row.port == port);
        let place = here.iter().rposition(|here| here.arrives >= now && is_by_port(here))?;
        here.remove(place)
    }
}

impl PacketColumns {
    /// Adds the rows of a packet. A packet without rows yet waits for its first port.
    fn add(&mut self, number: u64, course: &Course, simulation: &Simulation) {
        let Course { handed: PacketEvent { time, packet, step }, rows } = course;
        let &Step::Handed { ready, release, retransmission } = step else { return };
        let kind = simulation.fabric().kind(packet);
        let (source, destination) = packet.flow_ends();
        let has_sequence = matches!(kind, PacketKind::Data | PacketKind::Acknowledgement | PacketKind::Nack);
        let is_data = kind == PacketKind::Data;
        let only = [Row::waiting(simulation.network().ports.first(packet.source()), *time, packet)];
        for (hop, row) in if rows.is_empty() { only.iter() } else { rows.iter() }.enumerate() {
            let [started, ended, reached] = row.sent.map_or([NONE; 3], |times| times.map(Time::get));
            let sequence =
                if has_sequence && packet.sequence() != EVERYTHING { packet.sequence() } else { NONE };
            self.packet.push(number);
            self.source.push(source);
            self.destination.push(destination);
            self.number.push(packet.flow());
            self.kind.push(kind as u8);
            self.sequence.push(sequence);
            self.payload_bytes.push(if is_data { packet.length() } else { 0 });
            self.frame_bytes.push(packet.frame().get());
            self.priority.push(packet.priority() as u8);
            self.retransmission.push(retransmission);
            self.release.push(release.filter(|_| hop == 0).map_or(NO_INDEX, |release| release as u8));
            self.ready_ps.push(if hop == 0 && is_data { ready.get() } else { NONE });
            self.handed_ps.push(if hop == 0 { time.get() } else { NONE });
            self.hop.push(hop as u64);
            self.port.push(row.port);
            self.arrived_ps.push(row.arrived.get());
            self.started_ps.push(started);
            self.ended_ps.push(ended);
            self.reached_ps.push(reached);
            self.received_ps.push(row.received.map_or(NONE, Time::get));
            self.marked.push(row.marked);
            self.drop_reason.push(row.reason.map_or(NO_INDEX, |reason| reason as u8));
        }
    }
}
