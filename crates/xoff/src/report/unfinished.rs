//! Flows that had started and were not finished at the end, as columns.

use super::{Measured, Outcome, Simulation};
use crate::host::UnfinishedFlow;
use crate::topology::NodeId;

/// Columns of `unfinished.parquet`: one entry for each flow, in order of start, source and number.
#[derive(Clone, Debug, Default)]
pub struct UnfinishedColumns {
    /// Sending host, as an index into [`super::Report::node_names`].
    pub source: Vec<u32>,
    /// Receiving host, as an index into [`super::Report::node_names`].
    pub destination: Vec<u32>,
    /// Number of the flow at its source.
    pub number: Vec<u32>,
    /// Traffic class.
    pub priority: Vec<u8>,
    /// Index into [`super::Report::transport_names`].
    pub transport: Vec<u8>,
    /// Position of the flow's workload in the scenario.
    pub workload: Vec<u32>,
    /// Application bytes; `u64::MAX` for a flow without end.
    pub size_bytes: Vec<u64>,
    /// Time when the application handed the flow to the transport.
    pub start_ns: Vec<u64>,
    /// Application bytes that the flow's receiver could hand on: all up to the first that is missing, or any for
    /// constant-rate flows.
    pub received_bytes: Vec<u64>,
    /// Goodput in the part of the measured time after the flow's start, in Gbps; NaN if there was no such part.
    pub goodput_gbps: Vec<f64>,
    /// Application bytes sent again.
    pub retransmitted_bytes: Vec<u64>,
    /// Expiries of the retransmission timer.
    pub timeouts: Vec<u32>,
    /// Recoveries of TCP, begun by duplicate or selective acknowledgements.
    pub recoveries: Vec<u32>,
    /// Tail loss probes of TCP.
    pub probes: Vec<u32>,
    /// Retransmissions of TCP that the receiver had already received.
    pub spurious_retransmissions: Vec<u32>,
    /// Whether the flow started in the measured time.
    pub measured: Vec<bool>,
}

/// Makes the rows of flows that are under way at the end, and of those that sent everything, lost some, and never
/// retransmit.
pub(super) fn columns(
    simulation: &Simulation,
    outcome: &Outcome,
    lost_in_part: Vec<(NodeId, UnfinishedFlow)>,
    measured: &Measured<'_>,
) -> UnfinishedColumns {
    let under_way = outcome.hosts.iter().flat_map(|host| host.unfinished().map(|flow| (host.id(), flow)));
    let mut rows: Vec<_> = lost_in_part.into_iter().chain(under_way).collect();
    rows.sort_unstable_by_key(|(source, row)| (row.flow.start, *source, row.flow.number));
    let mut columns = UnfinishedColumns::default();
    for (source, UnfinishedFlow { flow, repairs }) in rows {
        let destination = &outcome.hosts[flow.destination as usize];
        let received = destination.received_of(flow.reception, &simulation.fabric().plans);
        let received = received.saturating_add(outcome.skips.of(source, flow.number)).min(flow.size);
        columns.source.push(source);
        columns.destination.push(flow.destination);
        columns.number.push(flow.number);
        columns.priority.push(flow.priority);
        columns.transport.push(flow.transport);
        columns.workload.push(flow.workload.into());
        columns.size_bytes.push(flow.size.get());
        columns.start_ns.push(flow.start.as_nanoseconds());
        columns.received_bytes.push(received.get());
        columns.goodput_gbps.push(measured.goodput_gbps(source, &flow));
        columns.retransmitted_bytes.push(repairs.retransmitted.get());
        columns.timeouts.push(repairs.timeouts);
        columns.recoveries.push(repairs.recoveries);
        columns.probes.push(repairs.probes);
        columns.spurious_retransmissions.push(repairs.spurious);
        columns.measured.push(simulation.scenario().measure.counts(flow.start));
    }
    columns
}
