"""What is to be run in many parts, and what can be said of it once they have run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from xoff.runs import executor
from xoff.runs.store import kept_in

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from xoff.runs.store import KeptRuns
    from xoff.scenario.scenario import Scenario

FoundT = TypeVar("FoundT")


class Wanted(Protocol[FoundT]):
    """What is to be run, in parts."""

    @property
    def all_runs(self) -> list[Scenario]:
        """Every run, part by part, so that whoever interrupts them has whole parts."""

    def finished(self, kept: KeptRuns) -> FoundT | None:
        """What can be said of the parts that have run; None if there is none."""

    def progress(self, found: FoundT | None) -> str:
        """How many parts that is of how many."""


def run_all(
    wanted: Wanted[FoundT], *, workers: int, keep: str | Path | None, on_finished: Callable[[], None]
) -> FoundT:
    """Runs what is not kept yet, and returns what can be said of all; without `keep`, runs are kept for that long only.

    Raises what `batch.run` raises.
    """
    with kept_in(keep) as kept:
        executor.run(wanted.all_runs, kept, workers=workers, on_finished=on_finished)
        found = wanted.finished(kept)
    assert found is not None, "every run has finished"
    return found
