"""Measures and plot of DSH's figure 21: what insurance headroom is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Point, Points

SCHEMES = {"dsh": "DSH", "without": "DSH without insurance"}
CONTROLS = {"dcqcn": "DCQCN", "power_tcp": "PowerTCP"}

DROPPED = "packets.dropped"


def background(point: Point) -> float:
    """Mean completion time of background flows (us)."""
    return point.fct_means_us()["background"]


def most_dropped_with_insurance(points: Points) -> float:
    """Packets that DSH drops, most of all runs."""
    return max(float(point.summary["packets"]["dropped"]) for point in points.where(scheme="dsh"))


def dropped_without_insurance(points: Points) -> float:
    """Packets that DSH without insurance drops, mean over the seeds."""
    return points.mean(DROPPED, scheme="without")


def background_over_without(points: Points) -> float:
    """Mean completion time of the background over that without insurance."""
    [ratio] = points.ratios(background, scheme=("dsh", "without"))
    return ratio.value


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """Packets dropped above, completion times below, a column for each congestion control, as the paper has them."""
    figure = Figure(figsize=(6.4, 5.2))
    rows = figure.subplots(2, len(CONTROLS), sharex=True, sharey="row")
    loads = points.axis("fan_in_load")
    measures: dict[str, Measure] = {"packets dropped": DROPPED, "background FCT (us)": background}
    for row, (label, measure) in zip(rows, measures.items(), strict=True):
        for ax, control in zip(row, CONTROLS, strict=True):
            of_it = points.where(congestion_control=control)
            for (scheme, name), colour in zip(SCHEMES.items(), style.COLOURS, strict=False):
                means = [of_it.mean(measure, fan_in_load=load, scheme=scheme) for load in loads]
                ax.plot(loads, means, "o-", color=colour, label=name)
            ax.set_ylim(bottom=0)
        row[0].set_ylabel(label)
    for ax, name in zip(rows[0], CONTROLS.values(), strict=True):
        ax.set_title(name)
    for ax in rows[-1]:
        ax.set_xlabel("load of fan-in")
    figure.legend(*rows[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(SCHEMES))
    return figure
