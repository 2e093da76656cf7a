//! Observers: nodes tell them of every mark, drop, pause and departure as it happens.
//! Everything that runs is generic over the observer. A run that records nothing uses [`Silent`], whose calls the compiler
//! removes, so that observing nothing costs nothing.

use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::packet::Packet;
use crate::topology::NodeId;
use crate::topology::PortId;

/// Reason for which a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// The queue had reached the buffer policy's threshold.
    Threshold,
    /// The shared pool had no room for the packet.
    PoolFull,
    /// The marker chose a packet that is not ECN-capable.
    NotEcnCapable,
    /// The adapter's queue was full.
    AdapterFull,
    /// The packet came after a pause, and the headroom had no room for it.
    HeadroomFull,
    /// The link has corrupted the packet.
    LinkError,
    /// The link had failed, or failed while the packet was on its way.
    LinkDown,
    /// The receiver's adapter had not taken in the packets that came before.
    ReceiverFull,
    /// The PFC watchdog dropped the packet from a queue that was paused for too long.
    PfcWatchdog,
    /// Another packet found the shared pool full and pushed out the first packet of the longest queue.
    PushedOut,
    /// The switch had no room for the payload and sent the header on alone.
    Trimmed,
}

impl DropReason {
    /// All reasons, in the order of their counters.
    pub const ALL: [Self; 11] = [
        Self::Threshold,
        Self::PoolFull,
        Self::NotEcnCapable,
        Self::AdapterFull,
        Self::HeadroomFull,
        Self::LinkError,
        Self::LinkDown,
        Self::ReceiverFull,
        Self::PfcWatchdog,
        Self::PushedOut,
        Self::Trimmed,
    ];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::PoolFull => "pool_full",
            Self::NotEcnCapable => "not_ecn_capable",
            Self::AdapterFull => "adapter_full",
            Self::HeadroomFull => "headroom_full",
            Self::LinkError => "link_error",
            Self::LinkDown => "link_down",
            Self::ReceiverFull => "receiver_full",
            Self::PfcWatchdog => "pfc_watchdog",
            Self::PushedOut => "pushed_out",
            Self::Trimmed => "trimmed",
        }
    }
}

/// Kind of a packet, from the point of view of its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum PacketKind {
    /// Payload of the flow.
    Data,
    /// Acknowledgement by the receiver.
    Acknowledgement,
    /// A congestion notification message (802.1Qau).
    Cnm,
    /// A congestion notification packet (RoCE).
    Cnp,
    /// Header of a data packet whose payload a switch has cut off.
    Trimmed,
    /// An acknowledgement that says that something is missing (RoCE).
    Nack,
    /// Credit for the sender (RCCC).
    Credit,
}

impl PacketKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::Data, Self::Acknowledgement, Self::Cnm, Self::Cnp, Self::Trimmed, Self::Nack, Self::Credit];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Acknowledgement => "acknowledgement",
            Self::Cnm => "cnm",
            Self::Cnp => "cnp",
            Self::Trimmed => "trimmed",
            Self::Nack => "nack",
            Self::Credit => "credit",
        }
    }
}

/// Event that lets a flow send its next packet. The packet may still have to wait for its turn in the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Release {
    /// The flow begins.
    Start,
    /// An acknowledgement has come.
    Acknowledgement,
    /// The retransmission timer has expired.
    Timeout,
    /// The flow's rate allows the next packet.
    Rate,
    /// The flow's previous packet is on its way.
    Turn,
    /// The flow has credit.
    Credit,
}

impl Release {
    /// All releases, in the order of their numbers.
    pub const ALL: [Self; 6] =
        [Self::Start, Self::Acknowledgement, Self::Timeout, Self::Rate, Self::Turn, Self::Credit];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Acknowledgement => "acknowledgement",
            Self::Timeout => "timeout",
            Self::Rate => "rate",
            Self::Turn => "turn",
            Self::Credit => "credit",
        }
    }
}

/// A packet that was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Port by which the packet would have left, or has left.
    pub port: PortId,
    /// Reason of the drop.
    pub reason: DropReason,
    /// Bytes held and allowed, where the drop was for lack of room.
    pub room: Option<Room>,
    /// The packet.
    pub packet: Packet,
}

/// Reason for which a switch or a host tells a sender to pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PauseReason {
    /// The bytes that came in by the port have reached their threshold [XOFF].
    Threshold,
    /// The lossless pool had no room, so that the switch put a packet into the headroom.
    PoolFull,
    /// All classes of the port together have reached the port's threshold [`X_poff`], or needed its insurance
    /// headroom.
    Port,
    /// The adapter of a host has not taken in the bytes that have come.
    Receiver,
}

impl PauseReason {
    /// All reasons, in the order of their numbers.
    pub const ALL: [Self; 4] = [Self::Threshold, Self::PoolFull, Self::Port, Self::Receiver];

    /// The name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threshold => "threshold",
            Self::PoolFull => "pool_full",
            Self::Port => "port",
            Self::Receiver => "receiver",
        }
    }
}

/// Bytes that one flow has in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedFlow {
    /// Host that sends the flow's data.
    pub source: NodeId,
    /// Host that receives the flow's data.
    pub destination: NodeId,
    /// Number of the flow at its source.
    pub number: u32,
    /// Bytes in the queue.
    pub bytes: Bytes,
}

