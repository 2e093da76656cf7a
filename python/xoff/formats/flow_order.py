"""Flows of a run in order of start, and which of them waited for which."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xoff import _xoff
from xoff.results.columns import flow_names

if TYPE_CHECKING:
    import numpy.typing as npt

    from xoff.results.result import Result

_COLUMNS = ("source", "destination", "number", "priority", "transport", "workload", "size_bytes", "start_ns")
_REPAIRS = ("retransmitted_bytes", "timeouts")
_OF_FINISHED = ("received_ns", "finish_ns", "fct_ns", "slowdown")
_NAMES = ("source", "destination", "transport")
NONE = -1
"""Stands for the flow before one that waited for none."""
_TIME_BITS = 41
"""Bits of a time in nanoseconds, of which a run has fewer."""
_MOST_HOSTS = np.int64(1 << 32)
"""Bound on the hosts of a workload."""


def in_order(result: Result) -> pa.Table:
    """Returns all flows in order of start, with their names in `flow`.

    Unfinished ones have nulls in the columns that only finished ones have. Flows of jobs have their names there in
    `of_job`.
    """
    rows = result.flow_rows.select([*_COLUMNS, *_OF_FINISHED, *_REPAIRS])
    if result.unfinished is not None:
        unfinished = result.unfinished.select([*_COLUMNS, *_REPAIRS])
        rows = pa.concat_tables([rows, unfinished], promote_options="default").unify_dictionaries()
    rows = rows.combine_chunks()
    rows = rows.take(pc.sort_indices(rows, sort_keys=[("start_ns", "ascending"), ("finish_ns", "ascending")]))
    rows = rows.append_column("flow", flow_names(rows))
    of_jobs = _begun(result)
    if of_jobs is None:
        return rows.append_column("of_job", pa.nulls(rows.num_rows, pa.string()))
    places = pc.index_in(rows["flow"], value_set=flow_names(of_jobs).combine_chunks())
    return rows.append_column("of_job", of_jobs["flow"].cast(pa.string()).take(places))


def waited_for(result: Result, flows: pa.Table) -> npt.NDArray[np.int64]:
    """Returns for each flow of `in_order` the position of the one that it waited for, or -1.

    A flow of a job waited for the one that was done last. A step of a collective began as a flow of the step before
    came to its source. If none came then, it began as a flow that its source had sent was acknowledged.
    """
    before = np.full(flows.num_rows, NONE, dtype=np.int64)
    collectives = [
        place for place, (kind, _) in enumerate(_xoff.Scenario(result.scenario).workloads) if kind == "collective"
    ]
    if collectives:
        of_collectives = np.isin(flows["workload"].to_numpy(), collectives)
        _add_steps(result, flows, np.flatnonzero(of_collectives), before)
    of_jobs = _begun(result)
    if of_jobs is not None:
        _add_jobs(flows, of_jobs, before)
    return before


def _begun(result: Result) -> pa.Table | None:
    """Returns the operations of jobs that had begun."""
    rows = result.job_flows
    return None if rows is None else rows.filter(pc.is_valid(rows["start_ns"])).combine_chunks()


def _add_steps(result: Result, flows: pa.Table, places: npt.NDArray[np.int64], before: npt.NDArray[np.int64]) -> None:
    rows = flows.take(pa.array(places))
    host_of = result.topology.host_of
    hosts: dict[str, int] = {}

    def at(name: str) -> npt.NDArray[np.int64]:
        """Returns a number for each workload and host."""
        column = rows[name].combine_chunks()
        adapters = map(host_of, column.dictionary.to_pylist())
        numbers = np.array([hosts.setdefault(host, len(hosts)) for host in adapters], dtype=np.int64)
        found: npt.NDArray[np.int64] = rows["workload"].to_numpy() * _MOST_HOSTS + numbers[column.indices.to_numpy()]
        return found

    places_of_hosts = np.unique(np.concatenate([at("source"), at("destination")]), return_inverse=True)[1]
    sources, destinations = places_of_hosts.reshape(2, -1).astype(np.int64) << _TIME_BITS
    began = sources | rows["start_ns"].to_numpy()
    for host, time in ((sources, "finish_ns"), (destinations, "received_ns")):
        ends = host | pc.fill_null(rows[time], NONE).to_numpy()  # and NONE where the time has not come
        order = np.argsort(ends, kind="stable")
        found = np.minimum(np.searchsorted(ends[order], began), len(order) - 1)
        is_there = ends[order][found] == began
        before[places[is_there]] = places[order[found[is_there]]]


def _add_jobs(flows: pa.Table, of_jobs: pa.Table, before: npt.NDArray[np.int64]) -> None:
    def within(name: str) -> pa.ChunkedArray:
        """Returns names of operations with their workloads, since two jobs may name theirs alike."""
        return pc.binary_join_element_wise(of_jobs["workload"].cast(pa.string()), of_jobs[name].cast(pa.string()), " ")

    names = within("flow").combine_chunks()
    earlier = pc.fill_null(pc.index_in(within("waited_for"), value_set=names), NONE).to_numpy().astype(np.int64)
    is_flow = of_jobs["number"].is_valid().to_numpy()
    # Computations and joins are no flows: the flow before them is, found twice as far back each time.
    while (between := (earlier != NONE) & ~is_flow[earlier]).any():
        earlier[between] = earlier[earlier[between]]
    follows = np.flatnonzero(is_flow & (earlier != NONE))
    known = flows["flow"].combine_chunks()
    place, place_before = (
        pc.index_in(flow_names(of_jobs.take(pa.array(rows))), value_set=known).to_numpy(zero_copy_only=False)
        for rows in (follows, earlier[follows])
    )
    before[place] = place_before
