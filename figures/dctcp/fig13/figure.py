"""Measures and plots of queues of long flows, after a start of 2 s; queues in packets."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.plot.completion import distribution
from xoff.reproduce import measures
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

PORT = "switch0.port0"
PACKET_KB = 1.518
SETTLED_MS = 2_000
DRAWN_S = 10
LINES = {2: "-", 20: "--"}

THROUGHPUT = measures.mean_gbps("throughput", PORT, after_ms=SETTLED_MS)


def goodput(points: Points) -> float:
    """Payload into the receiver (Gbps)."""
    return points.mean(THROUGHPUT) * 1460 / 1538


def quantile(share: float, points: Points) -> float:
    """Quantile of the queue."""
    return points.mean(measures.quantile("queue", PORT, share, after_ms=SETTLED_MS)) / 1e3 / PACKET_KB


fifth_percentile = partial(quantile, 0.05)
median = partial(quantile, 0.5)
ninety_fifth_percentile = partial(quantile, 0.95)


def highest(points: Points) -> float:
    """Highest sample of the queue (kB)."""
    return quantile(1, points) * PACKET_KB


def median_of_tcp_over_dctcp(points: Points) -> float:
    """Median of the queue under TCP over that under DCTCP."""
    return median(points.where(control="tcp")) / median(points.where(control="dctcp"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Distribution of the queue, as in figure 13, and the queue of two flows over time, as in figure 1."""
    figure = Figure(figsize=(8.4, 3.2))
    left, right = figure.subplots(1, 2)
    for control, colour in zip(DCTCP_AND_TCP, style.COLOURS, strict=False):
        name = DCTCP_AND_TCP[control]
        for flows, line in LINES.items():
            [point] = points.where(control=control, flows=flows)
            settled = point.samples("queue", PORT, after_ms=SETTLED_MS).value / 1e3 / PACKET_KB
            left.plot(*distribution(np.sort(settled)), line, color=colour, label=f"{name}, {flows} flows")
        [of_two] = points.where(control=control, flows=2)
        queue = of_two.samples("queue", PORT, until_ms=DRAWN_S * 1e3)
        right.plot(queue.time_ms / 1e3, queue.value / 1e3, color=colour, linewidth=1, label=f"{name}, 2 flows")
    left.set_xlabel("queue (packets)")
    left.set_ylabel("share of time below")
    left.set_xlim(left=0)
    right.set_xlabel("time (s)")
    right.set_ylabel("queue (kB)")
    right.set_xlim(0, DRAWN_S)
    right.set_ylim(0, 760)
    left.legend(loc="center", bbox_to_anchor=(0.36, 0.5))
    return figure
