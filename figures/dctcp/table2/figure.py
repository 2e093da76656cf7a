"""Measure and plot of an incast with and without long flows between other hosts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points


with_over_without = partial(measures.ratio_of_means, "queries.completion_p95_us", background=("with", "without"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Distributions of completion times, from where timeouts show."""
    lines = {
        f"{name} {background} background": {"control": control, "background": background, "connections": "persistent"}
        for control, name in DCTCP_AND_TCP.items()
        for background in points.axis("background")
    }
    figure = panels.completion_of_queries(points, lines)
    (ax,) = figure.axes
    ax.set_xlim(left=8)
    ax.set_ylim(0.8, 1.002)
    ax.legend(loc="lower right")
    return figure
