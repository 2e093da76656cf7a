"""What was recorded over time, summed up over the measured time: numbers that can be compared and swept."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from xoff.summary import quantile

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

IN_BYTES = ("queue", "pool", "input", "window")
IN_BITS_PER_SECOND = ("throughput", "class_throughput", "flow_throughput", "rate")
STATISTICS = ("mean", "p50", "p99", "max")

_NOTHING = dict.fromkeys(STATISTICS)


def summarise(series: pa.Table | None, scenario: str, measured: dict[str, Any]) -> dict[str, float | None]:
    """Statistics of all that was recorded of each quantity, names and classes together; None of what was not.

    Args:
        series: A table with the columns of `series.parquet`; None if nothing was recorded.
        scenario: The resolved scenario, in TOML.
        measured: From `start_ns` to before `end_ns`.
    """
    observe = tomllib.loads(scenario).get("observe", {})
    queues_on_change = "queues" in observe and observe["queues"]["every"] == "change"
    span = (measured["start_ns"], measured["end_ns"])
    found: dict[str, float | None] = {}
    for quantity in (*IN_BYTES, *IN_BITS_PER_SECOND):
        rows = None if series is None else series.filter(pc.equal(series["quantity"], quantity))
        statistics: dict[str, Any] = _NOTHING
        if rows is not None and rows.num_rows:
            if quantity == "queue" and queues_on_change:
                statistics = _over_time(rows, *span)
            elif not _is_of_changes(observe, quantity):
                # A throughput is of the time before its sample.
                earlier = 1 if quantity.endswith("throughput") else 0
                statistics = _of_samples(rows, span[0] + earlier, span[1] + earlier)
        unit, scale = ("bytes", 1) if quantity in IN_BYTES else ("gbps", 1e9)
        for name, value in statistics.items():
            found[f"{quantity}_{name}_{unit}"] = None if value is None else value / scale
    return found


def observed_in(summary: dict[str, Any]) -> list[tuple[str, str, dict[str, float]]]:
    """Of a summary: each quantity that was observed, the end of its keys, and its statistics."""
    found = summary.get("observed", {})  # summaries of before have none
    quantities = [(name, "bytes") for name in IN_BYTES] + [(name, "gbps") for name in IN_BITS_PER_SECOND]
    return [
        (name, unit, {statistic: found[f"{name}_{statistic}_{unit}"] for statistic in STATISTICS})
        for name, unit in quantities
        if found.get(f"{name}_mean_{unit}") is not None
    ]


def _is_of_changes(observe: dict[str, Any], quantity: str) -> bool:
    return bool(observe.get(f"{quantity}s", {}).get("every") == "change")


def _of_samples(rows: pa.Table, start_ns: int, end_ns: int) -> dict[str, float | None]:
    """Of samples in the measured time, each of which counts alike."""
    time_ns = rows["time_ns"].to_numpy()
    value = np.sort(rows["value"].to_numpy()[(time_ns >= start_ns) & (time_ns < end_ns)])
    if not len(value):
        return _NOTHING
    found = (float(value.mean()), quantile(value, 50), quantile(value, 99), float(value[-1]))
    return dict(zip(STATISTICS, found, strict=True))


def _over_time(rows: pa.Table, start_ns: int, end_ns: int) -> dict[str, float | None]:
    """Of lengths that were recorded on change, each as long as it lasted; a queue is empty until its first."""
    name = rows["name"].combine_chunks().dictionary_encode().indices.to_numpy()
    queue = name.astype(np.int64) * 256 + rows["priority"].to_numpy()
    time_ns, value = rows["time_ns"].to_numpy(), rows["value"].to_numpy()
    order = np.lexsort((np.arange(len(queue)), queue))
    queue, time_ns, value = queue[order], time_ns[order], value[order]
    is_last = np.append(queue[1:] != queue[:-1], True)
    until_ns = np.where(is_last, end_ns, np.append(time_ns[1:], 0))
    lasted = until_ns.clip(start_ns, end_ns) - time_ns.clip(start_ns, end_ns)
    first_ns = time_ns[np.append(True, is_last[:-1])].clip(start_ns, end_ns)
    value, lasted = np.append(value, 0.0), np.append(lasted, (first_ns - start_ns).sum())
    return _weighted(value[lasted > 0], lasted[lasted > 0])


def _weighted(value: npt.NDArray[np.float64], weight: npt.NDArray[np.int64]) -> dict[str, float | None]:
    if not len(value):
        return _NOTHING
    order = np.argsort(value, kind="stable")
    value, until = value[order], np.cumsum(weight[order])
    p50, p99 = (float(value[np.searchsorted(until, share * until[-1], side="right")]) for share in (0.5, 0.99))
    mean = float((value * weight[order]).sum() / until[-1])
    return dict(zip(STATISTICS, (mean, p50, p99, float(value[-1])), strict=True))
