"""Measures and plot of an output-generated hotspot: an output that serves slowly."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
INPUT = "switch0.port0"
CONGESTED_MS = 10
SETTLED_MS = 60
PLACES = {"outputs": "arrival sampling\nat outputs", "inputs": "occupancy sampling\nat inputs"}
LAST_PAUSE_MS = measures.last_pause_ms(since_ms=CONGESTED_MS)
VICTIM = measures.mean_gbps("flow_throughput", "host0.flow0", after_ms=CONGESTED_MS)
"""Throughput of f1 at its adapter's exit while there is congestion, on the wire."""

victim_settled, culprit_settled = (
    partial(measures.mean, measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS)) for flow in FLOWS
)
"""Throughput of f1 and of f2 at their adapters' exits once they have settled, on the wire."""
victim_gain = partial(measures.ratio_of_means, VICTIM, congestion_point=("inputs", "outputs"))


def later(points: Points) -> float:
    """Time until PFC stops, under occupancy sampling at inputs less that under arrival sampling at outputs."""
    inputs, outputs = (points.mean(LAST_PAUSE_MS, congestion_point=place) for place in ("inputs", "outputs"))
    return inputs - outputs


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput, rate limits and occupancy of the input of f1 and f2, in the first run of each."""
    return panels.flows_at_an_input(points, ("congestion_point", PLACES), flows=FLOWS, port=INPUT)
