"""Statistics of recorded series over the measured time, which studies can compare and sweep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from xoff.results.summary import quantile
from xoff.text import toml_text

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

_UNITS = {
    **dict.fromkeys(("queue", "pool", "input", "window", "threshold"), ("bytes", 1.0)),
    **dict.fromkeys(("throughput", "class_throughput", "flow_throughput", "rate"), ("gbps", 1e9)),
    "alpha": ("", 1.0),
    "rtt": ("us", 1e3),
}
"""Unit in the keys of each quantity, empty for a share, and how many units of the series make one of it."""
STATISTICS = ("mean", "p50", "p99", "max")

_Statistics: TypeAlias = "dict[str, float | None]"
_NOTHING: _Statistics = dict.fromkeys(STATISTICS)


def summarise(series: pa.Table | None, scenario: str, measured: dict[str, Any]) -> dict[str, float | None]:
    """Returns statistics of each recorded quantity, over all names and classes; None for quantities not recorded.

    Args:
        series: A table with the columns of `series.parquet`; None if nothing was recorded.
        scenario: The resolved scenario, in TOML.
        measured: From `start_ns` to before `end_ns`.
    """
    of_each: dict[str, _Statistics] = dict.fromkeys(_UNITS, _NOTHING)
    if series is not None:
        import pyarrow.compute as pc  # which takes 50 ms, where nothing was recorded for nothing

        observe = toml_text.parse(scenario)["observe"]
        for quantity in _UNITS.keys() & set(pc.unique(series["quantity"]).to_pylist()):
            rows = series.filter(pc.equal(series["quantity"], quantity))
            of_each[quantity] = _of(quantity, rows, observe, measured["start_ns"], measured["end_ns"])
    return {
        _key(quantity, name, unit): None if value is None else value / scale
        for quantity, (unit, scale) in _UNITS.items()
        for name, value in of_each[quantity].items()
    }


def observed_in(summary: dict[str, Any]) -> list[tuple[str, str, dict[str, float]]]:
    """Returns each observed quantity of a summary with its unit and its statistics."""
    found = summary.get("observed", {})  # summaries of before have none
    return [
        (name, unit, {statistic: found[_key(name, statistic, unit)] for statistic in STATISTICS})
        for name, (unit, _) in _UNITS.items()
        if found.get(_key(name, "mean", unit)) is not None
    ]


def is_measured(quantity: str, time_ns: npt.NDArray[np.int64], start_ns: int, end_ns: int) -> npt.NDArray[np.bool_]:
    """Returns whether each sample of a quantity is in the measured time, given the times of the samples."""
    earlier = 1 if quantity.endswith("throughput") else 0  # it is of the time before its sample
    return np.asarray((time_ns >= start_ns + earlier) & (time_ns < end_ns + earlier))


def _key(quantity: str, statistic: str, unit: str) -> str:
    return "_".join(filter(None, (quantity, statistic, unit)))


def _of(quantity: str, rows: pa.Table, observe: dict[str, Any], start_ns: int, end_ns: int) -> _Statistics:
    if observe.get(f"{quantity}s", {}).get("every") == "change":  # of which there are queues, windows and rates
        return _over_time(rows, start_ns, end_ns) if quantity == "queue" else _NOTHING
    return _of_samples(rows, is_measured(quantity, rows["time_ns"].to_numpy(), start_ns, end_ns))


def _of_samples(rows: pa.Table, is_measured: npt.NDArray[np.bool_]) -> _Statistics:
    """Returns statistics of the samples in the measured time, with equal weights."""
    value = np.sort(rows["value"].to_numpy()[is_measured])
    if not len(value):
        return _NOTHING
    found = (float(value.mean()), quantile(value, 50), quantile(value, 99), float(value[-1]))
    return dict(zip(STATISTICS, found, strict=True))


def _over_time(rows: pa.Table, start_ns: int, end_ns: int) -> _Statistics:
    """Returns statistics of lengths recorded on change, weighted by their duration; queues begin empty."""
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


def _weighted(value: npt.NDArray[np.float64], weight: npt.NDArray[np.int64]) -> _Statistics:
    if not len(value):
        return _NOTHING
    order = np.argsort(value, kind="stable")
    value, until = value[order], np.cumsum(weight[order])
    p50, p99 = (float(value[np.searchsorted(until, share * until[-1], side="right")]) for share in (0.5, 0.99))
    mean = float((value * weight[order]).sum() / until[-1])
    return dict(zip(STATISTICS, (mean, p50, p99, float(value[-1])), strict=True))
