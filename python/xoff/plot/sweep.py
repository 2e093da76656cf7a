"""Figures of a sweep: each measure against the positions on an axis."""

from __future__ import annotations

from itertools import chain
from textwrap import fill
from typing import TYPE_CHECKING

from matplotlib.ticker import FuncFormatter
from matplotlib.transforms import ScaledTranslation

from xoff.plot import style
from xoff.plot.along import Along
from xoff.plot.house_figure import HouseFigure
from xoff.plot.over_time import MOST_LINES
from xoff.table import measure_name, measured
from xoff.units import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from xoff.intervals import Estimate
    from xoff.sweeping import Row, Sweep, Swept

_MOST_COLUMNS = 3
_PANEL_INCHES = (3.4, 2.5)
_TITLE_CHARACTERS = 32
_NOTE_CHARACTERS = 40
_CHARACTERS_PER_INCH = 15
_APART = 0.4
"""How much of the way to the next position the points of all lines take that are not joined."""
_BESIDE_POINTS = 3.0
"""How far lines that are joined stand beside one another, so that their bars do."""


class SweptPlots:
    """Draws a sweep: a panel for each measure, from left to right the first axis of numbers, lines for the others."""

    def __init__(self, swept: Swept) -> None:
        self._swept = swept

    def measures(self) -> Figure:
        """Each measure with 95 % intervals over seeds."""
        with style.context():
            return _draw(self._swept, ratios=False)

    def ratios(self) -> Figure:
        """Each over that at the first position of the first axis, with 95 % intervals of pairs of seeds."""
        with style.context():
            return _draw(self._swept, ratios=True)


def _draw(swept: Swept, *, ratios: bool) -> Figure:
    axis, along = _along(swept.sweep)
    lines = _lines(swept, axis)
    drawn = {measure: _points(lines, measure, axis, along, ratios=ratios) for measure in swept.told}
    estimates = {measure: [each for _, each in chain(*of_it.values())] for measure, of_it in drawn.items()}
    shown = [measure for measure, found in estimates.items() if any(each.value for each in found)]
    shown = shown or list(swept.told[:1])
    rows = -(-len(shown) // _MOST_COLUMNS)
    columns = -(-len(shown) // rows)
    figure = HouseFigure(figsize=(_PANEL_INCHES[0] * columns, _PANEL_INCHES[1] * rows + 0.5))
    panels = figure.subplots(rows, columns, squeeze=False).flatten().tolist()
    lanes = _lanes(min(len(lines), MOST_LINES))
    for ax, measure in zip(panels, shown, strict=False):
        for (label, points), lane in zip(drawn[measure].items(), lanes, strict=False):
            if along.unit is not None:
                _line(ax, points, label, fmt="o-", points_aside=_BESIDE_POINTS * lane)
            else:
                moved = [(place + _APART * lane / len(lanes), each) for place, each in points]
                _line(ax, moved, label, fmt="o")
        along.label(ax)
        ax.set_title(fill(measure_name(measure), _TITLE_CHARACTERS))
        if ratios:
            ax.axhline(1, color=style.COLOURS[6], linewidth=1, linestyle="--")
            style.scale_of_ratios(ax, estimates[measure])
            _say_what_has_none(swept, measure, ax)
        else:
            ax.yaxis.set_major_formatter(_ticks(measure))
            ax.set_ylim(0, 1.05 * style.highest(estimates[measure]) or 1)
    if ratios:
        for ax in panels[::columns]:
            ax.set_ylabel(style.plain(f"over {swept.sweep.base}"))
        _name_what_has_none(swept, shown, figure)
    for ax in panels[len(shown) :]:
        ax.remove()
    if len(lines) > 1:
        hidden = f"first {MOST_LINES} of {len(lines)}" if len(lines) > MOST_LINES else None
        style.shared_legend(panels[: len(shown)], hidden)
    return figure


def _say_what_has_none(swept: Swept, measure: str, ax: Axes) -> None:
    """Below a panel, where points are missing since there is no ratio over zero."""
    missing = len(swept.over_zero(measure))
    if missing:
        counted = sum(measure in row.measured for row in swept.rows)
        said = style.plain(f"no ratio of {missing} of {counted}: {swept.sweep.base} has 0")
        ax.set_xlabel(f"{ax.get_xlabel()}\n{fill(said, _NOTE_CHARACTERS)}")


def _name_what_has_none(swept: Swept, shown: Sequence[str], figure: Figure) -> None:
    """At the foot, the measures that have no panel since there is no ratio over zero."""
    without = (
        measure for measure in swept.told if any(row.measured[measure].value for row in swept.over_zero(measure))
    )
    names = [measure_name(measure) for measure in without if measure not in shown]
    if names:
        said = style.plain(f"no ratio of {', '.join(names)}: {swept.sweep.base} has 0")
        figure.supxlabel(fill(said, int(_CHARACTERS_PER_INCH * figure.get_figwidth())), fontsize=8)


def _lanes(lines: int) -> list[float]:
    """Where each line stands beside the middle of all, so that none hides another."""
    return [line - (lines - 1) / 2 for line in range(lines)]


def _along(sweep: Sweep) -> tuple[str, Along]:
    found = {name: Along.of(sweep.heading(name), list(axis.positions), axis.unit) for name, axis in sweep.axes.items()}
    return next(((name, along) for name, along in found.items() if along.unit is not None), next(iter(found.items())))


def _lines(swept: Swept, along: str) -> dict[str, list[Row]]:
    lines: dict[str, list[Row]] = {}
    for row in swept.rows:
        others = (swept.sweep.told(axis, value) for axis, value in row.at.items() if axis != along)
        lines.setdefault(", ".join(others), []).append(row)
    return lines


def _points(
    lines: dict[str, list[Row]], measure: str, axis: str, along: Along, *, ratios: bool
) -> dict[str, list[tuple[float, Estimate]]]:
    """For each line where it is measured, and what."""
    found = {
        label: [(along.places[row.at[axis]], (row.ratios if ratios else row.measured).get(measure)) for row in rows]
        for label, rows in lines.items()
    }
    return {label: [(place, each) for place, each in points if each] for label, points in found.items()}


def _ticks(measure: str) -> FuncFormatter:
    if measure.endswith("_us"):
        return style.ticks(style.TIME_UNITS)
    if measure.endswith("_bytes"):
        return style.ticks(style.SIZE_UNITS)
    if measure.endswith("_gbps"):
        return FuncFormatter(lambda value, _: quantity(1e9 * value, style.RATE_UNITS))
    return FuncFormatter(lambda value, _: measured(measure, value) if value else "0")


def _line(ax: Axes, found: list[tuple[float, Estimate]], label: str, *, fmt: str, points_aside: float = 0) -> None:
    figure = ax.get_figure(root=True)
    assert figure is not None
    drawn = ax.errorbar(
        [place for place, _ in found],
        [estimate.value for _, estimate in found],
        style.error_bars(estimate for _, estimate in found),
        fmt=fmt,
        markersize=3.5,
        capsize=2,
        linewidth=1.2,
        elinewidth=0.7,
        label=style.plain(label),
    )
    aside = ax.transData + ScaledTranslation(points_aside / 72, 0, figure.dpi_scale_trans)
    for artist in drawn.get_children():
        artist.set_transform(aside)
