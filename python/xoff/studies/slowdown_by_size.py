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
    """Largest size of the group, which all scenarios share."""
    scenario: str
    flows: int
    """Number of flows, over all seeds."""
    quantiles: tuple[Estimate, ...]
    """Slowdown at each of `PERCENTS` over the flows of all seeds, with its interval over seeds."""

    @classmethod
    def schema(cls) -> pa.Schema:
        """Returns the columns of a table of groups."""
        estimates = [f"slowdown_p{percent}{end}" for percent in PERCENTS for end in ("", "_low", "_high")]
        fields = [("largest_bytes", pa.int64()), ("scenario", pa.string()), ("flows", pa.int64())]
        return pa.schema([*fields, *((name, pa.float64()) for name in estimates)])

    def as_dict(self) -> dict[str, Any]:
        """Returns a flat row, with the names that measures have."""
        cells: dict[str, Any] = {"largest_bytes": self.largest_bytes, "scenario": self.scenario, "flows": self.flows}
        for percent, estimate in zip(PERCENTS, self.quantiles, strict=True):
            name = f"slowdown_p{percent}"
            cells.update(zip((name, f"{name}_low", f"{name}_high"), estimate, strict=True))
        return cells


def flows_in(folder: Path, summary: Summary) -> pa.Table:
    """Returns the columns of a result's finished flows that figures need. Raises ResultError."""
    return flow_table(folder, summary, COLUMNS)


def of_runs(names: Sequence[str], flows: Sequence[Sequence[pa.Table]]) -> list[OfSize]:
    """Returns the slowdowns, group by group with the scenarios in order.

    A scenario is left out of a group in which it has no flow with some seed.

    Args:
        names: Names of the scenarios.
        flows: For each scenario, the flows of its run with each seed.
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
    """Yields one group of one scenario, from the ordered slowdowns with each seed; nothing if a seed has none."""
    if all(map(len, with_seeds)):
        pooled = np.sort(np.concatenate(with_seeds))
        of_seeds = zip(*map(quantiles, with_seeds), strict=True)
        found = (
            intervals.around(centre, values, intervals.SLOWDOWNS)
            for centre, values in zip(quantiles(pooled), of_seeds, strict=True)
        )
        yield OfSize(size, name, len(pooled), tuple(found))
