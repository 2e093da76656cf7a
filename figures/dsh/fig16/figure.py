"""Measures and plot of DSH's figure 16: in how many runs there is deadlock, and from when on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures
from xoff.reproduce.names import CONGESTION_CONTROLS, HEADROOM_SCHEMES

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points


def onset(point: Point) -> float:
    """Time when the last queue of the final cycle was paused for good (ms); infinite without deadlock."""
    since_ns = [queue["since_ns"] for queue in point.summary["deadlock_cycle"]]
    return max(since_ns) / 1e6 if since_ns else math.inf


def deadlocks(points: Points) -> float:
    """Runs that end in deadlock (%)."""
    return float(np.mean([point.summary["deadlock"] for point in points])) * 100


most_dropped = measures.most_dropped


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Share of runs in deadlock against time."""
    figure = Figure(figsize=(6.4, 4))
    ax = figure.subplots()
    end = max(point.summary["end_ns"] for point in points) / 1e6
    for control, line in zip(points.axis("congestion_control"), ("-", "--"), strict=True):
        for scheme, colour in zip(points.axis("scheme"), style.COLOURS, strict=False):
            onsets = np.sort([onset(point) for point in points.where(congestion_control=control, scheme=scheme)])
            times = np.concatenate([[0], onsets[np.isfinite(onsets)], [end]])
            shares = np.searchsorted(onsets, times, side="right") / len(onsets) * 100
            label = f"{HEADROOM_SCHEMES[str(scheme)]}, {CONGESTION_CONTROLS[str(control)]}"
            ax.step(times, shares, line, where="post", color=colour, label=label)
    ax.set_xlabel("time (ms)")
    ax.set_ylabel("runs in deadlock (%)")
    ax.set_xlim(0, end)
    ax.set_ylim(0, 102)
    ax.legend(loc="lower right")
    return figure
