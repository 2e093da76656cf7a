"""Measures and plot of an output-generated hotspot: an output that serves slowly."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FLOWS = {"host0.flow0": "f1", "host0.flow1": "f2"}
VICTIM = "host0.flow0"
CULPRIT = "host0.flow1"
INPUT = "switch0.port0"
CONGESTED_MS = 10
SETTLED_MS = 60
PLACES = {"outputs": "arrival sampling\nat outputs", "inputs": "occupancy sampling\nat inputs"}


def pause_end(points: Points) -> float:
    """From the onset of congestion until the last pause of an adapter is over, in ms; the mean over runs."""
    return points.mean(_pause_end)


def _pause_end(point: Point) -> float:
    result = point.result()
    assert result.pauses is not None
    ends = result.pauses["end_ns"].fill_null(result.summary["end_ns"]).to_pylist()
    return float(max(ends, default=CONGESTED_MS * 1e6)) / 1e6 - CONGESTED_MS


def later(points: Points) -> float:
    """That under occupancy sampling at inputs less that under arrival sampling at outputs."""
    return pause_end(points.where(congestion_point="inputs")) - pause_end(points.where(congestion_point="outputs"))


def throughput(points: Points, flow: str, after_ms: float) -> float:
    """Mean of a flow at its adapter's exit, in Gbps on the wire."""
    return points.mean(lambda point: point.means("flow_throughput", after_ms)[flow] / 1e9)


def victim_gain(points: Points) -> float:
    """Throughput of f1 during congestion, occupancy sampling at inputs over arrival sampling at outputs."""
    inputs, outputs = (points.where(congestion_point=place) for place in ("inputs", "outputs"))
    return throughput(inputs, VICTIM, CONGESTED_MS) / throughput(outputs, VICTIM, CONGESTED_MS)


def victim_settled(points: Points) -> float:
    """Throughput of f1 once it has settled."""
    return throughput(points, VICTIM, SETTLED_MS)


def culprit_settled(points: Points) -> float:
    """Throughput of f2 once it has settled."""
    return throughput(points, CULPRIT, SETTLED_MS)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput, rate limits and occupancy of the input of f1 and f2, in the first run of each."""
    figure = Figure(figsize=(9.9, 5))
    rows = figure.subplots(2, 3, sharey="col")
    for row, place in zip(rows, points.axis("congestion_point"), strict=True):
        point = next(iter(points.where(congestion_point=place)))
        flows.draw(point.result(), ["flow_throughput", "rate", "input"], row, flows=FLOWS, port=INPUT)
        row[0].set_ylabel(PLACES[str(place)])
    style.shared_legend(rows[0])
    return figure
