//! The finished flows as the simulator keeps them; columns are made for those who ask, of the rows they ask for.

use pyo3::exceptions::{PyIndexError, PyKeyError};
use pyo3::prelude::*;
use xoff::columns::{FlowRow, Flows};

use crate::column::Column;

/// The finished flows, in order of start and source.
#[pyclass(frozen, module = "xoff._xoff")]
pub(crate) struct FlowRows(Flows);

impl From<Flows> for FlowRows {
    fn from(flows: Flows) -> Self {
        Self(flows)
    }
}

fn each<T>(rows: &[FlowRow], value: impl Fn(&FlowRow) -> T) -> Column
where
    Column: From<Vec<T>>,
{
    rows.iter().map(value).collect::<Vec<T>>().into()
}

#[pymethods]
impl FlowRows {
    fn __len__(&self) -> usize {
        self.0.rows.len()
    }

    /// One column of `flows.parquet`, of the rows from `start` to before `stop`.
    #[pyo3(signature = (name, start = 0, stop = None))]
    fn column(&self, name: &str, start: usize, stop: Option<usize>) -> PyResult<Column> {
        let stop = stop.unwrap_or(self.0.rows.len());
        let rows = self.0.rows.get(start..stop).ok_or_else(|| PyIndexError::new_err("no such rows"))?;
        Ok(match name {
            "flow_id" => (start as u64..stop as u64).collect::<Vec<_>>().into(),
            "source" => each(rows, |row| row.source),
            "destination" => each(rows, |row| row.destination),
            "number" => each(rows, |row| row.number),
            "priority" => each(rows, |row| row.priority),
            "transport" => each(rows, |row| row.transport),
            "workload" => each(rows, |row| u32::from(row.workload)),
            "size_bytes" => each(rows, |row| row.size.get()),
            "start_ns" => each(rows, |row| row.start.as_nanoseconds()),
            "received_ns" => each(rows, |row| row.received.as_nanoseconds()),
            "finish_ns" => each(rows, |row| row.finish.as_nanoseconds()),
            "fct_ns" => each(rows, |row| row.finish.as_nanoseconds() - row.start.as_nanoseconds()),
            "base_rtt_ns" => each(rows, |row| self.0.path(row).base_round_trip.as_nanoseconds()),
            "bottleneck_bps" => each(rows, |row| self.0.path(row).bottleneck.get()),
            "ideal_fct_ns" => each(rows, |row| row.ideal.as_nanoseconds()),
            "slowdown" => each(rows, FlowRow::slowdown),
            "retransmitted_bytes" => each(rows, |row| self.0.repairs(row).retransmitted.get()),
            "timeouts" => each(rows, |row| self.0.repairs(row).timeouts),
            "recoveries" => each(rows, |row| self.0.repairs(row).recoveries),
            "probes" => each(rows, |row| self.0.repairs(row).probes),
            "spurious_retransmissions" => each(rows, |row| self.0.repairs(row).spurious),
            "after_stop" => each(rows, |row| row.after_stop),
            "measured" => each(rows, |row| row.measured),
            "query_id" => each(rows, |row| row.query().map_or(u64::MAX, u64::from)),
            _ => return Err(PyKeyError::new_err(name.to_owned())),
        })
    }
}
