//! Dropped packets as columns, with the port, the reason and the flow of each.

use super::{Outcome, Simulation};
use crate::kernel::room::Room;
use crate::kernel::units::Bytes;
use crate::observer::{Dropped, PacketKind};

/// Value of a column that does not apply.
const NONE: u64 = u64::MAX;

/// Columns of `drops.parquet`, one entry for each dropped packet, in order of time and port.
#[derive(Clone, Debug, Default)]
pub struct DropColumns {
    /// Time of the drop.
    pub time_ns: Vec<u64>,
    /// Node that dropped the packet, or whose link corrupted it, as an index into [`super::Report::node_names`].
    pub device: Vec<u32>,
    /// Port by which the packet would have left, or had left, as an index into [`super::Report::series_names`].
    pub port: Vec<u32>,
    /// Traffic class.
    pub priority: Vec<u8>,
    /// Reason, as an index into the names of [`crate::observer::DropReason`].
    pub reason: Vec<u8>,
    /// Bytes that were held where the packet found no room; `u64::MAX` if room was not the reason.
    pub held_bytes: Vec<u64>,
    /// Most bytes that may be held where the packet found no room; `u64::MAX` if room was not the reason.
    pub limit_bytes: Vec<u64>,
    /// Host that sends the flow's data, as an index into [`super::Report::node_names`].
    pub source: Vec<u32>,
    /// Host that receives the flow's data, as an index into [`super::Report::node_names`].
    pub destination: Vec<u32>,
    /// Number of the flow at its source.
    pub number: Vec<u32>,
    /// Kind of the packet, as an index into the names of [`PacketKind`].
    pub kind: Vec<u8>,
    /// First byte of the payload; `u64::MAX` if the packet is not data.
    pub sequence: Vec<u64>,
    /// Bytes of the packet that buffers count.
    pub frame_bytes: Vec<u64>,
}

/// Makes a row for each packet whose drop was recorded.
pub(super) fn columns(simulation: &Simulation, outcome: &Outcome) -> DropColumns {
    let (mut columns, network) = (DropColumns::default(), simulation.network());
    for (time, Dropped { port, reason, room, packet }) in &outcome.drops {
        let of_room = |bytes: fn(Room) -> Bytes| room.map_or(NONE, |room| bytes(room).get());
        let (source, destination) = packet.flow_ends();
        let kind = simulation.fabric().kind(packet);
        columns.time_ns.push(time.as_nanoseconds());
        columns.device.push(network.ports.place(*port).0);
        columns.port.push(*port);
        columns.priority.push(packet.priority() as u8);
        columns.reason.push(*reason as u8);
        columns.held_bytes.push(of_room(|room| room.held));
        columns.limit_bytes.push(of_room(|room| room.limit));
        columns.source.push(source);
        columns.destination.push(destination);
        columns.number.push(packet.flow());
        columns.kind.push(kind as u8);
        columns.sequence.push(if kind == PacketKind::Data { packet.sequence() } else { NONE });
        columns.frame_bytes.push(packet.frame().get());
    }
    columns
}
