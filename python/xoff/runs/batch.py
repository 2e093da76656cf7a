"""Many runs, on this machine or on others; finished runs are kept in a store and never run again."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Protocol, TypeVar

from xoff.errors import RunsFailedError
from xoff.runs.dataset import Dataset
from xoff.runs.machines.opening import opened
from xoff.runs.store import kept_in
from xoff.runs.tasks import cut, with_files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from xoff.runs.dataset import Varied
    from xoff.runs.machines.machines import Machines
    from xoff.runs.machines.opening import On
    from xoff.runs.store import KeptRuns
    from xoff.runs.tasks import Outcome
    from xoff.scenario.scenario import Scenario

FoundT = TypeVar("FoundT")


class Batch:
    """Runs that some machines do, each of which is kept as it finishes.

    Attributes:
        failures: Why runs failed, in a line, by the folder that their result would have.
    """

    def __init__(self, kept: KeptRuns, machines: Machines) -> None:
        self.kept = kept
        self.failures: dict[Path, str] = {}
        self._machines = machines
        self._under_way: set[Path] = set()

    def add(self, scenarios: Iterable[Scenario]) -> list[Scenario]:
        """Begins the runs that are not kept yet, and returns those that are.

        Raises ScenarioError if one cannot be simulated; then none begins.
        """
        wanted = {self.kept.place(scenario): scenario for scenario in scenarios}
        missing = {place: run for place, run in wanted.items() if not self.kept.has(run)}
        self.kept.warn_if_edited(missing.values())
        for scenario in missing.values():
            scenario.check()
        machines = self._machines
        runs = [run for place, run in missing.items() if place not in self._under_way]
        self._under_way |= set(missing)
        if runs:
            carried = with_files(runs) if machines.brings_files else runs
            machines.begin(cut(carried, machines.at_once, machines.shortest_s, machines.longest_s))
        return [run for place, run in wanted.items() if place not in missing]

    def finished(self) -> Iterator[Scenario]:
        """Yields each run as it ends, until none is under way.

        Raises:
            OutputError: A run cannot be kept, or kept runs are gone.
            BuildError: A worker has another build of xoff.
            StoreNotSharedError: A worker does not see the store, and must.
            WorkerLostError: No process could begin.
        """
        while self._under_way:
            yield from self.wait()

    def wait(self) -> Iterator[Scenario]:
        """Waits until a task has ended, and yields its runs that have. Raises the errors of `finished`."""
        for scenario, outcome in self._machines.finished():
            self._keep(scenario, outcome)
            yield scenario

    def do(self, scenarios: Iterable[Scenario], on_finished: Callable[[], None]) -> None:
        """Does runs and waits for all that are under way; calls `on_finished` for each. Raises the errors of both."""
        for _ in itertools.chain(self.add(scenarios), self.finished()):
            on_finished()

    def has_ended(self, scenario: Scenario) -> bool:
        """Whether a run that was added is kept, or has failed."""
        return self.kept.place(scenario) not in self._under_way

    def _keep(self, scenario: Scenario, outcome: Outcome) -> None:
        place = self.kept.place(scenario)
        if outcome.error:
            self.failures[place] = outcome.error
        elif outcome.packed is not None:
            self.kept.unpack(scenario, outcome.packed)
        self._under_way.discard(place)

    def check(self, scenarios: Iterable[Scenario]) -> None:
        """Raises RunsFailedError if one of some runs has failed, and OutputError if kept runs are gone."""
        places = set(map(self.kept.place, scenarios))
        failures = {place: error for place, error in self.failures.items() if place in places}
        if not all(os.path.lexists(place) for place in places if place not in failures):
            raise self.kept.gone()
        if failures:
            raise RunsFailedError(failures)


def run(
    scenarios: Iterable[Scenario],
    kept: KeptRuns,
    *,
    on: On = 1,
    on_finished: Callable[[Scenario], None] = lambda _: None,
) -> None:
    """Runs every scenario that is not kept yet, and keeps each result as the run finishes.

    Args:
        scenarios: Scenarios to run; all are checked before the first runs.
        kept: The store of finished runs.
        on: Where: a number of processes of this machine (1 is this one), an executor, or text as `--on` takes it.
        on_finished: Called for each run that has ended; for runs that were kept already, at once.

    Raises:
        ValueError: There are no workers.
        InputError: There are no such machines.
        ScenarioError: A scenario, or a file it names, cannot be simulated; nothing has run.
        RunsFailedError: Some runs failed; all others are kept.
        OutputError: A run cannot be kept, or kept runs are gone.
        KeyboardInterrupt: Ctrl-C.

    Finished runs stay kept whatever ends the call, a kill included; the same call then goes on with the others.
    """
    scenarios = list(scenarios)
    missing = sum(not kept.has(scenario) for scenario in scenarios)
    with opened(on if missing else 1, kept, missing) as machines:  # what is all kept needs no cluster
        batch = Batch(kept, machines)
        with machines.cancelled_by_errors():
            for scenario in itertools.chain(batch.add(scenarios), batch.finished()):
                on_finished(scenario)
    batch.check(scenarios)


class Wanted(Protocol[FoundT]):
    """An experiment of many runs, such as a sweep, in parts of which each can be evaluated."""

    @property
    def all_runs(self) -> list[Scenario]:
        """Every run, part by part, so that an interrupt leaves whole parts."""

    @property
    def run_names(self) -> list[str]:
        """Name of each run's part of the experiment, in the order of `all_runs`; runs of several seeds share one."""

    @property
    def varied(self) -> Varied:
        """Axes and positions of the runs, as a dataset has them."""

    @property
    def parts(self) -> Sequence[tuple[str, Sequence[Scenario]]]:
        """Parts that can be evaluated once all their runs have ended, each with its name and its runs."""

    def so_far(self, kept: KeptRuns, parts: Sequence[int]) -> FoundT | None:
        """Evaluates some parts, by their positions, or all that have run if they are not rows of one table.

        Returns None if none of them has run.
        """

    def finished(self, kept: KeptRuns) -> FoundT | None:
        """Evaluates the parts that have run; returns None if there is none."""

    def progress(self, found: FoundT | None) -> str:
        """Returns in words how many of the parts have run."""


def run_all(
    wanted: Wanted[FoundT],
    *,
    on: On,
    keep: str | Path | None,
    dataset: str | Path | None,
    on_finished: Callable[[], None],
) -> FoundT:
    """Runs an experiment and returns its evaluation.

    Without `keep`, runs are kept only until then. Each is added to a `dataset`, if given, as it ends.

    Raises the errors of `run` and of `Dataset`.
    """
    runs = wanted.all_runs
    with kept_in(keep) as kept:
        extended = Dataset.of(dataset, wanted.varied, runs, kept) if dataset is not None else None

        def add(finished: Scenario) -> None:
            if extended:
                extended.add(finished)
            on_finished()

        run(runs, kept, on=on, on_finished=add)
        found = wanted.finished(kept)
    assert found is not None, "every run has finished"
    return found