/// Decision of a node to pause a sender: the sender's bytes at the node, and the queue with most of these bytes. A
/// switch holds the bytes in the queues of its ports, a host in its adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xoff {
    /// Port at the sender's end of the link.
    pub port: PortId,
    /// Traffic class that is to pause.
    pub priority: usize,
    /// Reason for the pause.
    pub reason: PauseReason,
    /// Bytes of the class that came in by the port; of all lossless classes where the whole port is to pause.
    pub bytes: Bytes,
    /// Port whose queue holds most of the sender's bytes; of a host, the host's own port.
    pub egress: PortId,
    /// Traffic class of the queue at the port `egress`.
    pub cause_priority: usize,
    /// Bytes of the sender in the queue at the port `egress`.
    pub egress_bytes: Bytes,
    /// Bytes of all senders in the queue at the port `egress`.
    pub queue_bytes: Bytes,
    /// Flows in the queue at the port `egress`, the one with the most bytes first; of many flows the first few.
    pub flows: Vec<QueuedFlow>,
    /// Number of flows in the queue at the port `egress`.
    pub flow_count: u32,
}

/// Packet of a lossless class that a switch counts in or out at its ingress port, with the counts after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accounted {
    /// First port of the switch.
    pub switch: PortId,
    /// Port by which the packet came in.
    pub port: PortId,
    /// Traffic class of the packet.
    pub priority: usize,
    /// Bytes of the packet.
    pub frame: Bytes,
    /// Whether the packet came in, rather than left.
    pub arrives: bool,
    /// Bytes of the packet's ingress queue in the headroom.
    pub headroom: Bytes,
    /// Whether the queue's sender has been told to pause, and not yet to resume.
    pub is_off: bool,
    /// Bytes of all ingress queues in the headroom.
    pub used: Bytes,
    /// Bytes of headroom that are set aside.
    pub set_aside: Bytes,
    /// Number of ingress queues whose senders have been told to pause.
    pub queues_off: u64,
}

/// Receiver of changes as they happen. Every method does nothing by default.
pub trait Observer {
    /// Hears that a queue of a port now holds this many bytes.
    fn on_queue(&mut self, _now: Time, _port: PortId, _priority: usize, _bytes: Bytes) {}
    /// Hears that a packet was marked at a port.
    fn on_mark(&mut self, _now: Time, _port: PortId, _priority: usize) {}
    /// Hears that a packet was dropped at a port.
    fn on_drop(&mut self, _now: Time, _dropped: &Dropped) {}
    /// Whether the observer wants to hear of pauses. A node gathers an [`Xoff`] only then.
    fn watches_pauses(&self) -> bool {
        false
    }
    /// Hears that a switch, or a host, tells a sender to pause.
    fn on_xoff(&mut self, _now: Time, _xoff: Xoff) {}
    /// Whether the observer wants to hear of every packet of lossless classes, as [`Accounted`].
    fn watches_headroom(&self) -> bool {
        false
    }
    /// Hears that a switch counted a packet of a lossless class in or out.
    fn on_accounted(&mut self, _now: Time, _change: &Accounted) {}
    /// Hears that a port stops transmissions of a class (`pauses`), or resumes them.
    fn on_pause(&mut self, _now: Time, _port: PortId, _priority: usize, _pauses: bool) {}
    /// Hears that a flow's window is now this large.
    fn on_window(&mut self, _now: Time, _host: NodeId, _flow: u32, _window: Bytes) {}
    /// Whether the observer wants to hear of rates. Hosts look at the rate of a waiting flow only then.
    fn watches_rates(&self) -> bool {
        false
    }
    /// Hears that a flow may now send at this rate.
    fn on_rate(&mut self, _now: Time, _host: NodeId, _flow: u32, _rate: Rate) {}
    /// Hears that one condition for a flow's next packet is met.
    fn on_released(&mut self, _now: Time, _host: NodeId, _flow: u32, _release: Release) {}
    /// Hears that a flow may send its next packet and waits for its turn in the adapter.
    fn on_waiting(&mut self, _now: Time, _host: NodeId, _flow: u32) {}
    /// Hears that a transport hands a packet to the adapter, again if it is a `retransmission`.
    fn on_handed(&mut self, _now: Time, _packet: &Packet, _retransmission: bool) {}
    /// Hears that a packet has crossed the delay of its host and comes to the adapter.
    fn on_crossed(&mut self, _now: Time, _packet: &Packet) {}
    /// Hears that a port begins to transmit a packet, which ends at `ends`. `wire` includes preamble and gap.
    /// Ports do not tell of pause frames, nor of packets that line up.
    fn on_sent(&mut self, _now: Time, _port: PortId, _packet: &Packet, _wire: Bytes, _ends: Time) {}
    /// Hears that a packet reaches its transport, alone or merged with others.
    fn on_received(&mut self, _now: Time, _packet: &Packet) {}
    /// Hears that a host begins to transmit data of a flow, which ends at `ends`. `wire` includes preamble and gap.
    fn on_flow_sent(&mut self, _host: NodeId, _flow: u32, _wire: Bytes, _ends: Time) {}
    /// Hears that a congestion notification message for a flow has reached its host. The quantised feedback is 1 to 63.
    fn on_cnm(&mut self, _now: Time, _host: NodeId, _flow: u32, _feedback: u8) {}
}

/// Observer that hears nothing; the compiler removes all calls to it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
