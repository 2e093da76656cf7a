//! Observers: who is told of every change. The silent one is compiled away.

use crate::kernel::room::Room;
use crate::kernel::units::{Bytes, Rate, Time};
use crate::packet::Packet;
use crate::topology::NodeId;
use crate::topology::PortId;

/// Why a packet was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum DropReason {
    /// Its queue had reached the buffer policy's threshold.
    Threshold,
    /// The shared pool had no room for it.
    PoolFull,
    /// It would have been marked but is not ECN-capable.
    NotEcnCapable,
    /// The adapter's queue was full.
    AdapterFull,
    /// It came after a pause, and the headroom had no room for it.
    HeadroomFull,
    /// The link has corrupted it.
    LinkError,
    /// The link had failed, or failed while it was on its way.
    LinkDown,
    /// The receiver's adapter had not taken in what came before.
    ReceiverFull,
    /// Its queue was paused for so long that the watchdog let it go.
    PfcWatchdog,
    /// It was first in the longest queue when another packet found the shared pool full, or in a queue that held too much.
    PushedOut,
    /// There was no room for its payload, and its header has gone on without it.
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

/// What a packet is to its flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum PacketKind {
    /// Payload.
    Data,
    /// What the receiver sends back.
    Acknowledgement,
    /// A congestion notification message (802.1Qau).
    Cnm,
    /// A congestion notification packet (RoCE).
    Cnp,
    /// What is left of payload that a switch has cut off.
    Trimmed,
    /// An acknowledgement that says that something is missing (RoCE).
    Nack,
    /// Credit (RCCC).
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

/// What lets a flow send its next packet, which then may still have to wait for its turn in the adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Release {
    /// It begins.
    Start,
    /// An acknowledgement has come.
    Acknowledgement,
    /// Its retransmission timer has expired.
    Timeout,
    /// Its rate allows it.
    Rate,
    /// The packet before it is on its way.
    Turn,
    /// It has credit.
    Credit,
}

impl Release {
    /// All of them, in the order of their numbers.
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
    /// The port by which it would have left, or has left.
    pub port: PortId,
    /// Why.
    pub reason: DropReason,
    /// What there was of room, where that was why.
    pub room: Option<Room>,
    /// The packet.
    pub packet: Packet,
}

/// Why a switch, or a host, tells a sender to pause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum PauseReason {
    /// What came in by the port has reached its threshold [XOFF].
    Threshold,
    /// The lossless pool had no room, so that a packet went to the headroom.
    PoolFull,
    /// All classes that came in by the port have together reached its threshold [`X_poff`], or needed its insurance headroom.
    Port,
    /// A host's adapter has not taken in what has come.
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

/// What one flow has in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedFlow {
    /// The host that sends its data.
    pub source: NodeId,
    /// The host that its data is for.
    pub destination: NodeId,
    /// Its number at its source.
    pub number: u32,
    /// Bytes in the queue.
    pub bytes: Bytes,
}

/// What a node that tells a sender to pause has of it, and where: a switch in the queues of its ports, a host in its adapter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Xoff {
    /// The port at the other end of the sender's link.
    pub port: PortId,
    /// The class that is to pause.
    pub priority: usize,
    /// Why.
    pub reason: PauseReason,
    /// Bytes of the class that came in by the port; of all lossless classes where the port is to pause as a whole.
    pub bytes: Bytes,
    /// The port whose queue holds most of them; of a host, its own.
    pub egress: PortId,
    /// The class of that queue.
    pub cause_priority: usize,
    /// How many of them it holds.
    pub egress_bytes: Bytes,
    /// All bytes in that queue.
    pub queue_bytes: Bytes,
    /// Whose packets are in that queue, the most bytes first; of many flows the first few.
    pub flows: Vec<QueuedFlow>,
    /// How many flows there are.
    pub flow_count: u32,
}

