"""Measure and plot of the users' throughput, which is a flow's size over its completion time, in Gbps."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.plot import completion, style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

NAMES = {"pfc_only_5": "PFC only, 5 pairs", "dcqcn_80": "DCQCN, 80 pairs"}
REBUILDS = {"writes": "a rebuild in writes of 2 MB", "whole": "a rebuild without breaks"}
OF_USERS = partial(measures.throughputs_gbps, "user", 100_000)
"""Throughputs of users' flows of 100 kB and more. Smaller flows mostly take their round trip."""


def tenth_gained(points: Points) -> float:
    """10th percentile with DCQCN over that under PFC alone."""
    return measures.ratio_of_means(
        lambda point: float(np.quantile(OF_USERS(point), 0.1)), points, setting=("dcqcn_80", "pfc_only_5")
    )


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Distributions of the users' throughput under both rebuilds, over all seeds."""
    figure = Figure(figsize=(8.4, 3.6))
    row = figure.subplots(1, 2, sharey=True)
    for ax, (rebuild, title) in zip(row, REBUILDS.items(), strict=True):
        for (setting, name), colour in zip(NAMES.items(), style.COLOURS, strict=False):
            of_line = points.where(setting=setting, rebuild=rebuild)
            throughputs = np.sort(np.concatenate([OF_USERS(point) for point in of_line]))
            ax.plot(*completion.distribution(throughputs), drawstyle="steps-post", color=colour, label=name)
        ax.set_title(title)
        ax.set_xlim(0, 40)
        ax.set_ylim(0, 1.01)
        ax.set_xlabel("throughput of users (Gbps)")
    row[0].set_ylabel("share of flows")
    style.shared_legend(row)
    return figure
