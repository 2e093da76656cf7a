"""Measures and plot of queues under a PI controller, in packets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points, Samples

PORT = "switch0.port0"
PACKET_BYTES = 1518
LINK_GBPS = 10
REFERENCE = 50
SETTLED_MS = 1_000
DRAWN_MS = 200

THROUGHPUT = measures.mean_gbps("throughput", PORT, after_ms=SETTLED_MS)


def utilization(points: Points) -> float:
    """Share of the wire in use."""
    return points.mean(THROUGHPUT) / LINK_GBPS


def time_empty_of_few_less_many(points: Points) -> float:
    """Share of time that the queue of 2 flows is empty, less that of 20."""
    return points.mean(_time_empty, flows=2) - points.mean(_time_empty, flows=20)


def deviation_of_many_over_five(points: Points) -> float:
    """Standard deviation of the queue of 20 flows, over that of 5."""
    return measures.ratio_of_means(lambda point: float(_queue(point).value.std()), points, flows=(20, 5))


def _time_empty(point: Point) -> float:
    return float((_queue(point).value == 0).mean())


def _queue(point: Point) -> Samples:
    return point.samples("queue", PORT, after_ms=SETTLED_MS)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """The queue over time, a panel for each number of flows."""
    figure = Figure(figsize=(9.9, 2.9))
    row = figure.subplots(1, len(points), sharey=True)
    for ax, point in zip(row, points, strict=True):
        queue = _queue(point)
        ax.plot(queue.time_ms - SETTLED_MS, queue.value / PACKET_BYTES, linewidth=0.9)
        ax.axhline(REFERENCE, color=style.COLOURS[6], linestyle="--", linewidth=1)
        ax.set_title(f"{point.at['flows']} flows")
        ax.set_xlabel("time (ms)")
        ax.set_xlim(0, DRAWN_MS)
        ax.set_ylim(bottom=0)
    row[0].set_ylabel("queue (packets)")
    return figure
