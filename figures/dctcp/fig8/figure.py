"""Measures and plot of queries with and without jitter of the application."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures, panels

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

SHARES = {"50": 0.5, "95": 0.95, "99": 0.99, "99.9": 0.999}
LINES = {"without jitter": {"jitter": 0}, "with 10 ms of jitter": {"jitter": 10}}

with_over_without_median = partial(measures.ratio_of_means, "queries.completion_p50_us", jitter=(10, 0))
with_over_without_p95 = partial(measures.ratio_of_means, "queries.completion_p95_us", jitter=(10, 0))
with_over_without_p999 = partial(measures.ratio_of_means, measures.completion_ms(0.999), jitter=(10, 0))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Percentiles of completion times."""
    figure = Figure(figsize=(5.4, 3.2))
    ax = figure.subplots()
    panels.bars(ax, points, {name: measures.completion_ms(share) for name, share in SHARES.items()}, LINES)
    ax.set_xlabel("percentile")
    ax.set_ylabel("query completion time")
    style.shared_legend([ax])
    return figure
