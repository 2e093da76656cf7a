"""Measures and plot of queues under marking at a threshold and under RED; throughput in Gbps, queues in packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.plot.completion import distribution
from xoff.reproduce import measures

if TYPE_CHECKING:
    import numpy.typing as npt

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

PORT = "switch0.port0"
PACKET_BYTES = 1518
SETTLED_MS = 200
DRAWN_MS = 100
NAMES = {"dctcp": "DCTCP, 65", "red_150": "TCP, RED from 150", "red_50": "TCP, RED from 50"}
BURSTS = {"none": "without bursts", "offloads": "with bursts"}

THROUGHPUT = measures.mean_gbps("throughput", PORT, after_ms=SETTLED_MS)
HIGH = measures.quantile("queue", PORT, 0.95, after_ms=SETTLED_MS)


def throughput(points: Points) -> float:
    """Throughput of the receiver's link."""
    return points.mean(THROUGHPUT)


def deviation_of_red_over_dctcp(points: Points) -> float:
    """Standard deviation of the queue, RED from 150 packets over DCTCP."""
    return measures.ratio_of_means(lambda point: float(_queue(point).std()), points, control=("red_150", "dctcp"))


def buffer_of_red_over_dctcp(points: Points) -> float:
    """95th percentile of the queue, RED from 150 packets over DCTCP."""
    return measures.ratio_of_means(HIGH, points, control=("red_150", "dctcp"))


def _queue(point: Point) -> npt.NDArray[np.float64]:
    return point.samples("queue", PORT, after_ms=SETTLED_MS).value / PACKET_BYTES


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Distribution of the queue, and the queue over time; a row for hosts without bursts and one for those with."""
    figure = Figure(figsize=(8.4, 5.4))
    rows = figure.subplots(len(BURSTS), 2, sharex="col", squeeze=False)
    for (left, right), (bursts, told) in zip(rows, BURSTS.items(), strict=True):
        for (control, name), colour in zip(NAMES.items(), style.COLOURS, strict=False):
            [point] = points.where(control=control, bursts=bursts)
            left.plot(*distribution(np.sort(_queue(point))), color=colour, label=name)
            drawn = point.samples("queue", PORT, after_ms=SETTLED_MS, until_ms=SETTLED_MS + DRAWN_MS)
            right.plot(drawn.time_ms - SETTLED_MS, drawn.value / PACKET_BYTES, color=colour, linewidth=0.9)
        left.set_title(f"hosts {told}")
        left.set_ylabel("share of time below")
        right.set_ylabel("queue (packets)")
        right.set_ylim(bottom=0)
    rows[-1, 0].set_xlabel("queue (packets)")
    rows[-1, 0].set_xlim(left=0)
    rows[-1, 1].set_xlabel("time (ms)")
    style.shared_legend(rows[0])
    return figure
