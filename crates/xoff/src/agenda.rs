//! What a node asks of the engine that runs it, and what it is told about the run.

use crate::application::Plans;
use crate::classes::Classes;
use crate::congestion_control::Path;
use crate::kernel::units::{Bytes, Span, Time};
use crate::observer::PacketKind;
use crate::packet::{ECHO, NEGATIVE, Packet, Stub};
use crate::routing::{Lengths, SharedTuples};
use crate::scenario;
use crate::telemetry::Telemetry;
use crate::topology::{NodeId, PortId, Servers};

/// What the engine calls the way of packets from a port to the other end of its link: the number of the port, until it says otherwise.
pub type LaneId = u32;

/// The engine as a node sees it. Nothing that a node does takes effect elsewhere except through here.
pub trait Agenda {
    /// The packet just put on the wire of a port arrives at the other end of its lane at `arrives`.
    fn deliver(&mut self, lane: LaneId, arrives: Time, packet: Packet);
    /// The packet that was put on the wire of `port` and arrives at `arrives` was marked as it left. Most often so many others
    /// that were put there are `behind` it.
    fn mark_in_flight(&mut self, port: PortId, arrives: Time, behind: usize);
    /// The packet just put on the wire of `port`, at whose other end is a host, arrives there at `arrives`, ahead of those that were put
    /// there before and have not begun to leave; they arrive later `by` so much.
    fn deliver_ahead(&mut self, port: PortId, arrives: Time, packet: Packet, by: Span);
    /// Something waits for the transmission on `port`, which ends at `at`.
    fn end_of_transmission(&mut self, port: PortId, at: Time);
    /// Whether nothing else that could happen at this node is pending for `now`, as far as can be told.
    fn is_last_of(&self, _now: Time) -> bool {
        false
    }
    /// What packets carry of their way.
    fn telemetry(&mut self) -> &mut Telemetry;
    /// Something about pauses is due at the node of `port` at `at`, whatever else is.
    fn pause_due(&mut self, port: PortId, at: Time);
    /// A message besides all packets, to whoever is at the other end of the link of `port`, which has credits.
    fn signal(&mut self, port: PortId, arrives: Time, signal: Packet);
    /// Something about the crossbar is due at the node of `port` at `at`, whatever else is.
    fn crossbar_due(&mut self, port: PortId, at: Time);
}

/// What every node may look up and none may change.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// Transports in the order of their names.
    pub transports: Vec<scenario::Transport>,
    /// Bytes on the wire beyond the frame, by transport; as long as a packet's index reaches.
    pub wire_overheads: [Bytes; 256],
    /// The longest path of each transport's packets, where its congestion control goes by it.
    pub longest_paths: Vec<Path>,
    /// The same of packets that go inside servers.
    pub longest_paths_inside: Vec<Path>,
    /// The length of every path, where any congestion control goes by it.
    pub lengths: Lengths,
    /// Transports whose flows between two hosts hash alike.
    pub shared_tuples: SharedTuples,
    /// The lossless classes.
    pub lossless: Classes,
    /// What every host adds around its transport.
    pub host: scenario::Host,
    /// How long a packet that has arrived at a host takes to reach a transport in software; zero where links to hosts are as
    /// much longer instead.
    pub inbound_delay: Span,
    /// Whether some adapter takes in less than its link brings, if only at times.
    pub has_slow_receivers: bool,
    /// What hosts ask of one another.
    pub plans: Plans,
    /// Which hosts share a server, where any do.
    pub servers: Option<Servers>,
}

impl Fabric {
    /// Bytes that `packet` takes on the wire.
    #[inline]
    pub fn wire(&self, packet: &Packet) -> Bytes {
        self.wire_of(packet.stub())
    }

    /// The same of a packet that has gone on.
    #[inline]
    pub fn wire_of(&self, packet: Stub) -> Bytes {
        packet.frame() + self.wire_overheads[usize::from(packet.transport())]
    }

    /// What a flow of this transport knows of its path.
    pub fn path(&self, transport: u8, source: NodeId, destination: NodeId) -> Path {
        let is_inside = self.servers.is_some_and(|servers| servers.is_inside(source));
        let paths = if is_inside { &self.longest_paths_inside } else { &self.longest_paths };
        let longest = paths[usize::from(transport)];
        if longest == Path::default() {
            return longest;
        }
        Path { switches: self.lengths.switches(source, destination), ..longest }
    }

    /// What a packet is to its flow.
    pub fn kind(&self, packet: &Packet) -> PacketKind {
        if packet.is_cnm() {
            PacketKind::Cnm
        } else if packet.has_payload() {
            PacketKind::Data
        } else if packet.is_header() {
            PacketKind::Trimmed
        } else if packet.is_credit() {
            PacketKind::Credit
        } else if self.is_cnp(packet) {
            PacketKind::Cnp
        } else if packet.is(NEGATIVE) {
            PacketKind::Nack
        } else {
            PacketKind::Acknowledgement
        }
    }

    /// Whether it is a congestion notification packet. Only of what answers data of a transport.
    #[inline]
    pub fn is_cnp(&self, packet: &Packet) -> bool {
        packet.is(ECHO) && self.transports[usize::from(packet.transport())].sends_cnps()
    }

    /// Whether the adapter itself is the packet's transport, and no software of the host. Only of what a transport sends.
    pub fn is_in_adapter(&self, packet: &Packet) -> bool {
        self.transports[usize::from(packet.transport())].is_in_adapter()
    }
}

/// One event's surroundings.
pub struct Context<'a, A, O> {
    /// The instant.
    pub now: Time,
    /// The engine.
    pub agenda: &'a mut A,
    /// Whoever is watching.
    pub observer: &'a mut O,
    /// What never changes.
    pub fabric: &'a Fabric,
}

impl<A: Agenda, O> Context<'_, A, O> {
    /// A packet goes no further.
    #[cold]
    pub fn forget(&mut self, packet: &Packet) {
        if let Some(record) = packet.record() {
            self.agenda.telemetry().free(record);
        }
    }
}