/// A packet of a lossless class was counted in or out where it came in, and what that has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accounted {
    /// The first port of the switch.
    pub switch: PortId,
    /// The switch's port by which it came in.
    pub port: PortId,
    /// Its class.
    pub priority: usize,
    /// Bytes of it.
    pub frame: Bytes,
    /// Whether it came in, rather than left.
    pub arrives: bool,
    /// Bytes of its queue in the headroom.
    pub headroom: Bytes,
    /// Whether the sender of the queue has been told to pause, and not to resume since.
    pub is_off: bool,
    /// Bytes of all queues in the headroom.
    pub used: Bytes,
    /// Bytes of headroom that are set aside.
    pub set_aside: Bytes,
    /// Queues whose senders have been told to pause.
    pub queues_off: u64,
}

/// Hears of changes as they happen. Every event has an empty default.
pub trait Observer {
    /// A queue of a port now holds this many bytes.
    fn on_queue(&mut self, _now: Time, _port: PortId, _priority: usize, _bytes: Bytes) {}
    /// A packet was marked at a port.
    fn on_mark(&mut self, _now: Time, _port: PortId, _priority: usize) {}
    /// A packet was dropped at a port.
    fn on_drop(&mut self, _now: Time, _dropped: &Dropped) {}
    /// Whether it wants to hear of pauses. What a switch has of a sender is looked for only then.
    fn watches_pauses(&self) -> bool {
        false
    }
    /// A switch, or a host, tells a sender to pause.
    fn on_xoff(&mut self, _now: Time, _xoff: Xoff) {}
    /// Whether it wants to hear of what lossless classes have, packet by packet.
    fn watches_headroom(&self) -> bool {
        false
    }
    /// A packet of a lossless class was counted in or out.
    fn on_accounted(&mut self, _now: Time, _change: &Accounted) {}
    /// A class of a port may not start transmissions any longer, or may again.
    fn on_pause(&mut self, _now: Time, _port: PortId, _priority: usize, _pauses: bool) {}
    /// A flow's window is now this large.
    fn on_window(&mut self, _now: Time, _host: NodeId, _flow: u32, _window: Bytes) {}
    /// Whether it wants to hear of rates. While a flow waits for its turn they are not looked at otherwise.
    fn watches_rates(&self) -> bool {
        false
    }
    /// A flow may now send at this rate.
    fn on_rate(&mut self, _now: Time, _host: NodeId, _flow: u32, _rate: Rate) {}
    /// A flow may send its next packet, if only as far as this is concerned.
    fn on_released(&mut self, _now: Time, _host: NodeId, _flow: u32, _release: Release) {}
    /// A flow may send its next packet, and waits for its turn in the adapter.
    fn on_waiting(&mut self, _now: Time, _host: NodeId, _flow: u32) {}
    /// A transport hands a packet to the adapter, again if it is a `retransmission`.
    fn on_handed(&mut self, _now: Time, _packet: &Packet, _retransmission: bool) {}
    /// A packet has crossed the delay of its host and comes to the adapter.
    fn on_crossed(&mut self, _now: Time, _packet: &Packet) {}
    /// A port begins to put a packet of so many bytes on the wire, preamble and gap included, which takes until `ends`. Pause frames are
    /// no packets. Where packets line up nobody hears of them.
    fn on_sent(&mut self, _now: Time, _port: PortId, _packet: &Packet, _wire: Bytes, _ends: Time) {}
    /// A packet reaches its transport, if only with others as one.
    fn on_received(&mut self, _now: Time, _packet: &Packet) {}
    /// The same of data of a flow that leaves its host.
    fn on_flow_sent(&mut self, _host: NodeId, _flow: u32, _wire: Bytes, _ends: Time) {}
    /// A congestion notification message for a flow has reached its host; its quantised feedback is 1 to 63.
    fn on_cnm(&mut self, _now: Time, _host: NodeId, _flow: u32, _feedback: u8) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
