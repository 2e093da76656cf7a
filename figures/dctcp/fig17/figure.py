"""Measures and plot of flows through two bottlenecks."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from xoff.plot import style
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

SETTLED_MS = 300
GROUPS = {"S1": range(10), "S2": range(10, 30), "S3": range(30, 40)}
"""Numbers of the hosts that send."""
PUBLISHED = {"S1": 46, "S2": 475, "S3": 54}


def _mbps(group: str, points: Points) -> float:
    return points.mean(lambda point: float(np.mean(_of_flows(group, point))))


def _of_flows(group: str, point: Point) -> list[float]:
    of_each = point.means("flow_throughput", SETTLED_MS)
    return [of_each[f"host{host}.flow0"] / 1e6 for host in GROUPS[group]]


s1 = partial(_mbps, "S1")
s2 = partial(_mbps, "S2")
s3 = partial(_mbps, "S3")


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of every flow, and what was published for each group."""
    figure = Figure(figsize=(7.5, 3))
    row = figure.subplots(1, len(GROUPS))
    for ax, group in zip(row, GROUPS, strict=True):
        for control, name in DCTCP_AND_TCP.items():
            values = _of_flows(group, next(iter(points.where(control=control))))
            ax.plot(range(1, len(values) + 1), values, "o", markersize=4, label=name)
        ax.axhline(PUBLISHED[group], color=style.COLOURS[6], linestyle="--", linewidth=1, label="published for DCTCP")
        ax.set_title(group)
        ax.set_xlabel("sender")
        ax.set_ylim(bottom=0)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    row[0].set_ylabel("throughput (Mbps)")
    style.shared_legend(row)
    return figure
