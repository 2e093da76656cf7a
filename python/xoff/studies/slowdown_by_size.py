"""Slowdown by flow size in several scenarios, over the same groups of the flows of all seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa

from xoff.results import intervals
from xoff.results.folder import flow_table
from xoff.results.slowdowns import COLUMNS, PERCENTS, limits, quantiles, slowdowns_within
from xoff.results.summary import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from xoff.results.intervals import Estimate
    from xoff.results.summary import Summary


class OfSize(NamedTuple):
    """Flows of similar size in one scenario."""

    largest_bytes: int
    """The largest size in the group, which is the same in every scenario."""
    scenario: str
    flows: int
    """Of all seeds together."""
    quantiles: tuple[Estimate, ...]
    """Slowdown at each of `PERCENTS`: of the flows of all seeds, with the interval of what it is with each."""

    @classmethod
    def schema(cls) -> pa.Schema:
        """The columns of a table of them, whatever is in it."""
        estimates = [f"slowdown_p{percent}{end}" for percent in PERCENTS for end in ("", "_low", "_high")]
        fields = [("largest_bytes", pa.int64()), ("scenario", pa.string()), ("flows", pa.int64())]
        return pa.schema([*fields, *((name, pa.float64()) for name in estimates)])

    def as_dict(self) -> dict[str, Any]:
        """A row without nesting, with the names that measures have."""
        cells: dict[str, Any] = {"largest_bytes": self.largest_bytes, "scenario": self.scenario, "flows": self.flows}
        for percent, estimate in zip(PERCENTS, self.quantiles, strict=True):
            name = f"slowdown_p{percent}"
            cells.update(zip((name, f"{name}_low", f"{name}_high"), estimate, strict=True))
        return cells


def flows_in(folder: Path, summary: Summary) -> pa.Table:
    """The finished flows of a result, as far as figures need them. Raises ResultError."""
    return flow_table(folder, summary, COLUMNS)


def of_runs(names: Sequence[str], flows: Sequence[Sequence[pa.Table]]) -> list[OfSize]:
    """Group by group, the scenarios in order; left out is what has no flow with some seed.

    Args:
        names: Of the scenarios.
        flows: For each scenario those of its run with each seed.
    """
    largest = limits([np.concatenate([counted(run, "size_bytes") for run in runs]) for runs in flows])
    found = [[slowdowns_within(run, largest) for run in runs] for runs in flows]
    return [
        row
        for size, of_size in zip(largest, zip(*(zip(*runs, strict=True) for runs in found), strict=True), strict=True)
        for name, with_seeds in zip(names, of_size, strict=True)
        for row in _over_seeds(int(size), name, with_seeds)
    ]


def _over_seeds(size: int, name: str, with_seeds: Sequence[npt.NDArray[np.float64]]) -> Iterator[OfSize]:
    """One group, whose slowdowns with each seed are in order."""
    if all(map(len, with_seeds)):
        pooled = np.sort(np.concatenate(with_seeds))
        of_seeds = zip(*map(quantiles, with_seeds), strict=True)
        found = (
            intervals.around(centre, values, intervals.SLOWDOWNS)
            for centre, values in zip(quantiles(pooled), of_seeds, strict=True)
        )
        yield OfSize(size, name, len(pooled), tuple(found))
