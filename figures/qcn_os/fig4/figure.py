"""Measures and plot of QCN-OS's figure 4: arrival sampling at inputs throttles a victim."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import flows, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

OF_HOST0 = {"host0.flow0": "f1", "host0.flow1": "f2"}
FLOWS = OF_HOST0 | {f"host{source}.flow0": f"f{source}" for source in range(3, 7)}
INPUT = "switch0.port0"
SETTLED_MS = 60
LAST_PAUSE_MS = measures.last_pause_ms()
VICTIM = measures.mean_gbps("flow_throughput", "host0.flow0", after_ms=SETTLED_MS)
"""Throughput of f1 at its adapter's exit, on the wire."""

victim = partial(measures.mean, VICTIM)


def last_pause(points: Points) -> float:
    """Time when the last pause of any adapter in any run is over, in ms."""
    return max(LAST_PAUSE_MS(point) for point in points)


def occupancy(points: Points) -> float:
    """Bytes in the input buffer that f1 and f2 share, in kB."""
    return points.mean(lambda point: point.means("input", SETTLED_MS)[INPUT] / 1e3)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of every flow and occupancy of the input of f1 and f2, in the first run."""
    figure = Figure(figsize=(6.6, 2.7))
    row = figure.subplots(1, 2)
    result = next(iter(points)).result()
    flows.draw(result, ["flow_throughput"], row[:1], flows=FLOWS)
    flows.draw(result, ["input"], row[1:], flows=OF_HOST0, port=INPUT)
    style.shared_legend(row)
    return figure
