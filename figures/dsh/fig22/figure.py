"""Measures and plot of DSH's figures 22 and 24: completion times over those of SIH, at large fan-in and in batches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels
from xoff.reproduce.names import CONGESTION_CONTROLS, HEADROOM_SCHEMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Points

FAN_IN = measures.mean_fct_us("fan_in")
BACKGROUND = measures.mean_fct_us("background")
LAYOUT = panels.Layout(
    along="fan_in_load", lines=("scheme", HEADROOM_SCHEMES), columns=("congestion_control", CONGESTION_CONTROLS)
)


def over_any_other(measure: Measure, points: Points) -> float:
    """Greatest ratio of a measure under DSH to that under another scheme, over all schemes and loads."""
    others = [scheme for scheme in points.axis("scheme") if scheme != "dsh"]
    return max(measures.greatest_ratio(measure, points, scheme=("dsh", other)) for other in others)


most_of_fan_in_saved = partial(measures.most_saved, FAN_IN, scheme=("dsh", "sih"))
most_of_background_saved = partial(measures.most_saved, BACKGROUND, scheme=("dsh", "sih"))
fan_in_over_any_other = partial(over_any_other, FAN_IN)
background_over_any_other = partial(over_any_other, BACKGROUND)
widest_interval = partial(measures.widest_interval, [FAN_IN, BACKGROUND], scheme=("dsh", "sih"))
most_dropped = measures.most_dropped_but_oversubscribed


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A row of panels for each kind of traffic, a column for each congestion control."""
    return panels.ratios(points, {"fan-in FCT": FAN_IN, "background FCT": BACKGROUND}, LAYOUT)
