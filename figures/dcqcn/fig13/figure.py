"""Measures and plot of two flows that meet at 10 ms, under four settings; rates in Gbps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import over_time, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

HALF_MS = 100
FLOWS = {"host1.flow0": "first flow", "host2.flow0": "second flow"}
BEGINS = {"line_rate": "from line rate", "apart": "from rates apart"}
SETTINGS = {"strawman": "strawman", "timer": "timer dominates", "red": "RED", "both": "timer and RED"}


def _apart(point: Point) -> float:
    """Difference of the rates in the second half of a run, mean over time."""
    first, second = (point.samples("rate", flow, after_ms=HALF_MS).value for flow in FLOWS)
    return float(np.mean(np.abs(first - second))) / 1e9


strawman_over_both, strawman_over_timer, strawman_over_red = (
    partial(measures.ratio_of_means, _apart, setting=("strawman", other)) for other in ("both", "timer", "red")
)


def least_unfair_over_most_fair(points: Points) -> float:
    """The lesser difference of strawman and timer alone over the greater of RED alone and both."""
    of = {setting: points.mean(_apart, setting=setting) for setting in SETTINGS}
    return min(of["strawman"], of["timer"]) / max(of["red"], of["both"])


def jain(points: Points) -> float:
    """Jain's index of the two flows' mean rates in the second half; the mean over runs."""
    return points.mean(_jain)


def _jain(point: Point) -> float:
    first, second = (measures.mean_gbps("rate", flow, after_ms=HALF_MS)(point) for flow in FLOWS)
    return (first + second) ** 2 / (2 * (first**2 + second**2))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Both rates over time in the first runs: a column for each setting, a row for each beginning."""
    figure = Figure(figsize=(9.9, 4.6))
    rows = figure.subplots(len(BEGINS), len(SETTINGS), sharex=True, sharey=True)
    for row, (begin, told) in zip(rows, BEGINS.items(), strict=True):
        for ax, setting in zip(row, SETTINGS, strict=True):
            result = next(iter(points.where(setting=setting, begin=begin))).result()
            lines = over_time.lines_of(result, "rate", list(FLOWS))
            for line, colour, stroke in zip(lines, style.COLOURS, ("-", "--"), strict=False):
                label = FLOWS[line.label]
                ax.plot(line.time_us / 1000, line.value / 1e9, stroke, color=colour, linewidth=1.1, label=label)
            ax.set_ylim(0, 42)
        row[0].set_ylabel(f"rate (Gbps),\n{told}")
    for ax, title in zip(rows[0], SETTINGS.values(), strict=True):
        ax.set_title(title)
    for ax in rows[-1]:
        ax.set_xlabel("time (ms)")
    style.shared_legend(rows[0])
    return figure
