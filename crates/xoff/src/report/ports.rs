//! What every port has sent, marked and lost over the whole run, as columns.

use super::Simulation;
use crate::kernel::units::Time;
use crate::port::Port;

/// Columns of `ports.parquet`: one entry for each port, hosts first, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct PortColumns {
    /// The port, as an index into [`super::Report::series_names`].
    pub port: Vec<u32>,
    /// The node whose port it is, as an index into [`super::Report::node_names`].
    pub device: Vec<u32>,
    /// The port at the other end of its link, as an index into [`super::Report::series_names`].
    pub peer: Vec<u32>,
    /// Bits per second of its link when the run begins.
    pub rate_bps: Vec<u64>,
    /// Share of what the link could carry from the begin of the run to its end, at the rates that it had, while it was up.
    pub utilization: Vec<f64>,
    /// Packets put on the wire, pause frames apart.
    pub packets: Vec<u64>,
    /// Bytes put on the wire, preambles and gaps included.
    pub wire_bytes: Vec<u64>,
    /// Packets marked.
    pub marked: Vec<u64>,
    /// Packets dropped, of any kind and for any reason.
    pub dropped: Vec<u64>,
    /// Frames sent that pause a class.
    pub pause_frames: Vec<u64>,
    /// Frames sent that only resume classes.
    pub resume_frames: Vec<u64>,
    /// Time that its classes were paused, class by class.
    pub paused_ns: Vec<u64>,
    /// The longest time that one of its classes was paused without a break.
    pub longest_pause_ns: Vec<u64>,
}

/// Rows of these ports, at the end of the run.
pub(super) fn columns<'a>(
    simulation: &Simulation,
    ports: impl Iterator<Item = &'a Port>,
    end: Time,
) -> PortColumns {
    let network = simulation.network();
    let mut columns = PortColumns::default();
    for port in ports {
        let (id, counters) = (port.id(), &port.counters);
        let (device, number) = network.ports.place(id);
        let link = network.ports.of(device)[usize::from(number)].link;
        let rate = network.links[link as usize].rate;
        columns.port.push(id);
        columns.device.push(device);
        columns.peer.push(network.ports.other_end(id));
        columns.rate_bps.push(rate.get());
        let sent = counters.wire_bytes.as_f64() * 8.0;
        columns.utilization.push(match simulation.link_events().bits_by(link, rate, end) {
            Some(bits) => share(sent, bits),
            None => share(sent / rate.as_f64(), end.since(Time::ZERO).as_seconds()),
        });
        columns.packets.push(counters.packets);
        columns.wire_bytes.push(counters.wire_bytes.get());
        columns.marked.push(counters.marked);
        columns.dropped.push(counters.dropped());
        columns.pause_frames.push(counters.pause_frames);
        columns.resume_frames.push(counters.resume_frames);
        columns.paused_ns.push(port.paused_by(end).as_nanoseconds());
        columns.longest_pause_ns.push(port.longest_pause_by(end).as_nanoseconds());
    }
    columns
}

/// The share that one is of all; of a run that has ended as it began there is none.
fn share(one: f64, all: f64) -> f64 {
    if all > 0.0 { one / all } else { 0.0 }
}
