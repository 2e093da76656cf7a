"""Measures and plot of user traffic beside rebuilds; throughput is a flow's size over its completion time, in Gbps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc
from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

NAMES = {
    "pfc_only": "PFC only",
    "no_pfc": "DCQCN without PFC",
    "misconfigured": "DCQCN, PFC before ECN",
    "right": "DCQCN, ECN before PFC",
}
LEAST_SIZE = 100_000
"""Of flows whose throughput is measured; that of smaller ones is mostly their round trip."""


def tenth(points: Points) -> float:
    """10th percentile of the users' throughput."""
    return points.mean(lambda point: float(np.quantile(_throughputs(point), 0.1)))


def middle(points: Points) -> float:
    """Median of the users' throughput."""
    return points.mean(lambda point: float(np.median(_throughputs(point))))


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


def _throughputs(point: Point) -> np.ndarray:
    flows = point.result().flows
    of_users = pc.and_(pc.equal(flows["transport"], "user"), pc.greater_equal(flows["size_bytes"], LEAST_SIZE))
    chosen = flows.filter(of_users)
    throughputs: np.ndarray = chosen["size_bytes"].to_numpy() * 8 / chosen["fct_ns"].to_numpy()
    return throughputs


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """10th percentile and median of the users' throughput against the degree of the incast."""
    figure = Figure(figsize=(8.4, 3.6))
    panels = {"10th percentile": tenth, "median": middle}
    for ax, (title, measure) in zip(figure.subplots(1, 2), panels.items(), strict=True):
        for (setting, name), colour in zip(NAMES.items(), style.COLOURS, strict=False):
            values = [measure(points.where(setting=setting, degree=degree)) for degree in points.axis("degree")]
            ax.plot(points.axis("degree"), values, "o-", color=colour, label=name)
        ax.set_title(title)
        ax.set_xlabel("senders of a rebuild")
        ax.set_ylim(bottom=0)
    figure.axes[0].set_ylabel("throughput of users (Gbps)")
    figure.axes[1].legend(fontsize=8)
    return figure
