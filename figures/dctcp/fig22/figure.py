"""Measures and plot of the cluster benchmark: background flows by size, and queries."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures, panels
from xoff.reproduce.names import DCTCP_AND_TCP

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Points

LINES = {name: {"control": control} for control, name in DCTCP_AND_TCP.items()}
SIZES = {
    "<10 kB": (0, 1e4),
    "10 to\n100 kB": (1e4, 1e5),
    "100 kB\nto 1 MB": (1e5, 1e6),
    "1 to\n10 MB": (1e6, 1e7),
    ">10 MB": (1e7, math.inf),
}
SHORT_MESSAGES = (1e5, 1e6)
STATISTICS = {"mean": None, "95th": 0.95, "99th": 0.99, "99.9th": 0.999}
"""Statistics of queries that are drawn, with the quantile of each."""


def saved_mean_ms(points: Points) -> float:
    """Time that DCTCP saves in the mean completion time of short messages."""
    return _saved(points, measures.background_ms(*SHORT_MESSAGES))


def saved_p95_ms(points: Points) -> float:
    """Time that DCTCP saves in the 95th percentile of the completion time of short messages."""
    return _saved(points, measures.background_ms(*SHORT_MESSAGES, 0.95))


def _saved(points: Points, measure: Measure) -> float:
    return points.mean(measure, control="tcp") - points.mean(measure, control="dctcp")


mean_of_queries = partial(measures.ratio_of_means, "queries.completion_mean_us", control=("tcp", "dctcp"))
p95_of_queries = partial(measures.ratio_of_means, "queries.completion_p95_us", control=("tcp", "dctcp"))
p999_of_queries = partial(measures.ratio_of_means, measures.completion_ms(0.999), control=("tcp", "dctcp"))
background_timeouts = partial(measures.mean, measures.background_timeouts)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Completion times of background flows by size, mean and 95th percentile, and of queries."""
    figure = Figure(figsize=(11, 3.4))
    row = mean, p95, queries = figure.subplots(1, 3, width_ratios=(5, 5, 4))
    panels.bars(mean, points, {name: measures.background_ms(*sizes) for name, sizes in SIZES.items()}, LINES)
    panels.bars(p95, points, {name: measures.background_ms(*sizes, 0.95) for name, sizes in SIZES.items()}, LINES)
    panels.bars(queries, points, {name: measures.completion_ms(share) for name, share in STATISTICS.items()}, LINES)
    mean.set_ylabel("background: mean completion time")
    p95.set_ylabel("background: 95th percentile")
    queries.set_ylabel("query completion time")
    style.shared_legend(row)
    return figure
