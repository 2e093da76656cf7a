"""Measures and plot of QCN-OS's figure 11: two samples together with end-to-end acknowledgements."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
VICTIM = "host0.flow0"
ONSET_MS, SETTLED_MS, END_MS = 50, 100, 150
"""Times when f2 begins, when it has settled, and when it ends."""
TICKS_US = range(0, 200_001, 50_000)
UNDISTURBED = 4.5e9  # of f1, in bits per second

victim, culprit = (
    partial(measures.mean, measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS, until_ms=END_MS))
    for flow in FLOWS
)
"""Throughput of f1 and of f2 at their adapter's exit once they have settled, on the wire."""


def _settling(point: Point) -> float:
    """Time from the start of f2 until f1 has its throughput for good, in ms."""
    samples = point.samples("flow_throughput", VICTIM, after_ms=ONSET_MS, until_ms=END_MS)
    return float(samples.time_ms[samples.value < UNDISTURBED].max(initial=ONSET_MS)) - ONSET_MS


settling_ratio = partial(measures.ratio_of_means, _settling, method=("both", "two_samples"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughputs in the first run with both."""
    figure = Figure(figsize=(5.2, 3))
    ax = figure.subplots()
    flows.draw(next(iter(points.where(method="both"))).result(), ["flow_throughput"], [ax], flows=FLOWS)
    ax.set_title("")
    ax.set_ylabel("throughput")
    ax.set_xticks(TICKS_US)
    style.legend(ax)
    return figure
