"""Measures and plot of DSH's figure 20: completion times of the background, with five flow-size distributions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels
from xoff.reproduce.names import HEADROOM_SCHEMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

BACKGROUND = measures.mean_fct_us("background")
SIZES = {
    "web_search": "web search",
    "data_mining": "data mining",
    "cache": "cache",
    "hadoop": "Hadoop",
    "storage": "storage",
}


def loads_improved(points: Points) -> float:
    """Loads at which it is no more under DSH than under SIH."""
    return sum(ratio.value <= 1 for ratio in points.ratios(BACKGROUND, scheme=("dsh", "sih")))


most_of_background_saved = partial(measures.most_saved, BACKGROUND, scheme=("dsh", "sih"))
most_dropped = measures.most_dropped


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A column for each distribution."""
    layout = panels.Layout(along="fan_in_load", lines=("scheme", HEADROOM_SCHEMES), columns=("sizes", SIZES))
    return panels.ratios(points, {"background FCT": BACKGROUND}, layout)
