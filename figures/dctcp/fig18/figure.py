"""Measures and plot of an incast through a switch with static buffers."""

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


def most_timeouts_of_few(points: Points) -> float:
    """Share of queries with a timeout, most of up to 10 servers."""
    return _most_timeouts(points, 10)


def most_timeouts_of_up_to_30(points: Points) -> float:
    """Share of queries with a timeout, most of up to 30 servers."""
    return _most_timeouts(points, 30)


def _most_timeouts(points: Points, servers: int) -> float:
    return max(points.mean(TIMEOUTS, servers=at) for at in points.axis("servers") if float(at) <= servers)


def least_mean(points: Points) -> float:
    """Mean completion time, in ms, least of all runs."""
    return min(measures.completion_ms()(point) for point in points)


dctcp_over_tcp_timeouts = partial(measures.ratio_of_means, TIMEOUTS, control=("dctcp", "tcp"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Mean completion time and share of queries with a timeout against the number of servers."""
    lines = {
        f"{name}, RTOmin {rto} ms": {"control": control, "minimum_rto": rto}
        for control, name in DCTCP_AND_TCP.items()
        for rto in reversed(points.axis("minimum_rto"))
    }
    figure = panels.queries_against("servers", points, lines)
    mean, _ = figure.axes
    mean.set_yscale("log")
    return figure
