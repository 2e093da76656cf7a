"""A result as a trace of Perfetto, which https://ui.perfetto.dev draws and its trace processor asks in SQL.

Below `hosts`, each flow is a slice from its start until its last acknowledgement, and series of flows are counters. A
flow of a job or a collective has an arrow from the one that it waited for; computing before a flow of a job is a slice,
too. Below `ports` are counters of series, and slices of the times in which a class was paused. Queries and collectives
are slices of their own.
"""

from __future__ import annotations

from heapq import heappop, heappush
from itertools import count
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xoff import _xoff
from xoff.formats import flow_order
from xoff.formats.perfetto_trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt

    from xoff.formats.part import Part
    from xoff.results.result import Result

_PIECE = 1 << 20
"""Bytes of a trace that are kept before they are written."""
_MOST_ROWS = 1 << 16
"""Rows of a table that are looked at at a time."""
_UNITS = {
    "queue": "bytes",
    "pool": "bytes",
    "input": "bytes",
    "input_of_flow": "bytes",
    "window": "bytes",
    "threshold": "bytes",
    "throughput": "bit/s",
    "class_throughput": "bit/s",
    "flow_throughput": "bit/s",
    "rate": "bit/s",
    "rtt": "ns",
    "marks": "packets",
    "drops": "packets",
}
_SUMMED = {"marks", "drops"}
"""Quantities whose values are how many came since the row before, and are drawn as how many have come."""
_OF_CLASSES = {"queue", "class_throughput", "marks", "drops", "input"}
_OF_FLOWS = {"window", "alpha", "threshold", "rtt", "recovery_state", "rate", "flow_throughput", "cnms"}


def notes(result: Result, part: Part) -> Iterator[str]:
    """Yields what the trace lacks because the run did not record it, a line each."""
    observe = result._settings["observe"]
    if "queues" not in observe:
        yield 'queues are not in the trace: none were recorded; set observe.queues = { every = "10us" }'
    if result.pauses is None and any(one.get("lossless") for one in result._settings["class"]):
        yield "pauses are not in the trace: none were recorded; set observe.pauses = true"


def pieces(result: Result, part: Part) -> Iterator[bytes]:
    """Yields the trace. Raises InputError if a pattern of flows matches none."""
    flows = flow_order.in_order(result)
    part.check_flows(flows["flow"].to_pylist())
    trace = Trace()
    tracks = _Tracks(trace, result)
    for rows in (
        _collectives(tracks, result, part),
        _queries(tracks, result, part),
        _flows(tracks, result, flows, part),
        _computing(tracks, result, part),
        _pauses(tracks, result, part),
        _drops(tracks, result, part),
        _series(tracks, result, part),
    ):
        for _ in rows:
            if len(trace) >= _PIECE:
                yield trace.take()
    yield trace.take()


_OF_FLOW = (
    "size_bytes",
    "priority",
    "transport",
    "workload",
    "received_ns",
    "fct_ns",
    "slowdown",
    "retransmitted_bytes",
    "timeouts",
)


class _Rows:
    """Rows of one track, as many as slices lie side by side; slices come in order of start."""

    def __init__(self) -> None:
        self._busy: list[tuple[int, int]] = []
        self._free: list[int] = []
        self._all = count()

    def row(self, start_ns: int, end_ns: int) -> int:
        """Returns a row that is free from a time on, and takes it until another."""
        while self._busy and self._busy[0][0] <= start_ns:
            heappush(self._free, heappop(self._busy)[1])
        row = heappop(self._free) if self._free else next(self._all)
        heappush(self._busy, (end_ns, row))
        return row


class _Tracks:
    """Tracks of a trace, each made when the first thing on it is added."""

    def __init__(self, trace: Trace, result: Result) -> None:
        self.trace = trace
        self._made: dict[tuple[str, ...], int] = {}
        self._rows: dict[tuple[str, ...], _Rows] = {}
        topology = result.topology
        self._ranks = {
            name: rank for rank, name in enumerate((*topology.hosts, *(port.name for port in topology.ports)))
        }
        self._peers = {port.name: port.peer for port in topology.ports}

    def of(self, *path: str, unit: str | None = None, row: int = 0) -> int:
        """Returns the number of a track, given by the names from the top down to its own."""
        key = (*path, str(row))
        if key not in self._made:
            parent = self.of(*path[:-1]) if path[1:] else None
            name = f"{path[-1]} to {self._peers[path[-1]]}" if path[-1] in self._peers else path[-1]
            self._made[key] = self.trace.track(name, parent, self._ranks.get(path[-1], 0), unit)
        return self._made[key]

    def beside(self, times_ns: tuple[int, int], *path: str) -> int:
        """Returns the number of a track whose slices may lie side by side."""
        rows = self._rows.setdefault(path, _Rows())
        return self.of(*path, row=rows.row(*times_ns))


