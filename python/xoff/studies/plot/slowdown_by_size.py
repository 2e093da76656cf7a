"""Slowdown against flow size, a line for each of several scenarios."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from xoff.plot import bars, measured_time, slowdown, style
from xoff.plot.facets import draw_title
from xoff.plot.house_figure import HouseFigure
from xoff.plot.workloads import flows_of
from xoff.results.slowdowns import PERCENTS
from xoff.studies import slowdown_by_size

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from xoff.plot.workloads import Workloads
    from xoff.studies.comparison import Comparison
    from xoff.studies.slowdown_by_size import OfSize

DRAWN = (50, 99)
_PANEL_INCHES = (3.6, 2.9)
_MOST_TICKS = 7
_COLUMNS_OF_FACETS = 4
_FACET_INCHES, _AROUND_INCHES = (2.3, 1.7), 0.8
_SMALL_SIZE = 8
_THIS = "scenario above the panel"
_SHADE, _MOST_SHADES = 0.15, 3
"""Opacity of an interval, and the number of scenarios beyond which all intervals share that many opacities."""


def size_inches(panels: int) -> tuple[float, float]:
    """Returns the size of a figure of panels side by side."""
    return _PANEL_INCHES[0] * panels, _PANEL_INCHES[1]


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


def draw_each(comparison: Comparison, workloads: Workloads = None) -> tuple[HouseFigure, list[Axes]]:
    """Draws a panel for each scenario beside the first, with the first in grey."""
    base, *others = comparison.names
    lines: dict[str, list[OfSize]] = {}
    for row in _rows(comparison, workloads):
        lines.setdefault(row.scenario, []).append(row)
    panels = {name: {base: lines.get(base, []), _THIS: lines.get(name, [])} for name in others}
    grey, blue = {"color": style.COLOURS[6], "marker": ""}, {"color": style.COLOURS[0], "marker": "o", "markersize": 3}
    figure, axes = draw_facets(panels, {base: grey, _THIS: blue})
    style.shared_legend(axes)
    return figure, axes


def _rows(comparison: Comparison, workloads: Workloads) -> Sequence[OfSize]:
    if workloads is None:
        return comparison.by_size
    summary = comparison.summaries[0][0]
    flows = [[flows_of(run, workloads, summary) for run in runs] for runs in comparison.flows]
    return slowdown_by_size.of_runs(comparison.names, flows)


def draw_lines(
    names: Sequence[str],
    by_size: Sequence[OfSize],
    ax: Axes,
    percent: int,
    among: Sequence[OfSize] = (),
    looks: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Draws one percentile, a line for each name, with the interval over seeds shaded, or as a bar for a single group.

    Args:
        names: Names of the lines.
        by_size: Slowdowns of all lines.
        ax: The axes.
        percent: The percentile.
        among: Slowdowns whose groups and scale are shown; left out, those of the lines themselves.
        looks: Look of each line; left out, those of scenarios by their number.
    """
    among = among or by_size
    largest = sorted({row.largest_bytes for row in among})
    places = {size: place for place, size in enumerate(largest)}
    index = PERCENTS.index(percent)
    for number, name in enumerate(names):
        rows = [row for row in by_size if row.scenario == name]
        at = [places[row.largest_bytes] for row in rows]
        found = [row.quantiles[index] for row in rows]
        look = dict(looks[name]) if looks else style.look(number)
        ax.plot(at, [each.value for each in found], label=style.plain(name), **{"markersize": 3.5, **look})
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


def draw_facets(
    panels: Mapping[str, Mapping[str, Sequence[OfSize]]], looks: Mapping[str, Mapping[str, Any]], bar_inches: float = 0
) -> tuple[HouseFigure, list[Axes]]:
    """Draws many panels in rows over the same scales, each with the p99 of its lines, and their p50 dotted.

    Args:
        panels: Lines of each panel by name, by title.
        looks: Look of each line.
        bar_inches: Width left to the right for a bar of colours.
    """
    rows = -(-len(panels) // _COLUMNS_OF_FACETS)
    columns = -(-len(panels) // rows)
    width, height = _FACET_INCHES
    figure = HouseFigure(figsize=(width * columns + bar_inches, height * rows + _AROUND_INCHES))
    axes = list(figure.subplots(rows, columns, squeeze=False).flat)
    among = [each for lines in panels.values() for of_line in lines.values() for each in of_line]
    low, *_, high = (PERCENTS.index(percent) for percent in DRAWN)
    for (title, lines), ax in zip(panels.items(), axes, strict=False):
        for percent, changed in zip(DRAWN[::-1], ({}, {"linestyle": ":", "marker": ""}), strict=True):
            looks_of_it = {name: {**looks[name], "linestyle": "-", **changed} for name in lines}
            drawn = [row._replace(scenario=name) for name, of_it in lines.items() for row in of_it]
            draw_lines(list(lines), drawn, ax, percent, among, looks_of_it)
        slowdown.draw_scale(
            ax, min(row.quantiles[low].value for row in among), bars.highest([row.quantiles[high] for row in among])
        )
        say_if_empty(ax, lines)
        draw_title(ax, title)
        grid = ax.get_subplotspec()
        assert grid is not None
        if grid.is_first_col():
            ax.set_ylabel("FCT slowdown")
        else:
            ax.tick_params(axis="y", labelleft=False, which="both")
        ax.tick_params(axis="x", labelsize=_SMALL_SIZE)
        if axes.index(ax) + columns < len(panels):
            ax.tick_params(axis="x", labelbottom=False)
    for ax in axes[len(panels) :]:
        ax.remove()
    grey = style.COLOURS[6]
    first, *_ = axes
    for percent, look in zip(DRAWN[::-1], ("-", ":"), strict=True):
        first.plot([], [], color=grey, linestyle=look, label=f"p{percent}")
    figure.supxlabel("\n".join([told_sizes(among), *few(among)]), fontsize=_SMALL_SIZE)
    return figure, axes[: len(panels)]


def say_if_empty(ax: Axes, lines: Mapping[str, Sequence[OfSize]]) -> None:
    """Writes into a panel that no flow finished, if all its lines are without points."""
    if not any(lines.values()):
        style.say_nothing_is_there(ax, "no flow finished")


def told_sizes(by_size: Sequence[OfSize]) -> str:
    """Returns the label below the sizes."""
    return "flow size (largest of each group)" if len({row.largest_bytes for row in by_size}) > 1 else "flow size"


def few(by_size: Sequence[OfSize]) -> list[str]:
    """Returns a note on the 99th percentile if a group has few flows; else nothing."""
    return slowdown.few([row.flows for row in by_size])
