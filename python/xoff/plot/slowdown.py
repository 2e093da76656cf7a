"""Slowdown against flow size, as HPCC and its successors show it."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from xoff.plot import measured_time, room, style
from xoff.plot.workloads import flows_of
from xoff.results.slowdowns import FEW_FLOWS, PERCENTS, groups_of
from xoff.results.summary import counted
from xoff.text.units import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from xoff.plot.workloads import Workloads
    from xoff.results.result import Result

# Lines may lie on one another, and so may points, which are rings where there is no line.
_LOOKS = ("o-", "o--", "o-")
_MARKERS, _RINGS = (3.5, 3.5, 5.0), (4.0, 7.5, 11.0)
_HALF_A_MARKER = 0.04
"""Share of the height of the axis that a point on the lower edge takes."""
_MOST_TICKS = 10


def has_several_sizes(result: Result) -> bool:
    """Whether a result has slowdowns of more than one flow size."""
    sizes = counted(result.flow_rows, "size_bytes")
    return len(sizes) > 0 and bool(sizes.min() != sizes.max())


def draw(result: Result, ax: Axes, groups: int | None = None, workloads: Workloads = None) -> Axes:
    """Draws a line per percentile; the horizontal axis has the largest flow of each group."""
    chosen = flows_of(result.flow_rows, workloads, result.summary)
    rows = groups_of(chosen, groups)
    positions = range(len(rows))
    markers = _MARKERS if len(rows) > 1 else _RINGS
    for index, (percent, look, size) in enumerate(zip(PERCENTS, _LOOKS, markers, strict=True)):
        values = [row.quantiles[index] for row in rows]
        ax.plot(positions, values, look, markersize=size, zorder=3 - index / 10, label=f"p{percent}")
    style.unsay_nothing_is_there(ax)
    if rows:
        draw_scale(ax, min(row.quantiles[0] for row in rows), max(row.quantiles[-1] for row in rows))
        style.legend(ax)
    else:
        flow = "flow" if workloads is None else "flow of these workloads"
        style.say_nothing_is_there(ax, measured_time.none_finished(chosen.num_rows, flow, result.summary))
        ax.set_yticks([])
    draw_sizes(ax, [row.largest_bytes for row in rows], room.most_ticks(ax, _MOST_TICKS))
    groups_told = "group" if room.is_narrow(ax) else f"of {len(rows)} groups of flows"
    told = f"flow size (largest of each {groups_told})" if len(rows) > 1 else "flow size"
    room.label_along(ax, told, measured_time.told(result.summary), few([row.flows for row in rows]))
    ax.set_ylabel("FCT slowdown")
    return ax


def draw_scale(ax: Axes, lowest: float, highest: float) -> None:
    """Scales an axis of slowdowns logarithmically, from 1, or a little below the lowest, up to the highest.

    Slowdowns are below 1 where links come up or get faster after the start.
    """
    ax.set_yscale("log")
    top = max(2.2, 1.2 * highest)
    least = min(1, lowest / (top / min(1, lowest)) ** _HALF_A_MARKER)
    ax.set_ylim(least, top)
    style.logarithmic(ax.yaxis, ("",), least, top)


def few(flows: Sequence[int]) -> list[str]:
    """Returns a note for the axis if a p99 is of too few flows; else nothing."""
    return [f"p99 of {FEW_FLOWS} flows or fewer is their slowest"] if flows and min(flows) <= FEW_FLOWS else []


def draw_sizes(ax: Axes, largest_bytes: Sequence[int], most: int = _MOST_TICKS) -> None:
    """Draws ticks at the largest sizes of groups, which stand side by side, or at some of them."""
    step = max(1, math.ceil(len(largest_bytes) / most))
    ax.set_xticks(range(len(largest_bytes))[::step], _sizes(largest_bytes[::step]), rotation=30, ha="right")


def _sizes(sizes_bytes: Sequence[int]) -> list[str]:
    """Formats sizes so that different ones differ, in three digits if that is enough."""
    told = [quantity(float(f"{size:.3g}"), style.SIZE_UNITS) for size in sizes_bytes]
    alike = Counter(told)
    return [f"{size:,} B" if alike[word] > 1 else word for size, word in zip(sizes_bytes, told, strict=True)]
