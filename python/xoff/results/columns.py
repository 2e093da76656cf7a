"""Arrow tables over the simulator's columns, without a copy, and their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from xoff._xoff import Column, RawResult

# Counts and nanoseconds are unsigned in the simulator and far below 2^63; signed, they can be subtracted.
FLOWS = pa.schema(
    [
        pa.field("flow_id", pa.int64()),
        pa.field("source", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("destination", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("number", pa.uint32()),
        pa.field("priority", pa.uint8()),
        pa.field("transport", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("workload", pa.uint32()),
        pa.field("size_bytes", pa.int64()),
        pa.field("start_ns", pa.int64()),
        pa.field("received_ns", pa.int64()),
        pa.field("finish_ns", pa.int64()),
        pa.field("fct_ns", pa.int64()),
        pa.field("base_rtt_ns", pa.int64()),
        pa.field("bottleneck_bps", pa.int64()),
        pa.field("ideal_fct_ns", pa.int64()),
        pa.field("slowdown", pa.float64()),
        pa.field("retransmitted_bytes", pa.int64()),
        pa.field("timeouts", pa.uint32()),
        pa.field("recoveries", pa.uint32()),
        pa.field("probes", pa.uint32()),
        pa.field("spurious_retransmissions", pa.uint32()),
        pa.field("after_stop", pa.bool_()),
        pa.field("measured", pa.bool_()),
        pa.field("query_id", pa.int64()),
    ]
)

UNFINISHED = pa.schema(
    [
        *map(
            FLOWS.field,
            ("source", "destination", "number", "priority", "transport", "workload", "size_bytes", "start_ns"),
        ),
        pa.field("received_bytes", pa.int64()),
        pa.field("goodput_gbps", pa.float64()),
        *map(FLOWS.field, ("retransmitted_bytes", "timeouts", "recoveries", "probes")),
        *map(FLOWS.field, ("spurious_retransmissions", "measured")),
    ]
)

QUERIES = pa.schema(
    [
        pa.field("query_id", pa.int64()),
        pa.field("workload", pa.uint32()),
        pa.field("aggregator", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("fan_in", pa.uint32()),
        pa.field("response_bytes", pa.int64()),
        pa.field("start_ns", pa.int64()),
        pa.field("finish_ns", pa.int64()),
        pa.field("completion_ns", pa.int64()),
        pa.field("timeouts", pa.uint32()),
        pa.field("late", pa.bool_()),
        pa.field("measured", pa.bool_()),
    ]
)

JOB_FLOWS = pa.schema(
    [
        pa.field("workload", pa.uint32()),
        pa.field("flow", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("source", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("destination", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("size_bytes", pa.uint64()),
        pa.field("number", pa.uint32()),
        pa.field("start_ns", pa.int64()),
        pa.field("received_ns", pa.int64()),
        pa.field("finish_ns", pa.int64()),
        pa.field("waited_for", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("delay_ns", pa.int64()),
        pa.field("stream", pa.uint32()),
    ]
)

ADDED_LATER = ("stream",)
"""Columns that result folders of older versions lack."""

COLLECTIVES = pa.schema(
    [
        pa.field("workload", pa.uint32()),
        pa.field("group", pa.uint32()),
        pa.field("iteration", pa.uint32()),
        pa.field("start_ns", pa.int64()),
        pa.field("finish_ns", pa.int64()),
        pa.field("completion_ns", pa.int64()),
        pa.field("last_host", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("flows", pa.uint64()),
        pa.field("algorithm_bandwidth_gbps", pa.float64()),
        pa.field("bus_bandwidth_gbps", pa.float64()),
        pa.field("measured", pa.bool_()),
    ]
)

SERIES = pa.schema(
    [
        pa.field("time_ns", pa.int64()),
        pa.field("quantity", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("name", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("priority", pa.uint8()),
        pa.field("value", pa.float64()),
    ]
)

PORTS = pa.schema(
    [
        pa.field("port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("device", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("peer", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("rate_bps", pa.int64()),
        pa.field("utilization", pa.float64()),
        pa.field("packets", pa.int64()),
        pa.field("wire_bytes", pa.int64()),
        pa.field("marked", pa.int64()),
        pa.field("dropped", pa.int64()),
        pa.field("pause_frames", pa.int64()),
        pa.field("resume_frames", pa.int64()),
        pa.field("paused_ns", pa.int64()),
        pa.field("longest_pause_ns", pa.int64()),
    ]
)

DROPS = pa.schema(
    [
        pa.field("time_ns", pa.int64()),
        pa.field("device", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("priority", pa.uint8()),
        pa.field("reason", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("held_bytes", pa.int64()),
        pa.field("limit_bytes", pa.int64()),
        pa.field("source", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("destination", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("number", pa.uint32()),
        pa.field("kind", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("sequence", pa.int64()),
        pa.field("frame_bytes", pa.int64()),
    ]
)

PACKETS = pa.schema(
    [
        pa.field("packet", pa.int64()),
        pa.field("source", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("destination", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("number", pa.uint32()),
        pa.field("kind", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("sequence", pa.int64()),
        pa.field("payload_bytes", pa.int64()),
        pa.field("frame_bytes", pa.int64()),
        pa.field("priority", pa.uint8()),
        pa.field("retransmission", pa.bool_()),
        pa.field("release", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("ready_ps", pa.int64()),
        pa.field("handed_ps", pa.int64()),
        pa.field("hop", pa.int64()),
        pa.field("port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("arrived_ps", pa.int64()),
        pa.field("started_ps", pa.int64()),
        pa.field("ended_ps", pa.int64()),
        pa.field("reached_ps", pa.int64()),
        pa.field("received_ps", pa.int64()),
        pa.field("marked", pa.bool_()),
        pa.field("drop_reason", pa.dictionary(pa.uint8(), pa.string())),
    ]
)

PAUSES = pa.schema(
    [
        pa.field("pause_id", pa.int64()),
        pa.field("device", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("paused_device", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("paused_port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("priority", pa.uint8()),
        pa.field("xoff_ns", pa.int64()),
        pa.field("start_ns", pa.int64()),
        pa.field("end_ns", pa.int64()),
        pa.field("reason", pa.dictionary(pa.uint8(), pa.string())),
        pa.field("ingress_bytes", pa.int64()),
        pa.field("egress_port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("cause_priority", pa.uint8()),
        pa.field("egress_bytes", pa.int64()),
        pa.field("queue_bytes", pa.int64()),
        pa.field("flows", pa.uint32()),
        pa.field("stuck_behind_port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("stuck_behind_priority", pa.uint8()),
    ]
)

PAUSE_FLOWS = pa.schema(
    [
        pa.field("pause_id", pa.int64()),
        pa.field("source", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("destination", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("number", pa.uint32()),
        pa.field("bytes", pa.int64()),
    ]
)

HEADROOM = pa.schema(
    [
        pa.field("time_ns", pa.int64()),
        pa.field("device", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("used_bytes", pa.int64()),
        pa.field("set_aside_bytes", pa.int64()),
        pa.field("queues_off", pa.int64()),
    ]
)

OFF_TIMES = pa.schema(
    [
        pa.field("device", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("port", pa.dictionary(pa.uint32(), pa.string())),
        pa.field("priority", pa.uint8()),
        pa.field("xoff_ns", pa.int64()),
        pa.field("last_arrival_ns", pa.int64()),
        pa.field("end_ns", pa.int64()),
        pa.field("arrived_bytes", pa.int64()),
        pa.field("departed_bytes", pa.int64()),
        pa.field("headroom_bytes", pa.int64()),
    ]
)


class FlowRows:
    """Finished flows in the simulator's memory, one row each, with the columns of `FLOWS`.

    A run may leave millions of flows, and a table of all columns takes almost twice the memory of the simulator's rows.
    This class therefore has methods of a table, and makes only the columns or rows that are asked for.
    """

    schema = FLOWS

    def __init__(self, raw: RawResult) -> None:
        self._rows, self._dictionaries = raw.flows, raw.dictionaries

    @property
    def num_rows(self) -> int:
        """Number of finished flows."""
        return len(self._rows)

    def select(self, names: Sequence[str]) -> pa.Table:
        """Returns some columns of all flows."""
        return self._part(pa.schema([FLOWS.field(name) for name in names]), 0, len(self._rows))

    def to_batches(self, max_chunksize: int) -> Iterator[pa.RecordBatch]:
        """Yields all columns, of at most `max_chunksize` flows at a time."""
        for start in range(0, len(self._rows), max_chunksize):
            part = self._part(FLOWS, start, min(start + max_chunksize, len(self._rows)))
            yield from part.to_batches()

    def _part(self, schema: pa.Schema, start: int, stop: int) -> pa.Table:
        columns = {name: self._rows.column(name, start, stop) for name in schema.names}
        table = _table(schema, columns, self._dictionaries)
        return _with_nulls(table, "query_id") if "query_id" in schema.names else table


def unfinished_table(raw: RawResult) -> pa.Table | None:
    """Returns a row per unfinished flow (`UNFINISHED`), or None if there is none.

    The size is null for a flow without end; the goodput is null for a flow that started after the measured time.
    """
    table = _with_nulls(_table(UNFINISHED, raw.unfinished, raw.dictionaries), "size_bytes")
    table = _null_where(np.isnan(table["goodput_gbps"].to_numpy()), table, "goodput_gbps")
    return table if table.num_rows else None


def queries_table(raw: RawResult) -> pa.Table | None:
    """Returns a row per complete query (`QUERIES`), in the order of their start, or None if there is none."""
    table = _table(QUERIES, raw.queries, raw.dictionaries)
    return table if table.num_rows else None


def collectives_table(raw: RawResult) -> pa.Table | None:
    """Returns a row per complete collective (`COLLECTIVES`), by workload, group and iteration; None without any."""
    table = _table(COLLECTIVES, raw.collectives, raw.dictionaries)
    return table if table.num_rows else None


def job_flows_table(raw: RawResult) -> pa.Table | None:
    """Returns a row per operation of a job (`JOB_FLOWS`), in the order of the job's file, or None if there is no job.

    Times of events that have not happened are null, and so are the number of what is no flow, and the stream of what
    does not compute.
    """
    text, starts = raw.job_names
    names = pa.Array.from_buffers(pa.string(), len(starts) - 1, [None, pa.py_buffer(starts), pa.py_buffer(text)])
    table = _table(JOB_FLOWS, raw.job_flows, {**raw.dictionaries, "flow": names, "waited_for": names})
    for column in ("number", "stream"):
        table = _null_where(table[column].to_numpy() == _NO_INDEX, table, column)
    table = _with_nulls(table, "start_ns", "received_ns", "finish_ns")
    return table if table.num_rows else None


def ports_table(raw: RawResult) -> pa.Table:
    """Returns a row per port (`PORTS`), ports of hosts first."""
    return _table(PORTS, raw.ports, raw.dictionaries)


def series_table(raw: RawResult) -> pa.Table | None:
    """Returns a row per recorded value (`SERIES`), or None if nothing was recorded."""
    table = _table(SERIES, raw.series, raw.dictionaries)
    return table if table.num_rows else None


def drops_table(raw: RawResult) -> pa.Table:
    """Returns a row per dropped packet (`DROPS`), by time.

    The bytes held and the limit are null where room was not the reason.
    """
    reasons = {"reason": raw.dictionaries["drop_reason"]}  # those of pauses have the plain name
    table = _table(DROPS, raw.drops, {**raw.dictionaries, **reasons})
    return _with_nulls(table, "held_bytes", "limit_bytes", "sequence")


def packets_table(raw: RawResult) -> pa.Table:
    """Returns a row for each port that a packet of a watched flow came to (`PACKETS`), in the order of departure.

    Only a packet's first row has `handed_ps`, and only the first row of data has `release` and `ready_ps`. The columns
    `started_ps`, `ended_ps` and `reached_ps` are null if the packet never left the port, `received_ps` if it went on,
    and `drop_reason` if it was not dropped.
    """
    table = _table(PACKETS, raw.packets, raw.dictionaries)
    times = ("ready_ps", "handed_ps", "started_ps", "ended_ps", "reached_ps", "received_ps")
    return _with_nulls(table, "sequence", *times)


def pauses_table(raw: RawResult) -> pa.Table:
    """Returns a row per pause (`PAUSES`), in the order of their start.

    The end is null if the pause was not over. `stuck_behind` is null if the pause was over or may still end.
    """
    table = _with_nulls(_table(PAUSES, raw.pauses, raw.dictionaries), "end_ns")
    return _null_where(table["stuck_behind_port"].is_null().to_numpy(), table, "stuck_behind_priority")


def pause_flows_table(raw: RawResult) -> pa.Table:
    """Returns for each pause the flows with most bytes in the queue that caused it (`PAUSE_FLOWS`)."""
    return _table(PAUSE_FLOWS, raw.pause_flows, raw.dictionaries)


def headroom_table(raw: RawResult) -> pa.Table:
    """Returns a row per local maximum of the headroom that a switch has in use (`HEADROOM`)."""
    return _table(HEADROOM, raw.headroom, raw.dictionaries)


def off_times_table(raw: RawResult) -> pa.Table:
    """Returns a row per time from XOFF to XON of a queue (`OFF_TIMES`); the end is null if it was not over."""
    return _with_nulls(_table(OFF_TIMES, raw.off_times, raw.dictionaries), "end_ns")


def _with_nulls(table: pa.Table, *names: str) -> pa.Table:
    for name in names:  # the simulator's largest number, and so -1, where there is none
        table = _null_where(table[name].to_numpy() < 0, table, name)
    return table


def _null_where(unknown: npt.NDArray[np.bool_], table: pa.Table, name: str) -> pa.Table:
    """Returns a table of `_table` with nulls in one of its columns, whose values are not copied."""
    place = table.schema.get_field_index(name)
    return table.set_column(place, table.schema.field(place), _masked(table[name].chunk(0), unknown))


def _masked(values: pa.Array, unknown: npt.NDArray[np.bool_]) -> pa.Array:
    """Returns an array without nulls as one that has them; Arrow's own functions take 50 ms to import."""
    known = pa.py_buffer(np.packbits(~unknown, bitorder="little"))
    return pa.Array.from_buffers(values.type, len(values), [known, values.buffers()[1]])


