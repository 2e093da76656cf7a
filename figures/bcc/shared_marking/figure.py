"""Measures and plot of throughput beside a hog; thresholds in kB."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc
from matplotlib.figure import Figure

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points
    from xoff.studies.axes import Value

FULL = 0.97
# The authors' first sheet: threshold (KB) and goodput (Gbps).
THEIRS = {500: 8.04, 1600: 57.2, 1650: 76.7, 1700: 87.16, 1750: 89.4}


def share_of_full(points: Points) -> float:
    """Throughput over the rate of the link of 100 Gbps."""
    return points.mean(_throughput)


def band(points: Points) -> float:
    """Least threshold of full throughput less the greatest of under a tenth, over the hog's bytes."""
    starved = [float(at) for at in points.axis("threshold") if points.mean(_throughput, threshold=at) < 0.1]
    return (_least_full(points) - max(starved)) / _hog(points)


def threshold_of_full_over_hog(points: Points) -> float:
    """Least threshold of full throughput over the hog's bytes."""
    return _least_full(points) / _hog(points)


def draw(points: Points, expected: list[Expected]) -> Figure:
    """Share of full throughput against the threshold."""
    figure = Figure()
    ax = figure.subplots()
    thresholds = points.axis("threshold")
    ax.plot(thresholds, [points.mean(_throughput, threshold=at) for at in thresholds], "o-", label="simulated")
    full = max(THEIRS.values())
    ax.plot(list(THEIRS), [gbps / full for gbps in THEIRS.values()], "s--", label="testbed, published")
    ax.set_ylim(0, 1.05)
    ax.set_xlabel("marking threshold on the shared memory (kB)")
    ax.set_ylabel("share of full goodput")
    ax.legend()
    return figure


def _least_full(points: Points) -> float:
    return min(float(at) for at in points.axis("threshold") if points.mean(_throughput, threshold=at) >= FULL)


def _hog(points: Points) -> float:
    """Bytes that the hog holds (kB)."""
    highest: Value = max(points.axis("threshold"))
    return points.mean(lambda point: _second_half(point, "queue") / 1000, threshold=highest)


def _throughput(point: Point) -> float:
    return _second_half(point, "throughput") / 100e9


def _second_half(point: Point, quantity: str) -> float:
    """Mean of what was observed after the flows have settled."""
    series = point.result().series
    assert series is not None
    values = series.filter(pc.equal(series["quantity"], quantity))["value"].to_numpy()
    return float(values[len(values) // 2 :].mean())
