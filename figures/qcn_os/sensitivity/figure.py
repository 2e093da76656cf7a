"""Measures and plot of how verdicts on a fabric hang on what the paper leaves open."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
SETTLED_MS, END_MS = 100, 150
THROUGHPUTS = {
    name: measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS, until_ms=END_MS)
    for flow, name in FLOWS.items()
}
"""Throughput of a flow at its adapter's exit once it has settled, on the wire."""
VICTIM = THROUGHPUTS["f1"]
NAMES = {
    "9d": "9d",
    "10a": "10a",
    "10d": "10d",
    "9d in order": "9d\nin order",
    "10a in order": "10a\nin order",
}

least_victim = partial(measures.least_mean, VICTIM, "change")
greatest_victim = partial(measures.greatest_mean, VICTIM, "change")


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of f1 and f2 in each figure, for each change."""
    figure = panels.dots(points, THROUGHPUTS, beside="change", columns=("figure", NAMES))
    figure.axes[0].set_xlim(0, 5.5)
    figure.supxlabel("throughput (Gbps)", fontsize="medium")
    return figure
