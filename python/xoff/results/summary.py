"""The numbers of a run: what `summary.json` holds.

Every key, its unit and its meaning stand in docs/summary.md; `SCHEMA_VERSION` rises when one changes.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from xoff.results.columns import FlowRows

    Members = Callable[[], npt.NDArray[np.bool_]]
    _Numbers = dict[str, float | int | None]

Summary = dict[str, Any]
"""Nested dictionaries of numbers, text and None; None where there is nothing to count."""

SCHEMA_VERSION = 1

CLASSES = ("all", "small", "medium", "large")

_PERCENTILES = {"p50": 50, "p95": 95, "p99": 99, "p999": 99.9}
"""Percentiles of completion times and slowdowns, by the names in their keys."""


def summarise(
    flows: FlowRows | pa.Table,
    unfinished: pa.Table | None,
    totals: dict[str, Any],
    pathologies: dict[str, Any],
    size_classes: Sequence[int],
    engine: dict[str, Any],
) -> Summary:
    """Returns everything that `summary.json` holds about flows and the network.

    Args:
        flows: A table with the columns of `flows.parquet`.
        unfinished: A table with those of `unfinished.parquet`; None if there is none.
        totals: The simulator's counters.
        pathologies: Deadlocks, storms, interventions of watchdogs, and whether the run was too long.
        size_classes: Bytes at which small ends and medium ends.
        engine: `cpu_seconds`, `wall_seconds`, `added_rss_mb` and `threads`, which join the engine's counters.
    """
    packets, hops, measured = totals["packets"], totals["packet_hops"], totals["measured"]
    measured_ns = measured["end_ns"] - measured["start_ns"]
    return {
        "end_ns": totals["end_ns"],
        "measured": {
            "start_ns": measured["start_ns"],
            "end_ns": measured["end_ns"],
            "unfinished": int(unfinished["measured"].to_numpy().sum()) if unfinished else 0,
        },
        "flows": {
            **flow_classes(flows, size_classes),
            "started": totals["flows_started"],
            "unfinished": totals["flows_unfinished"],
            **_without_row(totals),
            "timeouts": totals["timeouts"],
            **of_unfinished(unfinished),
        },
        "packets": packets,
        "loss_rate": packets["dropped"] / packets["sent"] if packets["sent"] else 0.0,
        "goodput_gbps": measured["payload_delivered_bytes"] * 8 / measured_ns if measured_ns else 0.0,
        "pfc": {
            "pause_frames": totals["pfc"]["pause_frames"],
            "resume_frames": totals["pfc"]["resume_frames"],
            "paused_us": totals["pfc"]["paused_ns"] / 1000,
            "longest_pause_us": totals["pfc"]["longest_pause_ns"] / 1000,
            "off_us": totals["pfc"]["off_ns"] / 1000,
            "off_port_as_one_us": totals["pfc"]["off_port_as_one_ns"] / 1000,
            "headroom_peak_bytes": totals["pfc"]["headroom_peak_bytes"],
            "storms": totals["pfc"]["storms"],
            "interventions": totals["pfc"]["interventions"],
        },
        "qcn": totals["qcn"],
        "spraying": totals["spraying"],
        "buffer": totals["buffer"],
        "deadlock": bool(pathologies["deadlock"]),
        "deadlock_cycle": pathologies["deadlock"],
        "stuck_queues": pathologies["stuck_queues"],
        "stood_still": pathologies["stood_still"],
        "reached_time_limit": pathologies["reached_time_limit"],
        "recorded_until_ns": totals["recorded_until_ns"],
        "storms": pathologies["storms"],
        "watchdog": pathologies["watchdog"],
        "engine": {
            "events": totals["events"],
            "packet_hops": hops,
            **engine,
            "ns_per_packet_hop": engine["cpu_seconds"] * 1e9 / hops if hops else None,
        },
    }


def _without_row(totals: dict[str, Any]) -> dict[str, int]:
    """Returns the number of finished flows without a row, where there are any."""
    count = totals.get("flows_without_row", 0)
    return {"without_row": count} if count else {}


def of_unfinished(unfinished: pa.Table | None) -> dict[str, Any]:
    """Returns goodputs of unfinished flows over the measured time, and Jain's index of those without end.

    Args:
        unfinished: A table with the columns of `unfinished.parquet`; None if there is none.
    """
    unfinished = unfinished.filter(unfinished["goodput_gbps"].is_valid()) if unfinished else None
    goodput_gbps = unfinished["goodput_gbps"].to_numpy() if unfinished else np.empty(0)
    endless = goodput_gbps[unfinished["size_bytes"].is_null().to_numpy()] if unfinished else goodput_gbps
    squares = len(endless) * float((endless**2).sum())
    return {
        "unfinished_goodput_min_gbps": float(goodput_gbps.min()) if len(goodput_gbps) else None,
        "unfinished_goodput_mean_gbps": _mean(goodput_gbps),
        "unfinished_goodput_max_gbps": float(goodput_gbps.max()) if len(goodput_gbps) else None,
        "long_lived_jain_index": float(endless.sum()) ** 2 / squares if len(endless) > 1 and squares else None,
    }


def flow_classes(flows: FlowRows | pa.Table, size_classes: Sequence[int]) -> dict[str, Any]:
    """Returns completion times and slowdowns of all, small, medium and large flows, of those that count (`counted`).

    Args:
        flows: A table with the columns of `flows.parquet`.
        size_classes: Bytes at which small ends and medium ends; a flow of just that size is in the next class.
    """
    return _of_each(members_of(counted(flows, "size_bytes"), size_classes), flows)


def of_workloads(
    flows: FlowRows | pa.Table,
    unfinished: pa.Table | None,
    workloads: Sequence[tuple[str, str]],
    of_all: dict[str, Any],
) -> list[dict[str, Any]]:
    """Returns completion times and slowdowns of each workload's flows; those of queries are requests and responses.

    Args:
        flows: A table with the columns of `flows.parquet`.
        unfinished: A table with the columns of `unfinished.parquet`; None if there is none.
        workloads: Kind and transport of each, in the order of the scenario.
        of_all: The numbers of all flows, which are those of a single workload.
    """
    told = [
        {"kind": kind, "transport": transport} | _unfinished_of(unfinished, index)
        for index, (kind, transport) in enumerate(workloads)
    ]
    if len(told) == 1:
        return [told[0] | of_all]
    workload = counted(flows, "workload")
    numbers = _of_each({index: partial(np.equal, workload, index) for index in range(len(told))}, flows)
    return [one | numbers[index] for index, one in enumerate(told)]


def _unfinished_of(unfinished: pa.Table | None, workload: int) -> dict[str, Any]:
    own = None if unfinished is None else unfinished.filter(pa.array(unfinished["workload"].to_numpy() == workload))
    return {"unfinished": own.num_rows if own else 0} | of_unfinished(own or None)


def of_queries(queries: pa.Table | None, totals: dict[str, int]) -> dict[str, Any]:
    """Returns counters of queries, their completion times, and the share of complete queries with a timeout.

    Args:
        queries: A table with the columns of `queries.parquet`; None if there are none.
        totals: The counters.
    """
    queries = queries.filter(queries["measured"]) if queries else None
    completion_us = np.sort(queries["completion_ns"].to_numpy() / 1000) if queries else np.empty(0)
    timeouts = queries["timeouts"].to_numpy() if queries else np.empty(0)
    return {
        **totals,
        "completion_mean_us": _mean(completion_us),
        "completion_p50_us": quantile(completion_us, 50),
        "completion_p95_us": quantile(completion_us, 95),
        "completion_p99_us": quantile(completion_us, 99),
        "timeout_fraction": float((timeouts > 0).mean()) if len(timeouts) else None,
    }


def of_collectives(collectives: pa.Table | None, totals: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns counters, completion times and bus bandwidths of each workload of collectives.

    Args:
        collectives: A table with the columns of `collectives.parquet`; None if none is complete.
        totals: The counters of each workload of collectives, with its position in the scenario as `workload`.
    """
    collectives = collectives.filter(collectives["measured"]) if collectives else None
    workload = collectives["workload"].to_numpy() if collectives else np.empty(0)
    found = []
    for of_workload in totals:
        members = workload == of_workload["workload"]
        completion_us, bandwidth, elapsed_us = np.empty(0), np.empty(0), None
        if collectives:
            elapsed_us = _time_of_each(collectives.take(np.flatnonzero(members)))
            completion_us = np.sort(collectives["completion_ns"].to_numpy()[members] / 1000)
            bandwidth = collectives["bus_bandwidth_gbps"].to_numpy()[members]
        found.append(
            {
                **of_workload,
                "completion_mean_us": _mean(completion_us),
                "completion_p50_us": quantile(completion_us, 50),
                "completion_p99_us": quantile(completion_us, 99),
                "completion_max_us": float(completion_us[-1]) if len(completion_us) else None,
                "iteration_mean_us": elapsed_us,
                "bus_bandwidth_mean_gbps": _mean(bandwidth),
                "bus_bandwidth_min_gbps": float(bandwidth.min()) if len(bandwidth) else None,
            }
        )
    return found


