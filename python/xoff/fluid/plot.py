"""Figures of fluid models: a few over time, or the outcomes of many."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from xoff.plot import chosen, style
from xoff.plot.along import Along
from xoff.plot.house_figure import HouseFigure
from xoff.plot.over_time import MOST_LINES, kept

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from xoff.fluid.model import Array
    from xoff.fluid.sweep import Point, Row, Swept

_SIZE_INCHES = (6.4, 5.2)


def save(swept: Swept, path: Path) -> None:
    """Writes the figure of a sweep to a file, in the format of its ending."""
    with style.context():
        figure = HouseFigure(figsize=_SIZE_INCHES)
        (_draw_over_time if len(swept.points) <= MOST_LINES else _draw_outcomes)(swept, figure)
        figure.savefig(path, facecolor="white")


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


def _draw_over_time(swept: Swept, figure: Figure) -> None:
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


def _draw_outcomes(swept: Swept, figure: Figure) -> None:
    """Draws the outcomes against the first parameter, a line for each combination of the others."""
    first, *_ = swept.sweep.axes
    lines: dict[str, list[Row]] = {}
    for row in swept.rows:
        label = ", ".join(f"{key} {value}" for key, value in row.at.items() if key != first)
        lines.setdefault(label, []).append(row)
    with_rates = swept.rows[0].difference_bps is not None
    *top, bottom = figure.subplots(2 if with_rates else 1, 1, sharex=True, squeeze=False)[:, 0]
    along = Along.of(first, swept.sweep.axes[first])
    for label, rows in chosen.evenly(lines).items():
        at = [along.places[row.at[first]] for row in rows]
        for ax in top:
            ax.plot(at, [row.difference_bps for row in rows], ".-", label=label)
        [line] = bottom.plot(at, [row.queue_mean_bytes for row in rows], ".-", label=label)
        low, high = ([row.queue_low_bytes for row in rows], [row.queue_high_bytes for row in rows])
        bottom.fill_between(at, low, high, color=line.get_color(), alpha=0.15, linewidth=0)
    for ax in top:
        ax.yaxis.set_major_formatter(style.ticks(style.RATE_UNITS))
        ax.set_ylabel("difference of rates")
        ax.set_ylim(bottom=0)
    bottom.yaxis.set_major_formatter(style.ticks(style.SIZE_UNITS))
    bottom.set_ylabel("queue: mean, least to greatest")
    bottom.set_ylim(bottom=0)
    along.label(bottom)
    if len(lines) > 1:
        style.legend(figure.axes[0], chosen.left_out(lines))
