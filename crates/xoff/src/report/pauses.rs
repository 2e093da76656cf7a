//! Pauses as columns: one row for each pause with its cause, from what was recorded at both ends of the link.

use std::collections::BTreeMap;

use crate::diagnosis::Diagnosis;
use crate::engine::{PauseChange, PauseLog};
use crate::kernel::units::{Span, Time};
use crate::observer::Xoff;
use crate::simulation::Simulation;
use crate::topology::PortId;

/// Value of `end_ns` for a pause that has not ended.
pub(super) const STILL_PAUSED: u64 = u64::MAX;

/// Value of `stuck_behind_port` for a pause that is over, or may end.
pub(super) const NOT_STUCK: u32 = u32::MAX;

/// Columns of `pauses.parquet`: one entry for each time that a class of a port was paused, in order of start and port.
#[derive(Clone, Debug, Default)]
pub struct PauseColumns {
    /// Position of the pause in order of start and port.
    pub pause_id: Vec<u64>,
    /// Switch that told its neighbour to pause, as an index into [`super::Report::node_names`].
    pub device: Vec<u32>,
    /// Port of the switch that told its neighbour to pause, as an index into [`super::Report::series_names`].
    pub port: Vec<u32>,
    /// Neighbour that paused, as an index into [`super::Report::node_names`].
    pub paused_device: Vec<u32>,
    /// Port of the neighbour that paused, as an index into [`super::Report::series_names`].
    pub paused_port: Vec<u32>,
    /// Traffic class.
    pub priority: Vec<u8>,
    /// Time when the switch decided to pause its neighbour.
    pub xoff_ns: Vec<u64>,
    /// Time when the port paused.
    pub start_ns: Vec<u64>,
    /// Time when the port resumed; `u64::MAX` if it was still paused at the end.
    pub end_ns: Vec<u64>,
    /// Reason, as an index into the names of [`crate::observer::PauseReason`].
    pub reason: Vec<u8>,
    /// Bytes of the class that the switch held from the port; of all lossless classes if the port paused as a whole.
    pub ingress_bytes: Vec<u64>,
    /// Port whose queue held most of the bytes in `ingress_bytes`, as an index into [`super::Report::series_names`].
    pub egress_port: Vec<u32>,
    /// Class of the queue at `egress_port`.
    pub cause_priority: Vec<u8>,
    /// Bytes of `ingress_bytes` that the queue at `egress_port` held.
    pub egress_bytes: Vec<u64>,
    /// Bytes from all ports that the queue at `egress_port` held.
    pub queue_bytes: Vec<u64>,
    /// Number of flows in the queue at `egress_port`.
    pub flows: Vec<u32>,
    /// Port of the stuck queue that holds most of what the pause waits for at the end, as an index into
    /// [`super::Report::series_names`]. `u32::MAX` if the pause is over, or may end.
    pub stuck_behind_port: Vec<u32>,
    /// Class of the queue at `stuck_behind_port`.
    pub stuck_behind_priority: Vec<u8>,
}

/// Columns of `pause_flows.parquet`: for each pause the flows that had most bytes in the queue that was its cause.
#[derive(Clone, Debug, Default)]
pub struct PauseFlowColumns {
    /// Position of the pause.
    pub pause_id: Vec<u64>,
    /// Sending host, as an index into [`super::Report::node_names`].
    pub source: Vec<u32>,
    /// Receiving host, as an index into [`super::Report::node_names`].
    pub destination: Vec<u32>,
    /// Number of the flow at its source.
    pub number: Vec<u32>,
    /// Bytes of the flow in the queue.
    pub bytes: Vec<u64>,
}

/// Time in which a class of a port was paused.
#[derive(Clone, Copy, Debug)]
struct Interval {
    port: PortId,
    priority: usize,
    start: Time,
    end: Option<Time>,
}

