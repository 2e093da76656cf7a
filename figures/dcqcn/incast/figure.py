"""Measures and plot of the incast: throughput in Gbps on the wire, queue lengths in kB, after a start of 50 ms."""

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
DATA_PRIORITY = 3
WARM_UP_MS = 50
NAMES = {"dcqcn": "DCQCN", "dctcp": "DCTCP"}


def throughput(points: Points) -> float:
    """Throughput of the receiver's link."""
    return points.mean(measures.mean_gbps("throughput", PORT, after_ms=WARM_UP_MS))


def least_throughput(points: Points) -> float:
    """Least throughput of all numbers of senders."""
    return min(throughput(points.where(senders=senders)) for senders in points.axis("senders"))


def queue(points: Points) -> float:
    """90th percentile of the data's queue."""
    return points.mean(lambda point: float(np.quantile(_queue(point), 0.9)))


def queue_dcqcn_over_dctcp(points: Points) -> float:
    """90th percentile of the queue under DCQCN over that under DCTCP."""
    return queue(points.where(control="dcqcn")) / queue(points.where(control="dctcp"))


def _queue(point: Point) -> npt.NDArray[np.float64]:
    return point.samples("queue", PORT, priority=DATA_PRIORITY, after_ms=WARM_UP_MS).value / 1000


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput against the number of senders, and the distribution of the queue at the most."""
    figure = Figure(figsize=(8.4, 3.4))
    left, right = figure.subplots(1, 2)
    most = points.axis("senders")[-1]
    for control, colour in zip(points.axis("control"), style.COLOURS, strict=False):
        of_control = points.where(control=control)
        values = [throughput(of_control.where(senders=senders)) for senders in points.axis("senders")]
        left.plot(points.axis("senders"), values, "o-", color=colour, label=NAMES[str(control)])
        lengths = np.sort(np.concatenate([_queue(point) for point in of_control.where(senders=most)]))
        right.plot(*distribution(lengths), color=colour, label=NAMES[str(control)])
    left.set_xlabel("senders")
    left.set_ylabel("throughput of the receiver's link (Gbps)")
    left.set_ylim(0, 42)
    right.set_xlabel(f"queue with {most} senders (kB)")
    right.set_ylabel("share of time below")
    right.set_xlim(left=0)
    left.legend()
    return figure
