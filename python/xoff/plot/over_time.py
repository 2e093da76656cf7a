"""What was observed, against time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow.compute as pc
from matplotlib.ticker import MaxNLocator

from xoff.plot import style

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff.result import Result

MOST_LINES = 8
POINTS = 1000  # per line: the extremes of as many stretches as a figure in a report is wide


class _Axis(NamedTuple):
    label: str
    units: tuple[str, ...]


_RATE_UNITS = ("bps", "kbps", "Mbps", "Gbps", "Tbps")
_AXES = {
    "queue": _Axis("queue", style.SIZE_UNITS),
    "pool": _Axis("pool", style.SIZE_UNITS),
    "throughput": _Axis("throughput", _RATE_UNITS),
    "window": _Axis("window", style.SIZE_UNITS),
    "rate": _Axis("rate", _RATE_UNITS),
    "marks": _Axis("packets marked", ("",)),
    "drops": _Axis("packets dropped", ("",)),
}


class Line(NamedTuple):
    """One thing over time."""

    label: str
    time_us: np.ndarray
    value: np.ndarray


def quantities(result: Result) -> list[str]:
    """What was observed, in the order of first appearance."""
    return [] if result.series is None else pc.unique(result.series["quantity"]).to_pylist()


def lines_of(result: Result, quantity: str, names: list[str] | None = None) -> list[Line]:
    """One line for each name and priority, the highest peak first. Raises ValueError if there is none."""
    if result.series is None or quantity not in quantities(result):
        message = f"{quantity} was not observed; the scenario's [observe] says what is recorded"
        raise ValueError(message)
    lines = _split(result.series.filter(pc.equal(result.series["quantity"], quantity)), names)
    return sorted(lines, key=lambda line: -line.value.max(initial=0))


def draw(result: Result, quantity: str, ax: Axes, names: list[str] | None = None) -> Axes:
    """At most eight lines, the highest peaks first; the legend says how many there are."""
    lines = lines_of(result, quantity, names)
    axis = _AXES.get(quantity, _Axis(quantity, ("",)))
    for line in lines[:MOST_LINES]:
        time_us, value = thinned(line)
        ax.plot(time_us, value, label=line.label, drawstyle="steps-post", linewidth=1.1)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_locator(MaxNLocator(6))
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_formatter(style.ticks(style.TIME_UNITS))
    ax.yaxis.set_major_formatter(style.ticks(axis.units))
    ax.set_xlabel("time")
    ax.set_ylabel(axis.label)
    hidden = len(lines) - MOST_LINES
    style.legend(ax, f"highest {MOST_LINES} of {len(lines)}" if hidden > 0 else None)
    return ax


def thinned(line: Line) -> tuple[np.ndarray, np.ndarray]:
    """The line with at most about `POINTS` points; of each stretch its lowest and highest are kept."""
    count = len(line.value)
    if count <= POINTS:
        return line.time_us, line.value
    stretches = np.array_split(np.arange(count), POINTS // 2)
    kept = np.unique([stretch[pick(line.value[stretch])] for stretch in stretches for pick in (np.argmin, np.argmax)])
    return line.time_us[kept], line.value[kept]


def _split(series: pa.Table, names: list[str] | None) -> list[Line]:
    """The rows of each name and priority, in one pass: there can be thousands of both."""
    name = series["name"].combine_chunks()
    codes, dictionary = name.indices.to_numpy(), name.dictionary.to_pylist()
    priority = series["priority"].to_numpy()
    time_us, value = series["time_ns"].to_numpy() / 1000, series["value"].to_numpy()
    order = np.lexsort((time_us, priority, codes))
    changes = np.flatnonzero(np.diff(codes[order]) | np.diff(priority[order])) + 1
    several = len(np.unique(priority)) > 1
    lines = []
    for rows in np.split(order, changes):
        label = dictionary[codes[rows[0]]]
        if names is None or label in names:
            shown = f"{label}, priority {priority[rows[0]]}" if several else label
            lines.append(Line(shown, time_us[rows], value[rows]))
    return lines
