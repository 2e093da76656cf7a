"""Measures and plot of QCN-OS's figure 10: what protects the victim of a bottleneck inside a fabric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
VICTIM, CULPRIT = FLOWS
INPUT = "card0.port0"
ONSET_MS = 50
SETTLED_MS = (100, 150)
NAMES = {"two_samples": "two samples", "reliable_delivery": "occupancy sampling,\nend-to-end acknowledgements"}


def victim(points: Points) -> float:
    """Throughput of f1 at its adapter's exit once it has settled, in Gbps on the wire."""
    return points.mean(lambda point: point.means("flow_throughput", *SETTLED_MS)[VICTIM] / 1e9)


def culprit(points: Points) -> float:
    """The same of f2."""
    return points.mean(lambda point: point.means("flow_throughput", *SETTLED_MS)[CULPRIT] / 1e9)


def cnms(points: Points) -> float:
    """How many CNMs f1 is sent for each ms; the mean over runs."""
    return points.mean(_cnms)


def _cnms(point: Point) -> float:
    return point.means("cnms", ONSET_MS, SETTLED_MS[1])[VICTIM]


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
            ax.locator_params(axis="x", nbins=4)
    style.shared_legend(rows[0])
    return figure