def _flows(tracks: _Tracks, result: Result, flows: pa.Table, part: Part) -> Iterator[None]:
    end_of_run = round(result.summary["end_ns"])
    kept = _kept(flows, part, end_of_run)
    before = flow_order.waited_for(result, flows)
    before[~(kept & kept[before])] = flow_order.NONE
    after = np.argsort(before, kind="stable")
    first = np.searchsorted(before[after], np.arange(flows.num_rows + 1))
    kinds = [kind for kind, _ in _xoff.Scenario(result.scenario).workloads]
    host_of = result.topology.host_of
    for place, row in zip(np.flatnonzero(kept).tolist(), _rows(flows.filter(pa.array(kept))), strict=True):
        times = row["start_ns"], end_of_run if row["finish_ns"] is None else row["finish_ns"]
        details = {name: row[name] for name in _OF_FLOW}
        name = f"{row['of_job'] or row['flow']} to {row['destination']}"
        begin_here = (int(each) + 1 for each in after[first[place] : first[place + 1]])
        end_here = [place + 1] if before[place] != flow_order.NONE else []
        track = tracks.beside(times, "hosts", host_of(row["source"]), "flows")
        tracks.trace.add_slice(track, times, name, kinds[row["workload"]], details, (begin_here, end_here))
        yield


def _computing(tracks: _Tracks, result: Result, part: Part) -> Iterator[None]:
    rows = result.job_flows
    if rows is None:
        return
    delayed = rows.filter(pc.and_(pc.is_valid(rows["start_ns"]), pc.greater(rows["delay_ns"], 0)))
    begins = pc.subtract(delayed["start_ns"], delayed["delay_ns"])
    for row in _ordered(delayed.append_column("begin_ns", begins), "begin_ns"):
        times = row["begin_ns"], row["start_ns"]
        if part.overlaps(*times) and part.has_flow(f"{row['source']}.flow{row['number']}"):
            track = tracks.beside(times, "hosts", result.topology.host_of(row["source"]), "computes")
            tracks.trace.add_slice(track, times, f"before {row['flow']}", "computing", {"workload": row["workload"]})
            yield
    computed = rows.filter(pc.and_(pc.is_valid(rows["start_ns"]), pc.is_valid(rows["stream"])))
    for row in [] if part.flows else _ordered(computed, "start_ns"):
        times = row["start_ns"], result.summary["end_ns"] if row["finish_ns"] is None else row["finish_ns"]
        if part.overlaps(*times):
            host = result.topology.host_of(row["source"])
            track = tracks.beside(times, "hosts", host, f"stream {row['stream']}")
            tracks.trace.add_slice(track, times, row["flow"], "computing", {"workload": row["workload"]})
            yield


def _kept(flows: pa.Table, part: Part, end_of_run: int) -> npt.NDArray[np.bool_]:
    """Returns which flows are inside a part."""
    start, end = flows["start_ns"].to_numpy(), pc.fill_null(flows["finish_ns"], end_of_run).to_numpy()
    kept: npt.NDArray[np.bool_] = (start <= part.end_ns) & (end >= part.start_ns)
    if part.flows:
        kept &= np.fromiter(map(part.has_flow, flows["flow"].to_pylist()), np.bool_, flows.num_rows)
    return kept


def _collectives(tracks: _Tracks, result: Result, part: Part) -> Iterator[None]:
    operations = {one["workload"]: one["operation"] for one in result.summary.get("collectives", [])}
    for row in _ordered(result.collectives):
        times = row["start_ns"], row["finish_ns"]
        if part.overlaps(*times):
            name = f"{operations[row['workload']]} {row['iteration']}"
            track = tracks.beside(times, "collectives", f"workload {row['workload']}, group {row['group']}")
            details = {name: row[name] for name in ("last_host", "flows", "bus_bandwidth_gbps")}
            tracks.trace.add_slice(track, times, name, "collective", details)
            yield


def _queries(tracks: _Tracks, result: Result, part: Part) -> Iterator[None]:
    for row in _ordered(result.queries):
        times = row["start_ns"], row["finish_ns"]
        if part.overlaps(*times):
            track = tracks.beside(times, "queries", row["aggregator"])
            details = {name: row[name] for name in ("fan_in", "response_bytes", "timeouts")}
            tracks.trace.add_slice(track, times, f"query {row['query_id']}", "query", details)
            yield


def _pauses(tracks: _Tracks, result: Result, part: Part) -> Iterator[None]:
    end_of_run = round(result.summary["end_ns"])
    for row in _ordered(result.pauses):
        times = row["start_ns"], end_of_run if row["end_ns"] is None else row["end_ns"]
        if part.overlaps(*times) and part.has_port(row["paused_port"]):
            track = tracks.beside(times, "ports", row["paused_port"], f"paused, class {row['priority']}")
            details = {
                name: row[name]
                for name in ("reason", "xoff_ns", "ingress_bytes", "egress_port", "queue_bytes", "flows")
            }
            tracks.trace.add_slice(track, times, f"paused by {row['device']}", "pause", details)
            yield


