"""Measures and plot of two flows, the second of which starts at 10 ms; rates in Gbps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import over_time, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

SETTLED_MS = 40
"""The second flow has had 30 ms."""
FLOWS = {"host1.flow0": "first flow", "host2.flow0": "second flow"}
FIRST, SECOND = (measures.mean_gbps("rate", flow, after_ms=SETTLED_MS) for flow in FLOWS)


def second(points: Points) -> float:
    """Mean rate of the second flow once settled."""
    return points.mean(SECOND)


def second_over_first(points: Points) -> float:
    """Mean rate of the second flow over that of the first once settled."""
    return points.mean(lambda point: SECOND(point) / FIRST(point))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Both rates over time, of the first seed."""
    figure = Figure()
    ax = figure.subplots()
    result = next(iter(points)).result()
    for line, colour in zip(over_time.lines_of(result, "rate", list(FLOWS)), style.COLOURS, strict=False):
        ax.plot(line.time_us / 1000, line.value / 1e9, color=colour, linewidth=1, label=FLOWS[line.label])
    ax.set_xlabel("time (ms)")
    ax.set_ylabel("rate (Gbps)")
    ax.set_ylim(0, 42)
    ax.legend()
    return figure
