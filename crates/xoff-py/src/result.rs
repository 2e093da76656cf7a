//! Results of a run, as columns by name.

use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::column::Column;
use crate::flows::FlowRows;
use crate::tables::Table;

/// Results of a run.
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
    /// Columns of the operations of jobs.
    job_flows: Py<PyDict>,
    /// Text of the names of all operations of jobs, and where each name begins and the last one ends.
    job_names: (Py<Column>, Py<Column>),
    /// Columns of what every port did.
    ports: Py<PyDict>,
    /// Columns of what was recorded over time.
    series: Py<PyDict>,
    /// Columns of the dropped packets.
    drops: Py<PyDict>,
    /// Columns of the packets of watched flows.
    packets: Py<PyDict>,
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
    /// Summary, as JSON.
    summary: String,
}

/// For each column that holds indices, the names they stand for.
fn dictionaries(py: Python<'_>, report: &xoff::Report) -> PyResult<Py<PyDict>> {
    let dictionaries = PyDict::new(py);
    for column in ["source", "destination", "aggregator", "last_host", "device", "paused_device"] {
        dictionaries.set_item(column, &report.node_names)?;
    }
    for column in ["port", "peer", "paused_port", "egress_port", "stuck_behind_port", "name"] {
        dictionaries.set_item(column, &report.series_names)?;
    }
    dictionaries.set_item("transport", &report.transport_names)?;
    dictionaries.set_item("reason", &report.reason_names)?;
    dictionaries.set_item("drop_reason", &report.drop_reason_names)?;
    dictionaries.set_item("release", &report.release_names)?;
    dictionaries.set_item("kind", &report.packet_kinds)?;
    dictionaries.set_item("quantity", &report.quantity_names)?;
    Ok(dictionaries.unbind())
}

impl RawResult {
    pub(crate) fn new(py: Python<'_>, report: xoff::Report, summary: &xoff::Summary) -> PyResult<Self> {
        Ok(Self {
            dictionaries: dictionaries(py, &report)?,
            summary: serde_json::to_string(summary).expect("names and numbers"),
            job_names: {
                let (text, starts) = report.job_flow_names.into_parts();
                let text = Column::from(text.into_bytes());
                (Py::new(py, text)?, Py::new(py, Column::from(starts))?)
            },
            flows: Py::new(py, FlowRows::from(report.flows))?,
            unfinished: report.unfinished.to_python(py)?,
            queries: report.queries.to_python(py)?,
            collectives: report.collectives.to_python(py)?,
            job_flows: report.job_flows.to_python(py)?,
            ports: report.ports.to_python(py)?,
            series: report.series.to_python(py)?,
            drops: report.drops.to_python(py)?,
            packets: report.packets.to_python(py)?,
            pauses: report.pauses.to_python(py)?,
            pause_flows: report.pause_flows.to_python(py)?,
            headroom: report.headroom.to_python(py)?,
            off_times: report.off_times.to_python(py)?,
        })
    }
}