def flow_names(rows: pa.Table) -> pa.ChunkedArray:
    """Returns the name of each row's flow, such as `host0.flow3`, from its `source` and its `number` there."""
    import pyarrow.compute as pc

    source, number = rows["source"].cast(pa.string()), rows["number"].cast(pa.string())
    return pc.binary_join_element_wise(source, number, ".flow")


def flow_place(table: pa.Table, flow: str) -> int | None:
    """Returns the index of the row of a flow, or None; fast on tables of millions of rows."""
    import pyarrow.compute as pc

    source, _, number = flow.rpartition(".flow")
    if not table.num_rows or not number.isdecimal() or int(number) >= _FLOW_NUMBERS:
        return None
    alike = pc.indices_nonzero(pc.equal(table["number"], pa.scalar(int(number), pa.uint32())))
    sources = table["source"].take(alike).to_pylist()
    return int(alike[sources.index(source)].as_py()) if source in sources else None


def _table(
    schema: pa.Schema, columns: Mapping[str, Column], dictionaries: Mapping[str, Sequence[str] | pa.Array]
) -> pa.Table:
    arrays = [_array(field, columns[field.name], dictionaries.get(field.name, ())) for field in schema]
    return pa.table(arrays, schema=schema)


_FLOW_NUMBERS = 1 << 32
"""Bound on a flow's number at its source."""
_NO_INDEX = (1 << 32) - 1
"""Stands for a number or an index that there is not."""
_UNKNOWN_WHERE_LARGEST = {"stuck_behind_port", "release", "drop_reason", "waited_for"}
"""Columns of names that may be unknown, which the simulator writes as the largest index."""


def _array(field: pa.Field, column: Column, names: Sequence[str] | pa.Array) -> pa.Array:
    if pa.types.is_boolean(field.type):  # Arrow packs bits, the simulator keeps bytes
        bits = pa.py_buffer(np.packbits(_wrap(pa.uint8(), column).to_numpy(), bitorder="little"))
        return pa.Array.from_buffers(pa.bool_(), len(column), [None, bits])
    if pa.types.is_dictionary(field.type):
        indices = _wrap(field.type.index_type, column)
        if field.name in _UNKNOWN_WHERE_LARGEST:
            numbers = indices.to_numpy()
            indices = _masked(indices, numbers == np.iinfo(numbers.dtype).max)
        values = names if isinstance(names, pa.Array) else pa.array(names, pa.string())
        return pa.DictionaryArray.from_arrays(indices, values)
    return _wrap(field.type, column)


def _wrap(kind: pa.DataType, column: Column) -> pa.Array:
    return pa.Array.from_buffers(kind, len(column), [None, pa.py_buffer(column)])
