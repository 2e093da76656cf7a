"""Rows and columns of panels, as papers draw a comparison along several axes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import completion, style
from xoff.plot.flows import draw as draw_flows
from xoff.reproduce.measures import completion_ms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from xoff.reproduce.points import Measure, Points
    from xoff.studies.axes import Value

Names: TypeAlias = "Mapping[Any, str]"
"""Labels of the positions on an axis, in the order of the plot."""

Axis: TypeAlias = "tuple[str, Names]"
"""An axis with the labels of its positions."""

Lines: TypeAlias = "Mapping[str, Mapping[str, Value]]"
"""Label of each line, and its position on axes."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Layout of a figure's axes; on any other axis, its points are at one position."""

    along: str
    """Axis of numbers, from left to right in a panel."""
    lines: Axis
    """Axis whose positions are lines; those that have not run are left out."""
    columns: Axis
    """Axis whose positions are columns of panels; those that have not run are left out."""
    logarithmic: bool = False
    """Whether values are on a logarithmic scale; else the scale begins at 0."""

    def of(self, points: Points) -> Layout:
        """Returns the layout without positions at which nothing has run."""
        return replace(self, lines=_there(points, self.lines), columns=_there(points, self.columns))


def ratios(points: Points, measures: Mapping[str, Measure], layout: Layout) -> Figure:
    """Draws ratios to the first of several lines, with 95 % intervals over seeds.

    Args:
        points: Points to draw.
        measures: Measure of each row of panels, by its title.
        layout: Layout of the axes.
    """
    layout = layout.of(points)
    base = next(iter(layout.lines[1].values()))
    over_base = {f"{title}\nover {base}": measure for title, measure in measures.items()}
    return _grid(points, over_base, layout, _ratios)


def means(points: Points, measures: Mapping[str, Measure], layout: Layout) -> Figure:
    """Draws means over seeds; the arguments are those of `ratios`."""
    return _grid(points, measures, layout.of(points), _means)


def dots(points: Points, measures: Mapping[str, Measure], *, beside: str, columns: Axis) -> Figure:
    """Draws means over seeds as dots, beside the names of many positions.

    Args:
        points: Points to draw.
        measures: Measures by label, at most four.
        beside: Axis whose positions are below one another.
        columns: Axis whose positions are columns of panels; those that have not run are left out.
    """
    rows = points.axis(beside)
    axis, names = _there(points, columns)
    figure = Figure(figsize=(2 * len(names) + 2, 0.2 * len(rows) + 1))
    panels = figure.subplots(1, len(names), sharex=True, sharey=True, squeeze=False)[0]
    for ax, (at, name) in zip(panels, names.items(), strict=True):
        for (called, measure), marker in zip(measures.items(), "os^D", strict=False):
            values = [points.mean(measure, **{axis: at, beside: row}) for row in rows]
            ax.plot(values, range(len(rows)), marker, label=called)
        ax.set_title(name)
    panels[0].set_yticks(range(len(rows)), [str(row) for row in rows])
    panels[0].invert_yaxis()
    style.shared_legend(panels)
    return figure


def queries_against(along: str, points: Points, lines: Lines) -> Figure:
    """Draws the mean completion time of queries and their share with a timeout, against an axis of numbers."""
    figure = Figure(figsize=(8, 3.2))
    row = completion_time, timeouts = figure.subplots(1, 2)
    for number, (name, at) in enumerate(lines.items()):
        of_line = points.where(**at)
        positions = of_line.axis(along)
        for ax, measure in ((completion_time, completion_ms()), (timeouts, "queries.timeout_fraction")):
            values = [of_line.mean(measure, **{along: position}) for position in positions]
            ax.plot(positions, values, marker="o", **style.apart(number), label=name)
            ax.set_xlabel(along)
    completion_time.set_ylabel("mean query completion time (ms)")
    timeouts.set_ylabel("queries with a timeout (share)")
    style.shared_legend(row)
    return figure


def bars(ax: Axes, points: Points, measures_ms: Mapping[str, Measure], lines: Lines) -> None:
    """Draws means over seeds of several times on a logarithmic scale: for each measure, a bar for each line."""
    width = 0.8 / len(lines)
    heights = []
    for index, (name, at) in enumerate(lines.items()):
        positions = [group + (index + 0.5) * width - 0.4 for group in range(len(measures_ms))]
        values = [points.mean(measure, **at) for measure in measures_ms.values()]
        ax.bar(positions, values, width, label=name, color=style.COLOURS[index])
        heights += values
    low, high = min(heights) / 1.5, max(heights) * 1.5
    ax.set_yscale("log")
    ax.set_ylim(low, high)
    style.logarithmic(ax.yaxis, style.TIME_UNITS[1:], low, high)
    ax.set_xticks(range(len(measures_ms)), list(measures_ms))
    ax.grid(visible=False, axis="x")


