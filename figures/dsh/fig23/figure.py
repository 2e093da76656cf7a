"""Measures and plot of DSH's figure 23: completion times where four groups of hosts have different loads."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from xoff.reproduce import measures, panels
from xoff.reproduce.names import CONGESTION_CONTROLS, HEADROOM_SCHEMES
from xoff.results import folder

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

FAN_IN = measures.mean_fct_us("fan_in")
BACKGROUND_BESIDE = measures.mean_fct_us("background")
"""Mean completion time of background flows of the group that has fan-in (us)."""
LAYOUT = panels.Layout(
    along="fan_in_load", lines=("scheme", HEADROOM_SCHEMES), columns=("congestion_control", CONGESTION_CONTROLS)
)


def background(point: Point) -> float:
    """Mean completion time of background flows of all groups (us)."""
    return _background(point.folder)


@cache
def _background(run: Path) -> float:
    flows = folder.read(run).flows
    chosen = pc.and_(pc.not_equal(flows["transport"], "fan_in"), flows["measured"])
    mean_ns: float = pc.mean(flows.filter(chosen)["fct_ns"]).as_py()
    return mean_ns / 1000


most_of_fan_in_saved = partial(measures.most_saved, FAN_IN, scheme=("dsh", "sih"))
most_of_background_saved = partial(measures.most_saved, background, scheme=("dsh", "sih"))
most_of_background_beside_saved = partial(measures.most_saved, BACKGROUND_BESIDE, scheme=("dsh", "sih"))
fan_in_over_sih = partial(measures.greatest_ratio, FAN_IN, scheme=("dsh", "sih"))
background_over_sih = partial(measures.greatest_ratio, background, scheme=("dsh", "sih"))
most_dropped = measures.most_dropped_but_oversubscribed


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A row of panels for each kind of traffic, a column for each congestion control."""
    rows = {
        "fan-in FCT": FAN_IN,
        "background FCT": background,
        "the first group's\nbackground FCT": BACKGROUND_BESIDE,
    }
    return panels.ratios(points, rows, LAYOUT)
