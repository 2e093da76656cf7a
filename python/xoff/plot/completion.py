"""Distributions of completion times and slowdowns: by size class, by workload, by scenario."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from xoff.plot import facets, measured_time, room, style
from xoff.results.summary import CLASSES, counted, members_of, ordered_members
from xoff.results.table import class_labels, workload_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt
    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff.plot.house_figure import HouseFigure
    from xoff.results.result import Result
    from xoff.results.summary import Members, Summary

POINTS = 400  # more than a screen shows, few enough for a page
MOST_WORKLOADS = 8
_MARGIN, _LEAST_MARGIN = 0.05, 1.01
"""Margin beside the lines, as a share of the logarithm of their span, and its least factor."""
_LOOK_OF_ALL: dict[str, Any] = {"linestyle": "--", "linewidth": 1.2}


class Measure(NamedTuple):
    """A measure whose distribution is drawn."""

    column: str
    scale: float
    """Number of units of the column in one of the axis."""
    label: str
    units: tuple[str, ...]
    least: float = 0


class Compared(Protocol):
    """Runs of several scenarios, as a comparison holds them."""

    @property
    def names(self) -> Sequence[str]:
        """Names of the scenarios."""

    @property
    def flows(self) -> Sequence[Sequence[pa.Table]]:
        """For each scenario, the finished flows of its run with each seed."""

    @property
    def summaries(self) -> Sequence[Sequence[Summary]]:
        """For each scenario, the summary of its run with each seed."""

    @property
    def size_classes_bytes(self) -> tuple[int, int]:
        """Flow sizes at which small ends and medium ends."""


FCT = Measure("fct_ns", 1000, "flow completion time", style.TIME_UNITS)
SLOWDOWN = Measure("slowdown", 1, "FCT slowdown", ("",), least=1)
_OF_QUERIES = Measure("completion_ns", 1000, "query completion time", style.TIME_UNITS)


def draw(
    result: Result, ax: Axes, measure: Measure = FCT, *, size_class: str | None = None, label: str | None = None
) -> Axes:
    """Draws the cumulative share of flows against a measure, on a logarithmic axis, a line per size class.

    Args:
        result: The result.
        ax: The axes; if they have lines already, lines take the next colours, not those of the classes.
        measure: `FCT` or `SLOWDOWN`.
        size_class: The size class that is drawn; left out, all.
        label: Name of the result in the legend.
    """
    limits = result.summary["size_classes_bytes"]
    _check_class(size_class)
    classes = members_of(counted(result.flow_rows, "size_bytes"), limits)
    values = counted(result.flow_rows, measure.column)
    has_lines = bool(ax.get_lines())
    for name, told in _told(classes, limits, size_class).items():
        ordered = ordered_members(values, classes[name]())
        parts = [style.plain(label)] if label else []
        parts += [told] if size_class is None or not label else []
        colour = {} if has_lines or size_class else {"color": style.CLASS_COLOURS[name]}
        look = _LOOK_OF_ALL if name == CLASSES[0] and size_class is None else {}
        _draw_line(ax, measure, ordered, f"{', '.join(parts)}: {len(ordered):,}", **colour, **look)
    nothing = _nothing(result.flow_rows.num_rows, size_class, result.summary)
    return _finish(ax, measure, "share of flows", [result.summary], nothing)


def _told(classes: Mapping[str, Members], limits: list[int], size_class: str | None) -> dict[str, str]:
    """Returns the classes to draw with their labels; one class if it has all flows, which two lines would show."""
    told = class_labels(limits)
    if size_class is not None:
        return {size_class: told[size_class]}
    there = [name for name in CLASSES[1:] if classes[name]().any()]
    return {name: f"all are {told[name]}" for name in there} if len(there) == 1 else told


def draw_scenarios(comparison: Compared, ax: Axes, measure: Measure = FCT, size_class: str | None = None) -> Axes:
    """Draws the cumulative share of flows against a measure, a line per scenario over the flows of all seeds."""
    _check_class(size_class)
    for number, (name, ordered) in enumerate(_of_scenarios(comparison, measure, size_class).items()):
        look = style.look(number) | {"marker": ""}
        _draw_line(ax, measure, ordered, f"{style.plain(name)}: {len(ordered):,}", **look)
    share, summaries = _share(comparison, size_class), list(chain(*comparison.summaries))
    nothing = _nothing(sum(run.num_rows for run in chain(*comparison.flows)), size_class, *summaries)
    return _finish(ax, measure, share, summaries, nothing)


def draw_each_scenario(
    comparison: Compared, figure: HouseFigure, measure: Measure = FCT, size_class: str | None = None
) -> list[Axes]:
    """Draws a panel for each scenario beside the first, with the first in grey, over the same scales."""
    _check_class(size_class)
    (base, of_base), *others = _of_scenarios(comparison, measure, size_class).items()
    summaries = dict(zip(comparison.names, comparison.summaries, strict=True))
    finished = {
        name: sum(run.num_rows for run in runs) for name, runs in zip(comparison.names, comparison.flows, strict=True)
    }
    panels = facets.grid(figure, len(others))
    for (name, ordered), ax in zip(others, panels, strict=True):
        _draw_line(ax, measure, of_base, f"{style.plain(base)}: {len(of_base):,}", color=style.COLOURS[6])
        _draw_line(ax, measure, ordered, "scenario above the panel", color=style.COLOURS[0])
        facets.draw_title(ax, f"{name}: {len(ordered):,}")
        if not len(ordered):
            style.say_nothing_is_there(ax, _nothing(finished[name], size_class, *summaries[name]))
        ax.set_ylim(0, 1.01)
    if any(len(ordered) for ordered in (of_base, *dict(others).values())):
        _scale(panels, measure)
    else:
        panels[0].set_xticks([])
    told = "\n".join([measure.label, *measured_time.told(*chain(*comparison.summaries))])
    figure.supxlabel(told, fontsize=9)
    figure.supylabel(_share(comparison, size_class), fontsize=9)
    style.shared_legend(panels)
    return panels


def _of_scenarios(comparison: Compared, measure: Measure, size_class: str | None) -> dict[str, npt.NDArray[np.float64]]:
    """Returns the ordered values of the flows of all seeds of each scenario."""
    return {
        name: np.sort(np.concatenate([_values(run, measure, comparison, size_class) for run in runs]))
        for name, runs in zip(comparison.names, comparison.flows, strict=True)
    }


def _share(comparison: Compared, size_class: str | None) -> str:
    """Returns the label of the vertical axis."""
    label = class_labels(list(comparison.size_classes_bytes))[size_class or CLASSES[0]]
    return "share of flows" if size_class is None else f"share of flows ({label})"


def _nothing(finished: int, size_class: str | None, *summaries: Summary) -> str:
    """Returns the text for axes without a line."""
    what = "flow" if size_class in (None, CLASSES[0]) else f"{size_class} flow"
    return measured_time.none_finished(finished, what, *summaries)


def _values(flows: pa.Table, measure: Measure, comparison: Compared, size_class: str | None) -> npt.NDArray[np.float64]:
    values: npt.NDArray[np.float64] = counted(flows, measure.column)
    classes = members_of(counted(flows, "size_bytes"), comparison.size_classes_bytes)
    return values if size_class is None else values[classes[size_class]()]


def _check_class(size_class: str | None) -> None:
    if size_class not in (None, *CLASSES):
        message = f"size_class: there is no {size_class}; expected one of {', '.join(CLASSES)}"
        raise ValueError(message)


def draw_workloads(result: Result, ax: Axes, label: str | None = None) -> Axes:
    """Draws the cumulative share of flows against completion time, a line per workload, those with most flows."""
    told = result.summary["workloads"]
    names = workload_names(result.summary)
    most = sorted(range(len(told)), key=lambda index: -told[index]["count"])[:MOST_WORKLOADS]
    workload = counted(result.flow_rows, "workload")
    fct_ns = counted(result.flow_rows, "fct_ns")
    before = f"{style.plain(label)}, " if label else ""
    for index in sorted(most):
        times_ns = ordered_members(fct_ns, workload == index)
        _draw_line(ax, FCT, times_ns, f"{before}{names[index]}: {len(times_ns):,}")
    hidden = f"{len(most)} of {len(told)} workloads, those of the most flows" if len(most) < len(told) else None
    nothing = _nothing(result.flow_rows.num_rows, None, result.summary)
    return _finish(ax, FCT, "share of flows", [result.summary], nothing, hidden)


def draw_queries(result: Result, ax: Axes, label: str | None = None) -> Axes:
    """Draws the cumulative share of queries against completion time, a line per workload of queries."""
    if result.queries is None:
        message = "no query is complete; a workload of kind `query` makes some"
        raise ValueError(message)
    queries = result.queries.filter(result.queries["measured"])
    completion_ns, workloads = queries["completion_ns"].to_numpy(), queries["workload"].to_numpy()
    numbers = np.unique(workloads)
    for number in numbers:
        times_ns = ordered_members(completion_ns, workloads == number)
        parts = [style.plain(label)] if label else []
        parts += [f"workload[{number}]"] if len(numbers) > 1 else []
        _draw_line(ax, _OF_QUERIES, times_ns, ": ".join([*parts, f"{len(times_ns):,} queries"]))
    nothing = measured_time.none_finished(result.queries.num_rows, "query", result.summary)
    return _finish(ax, _OF_QUERIES, "share of queries", [result.summary], nothing)


def distribution(ordered: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Returns the steps of the cumulative distribution of ordered values, thinned evenly except for the last ones."""
    count = len(ordered)
    indices = np.unique(np.concatenate([np.linspace(0, count - 1, POINTS), np.arange(count - 20, count)]).astype(int))
    indices = indices[indices >= 0]
    return np.append(ordered[0], ordered[indices]), np.append(0, (indices + 1) / count)


