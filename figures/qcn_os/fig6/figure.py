"""Measures and plot of QCN-OS's figure 6: arrival against occupancy sampling at inputs."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

OF_HOST0 = {"host0.flow0": "f1", "host0.flow1": "f2"}
FLOWS = OF_HOST0 | {f"host{source}.flow0": f"f{source}" for source in range(3, 7)}
SENDER = "host0.port0"
INPUT = "switch0.port0"
SAMPLINGS = {"arrival": "arrival sampling", "occupancy": "occupancy sampling"}
CONGESTED_MS = 10
SETTLED_MS = 60
VICTIM = measures.mean_gbps("flow_throughput", "host0.flow0", after_ms=CONGESTED_MS)
"""Throughput of f1 at its adapter's exit while there is congestion, on the wire."""
HOT = [measures.mean_gbps("flow_throughput", flow, after_ms=SETTLED_MS) for flow in FLOWS if flow != "host0.flow0"]
"""Throughput of f2 to f6 at their adapters' exits once they have settled, on the wire."""

LIMITS = [measures.mean_gbps("rate", flow, after_ms=24, until_ms=26) for flow in OF_HOST0]
"""Rate limits of f1 and f2 around 25 ms."""

limit_of_victim, limit_of_culprit = (partial(measures.mean, limit) for limit in LIMITS)
victim = partial(measures.mean, VICTIM)
occupancy_over_arrival = partial(measures.ratio_of_means, sampling=("occupancy", "arrival"))
victim_gain = partial(occupancy_over_arrival, VICTIM)


def pause_ratio(points: Points) -> float:
    """Time that the sender of f1 and f2 is paused under occupancy sampling over that under arrival sampling."""
    return occupancy_over_arrival(lambda point: _paused_ms(point).get(SENDER, 0), points)


def pause_ratio_of_all(points: Points) -> float:
    """Time that all senders together are paused under occupancy sampling over that under arrival sampling."""
    return occupancy_over_arrival(lambda point: sum(_paused_ms(point).values()), points)


def _paused_ms(point: Point) -> dict[str, float]:
    """Total time that each port is paused, in ms."""
    result = point.result()
    assert result.pauses is not None
    ends = result.pauses["end_ns"].fill_null(result.summary["end_ns"])
    lengths = pa.table({"port": result.pauses["paused_port"], "ns": pc.subtract(ends, result.pauses["start_ns"])})
    sums = lengths.group_by("port").aggregate([("ns", "sum")])
    return {port: ns / 1e6 for port, ns in zip(sums["port"].to_pylist(), sums["ns_sum"].to_pylist(), strict=True)}


def hot(points: Points) -> list[float]:
    """Throughput of f2 to f6 once they have settled."""
    return [points.mean(throughput) for throughput in HOT]


def least_hot(points: Points) -> float:
    """Throughput of the flow among f2 to f6 that gets least."""
    return min(hot(points))


def greatest_hot(points: Points) -> float:
    """Throughput of the flow among f2 to f6 that gets most."""
    return max(hot(points))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput, rate limits and occupancy of the input of f1 and f2, in the first run of each sampling."""
    return panels.flows_at_an_input(points, ("sampling", SAMPLINGS), flows=FLOWS, port=INPUT, at_port=OF_HOST0)
