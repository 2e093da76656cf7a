"""Measures and plot of BCC's figure 2; completion times in us, loads as shares of the core."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce.expected import published

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Measure, Point, Points

ALL = "flows.all.fct_mean_us"
SMALL = "flows.small.fct_mean_us"
SMALL_P99 = "flows.small.fct_p99_us"
MEDIUM = "flows.medium.fct_mean_us"
LARGE = "flows.large.fct_mean_us"

NAMES = {"K720": "DCTCP K=720KB", "K200": "DCTCP K=200KB", "BCC": "BCC"}
PANELS = {
    "(a) small flows, mean": SMALL,
    "(b) small flows, p99": SMALL_P99,
    "(c) medium flows, mean": MEDIUM,
    "(d) large flows, mean": LARGE,
}


def queue_loss(points: Points) -> float:
    """Loss as the authors' code prints it: mean of the loss rates of all switch queues, acknowledgements counted."""
    return points.mean(_queue_loss)


def highest_loss_of_k200(points: Points) -> float:
    """Highest loss of all loads."""
    return max(points.mean(_queue_loss, scheme="K200", load=load) for load in points.axis("load"))


def loss_k720_over_bcc(points: Points) -> float:
    """Loss as a multiple: with K=720KB over that with BCC."""
    return _ratio(points, _queue_loss, "K720", "BCC")


def small_p99_bcc_over_k720(points: Points) -> float:
    """Ratio of the p99 of small flows, with BCC over K=720KB."""
    return _ratio(points, SMALL_P99, "BCC", "K720")


def small_p99_saved_by_bcc(points: Points) -> float:
    """Share of the p99 of small flows that goes."""
    return 1 - small_p99_bcc_over_k720(points)


def load_at_which_k720_times_out(points: Points) -> float:
    """The least load at which the p99 of small flows is above the least timeout of 5 ms."""
    loads = [load for load in points.axis("load") if points.mean(SMALL_P99, scheme="K720", load=load) > 5000]
    return float(min(loads, default=math.nan))


def least_large_bcc_over_k720(points: Points) -> float:
    """Least ratio of the means of large flows, of all loads."""
    return min(_ratio(points.where(load=load), LARGE, "BCC", "K720") for load in points.axis("load"))


def greatest_large_bcc_over_k720(points: Points) -> float:
    """Greatest ratio of the means of large flows, of all loads."""
    return max(_ratio(points.where(load=load), LARGE, "BCC", "K720") for load in points.axis("load"))


def large_k200_over_k720(points: Points) -> float:
    """Ratio of the means of large flows."""
    return _ratio(points, LARGE, "K200", "K720")


def medium_k200_over_k720(points: Points) -> float:
    """Ratio of the means of medium flows."""
    return _ratio(points, MEDIUM, "K200", "K720")


def large_saved_by_bcc(points: Points) -> float:
    """Share of K=200KB's mean of large flows that goes."""
    return 1 - _ratio(points, LARGE, "BCC", "K200")


def least_step_of_small_means(points: Points) -> float:
    """Least ratio of a scheme to the one below it at loads from 0.60; above 1 if the order holds."""
    loads = [load for load in points.axis("load") if float(load) >= 0.6]
    return min(_least_step(points.where(load=load), SMALL, "K200", "BCC", "K720") for load in loads)


def least_step_of_all_means(points: Points) -> float:
    """Least ratio of a scheme to the one below it; above 1 if the order holds."""
    return _least_step(points, ALL, "BCC", "K200", "K720")


def draw(points: Points, expected: list[Expected]) -> Figure:
    """The four panels, as the paper has them: normalised to K=720KB; the authors' numbers dashed."""
    figure = Figure(figsize=(9.6, 6.4))
    for (title, measure), ax in zip(PANELS.items(), figure.subplots(2, 2).flat, strict=True):
        _panel(points, expected, measure, ax)
        ax.set_title(title)
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=3)
    return figure


def _panel(points: Points, expected: list[Expected], measure: str, ax: Axes) -> None:
    loads = points.axis("load")
    base = {at["load"]: value for at, value in published(expected, measure, scheme="K720")}
    for (scheme, name), colour in zip(NAMES.items(), style.COLOURS, strict=False):
        ratios = [_ratio(points.where(load=load), measure, scheme, "K720") for load in loads]
        ax.plot(loads, ratios, "o-", markersize=4, color=colour, label=name)
        theirs = [(at["load"], value / base[at["load"]]) for at, value in published(expected, measure, scheme=scheme)]
        ax.plot(*zip(*theirs, strict=True), "--", color=colour, linewidth=1, label=f"{name}, published")
    ax.set_ylim(0, 1.05 * ax.get_ylim()[1])
    ax.set_xlabel("load of the core")
    ax.set_ylabel("over DCTCP K=720KB")


def _queue_loss(point: Point) -> float:
    ports = [port for port in point.result().ports.to_pylist() if not port["device"].startswith("host")]
    return math.fsum(port["dropped"] / max(1, port["packets"] + port["dropped"]) for port in ports) / len(ports)


def _ratio(points: Points, measure: Measure, scheme: str, base: str) -> float:
    under = points.mean(measure, scheme=base)
    return points.mean(measure, scheme=scheme) / under if under else math.nan


def _least_step(points: Points, measure: str, *rising: str) -> float:
    return min(_ratio(points, measure, above, below) for below, above in itertools.pairwise(rising))
