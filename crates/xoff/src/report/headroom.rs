//! Headroom as columns: local maxima of its occupancy, and times in which switches held the senders of queues paused.

use crate::engine::HeadroomLog;
use crate::kernel::units::Time;
use crate::topology::Network;

/// Columns of `headroom.parquet`: one entry for each local maximum of the headroom that a switch has in use.
#[derive(Clone, Debug, Default)]
pub struct HeadroomColumns {
    /// Time when the maximum was reached.
    pub time_ns: Vec<u64>,
    /// Switch, as an index into [`super::Report::node_names`].
    pub device: Vec<u32>,
    /// Headroom in use over all queues of the switch, in bytes.
    pub used_bytes: Vec<u64>,
    /// Bytes set aside as headroom.
    pub set_aside_bytes: Vec<u64>,
    /// Number of queues whose senders were paused.
    pub queues_off: Vec<u64>,
}

/// Columns of `off_times.parquet`: one entry for each time from XOFF to XON of a queue.
#[derive(Clone, Debug, Default)]
pub struct OffTimeColumns {
    /// Switch, as an index into [`super::Report::node_names`].
    pub device: Vec<u32>,
    /// Port by which the queue's packets come in, as an index into [`super::Report::series_names`].
    pub port: Vec<u32>,
    /// Traffic class.
    pub priority: Vec<u8>,
    /// Time when the switch told the sender to pause.
    pub xoff_ns: Vec<u64>,
    /// Time when the last packet came in after XOFF; the time of XOFF if none did.
    pub last_arrival_ns: Vec<u64>,
    /// Time when the switch told the sender to resume; `u64::MAX` if the switch did not.
    pub end_ns: Vec<u64>,
    /// Bytes that came in after XOFF.
    pub arrived_bytes: Vec<u64>,
    /// Bytes that left before the last packet came in.
    pub departed_bytes: Vec<u64>,
    /// Most bytes that the queue had in the headroom.
    pub headroom_bytes: Vec<u64>,
}

/// Makes the rows of `headroom.parquet` and `off_times.parquet`.
pub(super) fn columns(network: &Network, log: &HeadroomLog) -> (HeadroomColumns, OffTimeColumns) {
    let (mut headroom, mut off_times) = (HeadroomColumns::default(), OffTimeColumns::default());
    for peak in &log.peaks {
        headroom.time_ns.push(peak.time.as_nanoseconds());
        headroom.device.push(network.ports.place(peak.switch).0);
        headroom.used_bytes.push(peak.used.get());
        headroom.set_aside_bytes.push(peak.set_aside.get());
        headroom.queues_off.push(peak.queues_off);
    }
    for off in &log.off_times {
        off_times.device.push(network.ports.place(off.port).0);
        off_times.port.push(off.port);
        off_times.priority.push(off.priority as u8);
        off_times.xoff_ns.push(off.xoff.as_nanoseconds());
        off_times.last_arrival_ns.push(off.last_arrival.as_nanoseconds());
        off_times.end_ns.push(off.xon.map_or(super::pauses::STILL_PAUSED, Time::as_nanoseconds));
        off_times.arrived_bytes.push(off.arrived.get());
        off_times.departed_bytes.push(off.departed.get());
        off_times.headroom_bytes.push(off.headroom.get());
    }
    (headroom, off_times)
}
