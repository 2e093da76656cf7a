"""Measures and plot of DSH's figure 5: completion times against the memory of switches."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure

from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

MEAN = "flows.all.fct_mean_us"


def least_over_most(points: Points) -> float:
    """Mean completion time with the least memory over that with the most."""
    memory = points.axis("memory")
    [ratio] = points.ratios(MEAN, memory=(memory[0], memory[-1]))
    return ratio.value


def greatest_step_up(points: Points) -> float:
    """Mean completion time over that with the next less memory, greatest of all steps."""
    memory = points.axis("memory")
    steps = [points.ratios(MEAN, memory=(more, less)) for less, more in pairwise(memory)]
    return max(ratio.value for [ratio] in steps)


most_dropped = measures.most_dropped


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Mean over the seeds against the memory for lossless classes."""
    figure = Figure(figsize=(5.2, 3.6))
    ax = figure.subplots()
    memory = points.axis("memory")
    means = np.array([points.mean(MEAN, memory=size) for size in memory])
    ax.plot(memory, means, "o-")
    ax.set_xlabel("memory of a switch (MiB)")
    ax.set_ylabel("mean FCT (us)")
    ax.set_ylim(0, 1.2 * means.max())
    return figure