def slowdowns_by_size(ax: Axes) -> None:
    """Makes axes logarithmic for slowdowns against sizes of flows (bytes)."""
    ax.set(xscale="log", yscale="log")
    style.logarithmic(ax.xaxis, style.SIZE_UNITS, *ax.get_xlim())
    style.logarithmic(ax.yaxis, ("",), *ax.get_ylim())


def completion_of_queries(points: Points, lines: Lines) -> Figure:
    """Draws distributions of the completion times of queries over all seeds, a line per position."""
    figure = Figure()
    ax = figure.subplots()
    for number, (name, at) in enumerate(lines.items()):
        times = np.sort(np.concatenate([point.queries()["completion_ns"].to_numpy() for point in points.where(**at)]))
        ax.plot(*completion.distribution(times / 1e6), drawstyle="steps-post", **style.apart(number), label=name)
    ax.set_xlim(left=0)
    ax.set_ylim(0, 1.01)
    ax.set_xlabel("query completion time (ms)")
    ax.set_ylabel("share of queries")
    ax.legend()
    return figure


def flows_at_an_input(
    points: Points, rows: Axis, *, flows: Mapping[str, str], port: str, at_port: Mapping[str, str] | None = None
) -> Figure:
    """Draws throughputs, rates and bytes in an input buffer of flows, over time in the first run.

    Args:
        points: Points to draw.
        rows: Axis whose positions are rows of panels; those that have not run are left out.
        flows: Flows by name, such as `host0.flow3`, at most six, each with its label.
        port: Port whose input buffer is drawn.
        at_port: Flows that pass the port; left out, all.
    """
    axis, names = _there(points, rows)
    figure = Figure(figsize=(9.9, 2.5 * len(names)))
    panels = figure.subplots(len(names), 3, sharey="col", squeeze=False)
    for row, (at, name) in zip(panels, names.items(), strict=True):
        result = next(iter(points.where(**{axis: at}))).result()
        draw_flows(result, ["flow_throughput", "rate"], row[:2], flows=flows)
        draw_flows(result, ["input"], row[2:], flows=at_port or flows, port=port)
        row[0].set_ylabel(name)
    style.shared_legend(panels[0])
    return figure


def _there(points: Points, axis: Axis) -> Axis:
    name, names = axis
    there = points.axis(name)
    return name, {at: told for at, told in names.items() if at in there}


def _grid(
    points: Points,
    measures: Mapping[str, Measure],
    layout: Layout,
    draw: Callable[[Points, Measure, Layout, Axes], None],
) -> Figure:
    axis, columns = layout.columns
    figure = Figure(figsize=(1 + 2.6 * len(columns), 1 + 2.1 * len(measures)))
    rows = figure.subplots(len(measures), len(columns), sharex=True, sharey="row", squeeze=False)
    for row, (title, measure) in zip(rows, measures.items(), strict=True):
        for ax, at in zip(row, columns, strict=True):
            draw(points.where(**{axis: at}), measure, layout, ax)
        row[0].set_ylabel(title)
    for ax, name in zip(rows[0], columns.values(), strict=True):
        ax.set_title(name)
    for ax in rows[-1]:
        ax.set_xlabel(layout.along.replace("_", " "))
    for ax in figure.axes:  # not before all of a row are drawn, because they share a scale
        if layout.logarithmic:
            ax.set_yscale("log")
        else:
            ax.set_ylim(bottom=0)
    figure.legend(*rows[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(layout.lines[1]))
    return figure


def _means(points: Points, measure: Measure, layout: Layout, ax: Axes) -> None:
    axis, names = layout.lines
    positions = points.axis(layout.along)
    for number, (at, name) in enumerate(names.items()):
        values = [points.mean(measure, **{axis: at, layout.along: position}) for position in positions]
        ax.plot(positions, values, marker="o", **style.apart(number), label=name)


def _ratios(points: Points, measure: Measure, layout: Layout, ax: Axes) -> None:
    axis, names = layout.lines
    positions = points.axis(layout.along)
    base, *others = names
    ax.axhline(1, color=style.COLOURS[6], linewidth=1, linestyle="--", label=names[base])
    for at, colour in zip(others, style.COLOURS, strict=False):
        ratios = points.ratios(measure, **{axis: (at, base)})
        values, bars = [ratio.value for ratio in ratios], style.error_bars(ratios)
        ax.errorbar(positions, values, bars, fmt="o-", markersize=4, capsize=3, color=colour, label=names[at])