def _draw_line(
    ax: Axes,
    measure: Measure,
    ordered: npt.NDArray[Any],
    label: str,
    **look: Any,  # noqa: ANN401 as Matplotlib
) -> None:
    if len(ordered):
        points, shares = distribution(ordered)
        ax.plot(points / measure.scale, shares, label=label, drawstyle="steps-post", **look)


def _finish(
    ax: Axes, measure: Measure, share: str, summaries: Sequence[Summary], nothing: str, hidden: str | None = None
) -> Axes:
    """Scales and labels the axes for all their lines, or writes that there is nothing to draw."""
    style.unsay_nothing_is_there(ax)
    if ax.get_lines():
        _scale([ax], measure)
        style.legend(ax, hidden)
    else:
        style.say_nothing_is_there(ax, nothing)
        ax.set_xticks([])
    ax.set_ylim(0, 1.01)
    room.label_along(ax, measure.label, measured_time.told(*summaries))
    ax.set_ylabel(share)
    return ax


def _scale(panels: Sequence[Axes], measure: Measure) -> None:
    """Scales axes logarithmically, for what all of them show together."""
    limits = [ax.dataLim.intervalx for ax in panels if ax.get_lines()]
    least, greatest = min(low for low, _ in limits), max(high for _, high in limits)
    margin = max((greatest / least) ** _MARGIN, _LEAST_MARGIN)
    low, high = least / margin, greatest * margin
    if least >= measure.least:
        low = max(low, measure.least)
    for ax in panels:
        ax.set_xscale("log")
        ax.set_xlim(low, high)
        style.logarithmic(ax.xaxis, measure.units, low, high)
