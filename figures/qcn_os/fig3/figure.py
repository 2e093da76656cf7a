"""Measures and plot of QCN-OS's figure 3: a victim and four culprits under PFC alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2", "host3.flow0": "f3", "host4.flow0": "f4", "host5.flow0": "f5"}
SETTLED_MS = 20
MATCHINGS = {"islip": "iSLIP", "round_robin": "round robin"}


def throughput(points: Points, flow: str) -> float:
    """Mean of a flow at its adapter's exit, in Gbps on the wire."""
    return points.mean(lambda point: point.means("flow_throughput", SETTLED_MS)[flow] / 1e9)


def least(points: Points) -> float:
    """Of the flow that gets least."""
    return min(throughput(points, flow) for flow in FLOWS)


def greatest(points: Points) -> float:
    """Of the flow that gets most."""
    return max(throughput(points, flow) for flow in FLOWS)


def victim_over_culprit(points: Points) -> float:
    """The throughput of f1 over that of f2."""
    return throughput(points, "host0.flow0") / throughput(points, "host0.flow1")


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
