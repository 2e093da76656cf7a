"""Number of flows unfinished at the end, which completion times leave out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.results import folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from xoff.results.summary import Summary

MEASURE = "measured.unfinished"
"""Key of `summary.json` that counts unfinished flows, those without end included."""


class Unfinished(NamedTuple):
    """Flows with a size that started in the measured time and were not finished."""

    flows: int
    of: int
    """Number of these flows and of the finished ones that count."""

    def __str__(self) -> str:
        return f"{self.flows:,} of {self.of:,}"


def of_run(path: Path, summary: Summary) -> Unfinished:
    """Returns the unfinished flows of a result folder. Raises ResultError."""
    count = 0
    if summary.get("measured", {}).get("unfinished"):  # summaries of before have none
        import pyarrow.compute as pc

        table = folder.flow_table(path, summary, ("size_bytes", "measured"), folder.UNFINISHED)
        count = pc.sum(pc.and_(table["measured"], pc.is_valid(table["size_bytes"]))).as_py()
    return Unfinished(count, summary["flows"]["all"]["count"] + count)


def together(runs: Iterable[Unfinished]) -> Unfinished:
    """Returns the sum over several runs."""
    return Unfinished(*map(sum, zip(*runs, strict=True)))


def note(of_each: Mapping[str, Unfinished]) -> str:
    """Returns a line on the unfinished flows of each scenario, by name; empty if there are none."""
    if not any(found.flows for found in of_each.values()):
        return ""
    several = len(of_each) > 1
    told = ", ".join(f"{found} with {name}" if several else str(found) for name, found in of_each.items())
    return f"flows that started in the measured time, but are unfinished, count in no completion time: {told}"
