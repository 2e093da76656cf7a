"""Summaries, which the simulator computes, and the parts of their formulas that figures and studies need again.

Every key of `summary.json`, its unit and its meaning stand in docs/summary.md; `SCHEMA_VERSION` rises when one changes.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    import pyarrow as pa

    from xoff.results.columns import FlowRows

    Members = Callable[[], npt.NDArray[np.bool_]]

Summary = dict[str, Any]
"""Nested dictionaries of numbers, text and None; None where there is nothing to count."""

SCHEMA_VERSION = 1

CLASSES = ("all", "small", "medium", "large")


def counted(flows: FlowRows | pa.Table, name: str) -> npt.NDArray[Any]:
    """Returns a column of the flows that count: started in the measured time and finished before the stop."""
    measured, column = _array(flows, "measured"), _array(flows, name)
    return column if measured.all() else column[measured]


def _array(flows: FlowRows | pa.Table, name: str) -> npt.NDArray[Any]:
    column = flows.select([name])[name]
    chunk = column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    array: npt.NDArray[Any] = chunk.to_numpy(zero_copy_only=False)  # a table's column would be copied
    return array


def members_of(size: npt.NDArray[np.int64], size_classes: Sequence[int]) -> dict[str, Members]:
    """Returns for each of `CLASSES` a function that says which sizes (bytes, one per flow) belong to it."""
    place = np.digitize(size, size_classes).astype(np.uint8)  # a run may have millions of flows
    classes: dict[str, Members] = {"all": lambda: np.ones(len(place), bool)}
    return classes | {name: partial(np.equal, place, index) for index, name in enumerate(CLASSES[1:])}


def value_at(summary: Summary, path: str) -> float | None:
    """Returns the number at a path such as `workloads[1].fct_p99_us`; None if the list is too short or the number null.

    Raises KeyError for an unknown key, and TypeError or ValueError for a value that is no number.
    """
    found: Any = summary
    for key in path.split("."):
        name, _, position = key.removesuffix("]").partition("[")
        found = found[name]
        if position:
            if int(position) >= len(found):
                return None
            found = found[int(position)]
    return None if found is None else float(found)


def quantile(ordered: npt.NDArray[Any], percent: float) -> float | None:
    """Returns element floor(p n / 100) of n ordered values, for p below 100 in steps of 0.1; None for no values."""
    if not len(ordered):
        return None
    return float(ordered[round(10 * percent) * len(ordered) // 1000])


def ordered_members(values: npt.NDArray[Any], members: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns the members' values in order; `members` is a mask or positions. Makes one copy and no other."""
    chosen: npt.NDArray[Any] = values[members]
    chosen.sort()
    return chosen