/// Makes the rows of all pauses.
pub(super) fn columns(
    simulation: &Simulation,
    log: &PauseLog,
    diagnosis: &Diagnosis,
) -> (PauseColumns, PauseFlowColumns) {
    let (mut columns, mut flows) = (PauseColumns::default(), PauseFlowColumns::default());
    let causes = Causes::new(&log.xoffs);
    let ports = &simulation.network().ports;
    for (pause_id, interval) in (0..).zip(intervals(&log.changes)) {
        let (paused_device, _) = ports.place(interval.port);
        let port = ports.other_end(interval.port);
        let transit = simulation.pause_transit(interval.port);
        let (decided, xoff) = causes.of(port, interval.priority, interval.start, transit);
        columns.pause_id.push(pause_id);
        columns.device.push(ports.place(port).0);
        columns.port.push(port);
        columns.paused_device.push(paused_device);
        columns.paused_port.push(interval.port);
        columns.priority.push(interval.priority as u8);
        columns.xoff_ns.push(decided.as_nanoseconds());
        columns.start_ns.push(interval.start.as_nanoseconds());
        columns.end_ns.push(interval.end.map_or(STILL_PAUSED, Time::as_nanoseconds));
        columns.reason.push(xoff.reason as u8);
        columns.ingress_bytes.push(xoff.bytes.get());
        columns.egress_port.push(xoff.egress);
        columns.cause_priority.push(xoff.cause_priority as u8);
        columns.egress_bytes.push(xoff.egress_bytes.get());
        columns.queue_bytes.push(xoff.queue_bytes.get());
        columns.flows.push(xoff.flow_count);
        let behind = diagnosis.stuck_behind.get(&(interval.port, interval.priority));
        let (port, priority) = behind.filter(|_| interval.end.is_none()).copied().unwrap_or((NOT_STUCK, 0));
        columns.stuck_behind_port.push(port);
        columns.stuck_behind_priority.push(priority as u8);
        for flow in &xoff.flows {
            flows.pause_id.push(pause_id);
            flows.source.push(flow.source);
            flows.destination.push(flow.destination);
            flows.number.push(flow.number);
            flows.bytes.push(flow.bytes.get());
        }
    }
    (columns, flows)
}

/// Turns changes, in order of time, into the times between them, in order of start, port and class.
fn intervals(changes: &[PauseChange]) -> Vec<Interval> {
    let mut intervals: Vec<Interval> = Vec::new();
    let mut open = BTreeMap::new();
    for &PauseChange { time, port, priority, pauses } in changes {
        if pauses {
            open.insert((port, priority), intervals.len());
            intervals.push(Interval { port, priority, start: time, end: None });
        } else if let Some(index) = open.remove(&(port, priority)) {
            intervals[index].end = Some(time);
        }
    }
    intervals
}

/// Decisions of switches to pause, by port and class.
struct Causes<'a>(BTreeMap<(PortId, usize), Vec<&'a (Time, Xoff)>>);

impl<'a> Causes<'a> {
    fn new(xoffs: &'a [(Time, Xoff)]) -> Self {
        let mut by_queue = BTreeMap::<_, Vec<_>>::new();
        for decided in xoffs {
            by_queue.entry((decided.1.port, decided.1.priority)).or_default().push(decided);
        }
        Self(by_queue)
    }

    /// Returns the decision that began a pause: the last one before the frame was sent, since a frame carries the
    /// latest state.
    fn of(&self, port: PortId, priority: usize, start: Time, transit: Span) -> &'a (Time, Xoff) {
        let decisions = &self.0[&(port, priority)];
        let sent = decisions.partition_point(|(decided, _)| *decided + transit <= start);
        decisions[sent.checked_sub(1).expect("a pause has a cause")]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(time: u64, port: PortId, pauses: bool) -> PauseChange {
        PauseChange { time: Time::new(time), port, priority: 3, pauses }
    }

    #[test]
    fn a_pause_lasts_until_its_port_resumes_or_the_run_ends() {
        let changes = [
            change(1, 7, true),
            change(2, 4, true),
            change(5, 7, false),
            change(6, 7, true),
            change(9, 4, false),
        ];
        let found: Vec<_> = intervals(&changes)
            .into_iter()
            .map(|interval| (interval.port, interval.start.get(), interval.end.map(Time::get)))
            .collect();
        assert_eq!(found, [(7, 1, Some(5)), (4, 2, Some(9)), (7, 6, None)]);
    }
}
