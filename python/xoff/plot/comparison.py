"""Figures of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
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

    def save(self, path: Path) -> None:
        """Writes the figure of completion times to a file; its ending says in which format."""
        with style.context():
            figure = Figure()
            _draw(self._comparison, figure.subplots())
            figure.savefig(path, facecolor="white")


def _draw(comparison: Comparison, ax: Axes) -> Axes:
    base, *others = comparison.names
    of_classes = [row for row in comparison.rows if row.measure.startswith("flows.") and row.ratio]
    rows = [row for row in of_classes if row.measure.rpartition(".")[2] in _LABELS]
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