def _drops(tracks: _Tracks, result: Result, part: Part) -> Iterator[None]:
    for row in _rows(result.drops):
        flow = f"{row['source']}.flow{row['number']}"
        if part.overlaps(row["time_ns"], row["time_ns"]) and part.has_port(row["port"]) and part.has_flow(flow):
            track = tracks.of("ports", row["port"], "drops")
            details = {"flow": flow} | {name: row[name] for name in ("kind", "priority", "sequence", "frame_bytes")}
            tracks.trace.add_instant(track, row["time_ns"], row["reason"], "drop", details)
            yield


def _series(tracks: _Tracks, result: Result, part: Part) -> Iterator[None]:
    known: dict[tuple[str, str, int], _Counter | None] = {}
    for batch in () if result.series is None else result.series.to_batches(max_chunksize=_MOST_ROWS):
        quantity, name = batch["quantity"], batch["name"]
        priority, times = batch["priority"].to_numpy(), batch["time_ns"].to_numpy()
        keys = np.stack((quantity.indices.to_numpy(), name.indices.to_numpy(), priority), axis=1)
        found, of_row = np.unique(keys, axis=0, return_inverse=True)
        rows = np.argsort(of_row.reshape(-1), kind="stable")
        bounds = np.searchsorted(of_row.reshape(-1)[rows], np.arange(len(found) + 1))
        for key, first, last in zip(found.tolist(), bounds[:-1], bounds[1:], strict=True):
            which = quantity.dictionary[key[0]].as_py(), name.dictionary[key[1]].as_py(), key[2]
            if which not in known:
                known[which] = _counter(tracks, result, part, *which)
            if (counter := known[which]) is not None:
                here = rows[first:last]
                counter.add(tracks.trace, part, times[here], batch["value"].to_numpy()[here])
                yield
    for counter in filter(None, known.values()):
        counter.begin(tracks.trace, part)
        yield


class _Counter:
    """A series on its track."""

    def __init__(self, track: int, *, summed: bool) -> None:
        self._track, self._summed = track, summed
        self._total = 0.0
        self._before: float | None = None

    def add(self, trace: Trace, part: Part, times_ns: npt.NDArray[np.int64], values: npt.NDArray[np.float64]) -> None:
        """Adds the next values, as far as they are in the part's time."""
        if self._summed:
            values = self._total + np.cumsum(values)
            self._total = float(values[-1])
        before = np.flatnonzero(times_ns < part.start_ns)
        if len(before):
            self._before = float(values[before[-1]])
        inside = (times_ns >= part.start_ns) & (times_ns <= part.end_ns)
        trace.add_values(self._track, times_ns[inside], values[inside])

    def begin(self, trace: Trace, part: Part) -> None:
        """Adds the value with which the part's time begins."""
        if self._before is not None:
            trace.add_values(self._track, np.array([ceil(part.start_ns)]), np.array([self._before]))


def _counter(tracks: _Tracks, result: Result, part: Part, quantity: str, name: str, priority: int) -> _Counter | None:
    """Returns the counter of a series, or None for one that is left out."""
    track = _track_of(tracks, result, part, quantity, name, priority)
    return None if track is None else _Counter(track, summed=quantity in _SUMMED)


def _track_of(tracks: _Tracks, result: Result, part: Part, quantity: str, name: str, priority: int) -> int | None:
    unit = _UNITS.get(quantity, "")
    what = quantity.replace("_", " ") + (f", class {priority}" if quantity in _OF_CLASSES else "")
    if quantity == "pool":
        return tracks.of("pools", name, unit=unit)
    if quantity in _OF_FLOWS:
        host = result.topology.host_of(name.rpartition(".flow")[0])
        return tracks.of("hosts", host, f"{what} of {name}", unit=unit) if part.has_flow(name) else None
    port, _, flow = name.partition("/")
    if not part.has_port(port) or (flow and not part.has_flow(flow)):
        return None
    return tracks.of("ports", port, f"{what} of {flow}" if flow else what, unit=unit)


def _rows(table: pa.Table | None) -> Iterator[dict[str, Any]]:
    """Yields the rows of a table, a part of it in memory at a time."""
    for batch in () if table is None else table.to_batches(max_chunksize=_MOST_ROWS):
        yield from batch.to_pylist()


def _ordered(table: pa.Table | None, by: str = "start_ns") -> Iterable[dict[str, Any]]:
    """Yields the rows of a table in order of a time."""
    return () if table is None else _rows(table.sort_by(by))
