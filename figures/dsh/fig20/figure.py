"""Measures and plot of DSH's figure 20: completion times of the background, with five flow-size distributions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.reproduce import panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

SCHEMES = {"sih": "SIH", "dsh": "DSH"}
SIZES = {
    "web_search": "web search",
    "data_mining": "data mining",
    "cache": "cache",
    "hadoop": "Hadoop",
    "storage": "storage",
}


def background(point: Point) -> float:
    """Mean completion time of background flows (us)."""
    return point.fct_means_us()["background"]


def loads_improved(points: Points) -> float:
    """Loads at which it is no more under DSH than under SIH."""
    return sum(ratio.value <= 1 for ratio in points.ratios(background, scheme=("dsh", "sih")))


def most_of_background_saved(points: Points) -> float:
    """What of SIH's DSH saves, greatest of all loads (%)."""
    return 100 * (1 - min(ratio.value for ratio in points.ratios(background, scheme=("dsh", "sih"))))


def most_dropped(points: Points) -> float:
    """Packets dropped, most of all runs."""
    return max(float(point.summary["packets"]["dropped"]) for point in points)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A column for each distribution."""
    layout = panels.Layout(along="fan_in_load", lines=("scheme", SCHEMES), columns=("sizes", SIZES))
    return panels.ratios(points, {"background FCT": background}, layout)
