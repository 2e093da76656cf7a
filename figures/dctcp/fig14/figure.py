"""Measures and plot of throughput against the marking threshold; thresholds in packets of 1500 B."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

SETTLED_MS = 200
FULL = 0.99
LINK_GBPS = {"10Gbps": 10, "1Gbps": 1}
BURSTS = {"none": "without bursts", "offloads": "with bursts"}
TCP = "tcp"
"""Value of the threshold for TCP under drop tail, which has none."""

THROUGHPUT = measures.mean_gbps("throughput", "switch0.port0", after_ms=SETTLED_MS)


def share_of_wire(points: Points) -> float:
    """Throughput of the receiver's link over its rate."""
    return points.mean(lambda point: THROUGHPUT(point) / LINK_GBPS[str(point.at["link"])])


def least_share(points: Points) -> float:
    """Least share of the wire of all thresholds."""
    return min(share_of_wire(points.where(threshold=at)) for at in _thresholds(points))


def shortfall_of_bursts(points: Points) -> float:
    """Share of the wire without bursts less that with bursts."""
    return share_of_wire(points.where(bursts="none")) - share_of_wire(points.where(bursts="offloads"))


def least_full(points: Points) -> float:
    """Least threshold of full throughput."""
    return min(
        (at for at in _thresholds(points) if share_of_wire(points.where(threshold=at)) >= FULL), default=math.nan
    )


def rise_of_least_full(points: Points) -> float:
    """Least threshold of full throughput with bursts less that without."""
    return least_full(points.where(bursts="offloads")) - least_full(points.where(bursts="none"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Throughput against the threshold, a panel for each rate; TCP's as a line across."""
    figure = Figure(figsize=(8.4, 3.2))
    row = figure.subplots(1, len(LINK_GBPS))
    for ax, (link, gbps) in zip(row, LINK_GBPS.items(), strict=True):
        for number, (bursts, told) in enumerate(BURSTS.items()):
            of_line = points.where(link=link, bursts=bursts)
            throughputs = [gbps * share_of_wire(of_line.where(threshold=at)) for at in _thresholds(of_line)]
            ax.plot(
                _thresholds(of_line),
                throughputs,
                marker="o",
                **style.apart(number),
                label=f"DCTCP, {told}",
            )
        of_tcp = gbps * share_of_wire(points.where(link=link, bursts="offloads", threshold=TCP))
        ax.axhline(of_tcp, color=style.COLOURS[6], linestyle=":", linewidth=1, label="TCP, with bursts")
        ax.set_title(f"{gbps} Gbps")
        ax.set_xlabel("marking threshold (packets)")
        ax.set_xlim(left=0)
        ax.set_ylim(0, 1.1 * gbps)
    row[0].set_ylabel("throughput (Gbps)")
    style.shared_legend(row)
    return figure


def _thresholds(points: Points) -> list[float]:
    return [float(at) for at in points.axis("threshold") if at != TCP]
