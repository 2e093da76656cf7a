"""Measures and plot of QCN-OS's figure 3: a victim and four culprits under PFC alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2", "host3.flow0": "f3", "host4.flow0": "f4", "host5.flow0": "f5"}
SETTLED_MS = 20
THROUGHPUTS = [measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS) for flow in FLOWS]
MATCHINGS = {"islip": "iSLIP", "round_robin": "round robin"}


def throughputs(points: Points) -> list[float]:
    """Throughput of each flow at its adapter's exit, in Gbps on the wire."""
    return [points.mean(throughput) for throughput in THROUGHPUTS]


def least(points: Points) -> float:
    """Throughput of the flow that gets least."""
    return min(throughputs(points))


def greatest(points: Points) -> float:
    """Throughput of the flow that gets most."""
    return max(throughputs(points))


def victim_over_culprit(points: Points) -> float:
    """The throughput of f1 over that of f2."""
    victim, culprit, *_ = throughputs(points)
    return victim / culprit


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of every flow over time, one panel for each matching."""
    figure = Figure(figsize=(6.6, 2.7))
    row = figure.subplots(1, len(points.axis("matching")), sharey=True)
    for ax, point in zip(row, points, strict=True):
        flows.draw(point.result(), ["flow_throughput"], [ax], flows=FLOWS)
        ax.set_title(MATCHINGS[str(point.at["matching"])])
    row[0].set_ylabel("throughput")
    style.shared_legend(row)
    return figure
