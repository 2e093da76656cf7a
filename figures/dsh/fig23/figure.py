"""Measures and plot of DSH's figure 23: completion times where four groups of hosts have different loads."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from xoff import folder
from xoff.reproduce import panels

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Point, Points

SCHEMES = {"sih": "SIH", "adaptive": "adaptive", "oversubscribed": "oversubscribed", "dsh": "DSH"}
CONTROLS = {"dcqcn": "DCQCN", "power_tcp": "PowerTCP"}


def fan_in(point: Point) -> float:
    """Mean completion time of fan-in flows (us)."""
    return point.fct_means_us()["fan_in"]


def background_beside(point: Point) -> float:
    """Mean completion time of background flows of the group that has fan-in (us)."""
    return point.fct_means_us()["background"]


def background(point: Point) -> float:
    """Mean completion time of background flows of all groups (us)."""
    return _background(point.folder)


@cache
def _background(run: Path) -> float:
    flows = folder.read(run).flows
    chosen = pc.and_(pc.not_equal(flows["transport"], "fan_in"), pc.invert(flows["after_stop"]))
    mean_ns: float = pc.mean(flows.filter(chosen)["fct_ns"]).as_py()
    return mean_ns / 1000


def most_saved(measure: Measure, points: Points) -> float:
    """What of SIH's DSH saves, greatest of all loads (%)."""
    return 100 * (1 - min(ratio.value for ratio in points.ratios(measure, scheme=("dsh", "sih"))))


def over_sih(measure: Measure, points: Points) -> float:
    """How many times SIH's it is under DSH, greatest of all loads."""
    return max(ratio.value for ratio in points.ratios(measure, scheme=("dsh", "sih")))


most_of_fan_in_saved = partial(most_saved, fan_in)
most_of_background_saved = partial(most_saved, background)
most_of_background_beside_saved = partial(most_saved, background_beside)
fan_in_over_sih = partial(over_sih, fan_in)
background_over_sih = partial(over_sih, background)


def most_dropped(points: Points) -> float:
    """Packets dropped under the schemes that must not drop any, most of all runs."""
    return max(float(point.summary["packets"]["dropped"]) for point in points if point.at["scheme"] != "oversubscribed")


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A row of panels for each kind of traffic, a column for each congestion control."""
    measures: dict[str, Measure] = {
        "fan-in FCT": fan_in,
        "background FCT": background,
        "the first group's\nbackground FCT": background_beside,
    }
    layout = panels.Layout(along="fan_in_load", lines=("scheme", SCHEMES), columns=("congestion_control", CONTROLS))
    return panels.ratios(points, measures, layout)
