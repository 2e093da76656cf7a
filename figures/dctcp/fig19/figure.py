"""Measures and plot of an incast through a switch with dynamic buffers."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

TIMEOUTS = "queries.timeout_fraction"
LINES = {name: {"control": control} for control, name in DCTCP_AND_TCP.items()}

most_timeouts = partial(measures.greatest_mean, TIMEOUTS, "servers")


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Mean completion time and share of queries with a timeout against the number of servers."""
    figure = panels.queries_against("servers", points, LINES)
    mean, _ = figure.axes
    mean.set_ylim(bottom=0)
    return figure
