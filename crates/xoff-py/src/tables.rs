//! The tables of a run as dictionaries of columns, by the names of the fields that hold them.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use xoff::columns::{
    CollectiveColumns, DropColumns, HeadroomColumns, JobFlowColumns, OffTimeColumns, PacketColumns,
    PauseColumns, PauseFlowColumns, PortColumns, QueryColumns, SeriesColumns, UnfinishedColumns,
};

use crate::column::Column;

/// Columns of equal length.
pub(crate) trait Table {
    /// A dictionary of its columns.
    fn to_python(self, py: Python<'_>) -> PyResult<Py<PyDict>>;
}

macro_rules! tables {
    ($($table:ident { $($column:ident),* $(,)? })*) => {$(
        impl Table for $table {
            fn to_python(self, py: Python<'_>) -> PyResult<Py<PyDict>> {
                let (Self { $($column),* }, columns) = (self, PyDict::new(py));
                $(columns.set_item(stringify!($column), Column::from($column))?;)*
                Ok(columns.unbind())
            }
        }
    )*};
}

tables! {
    UnfinishedColumns {
        source, destination, number, priority, transport, workload, size_bytes, start_ns, received_bytes,
        goodput_gbps, retransmitted_bytes, timeouts, recoveries, probes, spurious_retransmissions, measured,
    }
    QueryColumns {
        query_id, workload, aggregator, fan_in, response_bytes, start_ns, finish_ns, completion_ns,
        timeouts, late, measured,
    }
    CollectiveColumns {
        workload, group, iteration, start_ns, finish_ns, completion_ns, last_host, flows,
        algorithm_bandwidth_gbps, bus_bandwidth_gbps, measured,
    }
    JobFlowColumns {
        workload, flow, source, destination, size_bytes, number, start_ns, received_ns, finish_ns, waited_for, delay_ns, stream,
    }
    SeriesColumns { time_ns, quantity, name, priority, value }
    DropColumns {
        time_ns, device, port, priority, reason, held_bytes, limit_bytes, source, destination, number, kind,
        sequence, frame_bytes,
    }
    PacketColumns {
        packet, source, destination, number, kind, sequence, payload_bytes, frame_bytes, priority, retransmission,
        release, ready_ps, handed_ps, hop, port, arrived_ps, started_ps, ended_ps, reached_ps, received_ps, marked, drop_reason,
    }
    PauseColumns {
        pause_id, device, port, paused_device, paused_port, priority, xoff_ns, start_ns, end_ns, reason,
        ingress_bytes, egress_port, cause_priority, egress_bytes, queue_bytes, flows, stuck_behind_port,
        stuck_behind_priority,
    }
    PortColumns {
        port, device, peer, rate_bps, utilization, packets, wire_bytes, marked, dropped, pause_frames,
        resume_frames, paused_ns, longest_pause_ns,
    }
    PauseFlowColumns { pause_id, source, destination, number, bytes }
    HeadroomColumns { time_ns, device, used_bytes, set_aside_bytes, queues_off }
    OffTimeColumns {
        device, port, priority, xoff_ns, last_arrival_ns, end_ns, arrived_bytes, departed_bytes,
        headroom_bytes,
    }
}
