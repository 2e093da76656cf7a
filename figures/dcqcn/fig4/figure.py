"""Measures and plot of a victim: VS writes to VR, and shares only the links of its ToR with senders to R."""

from __future__ import annotations

import itertools
from statistics import median
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

VICTIM = measures.mean_gbps("throughput", "host4.port0", after_ms=20)
NAMES = {"none": "PFC only", "dcqcn": "DCQCN"}
SENDERS = {"none": 0, "one": 1, "two": 2}


def victims(points: Points) -> list[float]:
    """Throughput of VS in each draw of ECMP, in Gbps on the wire."""
    return [VICTIM(point) for point in points]


def victim(points: Points) -> float:
    """Median throughput of VS over the draws."""
    return median(victims(points))


def least_fall(points: Points) -> float:
    """Least fall of the victim's median from one number of senders to the next, in Gbps."""
    medians = [victim(points.where(senders=senders)) for senders in points.axis("senders")]
    return min(before - after for before, after in itertools.pairwise(medians))


def change(points: Points) -> float:
    """By how much two more senders change the victim's median, as a share of it."""
    alone = victim(points.where(senders="none"))
    return abs(victim(points.where(senders="two")) - alone) / alone


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Least, median and highest throughput of the victim over the draws."""
    figure = Figure()
    ax = figure.subplots()
    for control, colour, shift in zip(points.axis("control"), style.COLOURS, (-0.08, 0.08), strict=False):
        values = {SENDERS[str(at)]: victims(points.where(control=control, senders=at)) for at in points.axis("senders")}
        middle = [median(each) for each in values.values()]
        low = [centre - min(each) for centre, each in zip(middle, values.values(), strict=True)]
        high = [max(each) - centre for centre, each in zip(middle, values.values(), strict=True)]
        places = [senders + shift for senders in values]
        ax.errorbar(places, middle, [low, high], fmt="o-", capsize=5, color=colour, label=NAMES[str(control)])
    ax.set_xticks(list(SENDERS.values()))
    ax.set_xlabel("senders under T3")
    ax.set_ylabel("throughput of the victim (Gbps):\nleast, median, highest of all draws")
    ax.set_ylim(bottom=0)
    style.shared_legend([ax])
    return figure
