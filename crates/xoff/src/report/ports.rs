//! Packets, marks and losses of every port over the whole run, as columns.

use super::Simulation;
use crate::kernel::units::Time;
use crate::port::Port;

/// Columns of `ports.parquet`: one entry for each port, hosts first, in the order of their numbers.
#[derive(Clone, Debug, Default)]
pub struct PortColumns {
    /// Port, as an index into [`super::Report::series_names`].
    pub port: Vec<u32>,
    /// Node of the port, as an index into [`super::Report::node_names`].
    pub device: Vec<u32>,
    /// Port at the other end of the link, as an index into [`super::Report::series_names`].
    pub peer: Vec<u32>,
    /// Rate of the link when the run begins, in bits per second.
    pub rate_bps: Vec<u64>,
    /// Share of the bits that the link could carry over the run, at the rates that the link had while it was up. A packet
    /// under way at the end counts in part. At a port with a shaper, share of what its bucket could let pass.
    pub utilization: Vec<f64>,
    /// Packets put on the wire, without pause frames.
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
    /// Time that the port's classes were paused, summed over classes.
    pub paused_ns: Vec<u64>,
    /// Longest time that one of the port's classes was paused without a break.
    pub longest_pause_ns: Vec<u64>,
}

/// Makes the rows of the given ports, at the end of the run, which is `end_inside` on the ports' own clock.
pub(super) fn columns<'a>(
    simulation: &Simulation,
    ports: impl Iterator<Item = &'a Port>,
    end: Time,
    end_inside: Time,
) -> PortColumns {
    let network = simulation.network();
    let mut columns = PortColumns::default();
    for port in ports {
        let (id, counters) = (port.id(), &port.counters);
        let (device, number) = network.ports.place(id);
        let link = network.ports.of(device)[number as usize].link;
        let rate = network.links[link as usize].rate_from(device);
        columns.port.push(id);
        columns.device.push(device);
        columns.peer.push(network.ports.other_end(id));
        columns.rate_bps.push(rate.get());
        let could = || simulation.link_events().picobits_by(id, link, rate, end);
        let of_link =
            || [port.picobits_by(end_inside), could().saturating_add_signed(port.kept_by(end_inside))];
        columns.utilization.push(share(port.shaped_by(end_inside).unwrap_or_else(of_link)));
        columns.packets.push(counters.packets);
        columns.wire_bytes.push(counters.wire_bytes.get());
        columns.marked.push(counters.marked);
        columns.dropped.push(counters.dropped());
        columns.pause_frames.push(counters.pause_frames);
        columns.resume_frames.push(counters.resume_frames);
        columns.paused_ns.push(port.paused_by(end_inside).as_nanoseconds());
        columns.longest_pause_ns.push(port.longest_pause_by(end_inside).as_nanoseconds());
    }
    columns
}

/// Returns the first of two numbers over the second; 0 for a run that ended as it began.
fn share([one, all]: [u128; 2]) -> f64 {
    if all > 0 { one as f64 / all as f64 } else { 0.0 }
}
