"""Measures and plot of four senders into one host; throughputs in Gbps on the wire, over draws of ECMP."""

from __future__ import annotations

from statistics import median
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

PORTS = {"H1": "host0.port0", "H2": "host5.port0", "H3": "host10.port0", "H4": "host16.port0"}
THROUGHPUTS = {sender: measures.mean_gbps("throughput", port, after_ms=20) for sender, port in PORTS.items()}
LOCAL = "H4"
"""The sender under the receiver's ToR."""
NAMES = {"none": "PFC only", "dcqcn": "DCQCN"}


def throughputs(point: Point) -> dict[str, float]:
    """Mean throughput of each sender in one draw."""
    return {sender: throughput(point) for sender, throughput in THROUGHPUTS.items()}


def of(points: Points, sender: str) -> list[float]:
    """Throughput of a sender in each draw."""
    return [throughputs(point)[sender] for point in points]


def highest_of_local(points: Points) -> float:
    """Highest throughput of H4."""
    return max(of(points, LOCAL))


def local_over_others(points: Points) -> float:
    """Median of H4 over the median of the others."""
    others = [value for sender in PORTS if sender != LOCAL for value in of(points, sender)]
    return median(of(points, LOCAL)) / median(others)


def least_local_over_highest_other(points: Points) -> float:
    """The least of H4 over the highest of any other."""
    others = [value for sender in PORTS if sender != LOCAL for value in of(points, sender)]
    return min(of(points, LOCAL)) / max(others)


def least_jain(points: Points) -> float:
    """Jain's index of the four senders, the least of all draws."""
    return min(_jain(list(throughputs(point).values())) for point in points)


def least_share(points: Points) -> float:
    """The least throughput of any sender in any draw."""
    return min(min(throughputs(point).values()) for point in points)


def highest_share(points: Points) -> float:
    """The highest throughput of any sender in any draw."""
    return max(max(throughputs(point).values()) for point in points)


def _jain(values: list[float]) -> float:
    return sum(values) ** 2 / (len(values) * sum(value * value for value in values))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Least, median and highest throughput of each sender, as the paper draws them."""
    figure = Figure()
    axes = figure.subplots(1, 2, sharey=True)
    for ax, control in zip(axes, points.axis("control"), strict=True):
        for place, sender in enumerate(PORTS):
            values = of(points.where(control=control), sender)
            middle = median(values)
            spread = [[middle - min(values)], [max(values) - middle]]
            ax.errorbar(place, middle, spread, fmt="o", capsize=6, color=style.COLOURS[place])
        ax.set_xticks(range(len(PORTS)), list(PORTS))
        ax.set_title(NAMES[str(control)])
        ax.set_xlabel("sender")
    axes[0].set_ylabel("throughput (Gbps): least, median, highest")
    axes[0].set_ylim(bottom=0)
    return figure
