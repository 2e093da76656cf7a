"""Slowdown against flow size, a line for each of several scenarios."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from xoff.plot import bars, measured_time, slowdown, style
from xoff.plot.workloads import flows_of
from xoff.results.slowdowns import PERCENTS
from xoff.studies import slowdown_by_size

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from xoff.plot.workloads import Workloads
    from xoff.studies.comparison import Comparison
    from xoff.studies.slowdown_by_size import OfSize

DRAWN = (50, 99)
_PANEL_INCHES = (3.6, 2.9)
_MOST_TICKS = 7
_SHADE, _MOST_SHADES = 0.15, 3
"""Opacity of an interval, and the number of scenarios beyond which all intervals share that many opacities."""


def size_inches(comparison: Comparison, panels: int) -> tuple[float, float]:
    """Returns the size of a figure with a legend above."""
    width, height = _PANEL_INCHES[0] * panels, _PANEL_INCHES[1]
    return width, height + style.legend_inches(comparison.names, width)


def draw(
    comparison: Comparison, axes: Sequence[Axes], percents: Sequence[int] = DRAWN, workloads: Workloads = None
) -> None:
    """Draws one percentile into each of the axes, with the interval over seeds shaded; a scenario looks alike in all.

    Raises ValueError for a percentile outside `PERCENTS`, and for an unknown workload.
    """
    rows = _rows(comparison, workloads)
    for percent, ax in zip(percents, axes, strict=True):
        if percent not in PERCENTS:
            message = f"percents: {percent} was not computed; expected some of {', '.join(map(str, PERCENTS))}"
            raise ValueError(message)
        draw_lines(comparison.names, rows, ax, percent)
        ax.set_xlabel("\n".join([told_sizes(rows), *(few(rows) if percent == PERCENTS[-1] else [])]))
        for time in measured_time.told(*chain(*comparison.summaries)):
            ax.set_xlabel(f"{ax.get_xlabel()}\n{time}")
    axes[0].set_ylabel("FCT slowdown")


def _rows(comparison: Comparison, workloads: Workloads) -> Sequence[OfSize]:
    if workloads is None:
        return comparison.by_size
    summary = comparison.summaries[0][0]
    flows = [[flows_of(run, workloads, summary) for run in runs] for runs in comparison.flows]
    return slowdown_by_size.of_runs(comparison.names, flows)


def draw_lines(
    names: Sequence[str], by_size: Sequence[OfSize], ax: Axes, percent: int, among: Sequence[OfSize] = ()
) -> None:
    """Draws one percentile, a line for each name, with the interval over seeds shaded, or as a bar for a single group.

    Groups and scale are those of `among`; left out, those of the lines themselves.
    """
    among = among or by_size
    largest = sorted({row.largest_bytes for row in among})
    places = {size: place for place, size in enumerate(largest)}
    index = PERCENTS.index(percent)
    for number, name in enumerate(names):
        rows = [row for row in by_size if row.scenario == name]
        at = [places[row.largest_bytes] for row in rows]
        found = [row.quantiles[index] for row in rows]
        look = style.look(number)
        ax.plot(at, [each.value for each in found], markersize=3.5, label=style.plain(name), **look)
        low, high = ([bound for each in found if (bound := each[side]) is not None] for side in (1, 2))
        if len(low) == 1:  # a band of one place has no width
            ax.vlines(at, low, high, color=look["color"], linewidth=1)
        elif low:
            shade = _SHADE * min(1, _MOST_SHADES / len(names))
            ax.fill_between(at, low, high, color=look["color"], alpha=shade, linewidth=0)
    if among:
        found = [row.quantiles[index] for row in among]
        slowdown.draw_scale(ax, min(each.value for each in found), bars.highest(found))
    slowdown.draw_sizes(ax, largest, _MOST_TICKS)
    ax.set_title(f"p{percent}")


def told_sizes(by_size: Sequence[OfSize]) -> str:
    """Returns the label below the sizes."""
    return "flow size (largest of each group)" if len({row.largest_bytes for row in by_size}) > 1 else "flow size"


def few(by_size: Sequence[OfSize]) -> list[str]:
    """Returns a note on the 99th percentile if a group has few flows; else nothing."""
    return slowdown.few([row.flows for row in by_size])
