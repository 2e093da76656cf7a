"""Measures and plot of QCN-OS's figure 10: what protects the victim of a bottleneck inside a fabric."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
VICTIM = "host0.flow0"
INPUT = "card0.port0"
ONSET_MS, SETTLED_MS, END_MS = 50, 100, 150
"""Times when f2 begins, when it has settled, and when it ends."""
TICKS_US = range(0, 200_001, 50_000)
NAMES = {"two_samples": "two samples", "reliable_delivery": "occupancy sampling,\nend-to-end acknowledgements"}

victim, culprit = (
    partial(measures.mean, measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS, until_ms=END_MS))
    for flow in FLOWS
)
"""Throughput of f1 and of f2 at their adapter's exit once they have settled, on the wire."""


def _cnms(point: Point) -> float:
    """CNMs that f1 is sent in each ms."""
    return point.means("cnms", ONSET_MS, END_MS)[VICTIM]


cnm_ratio = partial(measures.ratio_of_means, _cnms, method=("reliable_delivery", "two_samples"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput, rate limits and occupancy of the input of f1 and f2, in the first run of each."""
    figure = panels.flows_at_an_input(points, ("method", NAMES), flows=FLOWS, port=INPUT)
    for ax in figure.axes:
        ax.set_xticks(TICKS_US)
    return figure
