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


saved_of_slowdown = partial(measures.most_saved, SLOWDOWN, case=("irn", "roce_pfc"))
saved_of_mean = partial(measures.most_saved, MEAN, case=("irn", "roce_pfc"))
saved_of_tail = partial(measures.most_saved, TAIL, case=("irn", "roce_pfc"))
saved_of_slowdown_with_timely = partial(measures.most_saved, SLOWDOWN, case=("irn_timely", "roce_pfc_timely"))
saved_of_mean_with_timely = partial(measures.most_saved, MEAN, case=("irn_timely", "roce_pfc_timely"))
saved_of_tail_with_timely = partial(measures.most_saved, TAIL, case=("irn_timely", "roce_pfc_timely"))
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
            cases = [(group, f"{scheme}{control}") for group, control in enumerate(CONTROLS)]
            heights = {group: points.mean(measure, case=case) / unit for group, case in cases if case in there}
            places = [group + (index + 0.5) * width - 0.4 for group in heights]
            ax.bar(places, list(heights.values()), width, label=name, color=style.COLOURS[index])
        ax.set_ylabel(label)
        ax.set_xticks(range(len(CONTROLS)), list(CONTROLS.values()))
        ax.grid(visible=False, axis="x")
    style.shared_legend(row)
    return figure
