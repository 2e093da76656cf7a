"""Measures and plot of throughput against the marking threshold; thresholds in kB."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce.expected import published

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

GOODPUT = "goodput_gbps"
FULL_GBPS = 100 * 1460 / 1538
"""Payload of full packets on a busy wire."""

NAMES = {"dctcp": "DCTCP", "ecn_star": "ECN*"}


def share_of_full(points: Points) -> float:
    """Goodput over what the wire can carry."""
    return points.mean(GOODPUT) / FULL_GBPS


def least_rise(points: Points) -> float:
    """Least difference of shares from one threshold to the next."""
    shares = [share_of_full(points.where(threshold=at)) for at in points.axis("threshold")]
    return min(after - before for before, after in itertools.pairwise(shares))


def least_lead_of_dctcp(points: Points) -> float:
    """Least difference between the shares of DCTCP and ECN* from 50 kB on."""
    thresholds = [at for at in points.axis("threshold") if float(at) >= 50]
    both = [[share_of_full(points.where(threshold=at, algorithm=name)) for name in NAMES] for at in thresholds]
    return min(dctcp - ecn_star for dctcp, ecn_star in both)


def least_full(points: Points) -> float:
    """Least threshold at which 99.5 % are reached, as in the paper's own data (89.4 of 89.8 Gbps)."""
    full = [float(at) for at in points.axis("threshold") if share_of_full(points.where(threshold=at)) >= 0.995]
    return min(full, default=math.nan)


def draw(points: Points, expected: list[Expected]) -> Figure:
    """Share of full goodput against the threshold, one line for each algorithm with and without bursts."""
    figure = Figure()
    ax = figure.subplots()
    for algorithm, colour in zip(points.axis("algorithm"), style.COLOURS, strict=False):
        name = NAMES[str(algorithm)]
        for bursts, line in zip(points.axis("bursts"), ("o:", "o-"), strict=False):
            of_line = points.where(algorithm=algorithm, bursts=bursts)
            shares = [share_of_full(of_line.where(threshold=at)) for at in of_line.axis("threshold")]
            told = "without bursts" if bursts == "none" else "with bursts"
            ax.plot(of_line.axis("threshold"), shares, line, markersize=4, color=colour, label=f"{name}, {told}")
        theirs = [(at["threshold"], value) for at, value in published(expected, "share_of_full", algorithm=algorithm)]
        ax.plot(*zip(*theirs, strict=True), "s--", markersize=3, linewidth=1, color=colour, label=f"{name}, testbed")
    ax.set_xlabel("marking threshold (kB)")
    ax.set_ylabel("share of full goodput")
    ax.legend()
    return figure
