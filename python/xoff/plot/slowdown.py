"""Slowdown against flow size, as HPCC and its successors show it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xoff.plot import style
from xoff.slowdowns import PERCENTS, groups_of
from xoff.summary import counted
from xoff.units import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from xoff.result import Result

# Lines may lie on one another.
_LOOKS = ("o-", "o--", "o-")
_MARKERS = (3.5, 3.5, 5.0)
_MOST_TICKS = 10


def has_several_sizes(result: Result) -> bool:
    """Whether there is a slowdown of more than one size to show."""
    sizes = counted(result.flow_rows, "size_bytes")
    return len(sizes) > 0 and bool(sizes.min() != sizes.max())


def draw(result: Result, ax: Axes, groups: int | None = None) -> Axes:
    """One line per percentile; the x axis names the largest flow of each group."""
    rows = groups_of(result.flow_rows, groups)
    positions = range(len(rows))
    for index, (percent, look, size) in enumerate(zip(PERCENTS, _LOOKS, _MARKERS, strict=True)):
        values = [row.quantiles[index] for row in rows]
        ax.plot(positions, values, look, markersize=size, zorder=3 - index / 10, label=f"p{percent}")
    if rows:
        draw_scale(ax, max(row.quantiles[-1] for row in rows))
        style.legend(ax)
    draw_sizes(ax, [row.largest_bytes for row in rows])
    ax.set_xlabel(f"flow size (largest of each of {len(rows)} groups of flows)" if len(rows) > 1 else "flow size")
    ax.set_ylabel("FCT slowdown")
    return ax


def draw_scale(ax: Axes, highest: float) -> None:
    """Slowdowns up to the highest, on a logarithmic scale."""
    ax.set_yscale("log")
    ax.set_ylim(1, max(2.2, 1.2 * highest))  # one is the least there is
    style.logarithmic(ax.yaxis, ("",), 1, highest)


def draw_sizes(ax: Axes, largest_bytes: Sequence[int], most: int = _MOST_TICKS) -> None:
    """Ticks at the largest sizes of groups, which stand one beside the other, or at some of them."""
    step = max(1, math.ceil(len(largest_bytes) / most))
    sizes = [quantity(float(f"{size:.3g}"), style.SIZE_UNITS) for size in largest_bytes]
    ax.set_xticks(range(len(sizes))[::step], sizes[::step], rotation=30, ha="right")
