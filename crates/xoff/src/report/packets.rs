//! Packets of watched flows as columns: one row for every port that a packet comes to.

use std::collections::{BTreeMap, VecDeque};

use super::{Outcome, Simulation};
use crate::engine::{PacketEvent, Step};
use crate::kernel::units::Time;
use crate::observer::{DropReason, PacketKind};
use crate::packet::{EVERYTHING, MARKED, Packet};
use crate::topology::{Network, NodeId, PortId};

/// Stands for a time or a number that there is not.
const NONE: u64 = u64::MAX;
/// The same among indices.
const NO_INDEX: u8 = u8::MAX;

/// Columns of `packets.parquet`, packet by packet in the order in which they set out, and port by port. Times are in picoseconds, so
/// that what they add up to is exact.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PacketColumns {
    /// The packet's place among all of them.
    pub packet: Vec<u64>,
    /// The host that sends the flow's data, as an index into [`super::Report::node_names`].
    pub source: Vec<u32>,
    /// The host that receives it, likewise.
    pub destination: Vec<u32>,
    /// The flow's number at its source.
    pub number: Vec<u32>,
    /// What the packet is, as an index into the names of [`PacketKind`].
    pub kind: Vec<u8>,
    /// Of data the first byte of the payload, of an acknowledgement the first byte not yet received, of a NACK one that is missing;
    /// `u64::MAX` of one of everything, and of other kinds.
    pub sequence: Vec<u64>,
    /// Bytes of payload; 0 of what is no data.
    pub payload_bytes: Vec<u64>,
    /// Bytes that buffers count.
    pub frame_bytes: Vec<u64>,
    /// Traffic class.
    pub priority: Vec<u8>,
    /// Whether the same data has been sent before.
    pub retransmission: Vec<bool>,
    /// What let the flow send it, as an index into the names of [`crate::observer::Release`], in the first row of data; 255 elsewhere.
    pub release: Vec<u8>,
    /// When that was; `u64::MAX` elsewhere.
    pub ready_ps: Vec<u64>,
    /// When its transport handed it to the adapter, in its first row; `u64::MAX` elsewhere.
    pub handed_ps: Vec<u64>,
    /// How many ports it has come to before.
    pub hop: Vec<u64>,
    /// The port, as an index into [`super::Report::series_names`].
    pub port: Vec<u32>,
    /// When it came to the port's node; in the first row to the adapter, after the host's delay.
    pub arrived_ps: Vec<u64>,
    /// When its first bit left by the port; `u64::MAX` if none did.
    pub started_ps: Vec<u64>,
    /// When its last bit did.
    pub ended_ps: Vec<u64>,
    /// When that is at the other end of the port's link.
    pub reached_ps: Vec<u64>,
    /// When it reached its transport at the other end of the port's link; `u64::MAX` where there is another port, or a drop.
    pub received_ps: Vec<u64>,
    /// Whether it carried a mark as it left.
    pub marked: Vec<bool>,
    /// Why it was dropped at the port or on its link, as an index into the names of [`DropReason`]; 255 if it was not.
    pub drop_reason: Vec<u8>,
}

/// A flow, a kind, a node and a sequence: packets that are alike in these are taken in the order in which they came.
type Alike = (NodeId, u32, PacketKind, NodeId, u64);

/// A packet at a node, or on its way there.
#[derive(Clone, Debug)]
struct Here {
    packet: usize,
    arrives: Time,
    /// Whether it has crossed the delay of the host that sends it.
    has_crossed: bool,
}

/// One packet as it is put together.
#[derive(Debug)]
struct Course {
    handed: PacketEvent,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    port: PortId,
    arrived: Time,
    /// When it starts, ends and reaches the other end.
    sent: Option<[Time; 3]>,
    received: Option<Time>,
    marked: bool,
    reason: Option<DropReason>,
}

impl Row {
    /// A packet that has come to a port, and not left by it.
    fn waiting(port: PortId, arrived: Time, packet: &Packet) -> Self {
        Self { port, arrived, sent: None, received: None, marked: packet.is(MARKED), reason: None }
    }
}

/// Follows packets from port to port.
struct Follower<'a> {
    simulation: &'a Simulation,
    courses: Vec<Course>,
    here: BTreeMap<Alike, VecDeque<Here>>,
}

/// Rows of all packets whose steps were recorded.
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

    /// The node at the other end of a port's link, and how long the way is there.
    fn other_end(&self, port: PortId, ends: Time) -> (NodeId, Time) {
        let (node, local) = self.network().ports.place(port);
        let to = &self.network().ports.of(node)[local as usize];
        (to.peer, ends + self.network().links[to.link as usize].delay)
    }

    fn put(&mut self, packet: &Packet, node: NodeId, here: Here) {
        let alike = self.alike(packet, node);
        self.here.entry(alike).or_default().push_back(here);
    }

    /// Takes the packet that came to a node first by `now`, of those that are like this one: at a host, one that has crossed its
    /// delay, if any has.
    fn take(&mut self, packet: &Packet, node: NodeId, now: Time) -> Option<Here> {
        self.take_first(packet, node, now, |here| (!here.has_crossed, here.arrives))
    }

    /// Takes the one of them whose `order` is first.
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

    /// A packet is lost at a port, before it has left or after.
    fn drop(&mut self, packet: &Packet, port: PortId, reason: DropReason, now: Time) {
        let node = self.network().ports.place(port).0;
        if matches!(reason, DropReason::LinkError | DropReason::LinkDown)
            && let Some(Here { packet: number, .. }) = self.take_under_way(packet, port, now)
            && let Some(row) = self.courses[number].rows.last_mut()
        {
            row.reason = Some(reason);
        } else if let Some(Here { packet: number, arrives, .. }) = self.take(packet, node, now) {
            let reason = Some(reason);
            self.courses[number].rows.push(Row { reason, ..Row::waiting(port, arrives, packet) });
        }
    }

    /// Packets that wait in switches at the end, of which no step tells by which port they will leave.
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

    /// Takes the packet that a port sent last, of those that are like this one and still on its link.
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
    /// Adds the rows of a packet; one that nothing has become of yet waits for its first port.
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
