"""Workloads that a figure shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from xoff.results.slowdowns import COLUMNS
from xoff.results.table import workload_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.results.columns import FlowRows
    from xoff.results.summary import Summary

Workloads: TypeAlias = "Sequence[int | str] | int | str | None"
"""Positions in the scenario, or kinds such as `incast`, one or several; None for all."""


def flows_of(flows: FlowRows | pa.Table, workloads: Workloads, summary: Summary) -> FlowRows | pa.Table:
    """Returns the flows of some workloads, with the columns that figures need.

    Raises ValueError for an unknown workload.
    """
    if workloads is None:
        return flows
    several = [workloads] if isinstance(workloads, int | str) else workloads
    chosen = {position for each in several for position in _positions(each, summary)}
    columns = flows.select(COLUMNS)
    return columns.filter(pc.is_in(columns["workload"], pa.array(sorted(chosen), pa.uint32())))


def _positions(workload: int | str, summary: Summary) -> list[int]:
    kinds = [numbers["kind"] for numbers in summary["workloads"]]
    found = [position for position, kind in enumerate(kinds) if workload in (position, kind)]
    if not found:
        message = (
            f"workloads: there is no {workload}; expected positions or kinds of {'; '.join(workload_names(summary))}"
        )
        raise ValueError(message)
    return found
