"""Measures and plot of two flows, the second of which starts at 10 ms, as packets and as a fluid; rates in Gbps."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.fluid.model import Fluid
from xoff.plot import over_time, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.fluid.model import Trajectory
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

SETTLED_MS = 40
"""Time at which the second flow has had 30 ms to settle."""
FLOWS = {"host1.flow0": "first flow", "host2.flow0": "second flow"}
FIRST, SECOND = (measures.mean_gbps("rate", flow, after_ms=SETTLED_MS) for flow in FLOWS)


def second(points: Points) -> float:
    """Mean rate of the second flow once settled."""
    return points.mean(SECOND)


def second_over_first(points: Points) -> float:
    """Mean rate of the second flow over that of the first once settled."""
    return points.mean(lambda point: SECOND(point) / FIRST(point))


def first_over_fluid(points: Points) -> float:
    """Mean rate of the first flow once settled over that of the fluid model."""
    return points.mean(FIRST) / _settled_fluid(0)


def second_over_fluid(points: Points) -> float:
    """Mean rate of the second flow once settled over that of the fluid model."""
    return points.mean(SECOND) / _settled_fluid(1)


def _settled_fluid(flow: int) -> float:
    return float(_fluid().after(SETTLED_MS / 1e3).rates_bps[flow].mean() / 1e9)


@cache
def _fluid() -> Trajectory:
    return Fluid.of("dcqcn", initial_rates=["40Gbps"], starts=["0s", "10ms"], duration="110ms", every="100us").run()


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Both rates over time, of the first seed, and those of the fluid model."""
    figure = Figure()
    ax = figure.subplots()
    result = next(iter(points)).result()
    for line, colour in zip(over_time.lines_of(result, "rate", list(FLOWS)), style.COLOURS, strict=False):
        ax.plot(line.time_us / 1000, line.value / 1e9, color=colour, linewidth=1, label=FLOWS[line.label])
    fluid = _fluid()
    for rates, colour, name in zip(fluid.rates_bps, style.COLOURS, FLOWS.values(), strict=False):
        ax.plot(
            fluid.seconds * 1e3, rates / 1e9, "--", color=colour, linewidth=1.4, alpha=0.8, label=f"{name}, fluid model"
        )
    ax.set_xlabel("time (ms)")
    ax.set_ylabel("rate (Gbps)")
    ax.set_ylim(0, 42)
    ax.legend()
    return figure
