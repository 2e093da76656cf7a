"""Measures and plot of how verdicts on an input-generated hotspot hang on what the paper leaves open."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
CONGESTED_MS = 10
THROUGHPUTS = {name: measures.mean_gbps("flow_throughput", flow, after_ms=CONGESTED_MS) for flow, name in FLOWS.items()}
"""Throughput of a flow at its adapter's exit while there is congestion, on the wire."""
VICTIM = THROUGHPUTS["f1"]
NAMES = {
    "arrival": "arrival\nsampling",
    "occupancy": "occupancy\nsampling",
    "keep_alive": "occupancy sampling,\nkeep-alive 20 us",
}


least_victim = partial(measures.least_mean, VICTIM, "change")


def least_gain(points: Points) -> float:
    """Throughput of f1 under occupancy sampling over that under arrival sampling, least of all changes."""
    changes = (points.where(change=change) for change in points.axis("change"))
    return min(measures.ratio_of_means(VICTIM, change, sampling=("occupancy", "arrival")) for change in changes)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of f1 and f2 under each sampling, for each change."""
    figure = panels.dots(points, THROUGHPUTS, beside="change", columns=("sampling", NAMES))
    figure.axes[0].set_xlim(0, 5.5)
    figure.supxlabel("throughput (Gbps)", fontsize="medium")
    return figure
