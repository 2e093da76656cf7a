"""Measures and plot of the cluster benchmark with ten times the traffic."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

LINES = {
    "DCTCP": {"switch": "dctcp"},
    "TCP": {"switch": "tcp"},
    "TCP, deep buffer": {"switch": "deep"},
    "TCP, RED": {"switch": "red"},
}
SHORT_MESSAGES = measures.background_ms(1e5, 1e6, 0.95)
QUERIES = measures.completion_ms(0.95)

tcp_short_messages = partial(measures.ratio_of_means, SHORT_MESSAGES, switch=("tcp", "dctcp"))
deep_short_messages = partial(measures.ratio_of_means, SHORT_MESSAGES, switch=("deep", "dctcp"))
red_short_messages = partial(measures.ratio_of_means, SHORT_MESSAGES, switch=("red", "tcp"))
tcp_queries = partial(measures.ratio_of_means, QUERIES, switch=("tcp", "dctcp"))
deep_queries = partial(measures.ratio_of_means, QUERIES, switch=("deep", "dctcp"))
red_queries = partial(measures.ratio_of_means, QUERIES, switch=("red", "dctcp"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """95th percentiles of short messages and of queries."""
    figure = Figure(figsize=(5.4, 3.2))
    ax = figure.subplots()
    panels.bars(ax, points, {"short messages": SHORT_MESSAGES, "queries": QUERIES}, LINES)
    ax.set_ylabel("95th percentile of completion time")
    style.shared_legend([ax])
    return figure
