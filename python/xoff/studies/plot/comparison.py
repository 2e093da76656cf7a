"""Figures of a comparison."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.ticker import MaxNLocator

from xoff.plot import bars, completion, facets, style
from xoff.plot.house_figure import HouseFigure
from xoff.plot.over_time import MOST_LINES
from xoff.plot.shortened import shortened
from xoff.studies.comparison import FCTS
from xoff.studies.plot import slowdown_by_size as by_size

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from xoff.plot.workloads import Workloads
    from xoff.results.intervals import Estimate
    from xoff.studies.comparison import Comparison, Row

_LABELS = {"fct_mean_us": "mean", "fct_p99_us": "p99"}
_POINT_INCHES = 0.09
"""Width of a point with its bar."""
_APART, _NEXT = 0.15, 0.8
"""Share of the distance to the next measure that a point takes, and that all points take at most."""
_LABEL_CHARACTERS = 36
_NAMES_INCHES, _CLASS_INCHES, _ROW_INCHES, _AROUND_INCHES = 1.4, 1.5, 0.24, 1.1
"""Sizes of the figure of many scenarios: width of their names and of each panel, height of each row and of the rest."""
_NAME_LENGTHS = (24, 30, 36)
_BESIDE = 0.3
"""Distance of mean and p99 in a row."""
_TICKS = 3


class ComparisonPlots:
    """Figures of a comparison; each method draws into `ax`, or into a new figure, and returns the axes.

    A scenario has the same colour in all figures.
    """

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def fct_ratios(self, ax: Axes | None = None) -> Axes:
        """Completion times over those of the first scenario by size class, with 95 % intervals over seeds."""
        with style.context():
            return _draw(self._comparison, style.axes(ax, _size_inches(self._comparison)))

    def fct_cdf(self, ax: Axes | None = None, *, size_class: str | None = None) -> Axes:
        """Distribution of flow completion times, a line for each scenario, of the flows of all seeds.

        A new figure of more than eight scenarios has a panel for each beside the first, which is grey in all; the axes
        returned are the first of them.

        Args:
            ax: Where to draw.
            size_class: `small`, `medium` or `large`; left out, all flows.
        """
        return self._cdf(completion.FCT, ax, size_class)

    def slowdown_cdf(self, ax: Axes | None = None, *, size_class: str | None = None) -> Axes:
        """Distribution of FCT slowdowns; the arguments are those of `fct_cdf`."""
        return self._cdf(completion.SLOWDOWN, ax, size_class)

    def slowdown_by_size(
        self,
        axes: Sequence[Axes] | None = None,
        *,
        percents: Sequence[int] = by_size.DRAWN,
        workloads: Workloads = None,
    ) -> Sequence[Axes]:
        """FCT slowdown against flow size, a line for each scenario, over the same groups of flows.

        Args:
            axes: Where to draw, one for each percentile; left out, a new figure with a legend.
            percents: Percentiles, of 50, 95 and 99, of the flows of all seeds; 95 % intervals over seeds are shaded.
            workloads: Of which flows: positions in the scenario or kinds such as `poisson`; left out, all.
        """
        with style.context():
            if axes is None and _are_many(self._comparison):
                return by_size.draw_each(self._comparison, workloads)[1]
            size = by_size.size_inches(len(percents))
            row = style.row_of_axes(len(percents), size) if axes is None else axes
            by_size.draw(self._comparison, row, percents, workloads)
            if axes is None:
                style.shared_legend(row)
            return row

    def save_slowdown_by_size(self, path: Path, workloads: Workloads = None) -> None:
        """Writes that figure, of flows of all or of some workloads, to a file; its ending says in which format."""
        with style.context():
            if _are_many(self._comparison):
                figure, _ = by_size.draw_each(self._comparison, workloads)
            else:
                panels = len(by_size.DRAWN)
                figure = HouseFigure(figsize=by_size.size_inches(panels))
                row = figure.subplots(1, panels).tolist()
                by_size.draw(self._comparison, row, workloads=workloads)
                style.shared_legend(row)
            figure.savefig(path, facecolor="white")

    def save(self, path: Path) -> None:
        """Writes the figure of completion times to a file; its ending says in which format."""
        with style.context():
            if _are_many(self._comparison):
                figure = _draw_each(self._comparison)
            else:
                figure = HouseFigure(figsize=_size_inches(self._comparison))
                _draw(self._comparison, figure.subplots())
            figure.savefig(path, facecolor="white")

    def _cdf(self, measure: completion.Measure, ax: Axes | None, size_class: str | None) -> Axes:
        with style.context():
            if ax is None and _are_many(self._comparison):
                size = facets.size_inches(len(self._comparison.names) - 1)
                return completion.draw_each_scenario(self._comparison, style.figure(size), measure, size_class)[0]
            return completion.draw_scenarios(self._comparison, style.axes(ax), measure, size_class)


def _draw(comparison: Comparison, ax: Axes) -> Axes:
    base, *others = comparison.names
    rows = _rows(comparison)
    measures = list(dict.fromkeys(row.measure for row in rows))
    width = min(_NEXT, _APART * len(others))
    offsets = np.linspace(-width / 2, width / 2, len(others)) if len(others) > 1 else [0.0]
    drawn: list[tuple[list[float], list[Estimate], str]] = []
    for number, (name, offset) in enumerate(zip(others, offsets, strict=True), 1):
        of_scenario = [row for row in rows if row.scenario == name]
        places = [measures.index(row.measure) + offset for row in of_scenario]
        ratios = [row.ratio.unless_vague for row in of_scenario if row.ratio]
        values, lengths = [ratio.value for ratio in ratios], style.error_bars(ratios)
        look = style.look(number) | {"linestyle": ""}
        ax.errorbar(places, values, yerr=lengths, markersize=4, capsize=2, label=style.plain(name), **look)
        drawn.append((places, ratios, look["color"]))
    ax.axhline(1, color=style.COLOURS[6], linewidth=1, linestyle="--")
    ax.set_xticks(range(len(measures)), [_label(measure) for measure in measures])
    bars.scale_of_ratios(ax, (row.ratio.unless_vague for row in rows if row.ratio))
    for places, ratios, colour in drawn:
        bars.mark_cut(ax, places, ratios, colour)
    ax.set_ylabel(fill(f"completion time over {style.plain(base)}'s", _LABEL_CHARACTERS))
    if any(row.ratio and row.ratio.is_vague for row in rows):
        ax.set_xlabel(bars.LEFT_OUT, fontsize=8)
    style.legend(ax)
    return ax


def _are_many(comparison: Comparison) -> bool:
    """Whether a legend cannot tell the scenarios apart."""
    return len(comparison.names) > MOST_LINES


def _draw_each(comparison: Comparison) -> HouseFigure:
    """Draws a panel for each size class, with a row for each scenario that bears its name."""
    base, *others = comparison.names
    rows = _rows(comparison)
    classes = list(dict.fromkeys(row.measure.split(".")[1] for row in rows))
    inches = (_NAMES_INCHES + _CLASS_INCHES * len(classes), _ROW_INCHES * len(others) + _AROUND_INCHES)
    figure = HouseFigure(figsize=inches)
    panels = figure.subplots(1, len(classes), sharey=True, squeeze=False)[0].tolist()
    for size_class, ax in zip(classes, panels, strict=True):
        for number, (quantity, label) in enumerate(_LABELS.items()):
            found = {
                row.scenario: row.ratio.unless_vague
                for row in rows
                if row.measure == f"flows.{size_class}.{quantity}" and row.ratio and row.scenario != base
            }
            estimates = list(found.values())
            ax.errorbar(
                [each.value for each in estimates],
                [others.index(name) + _BESIDE * (number - 0.5) for name in found],
                xerr=style.error_bars(estimates),
                markersize=4,
                capsize=2,
                label=label,
                **style.look(number) | {"linestyle": ""},
            )
        ax.axvline(1, color=style.COLOURS[6], linewidth=1, linestyle="--")
        ax.set_title(size_class)
        ax.xaxis.set_major_locator(MaxNLocator(_TICKS))
        ax.tick_params(axis="x", labelsize=8)
    panels[0].set_yticks(range(len(others)), list(map(style.plain, shortened(others, _NAME_LENGTHS))), fontsize=8)
    panels[0].set_ylim(len(others) - 0.5, -0.5)
    said = [f"completion time over {style.plain(base)}'s"]
    said += [bars.LEFT_OUT] if any(row.ratio and row.ratio.is_vague for row in rows) else []
    figure.supxlabel("\n".join(said), fontsize=9)
    style.shared_legend(panels)
    return figure


def _rows(comparison: Comparison) -> list[Row]:
    """Returns the rows of completion times to draw."""
    return [row for row in comparison.rows if row.measure in FCTS and row.ratio]


def _size_inches(comparison: Comparison) -> tuple[float, float]:
    """Returns the size of a figure with room for every point of every measure."""
    points = len(_rows(comparison)) / len(comparison.names) * (len(comparison.names) - 1)
    return max(style.SIZE_INCHES[0], _POINT_INCHES * points), style.SIZE_INCHES[1]


def _label(measure: str) -> str:
    _, size_class, quantity = measure.split(".")
    return f"{size_class}\n{_LABELS[quantity]}"
