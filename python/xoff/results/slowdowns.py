"""Slowdown by flow size, in groups of similar size that several runs share."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from xoff.results.summary import counted, ordered_members, quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from xoff.results.columns import FlowRows

COLUMNS = ("workload", "size_bytes", "fct_ns", "slowdown", "measured")
"""Columns of `flows.parquet` that figures need; a run may have millions of flows."""
PERCENTS = (50, 95, 99)
FEW_FLOWS = 100
"""Number of flows up to which the 99th percentile is the slowest flow."""
_FEWEST_GROUPS, _MOST_GROUPS = 5, 20


class Group(NamedTuple):
    """Flows of similar size."""

    largest_bytes: int
    """Largest size in the group, over all runs."""
    flows: int
    quantiles: tuple[float, ...]
    """Slowdown at each of `PERCENTS`; none of no flows."""


def groups_of(flows: FlowRows | pa.Table, groups: int | None = None) -> list[Group]:
    """Returns the flows by size, in groups of about equally many; flows of one size are in one group.

    By default 5 to 20 groups, of more than `FEW_FLOWS` where there are enough.

    Args:
        flows: A table with the columns of `flows.parquet`.
        groups: The most groups.

    Raises:
        ValueError: `groups` is below 1.
    """
    if groups is not None and groups < 1:
        message = f"groups: is {groups}; expected at least 1"
        raise ValueError(message)
    return groups_within(flows, limits([counted(flows, "size_bytes")], groups))


def limits(sizes: Sequence[npt.NDArray[np.int64]], groups: int | None = None) -> npt.NDArray[np.int64]:
    """Returns the largest size of each group of several sets of flows.

    By default, the smallest set decides how many groups there are.
    """
    fewest = min((len(of_set) for of_set in sizes if len(of_set)), default=0)
    groups = groups or min(max(fewest // (FEW_FLOWS + 1), _FEWEST_GROUPS), _MOST_GROUPS)
    ordered = np.sort(np.concatenate(sizes))
    groups = min(groups, len(ordered))
    shares = np.arange(1, groups + 1) * len(ordered) // max(groups, 1)
    there = ordered[shares - 1]
    first, last = (np.searchsorted(ordered, there, side=side) for side in ("left", "right"))
    # At equal shares of the flows, or where a size begins or ends.
    ends = np.where(shares - first < last - shares, first, last)
    largest: npt.NDArray[np.int64] = ordered[np.unique(ends[ends > 0]) - 1]
    return largest


def groups_within(flows: FlowRows | pa.Table, largest: npt.NDArray[np.int64]) -> list[Group]:
    """Returns groups of the flows; each group ends with the next of the sizes `largest`."""
    parts = slowdowns_within(flows, largest)
    return [Group(int(size), len(part), quantiles(part)) for size, part in zip(largest, parts, strict=True)]


def slowdowns_within(flows: FlowRows | pa.Table, largest: npt.NDArray[np.int64]) -> list[npt.NDArray[np.float64]]:
    """Returns the ordered slowdowns of each group; each ends with the next of the sizes `largest`."""
    sizes = counted(flows, "size_bytes")
    order = np.argsort(sizes, kind="stable")
    ends = np.searchsorted(sizes, largest, side="right", sorter=order)
    del sizes  # a run may have millions of flows
    slowdowns = counted(flows, "slowdown")
    return [ordered_members(slowdowns, order[start:end]) for start, end in pairwise([0, *ends])]


def quantiles(ordered: npt.NDArray[np.float64]) -> tuple[float, ...]:
    """Returns the percentiles `PERCENTS` of ordered slowdowns; an empty tuple for no flows."""
    found = (quantile(ordered, percent) for percent in PERCENTS)
    return tuple(value for value in found if value is not None)
