"""Measures and plot of user traffic beside rebuilds; throughput is a flow's size over its completion time, in Gbps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

NAMES = {
    "pfc_only": "PFC only",
    "no_pfc": "DCQCN without PFC",
    "misconfigured": "DCQCN, PFC before ECN",
    "right": "DCQCN, ECN before PFC",
}
REBUILDS = {"writes": "writes of 2 MB", "whole": "a rebuild without breaks"}
OF_USERS = partial(measures.throughputs_gbps, "user", 100_000)
"""Throughputs of users' flows of 100 kB and more. Smaller flows mostly take their round trip."""


def tenth(points: Points) -> float:
    """10th percentile of the users' throughput."""
    return points.mean(lambda point: float(np.quantile(OF_USERS(point), 0.1)))


def middle(points: Points) -> float:
    """Median of the users' throughput."""
    return points.mean(lambda point: float(np.median(OF_USERS(point))))


def pauses(points: Points) -> float:
    """PAUSE frames that were sent."""
    return points.mean("pfc.pause_frames")


def pauses_saved(points: Points) -> float:
    """PAUSE frames under PFC alone over those with DCQCN; one is counted where there is none."""
    return pauses(points.where(setting="pfc_only")) / max(1.0, pauses(points.where(setting="right")))


def tenth_gained(points: Points) -> float:
    """10th percentile with DCQCN over that under PFC alone."""
    return tenth(points.where(setting="right")) / tenth(points.where(setting="pfc_only"))


def tenth_over_misconfigured(points: Points) -> float:
    """10th percentile with ECN before PFC over that with PFC before ECN."""
    return tenth(points.where(setting="right")) / tenth(points.where(setting="misconfigured"))


def tenth_over_no_pfc(points: Points) -> float:
    """10th percentile with PFC over that without."""
    return tenth(points.where(setting="right")) / tenth(points.where(setting="no_pfc"))


def spread_over_degrees(points: Points) -> float:
    """Highest 10th percentile of all degrees over the least, less one."""
    values = [tenth(points.where(degree=degree)) for degree in points.axis("degree")]
    return max(values) / min(values) - 1


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """10th percentile and median of the users' throughput against the senders of a rebuild, a row for each rebuild."""
    figure = Figure(figsize=(8.4, 6))
    rows = figure.subplots(len(REBUILDS), 2, sharex=True)
    measures_drawn = {"10th percentile": tenth, "median": middle}
    for row, (rebuild, told) in zip(rows, REBUILDS.items(), strict=True):
        of_rebuild = points.where(rebuild=rebuild)
        for ax, (title, measure) in zip(row, measures_drawn.items(), strict=True):
            for number, (setting, name) in enumerate(NAMES.items()):
                of_line = of_rebuild.where(setting=setting)
                values = [measure(of_line.where(degree=degree)) for degree in points.axis("degree")]
                look = style.look(number) | ({"fillstyle": "none", "markersize": 9} if setting == "no_pfc" else {})
                ax.plot(points.axis("degree"), values, **look, label=name)
            ax.set_title(f"{title}: {told}")
            ax.set_ylim(bottom=0)
        row[0].set_ylabel("throughput of users (Gbps)")
    for ax in rows[-1]:
        ax.set_xlabel("senders of a rebuild")
    style.shared_legend(rows[0])
    return figure
