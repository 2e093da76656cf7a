"""Data of the figures in which a reader of a report zooms and hovers, as the page's script takes them."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from xoff.plot import over_time, style
from xoff.plot.completion import MOST_WORKLOADS
from xoff.plot.pauses import bars_of_ports
from xoff.results.summary import CLASSES, counted
from xoff.results.table import class_labels, workload_names

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from xoff.results.result import Result

_POINTS = 4000
"""Most points of a line: enough to zoom in about four times as far as a static figure shows."""
_MOST_BARS = 20_000
"""Most pauses; a page with more would be slow."""
_LEAST_FLOWS, _MOST_FLOWS, _SLOWEST_FLOWS = 2, 4000, 1000
"""Fewest and most flows with a point each, and how many of these are the slowest of all."""
_SIGNIFICANT = 6


class Flows(NamedTuple):
    """Flows with a point each, as JSON."""

    text: str
    by_size: bool
    """Whether points stand at the sizes of their flows; at their starts if all flows have one size."""
    shown: int
    of: int
    slowest: int
    """Number of flows that are shown because none is slower."""


def lines(result: Result, quantity: str) -> str:
    """Returns the lines of an observed quantity as JSON."""
    shown = over_time.shown(result, quantity, _POINTS)
    return _json(
        {
            "end": _end_us(result),
            "units": shown.units,
            "names": shown.names,
            "drawstyle": shown.drawstyle,
            "dots": shown.is_dots,
            "lines": [
                {"label": line.label, "times": _numbers(line.time_us, 10), "values": _numbers(line.value, _SIGNIFICANT)}
                for line in shown.lines
            ],
        }
    )


def pauses(result: Result) -> str | None:
    """Returns the pauses of the ports that were paused longest as JSON; None if there are too many."""
    rows = bars_of_ports(result)
    if sum(map(len, rows.values())) > _MOST_BARS:
        return None
    return _json({"end": _end_us(result), "rows": [{"label": name, "bars": bars} for name, bars in rows.items()]})


def flows(result: Result) -> Flows | None:
    """Returns the finished flows of the measured time, or some of them if there are too many; None for fewer than 2."""
    slowdowns = counted(result.flow_rows, "slowdown")
    if len(slowdowns) < _LEAST_FLOWS:
        return None
    rows = _rows(result, chosen_flows(slowdowns))
    sizes = rows["size_bytes"].to_numpy()
    by_size = bool(sizes.min() != sizes.max())
    rows = rows.take(np.argsort(sizes if by_size else rows["start_ns"].to_numpy(), kind="stable"))
    source, destination = rows["source"].to_pylist(), rows["destination"].to_pylist()
    hosts = {host: place for place, host in enumerate(dict.fromkeys([*source, *destination]))}
    groups, group = _groups(result, rows)
    told = {
        "along": "size" if by_size else "start",
        "groups": [{"label": label, "colour": colour} for colour, label in groups.items()],
        "group": [list(groups).index(each) for each in group.tolist()],
        "hosts": list(hosts),
        "source": [hosts[host] for host in source],
        "destination": [hosts[host] for host in destination],
        "number": rows["number"].to_pylist(),
        "size": rows["size_bytes"].to_pylist(),
        "start": _numbers(rows["start_ns"].to_numpy() / 1000, 10),
        "fct": _numbers(rows["fct_ns"].to_numpy() / 1000, _SIGNIFICANT),
        "slowdown": _numbers(rows["slowdown"].to_numpy(), _SIGNIFICANT),
    }
    return Flows(_json(told), by_size, len(rows), len(slowdowns), min(_SLOWEST_FLOWS, len(rows)))


def chosen_flows(slowdowns: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Returns the places of all flows, or of the slowest and of others, evenly from the fastest to the slowest."""
    count = len(slowdowns)
    if count <= _MOST_FLOWS:
        return np.arange(count)
    fastest_first = np.argsort(slowdowns, kind="stable")
    others = np.linspace(0, count - _SLOWEST_FLOWS - 1, _MOST_FLOWS - _SLOWEST_FLOWS).astype(np.int64)
    return np.concatenate([fastest_first[others], fastest_first[count - _SLOWEST_FLOWS :]])


def _rows(result: Result, places: npt.NDArray[np.int64]) -> pa.Table:
    """Returns some of the flows that count."""
    measured = result.flow_rows.select(["measured"])["measured"].to_numpy()
    ends = ["source", "destination", "number", "workload"]
    columns = result.flow_rows.select([*ends, "size_bytes", "start_ns", "fct_ns", "slowdown"])
    return columns.take(np.flatnonzero(measured)[places])


def _groups(result: Result, rows: pa.Table) -> tuple[dict[int, str], npt.NDArray[np.int64]]:
    """Returns the groups that tell flows apart, by the number of their colour, and the group of each flow.

    They are the workloads if there are several, but not too many for colours; else the size classes.
    """
    names = workload_names(result.summary)
    if 1 < len(names) <= MOST_WORKLOADS:
        return dict(enumerate(names)), rows["workload"].to_numpy()
    limits = result.summary["size_classes_bytes"]
    labels = class_labels(limits)
    group = np.digitize(rows["size_bytes"].to_numpy(), limits)
    return {int(number): labels[CLASSES[1 + number]] for number in np.unique(group)}, group


def script() -> dict[str, str]:
    """Returns the library with its licence and styles, our script, and the colours of lines."""
    here = resources.files("xoff.report")
    files = {
        "licence": "uplot/LICENSE",
        "library": "uplot/uPlot.iife.min.js",
        "styles": "uplot/uPlot.min.css",
        "own": "explore.js",
    }
    found = {name: here.joinpath(file).read_text(encoding="utf-8") for name, file in files.items()}
    return found | {"palette": _json(style.COLOURS)}


def _end_us(result: Result) -> float:
    end_ns: float = result.summary["end_ns"]
    return end_ns / 1000


def _numbers(values: np.ndarray, digits: int) -> list[float]:
    """Returns numbers with some significant digits, whole ones without a point."""
    rounded = (float(f"{value:.{digits}g}") for value in values.tolist())
    return [int(value) if value.is_integer() else value for value in rounded]


def _json(value: Any) -> str:  # noqa: ANN401 as json
    """Returns JSON that cannot end the element of a page in which it stands."""
    return json.dumps(value, separators=(",", ":")).replace("<", r"\u003c")
