"""Measures and plot of a queue that grows until its sender hears of marks; queues in kB."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points, Samples

FRAME, ON_WIRE = 1086, 1106
GROWTH_KB_PER_US = (100 - 25) / 8 * FRAME / ON_WIRE
"""Growth of the queue while the sender knows nothing of marks."""
SHOWN_US = 500


def peak(points: Points) -> float:
    """Longest queue before it is empty again for the first time."""
    return points.mean(_peak)


def growth(points: Points) -> float:
    """Growth of the longest queue if an answer takes 55 us."""
    return peak(points.where(cnp_delay=55)) - peak(points.where(cnp_delay=0))


def _queue(point: Point) -> Samples:
    return point.samples("queue", "switch0.port1", priority=3)


def _peak(point: Point) -> float:
    queue = _queue(point).value
    return float(queue[: np.argmin(queue > 0) or None].max()) / 1e3


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """The queue over time by delay, and its peak against the delay, where XOFF is out of reach."""
    figure = Figure(figsize=(8, 3.2))
    over_time, of_delay = figure.subplots(1, 2)
    unpaused = points.where(xoff="out_of_reach")
    for point, colour in zip(unpaused.where(marked="dequeue", preset="mellanox"), style.COLOURS, strict=False):
        queue = _queue(point)
        label = f"{float(point.at['cnp_delay']):g} us"
        over_time.plot(queue.time_ms * 1e3, queue.value / 1e3, color=colour, linewidth=1, label=label)
    over_time.set_xlim(0, SHOWN_US)
    over_time.set_xlabel("time (us)")
    over_time.set_ylabel("queue (kB)")
    over_time.legend(title="CNP after")
    delays = [float(at) for at in unpaused.axis("cnp_delay")]
    of_delay.plot([], [], ":", color="black", label="at once, and 75 Gbps for so long")
    pairs = [(marked, preset) for preset in unpaused.axis("preset") for marked in unpaused.axis("marked")]
    for (marked, preset), marker, colour in zip(pairs, "osD^", style.COLOURS, strict=False):
        peaks = [peak(unpaused.where(marked=marked, preset=preset, cnp_delay=at)) for at in delays]
        of_delay.plot(delays, peaks, marker, color=colour, label=f"{preset}, marked at {marked}")
        of_delay.plot(delays, [peaks[0] + GROWTH_KB_PER_US * at for at in delays], ":", color=colour)
    of_delay.set_xlabel("CNP after (us)")
    of_delay.set_ylabel("first peak of the queue (kB)")
    over_time.set_ylim(bottom=0)
    of_delay.set_ylim(0, 1.6 * of_delay.get_ylim()[1])  # room for the legend
    of_delay.legend(fontsize="small", loc="upper left")
    return figure
