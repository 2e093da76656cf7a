"""Measures and plot of PowerTCP's figure 6: slowdown of web search's flows by their size, at two loads."""

from __future__ import annotations

from functools import cache, partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce.measures import sizes_and_slowdowns
from xoff.reproduce.panels import slowdowns_by_size
from xoff.results import folder

if TYPE_CHECKING:
    from pathlib import Path

    import numpy.typing as npt

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

    Floats = npt.NDArray[np.float64]

SHARE = 0.999
SHORT_BYTES = 10_000
SIZES_FROM = np.array([0, 10e3, 30e3, 100e3, 300e3, 1e6, 3e6, 10e6, np.inf])
NAMES = {
    "dcqcn": "DCQCN",
    "timely": "TIMELY",
    "hpcc": "HPCC",
    "power_tcp": "PowerTCP",
    "theta_power_tcp": "theta-PowerTCP",
}


def tail(points: Points, least: float, most: float) -> float:
    """99.9th percentile of the slowdown of flows of these sizes, of all seeds together."""
    slow = np.concatenate([_of_sizes(point.folder, least, most) for point in points])
    return float(np.quantile(slow, SHARE)) if len(slow) else np.nan


def short_tail(points: Points, control: str) -> float:
    """99.9th percentile of the slowdown of flows below 10 kB."""
    return tail(points.where(control=control), 0, SHORT_BYTES)


def _saved(control: str, points: Points) -> float:
    """Share of another control's tail of flows below 10 kB that PowerTCP saves (%)."""
    return 100 * (1 - short_tail(points, "power_tcp") / short_tail(points, control))


saved_of_dcqcn = partial(_saved, "dcqcn")
saved_of_timely = partial(_saved, "timely")
saved_of_hpcc = partial(_saved, "hpcc")


def _of_sizes(run: Path, least: float, most: float) -> Floats:
    sizes, slow = _flows(run)
    chosen: Floats = slow[(sizes >= least) & (sizes < most)]
    return chosen


@cache
def _flows(run: Path) -> tuple[Floats, Floats]:
    return sizes_and_slowdowns(folder.read(run).flows)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A panel for each load, as the paper has them."""
    figure = Figure(figsize=(9.2, 3.8))
    loads = points.axis("load")
    ends = np.minimum(SIZES_FROM, 30e6)
    for axes, load in zip(figure.subplots(1, len(loads), sharey=True), loads, strict=True):
        for control, colour in zip(NAMES, style.COLOURS, strict=False):
            of_control = points.where(load=load, control=control)
            if len(of_control):
                tails = [tail(of_control, least, most) for least, most in pairwise(SIZES_FROM)]
                axes.plot(ends[1:], tails, ".-", color=colour, label=NAMES[control])
        axes.set(xlabel="flow size, up to", title=f"load {float(load):.0%}")
        slowdowns_by_size(axes)
    figure.axes[0].set_ylabel("FCT slowdown, 99.9th percentile")
    figure.axes[0].legend()
    return figure
