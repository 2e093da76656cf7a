"""Measures and plot of a small figure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points


def early_over_late(points: Points) -> float:
    """Ratio of mean completion times."""
    measure = "flows.all.fct_mean_us"
    return points.mean(measure, marking="early") / points.mean(measure, marking="late")


def draw(points: Points, expected: list[Expected]) -> Figure:
    """Flows against fan-in."""
    figure = Figure()
    fan_ins = points.axis("fan_in")
    counts = [points.mean("flows.all.count", fan_in=fan_in, marking="late") for fan_in in fan_ins]
    figure.subplots().plot(fan_ins, counts)
    return figure
