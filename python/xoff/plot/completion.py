"""The distribution of completion times by size class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from xoff.plot import style
from xoff.summary import counted, members_of, ordered_members
from xoff.table import class_labels, workload_names

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from xoff.result import Result

POINTS = 400  # more than a screen shows, few enough for a page
MOST_WORKLOADS = 8


def draw(result: Result, ax: Axes) -> Axes:
    """Cumulative share of flows against completion time, on a logarithmic time axis."""
    limits = result.summary["size_classes_bytes"]
    classes = members_of(counted(result.flow_rows, "size_bytes"), limits)
    fct_ns = counted(result.flow_rows, "fct_ns")
    labels = class_labels(limits)
    ax.set_xscale("log")
    for name, members in classes.items():
        times_ns = ordered_members(fct_ns, members())
        _draw_line(ax, times_ns, f"{labels[name]}: {len(times_ns):,}", color=style.CLASS_COLOURS[name], **_look(name))
    _finish(ax, fct_ns, "flow completion time", "share of flows")
    return ax


def draw_workloads(result: Result, ax: Axes) -> Axes:
    """The same with a line for each workload, those of the most flows."""
    told = result.summary["workloads"]
    names = workload_names(result.summary)
    most = sorted(range(len(told)), key=lambda index: -told[index]["count"])[:MOST_WORKLOADS]
    workload = counted(result.flow_rows, "workload")
    fct_ns = counted(result.flow_rows, "fct_ns")
    ax.set_xscale("log")
    for index in sorted(most):
        times_ns = ordered_members(fct_ns, workload == index)
        _draw_line(ax, times_ns, f"{names[index]}: {len(times_ns):,}")
    hidden = f"{len(most)} of {len(told)} workloads, those of the most flows" if len(most) < len(told) else None
    _finish(ax, fct_ns, "flow completion time", "share of flows", hidden)
    return ax


def _finish(ax: Axes, times_ns: npt.NDArray[Any], what: str, share: str, hidden: str | None = None) -> None:
    if len(times_ns):
        low, high = times_ns.min() / 1000 / 1.5, times_ns.max() / 1000 / 0.7
        ax.set_xlim(low, high)
        style.logarithmic(ax.xaxis, style.TIME_UNITS, low, high)
        style.legend(ax, hidden)
    ax.set_ylim(0, 1.01)
    ax.set_xlabel(what)
    ax.set_ylabel(share)


def draw_queries(result: Result, ax: Axes) -> Axes:
    """Cumulative share of queries against completion time, a line for each workload of queries."""
    if result.queries is None:
        message = "no query is complete; a workload of kind `query` makes some"
        raise ValueError(message)
    completion_ns = result.queries["completion_ns"].to_numpy()
    workloads = result.queries["workload"].to_numpy()
    numbers = np.unique(workloads)
    ax.set_xscale("log")
    for number in numbers:
        times_ns = ordered_members(completion_ns, workloads == number)
        name = f"workload[{number}]: " if len(numbers) > 1 else ""
        _draw_line(ax, times_ns, f"{name}{len(times_ns):,} queries")
    _finish(ax, completion_ns, "query completion time", "share of queries")
    return ax


def distribution(ordered: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Steps of the cumulative distribution of ordered values, thinned evenly; the last ones are kept."""
    count = len(ordered)
    indices = np.unique(np.concatenate([np.linspace(0, count - 1, POINTS), np.arange(count - 20, count)]).astype(int))
    indices = indices[indices >= 0]
    return np.append(ordered[0], ordered[indices]), np.append(0, (indices + 1) / count)


def _draw_line(ax: Axes, ordered_ns: npt.NDArray[Any], label: str, **look: Any) -> None:  # noqa: ANN401 as Matplotlib
    if len(ordered_ns):
        points_ns, shares = distribution(ordered_ns)
        ax.plot(points_ns / 1000, shares, label=label, drawstyle="steps-post", **look)


def _look(name: str) -> dict[str, Any]:
    return {"linestyle": "--", "linewidth": 1.2} if name == "all" else {}
