"""Measures and plot of three flows over two bottlenecks; throughputs in Gbps on the wire after a start of 50 ms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

WARM_UP_MS = 50
FLOWS = ("f1", "f2", "f3")
NAMES = {"cut_off": "cut-off at 40 kB", "red": "RED, 5 to 200 kB"}


def throughput(points: Points, flow: str) -> float:
    """Mean throughput over time and seeds."""
    return points.mean(measures.mean_gbps("throughput", f"{flow}_from.port0", after_ms=WARM_UP_MS))


def of_two_hops(points: Points) -> float:
    """Throughput of the flow that crosses both bottlenecks."""
    return throughput(points, "f2")


def red_over_cut_off(points: Points) -> float:
    """Throughput of the flow that crosses both, under RED over under cut-off marking."""
    return of_two_hops(points.where(marking="red")) / of_two_hops(points.where(marking="cut_off"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """The three flows side by side, under either marking."""
    figure = Figure()
    ax = figure.subplots()
    for index, marking in enumerate(points.axis("marking")):
        values = [throughput(points.where(marking=marking), flow) for flow in FLOWS]
        places = [place + 0.4 * index - 0.2 for place in range(len(FLOWS))]
        ax.bar(places, values, 0.36, color=style.COLOURS[index], label=NAMES[str(marking)])
    ax.axhline(20, color=style.COLOURS[6], linestyle=":", label="max-min share")
    ax.set_xticks(range(len(FLOWS)), ["f1, one bottleneck", "f2, both", "f3, one bottleneck"])
    ax.set_ylabel("throughput (Gbps)")
    ax.legend()
    return figure
