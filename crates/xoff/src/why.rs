//! Critical path of a flow: why it was slow, from its last acknowledgement back to its start.
//!
//! The path is found backwards. An acknowledgement waits for the data that it answers. Data waits for the event that let
//! it be sent: an acknowledgement, credit, the rate of the congestion control, the packet before it, or the start of the
//! flow. Data that is sent again has waited since it was first sent. So every instant of the completion time has one
//! cause, and the times of all causes add up to it.

mod asked;
mod packets;
mod parts;
mod walk;

use crate::observer::{DropReason, PacketKind, Release};

pub use asked::Asked;
pub use parts::{Part, parts};
pub use walk::critical_path;

/// Kinds, releases and reasons by their names in `packets.parquet`.
pub mod named {
    pub use crate::observer::{DropReason, PacketKind, Release};

    /// Returns the kind of packets with a name.
    pub fn kind(name: &str) -> Option<PacketKind> {
        PacketKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns the event with a name that lets a flow send.
    pub fn release(name: &str) -> Option<Release> {
        Release::ALL.into_iter().find(|release| release.name() == name)
    }

    /// Returns the reason of a drop with a name.
    pub fn drop_reason(name: &str) -> Option<DropReason> {
        DropReason::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

/// Time in picoseconds; [`NONE`] for an event that has not happened.
pub type Picoseconds = i64;

/// Value of a number or a time that there is not.
pub const NONE: i64 = -1;

/// Cause of a flow's wait at an instant of its critical path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// Bits of the packet go onto a wire, or bits of earlier packets of its flow or queue pair.
    Transmission,
    /// Bits cross a link.
    Propagation,
    /// Packets of other flows go first at a port, or hold it.
    Queueing,
    /// The other end of the link has paused the port (PFC).
    Paused,
    /// The link has failed, and the host's adapter waits until it works again.
    LinkDown,
    /// Time between transport and adapter: the host's delay, jitter, interrupts, a slow receiver.
    Host,
    /// The flow's congestion control, or a rate limiter (QCN), lets it send no sooner.
    Rate,
    /// The receiver gives no credit yet: other senders have their turn, or none was asked for (RCCC).
    Credit,
    /// The receiver has the data and has not acknowledged it.
    DelayedAcknowledgement,
    /// Data was sent and is missing; it is sent again because acknowledgements say so.
    Recovery,
    /// Data was sent and is missing; it is sent again because the retransmission timer expired.
    Timeout,
    /// The flow has arrived, and its connection or queue pair does not send it yet.
    Start,
}

impl Cause {
    /// All causes.
    pub const ALL: [Self; 12] = [
        Self::Transmission,
        Self::Propagation,
        Self::Queueing,
        Self::Paused,
        Self::LinkDown,
        Self::Host,
        Self::Rate,
        Self::Credit,
        Self::DelayedAcknowledgement,
        Self::Recovery,
        Self::Timeout,
        Self::Start,
    ];

    /// Returns the name in results, and the words for it in tables and figures.
    pub const fn names(self) -> [&'static str; 2] {
        match self {
            Self::Transmission => ["transmission", "own bits on the wire"],
            Self::Propagation => ["propagation", "propagation"],
            Self::Queueing => ["queueing", "queue"],
            Self::Paused => ["paused", "pause (PFC)"],
            Self::LinkDown => ["link_down", "link that was down"],
            Self::Host => ["host", "host"],
            Self::Rate => ["rate", "rate"],
            Self::Credit => ["credit", "credit"],
            Self::DelayedAcknowledgement => ["delayed_acknowledgement", "delayed acknowledgement"],
            Self::Recovery => ["recovery", "recovery of a loss"],
            Self::Timeout => ["timeout", "retransmission timeout"],
            Self::Start => ["start", "start of its connection"],
        }
    }
}

/// Row of `packets.parquet`: a packet at one of the ports that it came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Number of the packet.
    pub packet: u64,
    /// Number of the packet's flow at its source.
    pub flow: u32,
    /// Kind of the packet.
    pub kind: PacketKind,
    /// First byte of the payload, or the byte that a NACK misses.
    pub sequence: i64,
    /// Bytes of payload.
    pub payload: i64,
    /// Traffic class.
    pub priority: u8,
    /// Whether the data was sent before.
    pub again: bool,
    /// Event that let the flow send the packet, in its first row.
    pub release: Option<Release>,
    /// Time when that event let the flow send.
    pub ready: Picoseconds,
    /// Time when the transport handed the packet to the adapter, in its first row.
    pub handed: Picoseconds,
    /// Port.
    pub port: u32,
    /// Time when the packet came to the port's node.
    pub arrived: Picoseconds,
    /// Time when the first bit left by the port.
    pub started: Picoseconds,
    /// Time when the last bit left by the port.
    pub ended: Picoseconds,
    /// Time when the last bit was at the other end of the link.
    pub reached: Picoseconds,
    /// Time when the packet reached its transport at the other end.
    pub received: Picoseconds,
    /// Reason for a drop at the port or on its link.
    pub drop_reason: Option<DropReason>,
}

/// Time in which a class of a port was paused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pause {
    /// Port that paused.
    pub port: u32,
    /// Class that paused.
    pub priority: u8,
    /// Begin.
    pub start: Picoseconds,
    /// End; [`Picoseconds::MAX`] if there is none.
    pub end: Picoseconds,
}

/// Time in which the link of a host's port was down: the port, begin and end.
pub type Outage = (u32, Picoseconds, Picoseconds);

/// End of the time that a critical path explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The flow's last acknowledgement.
    Acknowledged,
    /// The flow's receipt.
    Received,
    /// The end of the run, which cut the flow off: the offset of the first byte that its receiver lacks, or [`NONE`] where
    /// the transport does not repair losses.
    Cut(i64),
}

/// Flow whose critical path is asked for, and all that is known about its packets.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Packets of the flow, and of earlier flows on its queue pair.
    pub rows: &'a [Row],
    /// Pauses at the time of the flow.
    pub pauses: &'a [Pause],
    /// Outages of hosts' links.
    pub outages: &'a [Outage],
    /// Number of the flow at its source.
    pub flow: u32,
    /// Start of the flow.
    pub start_ns: i64,
    /// End of the time that the path explains.
    pub end_ns: i64,
    /// Event at that end.
    pub end: End,
    /// Whether the flow sends on credit from its receiver.
    pub on_credit: bool,
}

/// Stretch of a critical path that has one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Cause.
    pub cause: Cause,
    /// Port of the wait or of the link; for data sent again, the port where a packet was dropped.
    pub place: Option<u32>,
    /// Reason of that drop.
    pub reason: Option<DropReason>,
    /// Begin.
    pub since: Picoseconds,
    /// End.
    pub until: Picoseconds,
    /// Number of the packet; none while the sender has sent nothing and got no answer.
    pub packet: Option<u64>,
}

/// Critical path of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CriticalPath {
    /// Stretches in order of time; each begins where the one before ends.
    pub stretches: Vec<Stretch>,
    /// Number of acknowledgements that the flow waited for, one after another.
    pub round_trips: u32,
}
