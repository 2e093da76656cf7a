//! What a run leaves, as columns by name.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::column::Column;
use crate::flows::FlowRows;

/// What a run leaves.
#[pyclass(frozen, get_all, module = "xoff._xoff")]
pub(crate) struct RawResult {
    /// The finished flows.
    flows: Py<FlowRows>,
    /// Columns of the flows that were not finished.
    unfinished: Py<PyDict>,
    /// Columns of the complete queries.
    queries: Py<PyDict>,
    /// Columns of the complete collectives.
    collectives: Py<PyDict>,
    /// Columns of what was recorded over time.
    series: Py<PyDict>,
    /// Columns of the dropped packets.
    drops: Py<PyDict>,
    /// Columns of the pauses.
    pauses: Py<PyDict>,
    /// Columns of the flows in the queues that pauses came from.
    pause_flows: Py<PyDict>,
    /// Columns of the local maxima of headroom.
    headroom: Py<PyDict>,
    /// Columns of the times in which senders were told to pause.
    off_times: Py<PyDict>,
    /// For each column that holds indices, the names they stand for.
    dictionaries: Py<PyDict>,
    /// Counters of the whole run, as JSON.
    totals: String,
    /// Deadlocks and storms, as JSON.
    pathologies: String,
    /// Hash of every integer result.
    digest: String,
    /// Whether the run was cut short.
    interrupted: bool,
}

/// A dictionary of a struct's columns by the names of their fields.
macro_rules! columns {
    ($py:ident, $columns:expr, $($name:ident),* $(,)?) => {{
        let (columns, dictionary) = ($columns, PyDict::new($py));
        $(dictionary.set_item(stringify!($name), Column::from(columns.$name))?;)*
        dictionary.unbind()
    }};
}

/// For each column that holds indices, the names they stand for.
fn dictionaries(py: Python<'_>, report: &xoff::Report) -> PyResult<Py<PyDict>> {
    let dictionaries = PyDict::new(py);
    for column in ["source", "destination", "aggregator", "last_host", "device", "paused_device"] {
        dictionaries.set_item(column, &report.node_names)?;
    }
    for column in ["port", "paused_port", "egress_port", "stuck_behind_port", "name"] {
        dictionaries.set_item(column, &report.series_names)?;
    }
    dictionaries.set_item("transport", &report.transport_names)?;
    dictionaries.set_item("reason", &report.reason_names)?;
    dictionaries.set_item("drop_reason", &report.drop_reason_names)?;
    dictionaries.set_item("kind", &report.packet_kinds)?;
    dictionaries.set_item("quantity", &report.quantity_names)?;
    Ok(dictionaries.unbind())
}

fn unfinished(py: Python<'_>, unfinished: xoff::report::UnfinishedColumns) -> PyResult<Py<PyDict>> {
    Ok(columns!(
        py,
        unfinished,
        source,
        destination,
        number,
        priority,
        transport,
        workload,
        size_bytes,
        start_ns,
        received_bytes,
        goodput_gbps,
        retransmitted_bytes,
        timeouts,
        measured,
    ))
}

impl RawResult {
    pub(crate) fn new(py: Python<'_>, report: xoff::Report) -> PyResult<Self> {
        Ok(Self {
            dictionaries: dictionaries(py, &report)?,
            totals: serde_json::to_string(&report.totals).expect("counters are plain numbers"),
            pathologies: serde_json::to_string(&report.pathologies).expect("names and numbers"),
            digest: report.digest,
            interrupted: report.interrupted,
            flows: Py::new(py, FlowRows::from(report.flows))?,
            unfinished: unfinished(py, report.unfinished)?,
            queries: columns!(
                py,
                report.queries,
                query_id,
                workload,
                aggregator,
                fan_in,
                response_bytes,
                start_ns,
                finish_ns,
                completion_ns,
                timeouts,
                late,
                measured,
            ),
            collectives: columns!(
                py,
                report.collectives,
                workload,
                group,
                iteration,
                start_ns,
                finish_ns,
                completion_ns,
                last_host,
                algorithm_bandwidth_gbps,
                bus_bandwidth_gbps,
                measured,
            ),
            series: columns!(py, report.series, time_ns, quantity, name, priority, value),
            drops: columns!(
                py,
                report.drops,
                time_ns,
                device,
                port,
                priority,
                reason,
                held_bytes,
                limit_bytes,
                source,
                destination,
                number,
                kind,
                sequence,
                frame_bytes,
            ),
            pauses: columns!(
                py,
                report.pauses,
                pause_id,
                device,
                port,
                paused_device,
                paused_port,
                priority,
                xoff_ns,
                start_ns,
                end_ns,
                reason,
                ingress_bytes,
                egress_port,
                cause_priority,
                egress_bytes,
                queue_bytes,
                flows,
                stuck_behind_port,
                stuck_behind_priority,
            ),
            pause_flows: columns!(py, report.pause_flows, pause_id, source, destination, number, bytes),
            headroom: columns!(py, report.headroom, time_ns, device, used_bytes, set_aside_bytes, queues_off),
            off_times: columns!(
                py,
                report.off_times,
                device,
                port,
                priority,
                xoff_ns,
                last_arrival_ns,
                end_ns,
                arrived_bytes,
                departed_bytes,
                headroom_bytes,
            ),
        })
    }
}
