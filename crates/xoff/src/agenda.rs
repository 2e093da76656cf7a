//! Agenda, fabric and context: all that a node sees of the engine that runs it.

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

/// Number of a lane: the engine's queue of packets in flight on a link in one direction. It is the number of the
/// sending port until the engine says otherwise.
pub type LaneId = u32;

/// Engine as a node sees it. A node changes anything beyond itself only through these methods. The simulator's own
/// engine implements them in `engine/wheel.rs`.
pub trait Agenda {
    /// Has the packet just put on the wire arrive at the other end of its lane at `arrives`.
    fn deliver(&mut self, lane: LaneId, arrives: Time, packet: Packet);
    /// Marks the packet that left by `port` and arrives at `arrives`. About `behind` later packets are on the same
    /// wire.
    fn mark_in_flight(&mut self, port: PortId, arrives: Time, behind: usize);
    /// Has the packet just sent by `port` to a host arrive at `arrives`, ahead of packets that have not begun to leave.
    /// These were put on the port before, and arrive later `by` so much.
    fn deliver_ahead(&mut self, port: PortId, arrives: Time, packet: Packet, by: Span);
    /// Tells the engine that something waits for the transmission on `port` to end at `at`.
    fn end_of_transmission(&mut self, port: PortId, at: Time);
    /// Whether nothing else that could happen at this node is known to be pending for `now`.
    fn is_last_of(&self, _now: Time) -> bool {
        false
    }
    /// Returns this thread's access to the telemetry records of packets.
    fn telemetry(&mut self) -> &mut Telemetry;
    /// Tells the engine that the node of `port` has something to do about pauses at `at`.
    fn pause_due(&mut self, port: PortId, at: Time);
    /// Sends a message beside all packets over the link of `port`, which has credits.
    fn signal(&mut self, port: PortId, arrives: Time, signal: Packet);
    /// Tells the engine that the node of `port` has something to do about its crossbar at `at`.
    fn crossbar_due(&mut self, port: PortId, at: Time);
}

/// Facts that every node may look up and none may change.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// Transports in the order of their names.
    pub transports: Vec<scenario::Transport>,
    /// Bytes on the wire beyond the frame, by transport; an entry for every index that a packet can carry.
    pub wire_overheads: [Bytes; 256],
    /// Longest path of each transport's packets between servers; the default where its congestion control needs none.
    pub longest_paths: Vec<Path>,
    /// Longest path of each transport's packets inside servers; the default where its congestion control needs none.
    pub longest_paths_inside: Vec<Path>,
    /// Number of switches on every path, where a congestion control needs it.
    pub lengths: Lengths,
    /// Transports that hash all flows between two hosts alike, or spray packets.
    pub shared_tuples: SharedTuples,
    /// Lossless classes.
    pub lossless: Classes,
    /// Settings of every host: delay, jitter, scheduler, interrupts.
    pub host: scenario::Host,
    /// Time that an arrived packet takes to reach a transport in software.
    /// Zero where links to hosts are as much longer instead.
    pub inbound_delay: Span,
    /// Whether packets for transports in software may wait to be handed up together.
    pub hands_up_together: bool,
    /// Whether some adapter takes in less than its link brings, if only at times.
    pub has_slow_receivers: bool,
    /// Plans of the applications: what hosts ask of one another.
    pub plans: Plans,
    /// Servers of several hosts, where there are any.
    pub servers: Option<Servers>,
    /// Seed of the run.
    pub seed: u64,
}

impl Fabric {
    /// Returns the bytes that `packet` takes on the wire.
    #[inline]
    pub fn wire(&self, packet: &Packet) -> Bytes {
        self.wire_of(packet.stub())
    }

    /// Returns the bytes on the wire of a packet that has gone on, from its stub.
    #[inline]
    pub fn wire_of(&self, packet: Stub) -> Bytes {
        packet.frame() + self.wire_overheads[usize::from(packet.transport())]
    }

    /// Returns the path from `source` to `destination` as the congestion control of this transport needs it.
    pub fn path(&self, transport: u8, source: NodeId, destination: NodeId) -> Path {
        let is_inside = self.servers.is_some_and(|servers| servers.is_inside(source));
        let paths = if is_inside { &self.longest_paths_inside } else { &self.longest_paths };
        let longest = paths[usize::from(transport)];
        if longest == Path::default() {
            return longest;
        }
        Path { switches: self.lengths.switches(source, destination), ..longest }
    }

    /// Returns the kind of a packet, from the point of view of its flow.
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
        } else if packet.is(NEGATIVE) && self.is_in_adapter(packet) {
            // TCP says by the same bit that it had the data already.
            PacketKind::Nack
        } else {
            PacketKind::Acknowledgement
        }
    }

    /// Whether a packet that answers data is a congestion notification packet.
    #[inline]
    pub fn is_cnp(&self, packet: &Packet) -> bool {
        packet.is(ECHO) && self.transports[usize::from(packet.transport())].sends_cnps()
    }

    /// Whether a packet that answers data has a congestion notification as a flag.
    #[inline]
    pub fn has_cnp(&self, packet: &Packet) -> bool {
        packet.is(ECHO) && self.transports[usize::from(packet.transport())].flags_cnps()
    }

    /// Whether the adapter itself is the transport of this packet of a transport, and no software of the host.
    pub fn is_in_adapter(&self, packet: &Packet) -> bool {
        self.transports[usize::from(packet.transport())].is_in_adapter()
    }
}

/// Surroundings of one event: its instant, and all that a node may ask or tell while it handles the event.
pub struct Context<'a, A, O> {
    /// Instant of the event.
    pub now: Time,
    /// Engine that runs the node.
    pub agenda: &'a mut A,
    /// Observer of the run.
    pub observer: &'a mut O,
    /// Facts that never change.
    pub fabric: &'a Fabric,
}

impl<A: Agenda, O> Context<'_, A, O> {
    /// Frees the telemetry record of a packet that goes no further.
    #[cold]
    pub fn forget(&mut self, packet: &Packet) {
        if let Some(record) = packet.record() {
            self.agenda.telemetry().free(record);
        }
    }
}
