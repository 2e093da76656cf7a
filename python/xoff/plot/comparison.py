"""Figures of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes

    from xoff.comparison import Comparison, Row

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
    rows = [row for row in comparison.rows if row.measure.rsplit(".", 1)[-1] in _LABELS and row.ratio]
    measures = list(dict.fromkeys(row.measure for row in rows))
    offsets = np.linspace(-0.2, 0.2, len(others)) if len(others) > 1 else [0.0]
    for name, offset in zip(others, offsets, strict=True):
        of_scenario = [row for row in rows if row.scenario == name]
        places = [measures.index(row.measure) + offset for row in of_scenario]
        ratios = [row.ratio.value for row in of_scenario if row.ratio]
        ax.errorbar(places, ratios, yerr=_bars(of_scenario), fmt="o", markersize=4, capsize=3, label=style.plain(name))
    ax.axhline(1, color=style.COLOURS[6], linewidth=1, linestyle="--")
    ax.set_xticks(range(len(measures)), [_label(measure) for measure in measures])
    values = [bound for row in rows if row.ratio for bound in row.ratio if bound]
    if values and max(values) > 3 * min(values):
        ax.set_yscale("log")
        style.logarithmic(ax.yaxis, ("",), min(values), max(values))
    ax.set_ylabel(f"completion time over {style.plain(base)}'s")
    if others:
        style.legend(ax)
    return ax


def _bars(rows: list[Row]) -> np.ndarray:
    """Lengths of the error bars, below and above; none where there is no interval."""
    found = [row.ratio for row in rows if row.ratio]
    below = [ratio.value - ratio.low if ratio.low is not None else 0 for ratio in found]
    above = [ratio.high - ratio.value if ratio.high is not None else 0 for ratio in found]
    return np.array([below, above])


def _label(measure: str) -> str:
    _, size_class, quantity = measure.split(".")
    return f"{size_class}\n{_LABELS[quantity]}"
