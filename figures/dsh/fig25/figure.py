"""Measures and plot of DSH's figure 25: completion times of one class beside the load of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.reproduce import panels

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Point, Points

SCHEMES = {"sih": "SIH", "dsh": "DSH", "without": "DSH without shared headroom"}
CONTROLS = {"none": "none", "dcqcn": "DCQCN", "power_tcp": "PowerTCP"}


def interfered(point: Point) -> float:
    """Mean completion time of interfered flows (us)."""
    return point.fct_means_us()["interfered"]


def dsh_over_sih(points: Points) -> float:
    """Mean completion time of interfered flows under DSH over that under SIH, greatest of all loads."""
    return max(ratio.value for ratio in points.ratios(interfered, scheme=("dsh", "sih")))


def without_over_dsh(points: Points) -> float:
    """The same without shared headroom over that with it."""
    return max(ratio.value for ratio in points.ratios(interfered, scheme=("without", "dsh")))


def most_dropped(points: Points) -> float:
    """Packets dropped, most of all runs."""
    return max(float(point.summary["packets"]["dropped"]) for point in points)


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A column for each congestion control."""
    layout = panels.Layout(
        along="interfering_load",
        lines=("scheme", SCHEMES),
        columns=("congestion_control", CONTROLS),
    )
    return panels.means(points, {"FCT of interfered\nflows (us)": interfered}, layout)
