"""Slowdown against flow size, a line for each of several scenarios."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.plot import slowdown, style
from xoff.slowdowns import PERCENTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from xoff.comparison import Comparison
    from xoff.intervals import Estimate

DRAWN = (50, 99)
_MOST_ROOM = 2
"""How many times the greatest value an interval may reach."""
_PANEL_INCHES = (3.6, 2.9)
_MOST_TICKS = 7
_MARKERS = "osD^vP*X"
_LINES = ("-", "--", ":")
"""Colours come again with the ninth scenario, with the next of these and another marker."""


def size_inches(comparison: Comparison, panels: int) -> tuple[float, float]:
    """Of a figure with a legend above."""
    width, height = _PANEL_INCHES[0] * panels, _PANEL_INCHES[1]
    return width, height + style.legend_inches(comparison.names, width)


def draw(comparison: Comparison, axes: Sequence[Axes], percents: Sequence[int] = DRAWN) -> None:
    """One percentile into each of the axes; a scenario looks alike in all, its interval over seeds is shaded.

    Raises ValueError for a percentile that is none of `PERCENTS`.
    """
    for percent, ax in zip(percents, axes, strict=True):
        if percent not in PERCENTS:
            message = f"percents: {percent} was not computed; expected some of {', '.join(map(str, PERCENTS))}"
            raise ValueError(message)
        _draw(comparison, ax, percent)
    axes[0].set_ylabel("FCT slowdown")


def _draw(comparison: Comparison, ax: Axes, percent: int) -> None:
    largest = sorted({row.largest_bytes for row in comparison.by_size})
    places = {size: place for place, size in enumerate(largest)}
    for number, name in enumerate(comparison.names):
        rows = [row for row in comparison.by_size if row.scenario == name]
        at = [places[row.largest_bytes] for row in rows]
        found = [row.quantiles[PERCENTS.index(percent)] for row in rows]
        colour = style.COLOURS[number % len(style.COLOURS)]
        again = number // len(style.COLOURS)
        look = _MARKERS[(number + again) % len(_MARKERS)] + _LINES[again % len(_LINES)]
        ax.plot(at, [each.value for each in found], look, color=colour, markersize=3.5, label=style.plain(name))
        low, high = ([bound for each in found if (bound := each[side]) is not None] for side in (1, 2))
        if low:
            ax.fill_between(at, low, high, color=colour, alpha=0.15, linewidth=0)
    if largest:
        slowdown.draw_scale(ax, _highest([row.quantiles[PERCENTS.index(percent)] for row in comparison.by_size]))
    slowdown.draw_sizes(ax, largest, _MOST_TICKS)
    ax.set_title(f"p{percent}")
    ax.set_xlabel("flow size (largest of each group)" if len(largest) > 1 else "flow size")


def _highest(estimates: Sequence[Estimate]) -> float:
    """What is shown: every value, and intervals as far as they leave room for the values."""
    value = max(each.value for each in estimates)
    return min(max(each.high or each.value for each in estimates), _MOST_ROOM * value)
