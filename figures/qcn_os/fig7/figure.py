"""Measures and plot of QCN-OS's figure 7: arrival sampling at outputs is unfair to the hot flows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2", **{f"host{source}.flow0": f"f{source}" for source in range(3, 7)}}
VICTIM = "host0.flow0"
CONGESTED_MS = 10
SETTLED_MS = 60
PLACES = {"outputs": "arrival sampling at outputs", "inputs": "occupancy sampling at inputs"}


def victim(points: Points) -> float:
    """Throughput of f1 at its adapter's exit while there is congestion, in Gbps on the wire."""
    return points.mean(lambda point: point.means("flow_throughput", CONGESTED_MS)[VICTIM] / 1e9)


def spread(points: Points) -> float:
    """Greatest less least throughput of f2 to f6 once they have settled, in Gbps; the mean over runs."""
    return points.mean(_spread)


def _spread(point: Point) -> float:
    means = point.means("flow_throughput", SETTLED_MS)
    hot = [means[flow] / 1e9 for flow in FLOWS if flow != VICTIM]
    return max(hot) - min(hot)


def spread_ratio(points: Points) -> float:
    """The spread under arrival sampling at outputs over that under occupancy sampling at inputs."""
    return spread(points.where(congestion_point="outputs")) / spread(points.where(congestion_point="inputs"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of every flow over time, in the first run of each."""
    figure = Figure(figsize=(6.6, 2.7))
    row = figure.subplots(1, 2, sharey=True)
    for ax, place in zip(row, points.axis("congestion_point"), strict=True):
        point = next(iter(points.where(congestion_point=place)))
        flows.draw(point.result(), ["flow_throughput"], [ax], flows=FLOWS)
        ax.set_title(PLACES[str(place)])
    row[0].set_ylabel("throughput")
    style.shared_legend(row)
    return figure
