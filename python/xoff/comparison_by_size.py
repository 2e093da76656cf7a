"""Slowdown by flow size in several scenarios, over the same groups of flows: means over their seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from xoff import intervals, result_files
from xoff.columns import FLOWS
from xoff.folder import FLOWS as FILE
from xoff.slowdowns import COLUMNS, PERCENTS, groups_within, limits
from xoff.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from xoff.intervals import Estimate
    from xoff.slowdowns import Group


class OfSize(NamedTuple):
    """Flows of similar size in one scenario."""

    largest_bytes: int
    """The largest size in the group, which is the same in every scenario."""
    scenario: str
    flows: int
    """Of all seeds together."""
    quantiles: tuple[Estimate, ...]
    """Slowdown at each of `PERCENTS`: mean over the seeds."""

    def as_dict(self) -> dict[str, Any]:
        """A row without nesting, with the names that measures have."""
        cells: dict[str, Any] = {"largest_bytes": self.largest_bytes, "scenario": self.scenario, "flows": self.flows}
        for percent, estimate in zip(PERCENTS, self.quantiles, strict=True):
            name = f"slowdown_p{percent}"
            cells.update(zip((name, f"{name}_low", f"{name}_high"), estimate, strict=True))
        return cells


def of_runs(names: Sequence[str], folders: Sequence[Sequence[Path]]) -> list[OfSize]:
    """Group by group, the scenarios in order; left out is what has no flow with some seed.

    Args:
        names: Of the scenarios.
        folders: For each scenario the result folder of its run with each seed.
    """
    largest = limits([counted(_flows(folder, "size_bytes"), "size_bytes") for runs in folders for folder in runs])
    found = [[groups_within(_flows(folder, *COLUMNS), largest) for folder in runs] for runs in folders]
    return [
        row
        for of_size in zip(*(zip(*runs, strict=True) for runs in found), strict=True)
        for name, groups in zip(names, of_size, strict=True)
        for row in _over_seeds(name, groups)
    ]


def _over_seeds(name: str, groups: Sequence[Group]) -> Iterator[OfSize]:
    """One group with each seed."""
    if all(group.flows for group in groups):
        quantiles = tuple(map(intervals.mean, zip(*(group.quantiles for group in groups), strict=True)))
        yield OfSize(groups[0].largest_bytes, name, sum(group.flows for group in groups), quantiles)


def _flows(folder: Path, *names: str) -> pa.Table:
    """These columns alone, and what says which flows count: a run may have millions."""
    schema = pa.schema([FLOWS.field(name) for name in {*names, "after_stop"}])
    return result_files.table(folder / FILE, schema).select(schema.names)
