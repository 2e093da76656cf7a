"""Slowdown against flow size, as HPCC and its successors show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from xoff.plot import style
from xoff.summary import counted, quantile
from xoff.units import quantity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.result import Result

PERCENTS = (50, 95, 99)


class Group(NamedTuple):
    """Flows of similar size."""

    largest_bytes: int
    flows: int
    quantiles: tuple[float, ...]
    """Slowdown at each of `PERCENTS`."""


def groups_of(result: Result, groups: int = 20) -> list[Group]:
    """The flows by size, in groups of equally many (fewer groups if there are fewer flows)."""
    sizes = counted(result.flow_rows, "size_bytes")
    order = np.argsort(sizes, kind="stable")
    parts = [part for part in np.array_split(order, min(groups, len(order)) or 1) if len(part)]
    largest = [int(sizes[part[-1]]) for part in parts]
    del sizes  # a run may have millions of flows
    slowdowns = counted(result.flow_rows, "slowdown")
    quantiles = [_quantiles(np.sort(slowdowns[part])) for part in parts]
    return [Group(*group) for group in zip(largest, map(len, parts), quantiles, strict=True)]


def draw(result: Result, ax: Axes, groups: int = 20) -> Axes:
    """One line per percentile; the x axis names the largest flow of each group."""
    rows = groups_of(result, groups)
    positions = range(len(rows))
    for index, percent in enumerate(PERCENTS):
        values = [row.quantiles[index] for row in rows]
        ax.plot(positions, values, marker="o", markersize=3.5, label=f"p{percent}")
    if rows:
        highest = max(row.quantiles[-1] for row in rows)
        ax.set_yscale("log")
        ax.set_ylim(1, max(2.2, 1.2 * highest))  # one is the least there is
        style.logarithmic(ax.yaxis, ("",), 1, highest)
        style.legend(ax)
    step = max(1, len(rows) // 10)
    ax.set_xticks(list(positions)[::step], [_size(row) for row in rows][::step], rotation=30, ha="right")
    ax.set_xlabel(f"flow size, {len(rows)} groups of equally many flows (largest of each)")
    ax.set_ylabel("slowdown")
    return ax


def _quantiles(ordered: np.ndarray) -> tuple[float, ...]:
    return tuple(quantile(ordered, percent) or 0.0 for percent in PERCENTS)


def _size(row: Group) -> str:
    return quantity(float(f"{row.largest_bytes:.3g}"), style.SIZE_UNITS)
