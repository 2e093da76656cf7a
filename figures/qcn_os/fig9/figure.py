"""Measures and plot of QCN-OS's figure 9: no sampling protects the victim of a bottleneck inside a fabric."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
INPUT = "card0.port0"
ONSET_MS, SETTLED_MS, END_MS = 50, 100, 150
"""Times when f2 begins, when it has settled, and when it ends."""
TICKS_US = range(0, 200_001, 50_000)
NAMES = {
    "none": "PFC only",
    "arrival_at_outputs": "arrival sampling at outputs",
    "arrival_at_inputs": "arrival sampling at inputs",
    "occupancy_at_inputs": "occupancy sampling at inputs",
}
AT_INPUTS = ("arrival_at_inputs", "occupancy_at_inputs")
VICTIM, CULPRIT = (measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS, until_ms=END_MS) for flow in FLOWS)
"""Throughput of f1 and of f2 at their adapter's exit once they have settled, on the wire."""

victim, culprit = partial(measures.mean, VICTIM), partial(measures.mean, CULPRIT)


def difference(points: Points) -> float:
    """Difference of the throughputs of f1 and f2 in a run, in Gbps; the mean over runs."""
    return points.mean(lambda point: abs(VICTIM(point) - CULPRIT(point)))


def cnms_of_outputs(points: Points) -> float:
    """CNMs of congestion points at outputs, of all runs."""
    return sum(float(point.summary["qcn"]["cnms_sent_by_outputs"]) for point in points)


def cnms_while_congested(points: Points) -> float:
    """CNMs that adapters receive while f2 is active, most for each ms of any flow in any run."""
    return max(rate for point in points for rate in point.means("cnms", ONSET_MS, END_MS).values())


def cnms_of_inputs(points: Points) -> float:
    """CNMs of congestion points at inputs, of all runs."""
    return sum(float(point.summary["qcn"]["cnms_sent_by_inputs"]) for point in points)


def crossings(points: Points) -> float:
    """Times that a CNM crossed a crossbar, and so used bandwidth of the fabric."""
    return sum(
        float(point.summary["qcn"]["cnms_through_crossbars"])
        for sampling in AT_INPUTS
        for point in points.where(sampling=sampling)
    )


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughputs under each; rate limits and occupancy of the input of f1 and f2 under the last. The first runs."""
    figure = Figure(figsize=(9.9, 5))
    above, below = figure.subplots(2, 3)
    for ax, sampling in zip([*above, below[0]], points.axis("sampling"), strict=True):
        result = next(iter(points.where(sampling=sampling))).result()
        flows.draw(result, ["flow_throughput"], [ax], flows=FLOWS)
        ax.set_title(NAMES[str(sampling)])
        ax.set_ylabel("throughput")
    flows.draw(result, ["rate", "input"], below[1:], flows=FLOWS, port=INPUT)
    for ax in [*above, *below]:
        ax.set_xticks(TICKS_US)
    style.shared_legend(above)
    return figure