def _time_of_each(collectives: pa.Table) -> float | None:
    """Returns the mean time of an iteration: per group, first start to last end, over its number of collectives."""
    ends = [("start_ns", "min"), ("finish_ns", "max"), ("start_ns", "count")]
    groups = collectives.group_by("group").aggregate(ends).to_pylist()
    times = [(row["finish_ns_max"] - row["start_ns_min"]) / row["start_ns_count"] / 1000 for row in groups]
    return _mean(np.array(times))


def of_jobs(totals: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the counters of each job, with times in microseconds; None for the completion of an incomplete job."""
    times = {"computing_ns": "computing_us", "completion_ns": "completion_us"}
    return [
        {times.get(key, key): number / 1000 if key in times and number else number for key, number in of_job.items()}
        for of_job in totals
    ]


def counted(flows: FlowRows | pa.Table, name: str) -> npt.NDArray[Any]:
    """Returns a column of the flows that count: started in the measured time and finished before the stop."""
    measured, column = _array(flows, "measured"), _array(flows, name)
    return column if measured.all() else column[measured]


def _array(flows: FlowRows | pa.Table, name: str) -> npt.NDArray[Any]:
    column = flows.select([name])[name]
    chunk = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    array: npt.NDArray[Any] = chunk.to_numpy(zero_copy_only=False)  # a table's column would be copied
    return array


def members_of(size: npt.NDArray[np.int64], size_classes: Sequence[int]) -> dict[str, Members]:
    """Returns for each of `CLASSES` a function that says which sizes (bytes, one per flow) belong to it."""
    place = np.digitize(size, size_classes).astype(np.uint8)  # a run may have millions of flows
    classes: dict[str, Members] = {"all": lambda: np.ones(len(place), bool)}
    return classes | {name: partial(np.equal, place, index) for index, name in enumerate(CLASSES[1:])}


def value_at(summary: Summary, path: str) -> float | None:
    """Returns the number at a path such as `workloads[1].fct_p99_us`; None if the list is too short or the number null.

    Raises KeyError for an unknown key, and TypeError or ValueError for a value that is no number.
    """
    found: Any = summary
    for key in path.split("."):
        name, _, position = key.removesuffix("]").partition("[")
        found = found[name]
        if position:
            if int(position) >= len(found):
                return None
            found = found[int(position)]
    return None if found is None else float(found)


def quantile(ordered: npt.NDArray[Any], percent: float) -> float | None:
    """Returns element floor(p n / 100) of n ordered values, for p below 100 in steps of 0.1; None for no values."""
    if not len(ordered):
        return None
    return float(ordered[round(10 * percent) * len(ordered) // 1000])


def ordered_members(values: npt.NDArray[Any], members: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns the members' values in order; `members` is a mask or positions. Makes one copy and no other."""
    chosen: npt.NDArray[Any] = values[members]
    chosen.sort()
    return chosen


def _of_each(groups: dict[Any, Members], flows: FlowRows | pa.Table) -> dict[Any, _Numbers]:
    # One column at a time, because a run may have millions of flows.
    fct_us = counted(flows, "fct_ns") / 1000
    times = {name: _times(ordered_members(fct_us, members())) for name, members in groups.items()}
    del fct_us
    slowdown = counted(flows, "slowdown")
    return {name: times[name] | _slowdowns(ordered_members(slowdown, members())) for name, members in groups.items()}


def _times(fct_us: npt.NDArray[Any]) -> _Numbers:
    return {
        "count": len(fct_us),
        "fct_mean_us": _mean(fct_us),
        **{f"fct_{name}_us": quantile(fct_us, percent) for name, percent in _PERCENTILES.items()},
    }


def _slowdowns(slowdown: npt.NDArray[Any]) -> _Numbers:
    return {
        "slowdown_mean": _mean(slowdown),
        **{f"slowdown_{name}": quantile(slowdown, percent) for name, percent in _PERCENTILES.items()},
    }


def _mean(values: npt.NDArray[Any]) -> float | None:
    return math.fsum(values) / len(values) if len(values) else None
