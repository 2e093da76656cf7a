"""Measures and plot of QCN-OS's figure 7: arrival sampling at outputs is unfair to the hot flows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2", **{f"host{source}.flow0": f"f{source}" for source in range(3, 7)}}
PLACES = {"outputs": "arrival sampling at outputs", "inputs": "occupancy sampling at inputs"}
CONGESTED_MS = 10
SETTLED_MS = 60
VICTIM = measures.mean_gbps("flow_throughput", "host0.flow0", after_ms=CONGESTED_MS)
"""Throughput of f1 at its adapter's exit while there is congestion, on the wire."""
HOT = [measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS) for flow in FLOWS if flow != "host0.flow0"]
"""Throughput of f2 to f6 at their adapters' exits once they have settled, on the wire."""

victim = partial(measures.mean, VICTIM)


def _spread(point: Point) -> float:
    """Greatest less least throughput of f2 to f6 once they have settled, in Gbps."""
    hot = [throughput(point) for throughput in HOT]
    return max(hot) - min(hot)


spread = partial(measures.mean, _spread)
spread_ratio = partial(measures.ratio_of_means, _spread, congestion_point=("outputs", "inputs"))


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
