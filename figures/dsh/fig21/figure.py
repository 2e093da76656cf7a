"""Measures and plot of DSH's figure 21: what insurance headroom is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.reproduce import measures, panels
from xoff.reproduce.names import CONGESTION_CONTROLS, HEADROOM_SCHEMES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

DROPPED = "packets.dropped"
BACKGROUND = measures.mean_fct_us("background")
LAYOUT = panels.Layout(
    along="fan_in_load",
    lines=("scheme", HEADROOM_SCHEMES | {"without": "DSH without insurance"}),
    columns=("congestion_control", CONGESTION_CONTROLS),
)


def most_dropped_with_insurance(points: Points) -> float:
    """Packets that DSH drops, most of all runs."""
    return measures.most_dropped(points.where(scheme="dsh"))


def dropped_without_insurance(points: Points) -> float:
    """Packets that DSH without insurance drops, mean over the seeds."""
    return points.mean(DROPPED, scheme="without")


def background_over_without(points: Points) -> float:
    """Mean completion time of the background over that without insurance."""
    [ratio] = points.ratios(BACKGROUND, scheme=("dsh", "without"))
    return ratio.value


def widest_interval(points: Points) -> float:
    """Half the 95 % interval of the background over that without insurance, widest of all loads."""
    return measures.widest_interval([BACKGROUND], points, scheme=("dsh", "without"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Packets dropped above, completion times below, a column for each congestion control, as the paper has them."""
    return panels.means(points, {"packets dropped": DROPPED, "background FCT (us)": BACKGROUND}, LAYOUT)
