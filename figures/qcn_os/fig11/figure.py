"""Measures and plot of QCN-OS's figure 11: two samples together with end-to-end acknowledgements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc
from matplotlib.figure import Figure

from xoff.plot import flows, style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
VICTIM, CULPRIT = FLOWS
ACTIVE_MS = (50, 150)  # f2
SETTLED_MS = (100, 150)
UNDISTURBED = 4.5e9  # of f1, in bits per second


def victim(points: Points) -> float:
    """Throughput of f1 at its adapter's exit once it has settled, in Gbps on the wire."""
    return points.mean(lambda point: point.means("flow_throughput", *SETTLED_MS)[VICTIM] / 1e9)


def culprit(points: Points) -> float:
    """The same of f2."""
    return points.mean(lambda point: point.means("flow_throughput", *SETTLED_MS)[CULPRIT] / 1e9)


def settling(points: Points) -> float:
    """From the start of f2 until f1 has its throughput for good, in ms; the mean over runs."""
    return points.mean(_settling)


def _settling(point: Point) -> float:
    start, end = ACTIVE_MS
    series = point.result().series
    assert series is not None
    of_victim = pc.and_(pc.equal(series["quantity"], "flow_throughput"), pc.equal(series["name"], VICTIM))
    disturbed = series.filter(pc.and_(of_victim, pc.less(series["value"], UNDISTURBED)))
    times = [time / 1e6 for time in disturbed["time_ns"].to_pylist()]
    return max((time - start for time in times if start < time <= end), default=0)


def settling_ratio(points: Points) -> float:
    """That with both over that under two samples alone."""
    return settling(points.where(method="both")) / settling(points.where(method="two_samples"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughputs in the first run with both."""
    figure = Figure(figsize=(5.2, 3))
    ax = figure.subplots()
    flows.draw(next(iter(points.where(method="both"))).result(), ["flow_throughput"], [ax], flows=FLOWS)
    ax.set_title("")
    ax.set_ylabel("throughput")
    ax.locator_params(axis="x", nbins=4)
    style.legend(ax)
    return figure
