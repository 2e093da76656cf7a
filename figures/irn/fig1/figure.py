"""Measures and plot of RoCE and IRN, with PFC and without, alone and with TIMELY."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from xoff.plot import style
from xoff.reproduce import measures

if TYPE_CHECKING:
    from xoff.reproduce.expected import Expected
    from xoff.reproduce.points import Points

SLOWDOWN, MEAN, TAIL = "flows.all.slowdown_mean", "flows.all.fct_mean_us", "flows.all.fct_p99_us"
PANELS = {
    SLOWDOWN: ("mean FCT slowdown", 1),
    MEAN: ("mean FCT (ms)", 1e3),
    TAIL: ("FCT, 99th percentile (ms)", 1e3),
}
SCHEMES = {"roce_pfc": "RoCE with PFC", "roce": "RoCE without", "irn_pfc": "IRN with PFC", "irn": "IRN without"}
CONTROLS = {"": "no congestion control", "_timely": "TIMELY"}


def _saved(measure: str, control: str, points: Points) -> float:
    """Of RoCE with PFC, by IRN without (%)."""
    return measures.most_saved(measure, _of(points, control), case=(f"irn{control}", f"roce_pfc{control}"))


def _of(points: Points, control: str) -> Points:
    for case in points.axis("case"):
        if str(case).endswith("_timely") != bool(control):
            points = points.excluding(case=case)
    return points


saved_of_slowdown = partial(_saved, SLOWDOWN, "")
saved_of_mean = partial(_saved, MEAN, "")
saved_of_tail = partial(_saved, TAIL, "")
saved_of_slowdown_with_timely = partial(_saved, SLOWDOWN, "_timely")
saved_of_mean_with_timely = partial(_saved, MEAN, "_timely")
saved_of_tail_with_timely = partial(_saved, TAIL, "_timely")
irn_with_pfc = partial(measures.ratio_of_means, MEAN, case=("irn_pfc", "irn"))
irn_with_pfc_and_timely = partial(measures.ratio_of_means, MEAN, case=("irn_pfc_timely", "irn_timely"))
roce_without_pfc_and_timely = partial(measures.ratio_of_means, MEAN, case=("roce_timely", "roce_pfc_timely"))


def draw(points: Points, _expected: list[Expected]) -> Figure:
    """A panel for each number, with a group of bars for each congestion control."""
    figure = Figure(figsize=(10, 3.2))
    row = figure.subplots(1, len(PANELS))
    width = 0.8 / len(SCHEMES)
    there = points.axis("case")
    for ax, (measure, (label, unit)) in zip(row, PANELS.items(), strict=True):
        for index, (scheme, name) in enumerate(SCHEMES.items()):
            groups = [group for group, control in enumerate(CONTROLS) if f"{scheme}{control}" in there]
            cases = [f"{scheme}{control}" for control in CONTROLS if f"{scheme}{control}" in there]
            heights = [points.mean(measure, case=case) / unit for case in cases]
            places = [group + (index + 0.5) * width - 0.4 for group in groups]
            ax.bar(places, heights, width, label=name, color=style.COLOURS[index])
        ax.set_ylabel(label)
        ax.set_xticks(range(len(CONTROLS)), list(CONTROLS.values()))
        ax.grid(visible=False, axis="x")
    style.shared_legend(row)
    return figure
