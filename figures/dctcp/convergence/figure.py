"""Measures and plot of the time in which a new flow takes its share, in ms."""

from __future__ import annotations

import math
import statistics
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    import numpy.typing as npt

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

    Array = npt.NDArray[np.float64]

MEAN_OVER = 5
"""Samples of a millisecond over which the new flow's throughput is averaged."""
FAIR = 0.45
"""Share of the link from which the allocation is fair within a tenth (Bansal et al., SIGCOMM 2001)."""
LINK_BPS = {"1Gbps": 1e9, "10Gbps": 1e10}
ROUND_TRIPS = {100: "-", 300: "--"}


def convergence(control: str, points: Points) -> float:
    """Time from the start of the new flow until it has its share: median over times of joining and seeds."""
    return statistics.median(_convergence(point) for point in points.where(control=control))


convergence_of_dctcp = partial(convergence, "dctcp")


def dctcp_over_tcp(points: Points) -> float:
    """Convergence time of DCTCP over that of TCP."""
    return convergence("dctcp", points) / convergence("tcp", points)


def _convergence(point: Point) -> float:
    time_ms, share = _share_of_the_new(point)
    fair = time_ms[share >= FAIR]
    return float(fair[0]) if len(fair) else math.inf


def _share_of_the_new(point: Point) -> tuple[Array, Array]:
    """Share of the link that the new flow has, over the time since its start."""
    start_ms = float(point.at["joins"])
    samples = point.samples("flow_throughput", "host2.flow0", after_ms=start_ms)
    share = np.convolve(samples.value, np.ones(MEAN_OVER) / MEAN_OVER, "valid") / LINK_BPS[str(point.at["link"])]
    return samples.time_ms[MEAN_OVER - 1 :] - start_ms, share


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Share of the new flow over time in the first run, a panel for each rate."""
    figure = Figure(figsize=(8.4, 3.2))
    row = figure.subplots(1, len(LINK_BPS), sharey=True)
    for ax, link in zip(row, LINK_BPS, strict=True):
        for (control, name), colour in zip(DCTCP_AND_TCP.items(), style.COLOURS, strict=False):
            for round_trip, line in ROUND_TRIPS.items():
                first = next(iter(points.where(link=link, control=control, round_trip=round_trip)))
                label = f"{name}, {round_trip} us"
                ax.plot(*_share_of_the_new(first), line, color=colour, linewidth=1.1, label=label)
        ax.axhline(FAIR, color=style.COLOURS[6], linewidth=1, linestyle=":")
        ax.set_title(link.replace("G", " G"))
        ax.set_xlabel("time since its start (ms)")
        ax.set_xlim(0, 250)
        ax.set_ylim(0, 1)
    row[0].set_ylabel("new flow's share of the link")
    style.shared_legend(row)
    return figure
