"""Measures and plot of HPCC's figure 11: slowdown of Hadoop's flows by their size, a twentieth of them at a time."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce.measures import sizes_and_slowdowns
from xoff.reproduce.panels import slowdowns_by_size
from xoff.results import folder

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

    Floats = npt.NDArray[np.float64]

PARTS = 20
"""Parts of the flows in the authors' analysis (fct_analysis.py), which takes the next higher order statistic, too."""
SHARE = 0.95
SHORT_BYTES, LONG_BYTES = 200_000, 1_000_000
NAMES = {
    "dcqcn": "DCQCN",
    "timely": "TIMELY",
    "dcqcn_window": "DCQCN and window",
    "timely_window": "TIMELY and window",
    "hpcc": "HPCC",
}
TRAFFIC = {"incast": "30 %, and incast", "alone": "50 %"}


def worst_slowdown(points: Points) -> float:
    """Greatest 95th percentile of all twentieths of flows."""
    return points.mean(lambda point: float(slowdowns(point)[1].max()))


def short_slowdown(points: Points) -> float:
    """95th percentile of all flows below 200 kB."""
    return points.mean(lambda point: _percentile(*_flows(point.folder), most=SHORT_BYTES))


def long_slowdown(points: Points) -> float:
    """Median of all flows of 1 MB and more."""
    return points.mean(lambda point: _percentile(*_flows(point.folder), least=LONG_BYTES, share=0.5))


def most_saved_by_hpcc(points: Points) -> float:
    """Greatest share of the 95th percentile under DCQCN or TIMELY that HPCC saves, of all twentieths (%)."""
    saved = []
    for other in ("dcqcn", "timely"):
        hpcc, under_other = (_slowdowns(points.where(control=control)) for control in ("hpcc", other))
        saved.append(float(np.max(1 - hpcc / under_other)))
    return 100 * max(saved)


def short_over_dcqcn(points: Points) -> float:
    """95th percentile of short flows under DCQCN with a window over that without."""
    return short_slowdown(points.where(control="dcqcn_window")) / short_slowdown(points.where(control="dcqcn"))


def short_over_timely(points: Points) -> float:
    """95th percentile of short flows under TIMELY with a window over that without."""
    return short_slowdown(points.where(control="timely_window")) / short_slowdown(points.where(control="timely"))


def short_hpcc_over_best(points: Points) -> float:
    """95th percentile of short flows under HPCC over the least of the others."""
    others = [control for control in NAMES if control != "hpcc"]
    least = min(short_slowdown(points.where(control=control)) for control in others)
    return short_slowdown(points.where(control="hpcc")) / least


def long_hpcc_over_dcqcn_window(points: Points) -> float:
    """Long flows under HPCC over those under DCQCN with a window."""
    return long_slowdown(points.where(control="hpcc")) / long_slowdown(points.where(control="dcqcn_window"))


def pause_frames(points: Points) -> float:
    """PAUSE frames of all switches."""
    return points.mean("pfc.pause_frames")


def _slowdowns(points: Points) -> Floats:
    """95th percentile of the slowdown in each twentieth, mean over seeds."""
    mean: Floats = np.mean([slowdowns(point)[1] for point in points], axis=0)
    return mean


def slowdowns(point: Point) -> tuple[Floats, Floats]:
    """The largest flow of each twentieth, and the 95th percentile of its slowdown."""
    sizes, slow = _flows(point.folder)
    ends = np.arange(PARTS + 1) * len(sizes) // PARTS
    parts = [np.sort(slow[first:end]) for first, end in pairwise(ends)]
    return sizes[ends[1:] - 1], np.array([part[int(len(part) * SHARE)] for part in parts])


def _percentile(sizes: Floats, slow: Floats, *, least: float = 0, most: float = np.inf, share: float = SHARE) -> float:
    return float(np.quantile(slow[(sizes >= least) & (sizes < most)], share))


@cache
def _flows(run: Path) -> tuple[Floats, Floats]:
    """Size and slowdown of every flow outside incasts, the smallest first."""
    flows = folder.read(run).flows
    sizes, slow = sizes_and_slowdowns(flows.filter(pc.equal(flows["transport"], "hadoop")))
    order = np.argsort(sizes, kind="stable")
    return sizes[order], slow[order]


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A panel for each kind of traffic, as the paper has them."""
    figure = Figure(figsize=(9.2, 3.8))
    for axes, (traffic, told) in zip(figure.subplots(1, 2, sharey=True), TRAFFIC.items(), strict=True):
        for control, colour in zip(NAMES, style.COLOURS, strict=False):
            of_control = points.where(traffic=traffic, control=control)
            if len(of_control):
                sizes = np.mean([slowdowns(point)[0] for point in of_control], axis=0)
                axes.plot(sizes, _slowdowns(of_control), ".-", color=colour, label=NAMES[control])
        axes.set(xlabel="flow size", title=told)
        slowdowns_by_size(axes)
    figure.axes[0].set_ylabel("FCT slowdown, 95th percentile")
    figure.axes[0].legend()
    return figure
