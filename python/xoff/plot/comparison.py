"""Figures of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.comparison import FCTS
from xoff.plot import comparison_by_size as by_size
from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from matplotlib.axes import Axes

    from xoff.comparison import Comparison

_LABELS = {"fct_mean_us": "mean", "fct_p99_us": "p99"}


class ComparisonPlots:
    """Draws a comparison; each method draws into `ax`, or into a new figure, and returns the axes."""

    def __init__(self, comparison: Comparison) -> None:
        self._comparison = comparison

    def fct_ratios(self, ax: Axes | None = None) -> Axes:
        """Completion times over those of the first scenario by size class, with 95 % intervals over seeds."""
        with style.context():
            return _draw(self._comparison, style.axes(ax))

    def slowdown_by_size(
        self, axes: Sequence[Axes] | None = None, *, percents: Sequence[int] = by_size.DRAWN
    ) -> Sequence[Axes]:
        """FCT slowdown against flow size, a line for each scenario, over the same groups of flows.

        Args:
            axes: Where to draw, one for each percentile; left out, a new figure with a legend.
            percents: Percentiles, of 50, 95 and 99; means over seeds, whose 95 % intervals are shaded.
        """
        with style.context():
            size = by_size.size_inches(self._comparison, len(percents))
            row = style.row_of_axes(len(percents), size) if axes is None else axes
            by_size.draw(self._comparison, row, percents)
            if axes is None:
                style.shared_legend(row)
            return row

    def save_slowdown_by_size(self, path: Path) -> None:
        """Writes that figure to a file; its ending says in which format."""
        with style.context():
            panels = len(by_size.DRAWN)
            row = Figure(figsize=by_size.size_inches(self._comparison, panels)).subplots(1, panels).tolist()
            by_size.draw(self._comparison, row)
            style.shared_legend(row)
            row[0].figure.savefig(path, facecolor="white")

    def save(self, path: Path) -> None:
        """Writes the figure of completion times to a file; its ending says in which format."""
        with style.context():
            figure = Figure()
            _draw(self._comparison, figure.subplots())
            figure.savefig(path, facecolor="white")


def _draw(comparison: Comparison, ax: Axes) -> Axes:
    base, *others = comparison.names
    rows = [row for row in comparison.rows if row.measure in FCTS and row.ratio]
    measures = list(dict.fromkeys(row.measure for row in rows))
    offsets = np.linspace(-0.2, 0.2, len(others)) if len(others) > 1 else [0.0]
    for name, offset in zip(others, offsets, strict=True):
        of_scenario = [row for row in rows if row.scenario == name]
        places = [measures.index(row.measure) + offset for row in of_scenario]
        ratios = [row.ratio for row in of_scenario if row.ratio]
        values, bars = [ratio.value for ratio in ratios], style.error_bars(ratios)
        ax.errorbar(places, values, yerr=bars, fmt="o", markersize=4, capsize=3, label=style.plain(name))
    ax.axhline(1, color=style.COLOURS[6], linewidth=1, linestyle="--")
    ax.set_xticks(range(len(measures)), [_label(measure) for measure in measures])
    style.scale_of_ratios(ax, (row.ratio for row in rows if row.ratio))
    ax.set_ylabel(f"completion time over {style.plain(base)}'s")
    if others:
        style.legend(ax)
    return ax


def _label(measure: str) -> str:
    _, size_class, quantity = measure.split(".")
    return f"{size_class}\n{_LABELS[quantity]}"
