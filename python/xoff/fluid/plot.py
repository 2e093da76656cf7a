"""Figures of fluid models: a few over time, or the outcomes of many."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from xoff.plot import style
from xoff.plot.along import Along
from xoff.plot.colour_scale import BAR_INCHES
from xoff.plot.facets import FACET_INCHES, MOST_COLUMNS, FacetAxis, Facets, draw_title
from xoff.plot.house_figure import HouseFigure
from xoff.plot.over_time import MOST_LINES, kept

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from xoff.fluid.model import Array
    from xoff.fluid.sweep import Point, Swept
    from xoff.plot.colour_scale import ColourScale

_SIZE_INCHES = (6.4, 5.2)
_OUTCOMES = ("queue: mean, least to greatest", "difference of rates")
"""Names of the outcomes, from the bottom."""
_SHADE, _MOST_SHADES = 0.15, 3
"""Opacity of a band, and the number of lines beyond which all bands share that many opacities."""


def save(swept: Swept, path: Path) -> None:
    """Writes the figure of a sweep to a file, in the format of its ending."""
    with style.context():
        drawn(swept).savefig(path, facecolor="white")


def drawn(swept: Swept) -> HouseFigure:
    """Returns the figure of a sweep: all combinations over time, or the outcomes of more than eight."""
    return (_draw_over_time if len(swept.points) <= MOST_LINES else _draw_outcomes)(swept)


def draw_differences(points: Sequence[Point], ax: Axes) -> None:
    """Draws the greatest rate less the least over time, a line for each combination."""
    for point in points:
        _line(ax, point, point.trajectory.difference_bps, point.label)
    ax.yaxis.set_major_formatter(style.ticks(style.RATE_UNITS))
    ax.set_ylabel("difference of rates")


def draw_queues(points: Sequence[Point], ax: Axes) -> None:
    """Draws the queue over time, a line for each combination."""
    for point in points:
        _line(ax, point, point.trajectory.queue_bytes, point.label or "queue")
    ax.yaxis.set_major_formatter(style.ticks(style.SIZE_UNITS))
    ax.set_ylabel("queue")


def _draw_over_time(swept: Swept) -> HouseFigure:
    figure = HouseFigure(figsize=_SIZE_INCHES)
    top, bottom = figure.subplots(2, 1, sharex=True)
    points = swept.points
    if not len(points[0].trajectory.rates_bps):
        _draw_windows(points, top)
    elif len(points) == 1:
        _draw_rates(points[0], top)
    else:
        draw_differences(points, top)
    draw_queues(points, bottom)
    for ax in (top, bottom):
        ax.set_ylim(bottom=0)
    bottom.set_xlim(left=0)
    bottom.xaxis.set_major_formatter(style.ticks(style.TIME_UNITS))
    bottom.set_xlabel("time")
    if top.get_legend_handles_labels()[1]:
        style.legend(top)
    return figure


def _draw_rates(point: Point, ax: Axes) -> None:
    rates = point.trajectory.rates_bps
    for flow, rate in islice(enumerate(rates), MOST_LINES):
        _line(ax, point, rate, f"flow {flow}" if len(rates) <= MOST_LINES else f"flow {flow} of {len(rates)}")
    ax.yaxis.set_major_formatter(style.ticks(style.RATE_UNITS))
    ax.set_ylabel("rate")


def _draw_windows(points: Sequence[Point], ax: Axes) -> None:
    for point in points:
        _line(ax, point, point.trajectory.values["window", None], point.label)
    ax.yaxis.set_major_formatter(style.ticks(style.SIZE_UNITS))
    ax.set_ylabel("window of each flow")


def _line(ax: Axes, point: Point, values: Array, label: str) -> None:
    places = kept(values)
    ax.plot(point.trajectory.seconds[places] * 1e6, values[places], linewidth=1.1, label=label)


def _draw_outcomes(swept: Swept) -> HouseFigure:
    """Draws the outcomes against the first parameter, a line for each combination of the others."""
    axes = swept.sweep.axes
    first, *others = axes
    along = Along.of(first, axes[first])
    of_others = {name: FacetAxis(Along.of(name, axes[name]), partial("{} {}".format, name)) for name in others}
    facets = Facets.of(swept.rows, of_others, MOST_COLUMNS)
    with_rates = swept.rows[0].difference_bps is not None
    figure = HouseFigure(figsize=_size_inches(len(facets.shown), facets.scale))
    grid = figure.subplots(2 if with_rates else 1, len(facets.shown), sharex=True, sharey="row", squeeze=False)
    for (title, facet), (*top, bottom) in zip(facets.shown.items(), grid.T, strict=True):
        shade = _SHADE * min(1, _MOST_SHADES / len(facet.lines))
        for label, rows in facet.lines.items():
            look = {"label": label, "linestyle": "-", "marker": "."} | dict(facet.looks[label])
            at = [along.places[row.at[first]] for row in rows]
            for ax in top:
                ax.plot(at, [row.difference_bps for row in rows], **look)
            bottom.plot(at, [row.queue_mean_bytes for row in rows], **look)
            low, high = ([row.queue_low_bytes for row in rows], [row.queue_high_bytes for row in rows])
            bottom.fill_between(at, low, high, color=look["color"], alpha=shade, linewidth=0)
        along.label(bottom)
        if title:
            draw_title((*top, bottom)[0], title)
    for row, units, name in zip(grid[::-1], (style.SIZE_UNITS, style.RATE_UNITS), _OUTCOMES, strict=False):
        row[0].yaxis.set_major_formatter(style.ticks(units))
        row[0].set_ylabel(name)
        row[0].set_ylim(bottom=0)
    panels = list(grid.flat)
    if facets.scale:
        facets.scale.draw_bar(figure, panels)
        if facets.hidden:
            figure.suptitle(facets.hidden, fontsize=8)
    elif any(len(facet.lines) > 1 for facet in facets.shown.values()):
        style.shared_legend(panels, facets.hidden)
    return figure


def _size_inches(columns: int, scale: ColourScale | None) -> tuple[float, float]:
    """Returns the size of a figure of outcomes."""
    width, height = _SIZE_INCHES
    return max(width, FACET_INCHES[0] * columns) + (BAR_INCHES if scale else 0), height
