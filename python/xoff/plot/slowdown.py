"""Slowdown against flow size, as HPCC and its successors show it."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from xoff.plot import style
from xoff.summary import counted, ordered_members, quantile
from xoff.units import quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.result import Result

PERCENTS = (50, 95, 99)
# In smaller groups the 95th and the 99th percentile are those of the same flow.
_FLOWS_OF_A_GROUP = 50
_FEWEST_GROUPS, _MOST_GROUPS = 5, 20
# Lines may lie on one another.
_LOOKS = ("o-", "o--", "o-")
_MARKERS = (3.5, 3.5, 5.0)


class Group(NamedTuple):
    """Flows of similar size."""

    largest_bytes: int
    flows: int
    quantiles: tuple[float, ...]
    """Slowdown at each of `PERCENTS`."""


def has_several_sizes(result: Result) -> bool:
    """Whether there is a slowdown of more than one size to show."""
    sizes = counted(result.flow_rows, "size_bytes")
    return len(sizes) > 0 and bool(sizes.min() != sizes.max())


def groups_of(result: Result, groups: int | None = None) -> list[Group]:
    """The flows by size, in at most `groups` groups of about equally many; those of one size are in one group.

    By default 5 to 20 groups, of 50 flows or more where there are enough.
    """
    sizes = counted(result.flow_rows, "size_bytes")
    groups = groups or min(max(len(sizes) // _FLOWS_OF_A_GROUP, _FEWEST_GROUPS), _MOST_GROUPS)
    order = np.argsort(sizes, kind="stable")
    parts = [order[start:end] for start, end in pairwise([0, *_ends(sizes, order, groups)])]
    largest = [int(sizes[part[-1]]) for part in parts]
    del sizes  # a run may have millions of flows
    slowdowns = counted(result.flow_rows, "slowdown")
    quantiles = [_quantiles(ordered_members(slowdowns, part)) for part in parts]
    return [Group(*group) for group in zip(largest, map(len, parts), quantiles, strict=True)]


def _ends(sizes: np.ndarray, order: np.ndarray, groups: int) -> np.ndarray:
    """Where in the order of sizes the groups end: at equal shares of the flows, or where a size begins or ends."""
    groups = min(groups, len(order))
    shares = np.arange(1, groups + 1) * len(order) // max(groups, 1)
    there = sizes[order[shares - 1]]
    first, last = (np.searchsorted(sizes, there, side=side, sorter=order) for side in ("left", "right"))
    ends = np.where(shares - first < last - shares, first, last)
    return np.unique(ends[ends > 0])


def draw(result: Result, ax: Axes, groups: int | None = None) -> Axes:
    """One line per percentile; the x axis names the largest flow of each group."""
    rows = groups_of(result, groups)
    positions = range(len(rows))
    for index, (percent, look, size) in enumerate(zip(PERCENTS, _LOOKS, _MARKERS, strict=True)):
        values = [row.quantiles[index] for row in rows]
        ax.plot(positions, values, look, markersize=size, zorder=3 - index / 10, label=f"p{percent}")
    if rows:
        highest = max(row.quantiles[-1] for row in rows)
        ax.set_yscale("log")
        ax.set_ylim(1, max(2.2, 1.2 * highest))  # one is the least there is
        style.logarithmic(ax.yaxis, ("",), 1, highest)
        style.legend(ax)
    step = max(1, math.ceil(len(rows) / 10))
    ax.set_xticks(list(positions)[::step], [_size(row) for row in rows][::step], rotation=30, ha="right")
    ax.set_xlabel(f"flow size (largest of each of {len(rows)} groups of flows)" if len(rows) > 1 else "flow size")
    ax.set_ylabel("slowdown")
    return ax


def _quantiles(ordered: np.ndarray) -> tuple[float, ...]:
    return tuple(quantile(ordered, percent) or 0.0 for percent in PERCENTS)


def _size(row: Group) -> str:
    return quantity(float(f"{row.largest_bytes:.3g}"), style.SIZE_UNITS)
