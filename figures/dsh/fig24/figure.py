"""Measures and plot of DSH's figure 24: completion times over those of SIH, with background flows eight at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Point, Points

SCHEMES = {"sih": "SIH", "adaptive": "adaptive", "oversubscribed": "oversubscribed", "dsh": "DSH"}
CONTROLS = {"dcqcn": "DCQCN", "power_tcp": "PowerTCP"}


def fan_in(point: Point) -> float:
    """Mean completion time of fan-in flows (us)."""
    return point.fct_means_us()["fan_in"]


def background(point: Point) -> float:
    """Mean completion time of background flows (us)."""
    return point.fct_means_us()["background"]


def most_saved(measure: Measure, points: Points) -> float:
    """What of SIH's DSH saves, greatest of all loads (%)."""
    return 100 * (1 - min(ratio.value for ratio in points.ratios(measure, scheme=("dsh", "sih"))))


def over_any_other(measure: Measure, points: Points) -> float:
    """How many times that of another scheme it is under DSH, greatest of all schemes and loads."""
    others = [scheme for scheme in SCHEMES if scheme != "dsh"]
    return max(ratio.value for other in others for ratio in points.ratios(measure, scheme=("dsh", other)))


most_of_fan_in_saved = partial(most_saved, fan_in)
most_of_background_saved = partial(most_saved, background)
fan_in_over_any_other = partial(over_any_other, fan_in)
background_over_any_other = partial(over_any_other, background)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A row of panels for each kind of traffic, a column for each congestion control."""
    measures: dict[str, Measure] = {"fan-in FCT": fan_in, "background FCT": background}
    layout = panels.Layout(along="fan_in_load", lines=("scheme", SCHEMES), columns=("congestion_control", CONTROLS))
    return panels.ratios(points, measures, layout)
