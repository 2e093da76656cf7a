"""Measure and plot of short transfers beside two long flows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

LINES = {
    "TCP": {"control": "tcp", "connections": "persistent"},
    "DCTCP": {"control": "dctcp", "connections": "persistent"},
    "TCP, each from its initial window": {"control": "tcp", "connections": "per_flow"},
    "DCTCP, each from its initial window": {"control": "dctcp", "connections": "per_flow"},
}

tcp_over_dctcp = partial(measures.ratio_of_means, "queries.completion_p50_us", control=("tcp", "dctcp"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Distributions of completion times."""
    return panels.completion_of_queries(points, LINES)
