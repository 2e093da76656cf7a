"""Measures and plot of QCN-OS's figure 10: what protects the victim of a bottleneck inside a fabric."""

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
INPUT = "card0.port0"
ONSET_MS, SETTLED_MS, END_MS = 50, 100, 150
"""When f2 begins, when it has settled, when it ends."""
TICKS_US = range(0, 200_001, 50_000)
NAMES = {"two_samples": "two samples", "reliable_delivery": "occupancy sampling,\nend-to-end acknowledgements"}

victim, culprit = (
    partial(measures.mean, measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS, until_ms=END_MS))
    for flow in FLOWS
)
"""Throughput of f1 and of f2 at their adapter's exit once they have settled, on the wire."""


def cnms(points: Points) -> float:
    """How many CNMs f1 is sent for each ms; the mean over runs."""
    return points.mean(_cnms)


def _cnms(point: Point) -> float:
    return point.means("cnms", ONSET_MS, END_MS)[VICTIM]


def cnm_ratio(points: Points) -> float:
    """That with end-to-end acknowledgements over that under two samples."""
    return cnms(points.where(method="reliable_delivery")) / cnms(points.where(method="two_samples"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput, rate limits and occupancy of the input of f1 and f2, in the first run of each."""
    figure = Figure(figsize=(9.9, 5))
    rows = figure.subplots(2, 3, sharey="col")
    for row, method in zip(rows, points.axis("method"), strict=True):
        point = next(iter(points.where(method=method)))
        flows.draw(point.result(), ["flow_throughput", "rate", "input"], row, flows=FLOWS, port=INPUT)
        row[0].set_ylabel(NAMES[str(method)])
        for ax in row:
            ax.set_xticks(TICKS_US)
    style.shared_legend(rows[0])
    return figure
