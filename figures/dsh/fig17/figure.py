"""Measures and plot of DSH's figures 17 to 19: pause duration and completion times over those of SIH."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from xoff.reproduce import panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Point, Points

PAUSED = "pfc.off_us"
"""Total pause duration; a port-level pause counts once for each class."""
PAUSED_PORT_AS_ONE = "pfc.off_port_as_one_us"
"""The same, where it counts once."""

SCHEMES = {"sih": "SIH", "adaptive": "adaptive", "oversubscribed": "oversubscribed", "dsh": "DSH"}
CONTROLS = {"none": "none", "dcqcn": "DCQCN", "hpcc": "HPCC", "power_tcp": "PowerTCP"}


def fan_in(point: Point) -> float:
    """Mean completion time of fan-in flows (us)."""
    return point.fct_means_us()["fan_in"]


def background(point: Point) -> float:
    """Mean completion time of background flows (us)."""
    return point.fct_means_us()["background"]


def greatest(measure: Measure, scheme: str, points: Points, base: str = "sih") -> float:
    """How many times SIH's it is under another scheme, greatest of all loads and congestion controls."""
    return max(ratio.value for ratio in points.ratios(measure, scheme=(scheme, base)))


def most_saved(measure: Measure, scheme: str, points: Points) -> float:
    """What of SIH's another scheme saves, greatest of all loads and congestion controls (%)."""
    return 100 * (1 - min(ratio.value for ratio in points.ratios(measure, scheme=(scheme, "sih"))))


def least_saved(measure: Measure, scheme: str, points: Points) -> float:
    """The same, least of all (%)."""
    return 100 * (1 - greatest(measure, scheme, points))


pauses_of_dsh = partial(greatest, PAUSED, "dsh")
pauses_of_dsh_port_as_one = partial(greatest, PAUSED_PORT_AS_ONE, "dsh")
pauses_of_dsh_over_adaptive = partial(greatest, PAUSED, "dsh", base="adaptive")
pauses_of_adaptive = partial(greatest, PAUSED, "adaptive")
pauses_of_oversubscribed = partial(greatest, PAUSED, "oversubscribed")
least_of_pauses_saved = partial(least_saved, PAUSED, "dsh")
most_of_pauses_saved = partial(most_saved, PAUSED, "dsh")
packets_of_oversubscribed = partial(greatest, "packets.sent", "oversubscribed")

fan_in_of_dsh = partial(greatest, fan_in, "dsh")
fan_in_of_oversubscribed = partial(greatest, fan_in, "oversubscribed")
most_of_fan_in_saved = partial(most_saved, fan_in, "dsh")
most_of_fan_in_saved_by_adaptive = partial(most_saved, fan_in, "adaptive")

background_of_dsh = partial(greatest, background, "dsh")
background_of_oversubscribed = partial(greatest, background, "oversubscribed")
most_of_background_saved = partial(most_saved, background, "dsh")
most_of_background_saved_by_adaptive = partial(most_saved, background, "adaptive")


def most_dropped(points: Points) -> float:
    """Packets dropped under the schemes that must not drop any, most of all runs."""
    return max(float(point.summary["packets"]["dropped"]) for point in points if point.at["scheme"] != "oversubscribed")


def widest_interval(points: Points) -> float:
    """Half the 95 % interval of a mean completion time of DSH over that of SIH, widest of all loads."""
    ratios = [ratio for measure in (fan_in, background) for ratio in points.ratios(measure, scheme=("dsh", "sih"))]
    return max((ratio.high - ratio.low) / 2 for ratio in ratios if ratio.high is not None and ratio.low is not None)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A row of panels for each figure, a column for each congestion control, as the paper has them."""
    measures: dict[str, Measure] = {"pause duration": PAUSED, "fan-in FCT": fan_in, "background FCT": background}
    layout = panels.Layout(along="fan_in_load", lines=("scheme", SCHEMES), columns=("congestion_control", CONTROLS))
    return panels.ratios(points, measures, layout)
