"""Measures and plot of queries beside web search under four buffer policies."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

COMPLETION = "queries.completion_mean_us"
POLICIES = {
    "dynamic_threshold": "Dynamic Threshold",
    "dynamic_threshold_8": "Dynamic Threshold, alpha 8",
    "abm": "ABM",
    "longest_queue_drop": "pushout (longest queue drop)",
    "occamy": "Occamy",
}

most_saved_of_dynamic_threshold = partial(measures.most_saved, COMPLETION, policy=("occamy", "dynamic_threshold"))
most_saved_of_abm = partial(measures.most_saved, COMPLETION, policy=("occamy", "abm"))
most_over_longest_queue_drop = partial(measures.greatest_ratio, COMPLETION, policy=("occamy", "longest_queue_drop"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Mean completion time and share of queries with a timeout against the size of queries."""
    figure = panels.queries_against("size", points, {name: {"policy": policy} for policy, name in POLICIES.items()})
    for axes in figure.axes:
        axes.set_xlabel("all responses of a query (KiB)")
        axes.set_ylim(bottom=0)
    return figure
