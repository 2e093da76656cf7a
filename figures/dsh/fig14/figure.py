"""Measures and plot of F0, which shares only S0 with the flow whose receiver 24 others send to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc
from matplotlib.figure import Figure

from xoff.plot import over_time, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

F0 = "right.port0"
"""The port to R0."""
UPLINK = "left.port2"
"""The port from S0 to S1."""
BURST_NS = 100_000_000
CONTROLS = {"none": "no congestion control", "dcqcn": "DCQCN", "power_tcp": "PowerTCP"}


most_dropped = measures.most_dropped


def least_throughput(points: Points) -> float:
    """Least throughput of F0 in any 10 us after the burst, in Gbps on the wire."""
    return points.mean(_least)


def _least(point: Point) -> float:
    (line,) = over_time.lines_of(point.result(), "throughput", [F0])
    return float(min(line.value[line.time_us * 1000 > BURST_NS])) / 1e9


def pauses(points: Points) -> float:
    """Times that the port from S0 to S1 is paused after the burst."""
    return points.mean(_pauses)


def _pauses(point: Point) -> float:
    rows = point.result().pauses
    if rows is None:
        message = f"{point.folder} observed no pauses"
        raise LookupError(message)
    after = pc.and_(pc.equal(rows["paused_port"], UPLINK), pc.greater(rows["start_ns"], BURST_NS))
    return float(rows.filter(after).num_rows)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput of F0 around the burst, one panel for each congestion control."""
    controls = points.axis("congestion_control")
    figure = Figure(figsize=(4 * len(controls), 3))
    axes = figure.subplots(1, len(controls), sharey=True, squeeze=False)[0]
    for ax, control in zip(axes, controls, strict=True):
        for scheme, colour in zip(points.axis("scheme"), style.COLOURS, strict=False):
            point = next(iter(points.where(congestion_control=control, scheme=scheme)))
            (line,) = over_time.lines_of(point.result(), "throughput", [F0])
            shown = line.time_us > BURST_NS / 1000 - 100
            time = line.time_us[shown] - BURST_NS / 1000
            ax.plot(time, line.value[shown] / 1e9, color=colour, label=str(scheme).upper())
        ax.set_title(CONTROLS[str(control)])
        ax.set_xlabel("time since the burst (us)")
        ax.set_ylim(0, 105)
    axes[0].set_ylabel("throughput of F0 (Gbps)")
    axes[0].legend()
    return figure
