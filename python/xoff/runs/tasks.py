"""Tasks: some runs that one worker does one after another, and what becomes of each."""

from __future__ import annotations

import math
import platform
import threading
from dataclasses import dataclass, replace
from enum import StrEnum, auto
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import (
    BuildError,
    InputError,
    OutOfMemoryError,
    OutputError,
    StoreNotSharedError,
    interrupts_delayed,
    spelled,
)
from xoff.runs import store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from xoff.runs.store import KeptRuns
    from xoff.scenario.scenario import Scenario

_INTERRUPTED = "was interrupted"
KEEPING = threading.Lock()
"""Lock held while a result is written."""


class Lack(StrEnum):
    """Resource that a task had too little of."""

    MEMORY = auto()
    TIME = auto()
    WORKER = auto()
    """A worker that lives as long as the task; perhaps it was killed for lack of memory."""


@dataclass(frozen=True)
class Task:
    """Some runs that one worker does one after another."""

    runs: tuple[Scenario, ...]
    seconds: float
    """Predicted time on one core."""
    lacked: Lack | None = None
    """Resource that the first attempt lacked, where this is the second."""

    @classmethod
    def again(cls, run: Scenario, lacked: Lack) -> Task:
        """Returns the second attempt at a run."""
        return cls((run,), seconds_of(run), lacked)


class Outcome(NamedTuple):
    """Fate of a run that a worker began."""

    packed: bytes | None = None
    """The result, where the worker does not see the store; else it is kept there."""
    error: str = ""
    """Reason why there is no result, in a line; empty if there is one."""
    lack: Lack | None = None
    """Resource that the run had too little of, where that is the reason."""


@dataclass(frozen=True)
class Sight:
    """View that a worker on another machine has of this one."""

    mark: Path
    """A file in the store of finished runs, which a worker finds only if it shares the store."""
    is_demanded: bool
    """Whether a worker that does not find it may not go on: then its results have no other way back."""


def work(
    task: Task,
    kept: KeptRuns,
    sight: Sight | None = None,
    goes_on: Callable[[], bool] = lambda: True,
) -> list[Outcome]:
    """Does the runs of a task that are not kept yet, and returns what became of each run.

    Args:
        task: The task.
        kept: The store of finished runs.
        sight: How a worker on another machine finds out whether it sees the store; left out, it is this machine.
        goes_on: Called now and then; where it returns False the run ends, is not kept, and no other begins.

    Raises:
        BuildError: The worker has another build of xoff.
        StoreNotSharedError: The worker does not see the store, and must.
        ScenarioError: A file that a scenario names cannot be read.
        OutputError: A result cannot be kept.
    """
    if sight is not None and _own_build() != kept.build:
        raise BuildError(platform.node())
    is_shared = sight is None or sight.mark.exists()
    if sight is not None and sight.is_demanded and not is_shared:
        raise StoreNotSharedError(platform.node(), kept.root)
    return [_outcome(run, kept, goes_on, is_shared=is_shared) for run in task.runs]


def work_elsewhere(task: Task, kept: KeptRuns, sight: Sight) -> list[Outcome] | RuntimeError | ValueError | OSError:
    """Does a task on another machine; an error of `work` is returned, since not all schedulers carry errors."""
    try:
        return work(task, kept, sight)
    except (BuildError, StoreNotSharedError, InputError, OutputError) as error:
        return error


@cache
def _own_build() -> str:
    return store.build()


def _outcome(scenario: Scenario, kept: KeptRuns, goes_on: Callable[[], bool], *, is_shared: bool) -> Outcome:
    if is_shared and kept.has(scenario):
        return Outcome()
    if not goes_on():
        return Outcome(error=_INTERRUPTED)
    try:
        result = scenario.run(progress=lambda _: goes_on())
        if result.interrupted:
            return Outcome(error=_INTERRUPTED)
        if is_shared:
            with KEEPING, interrupts_delayed():
                kept.keep(scenario, result)
            return Outcome()
        return Outcome(packed=kept.packed(scenario, result))
    except (InputError, OutputError):
        raise  # of what all runs share
    except OutOfMemoryError as error:
        return Outcome(error=str(error), lack=Lack.MEMORY)
    except Exception as error:  # such as a panic of the simulator: the other runs go on
        return Outcome(error=spelled(error))


def seconds_of(scenario: Scenario) -> float:
    """Returns the predicted time of a run on one core: the geometric mean of the least and the greatest."""
    return max(math.sqrt(math.prod(scenario.offered().cpu_seconds)), _LEAST_S)


_LEAST_S = 0.005
"""Seconds that the shortest run takes until it is kept."""
_PER_SLOT = 4
"""Tasks for each that can run at a time, so that all end at about the same time."""


def cut(runs: Iterable[Scenario], at_once: int, shortest_s: float, longest_s: float) -> list[Task]:
    """Cuts runs into tasks of about the same predicted time; where several run at a time, the longest run first.

    Args:
        runs: The runs.
        at_once: Number of tasks that can run at a time.
        shortest_s: Seconds below which a task is not worth what it costs to begin one.
        longest_s: Seconds that a task of several runs should not exceed.
    """
    timed = [(seconds_of(run), run) for run in runs]
    if at_once > 1:
        timed.sort(key=lambda of_one: -of_one[0])
    total = sum(seconds for seconds, _ in timed)
    wanted = min(max(total / (at_once * _PER_SLOT), shortest_s), longest_s)
    return list(_filled(timed, wanted))


def _filled(runs: Iterable[tuple[float, Scenario]], wanted_s: float) -> Iterator[Task]:
    """Yields tasks of at least so many seconds, as far as there are runs."""
    begun: list[Scenario] = []
    seconds = 0.0
    for of_one, run in runs:
        begun.append(run)
        seconds += of_one
        if seconds >= wanted_s:
            yield Task(tuple(begun), seconds)
            begun, seconds = [], 0.0
    if begun:
        yield Task(tuple(begun), seconds)


def with_files(runs: Sequence[Scenario]) -> list[Scenario]:
    """Returns scenarios that bring the files they name along; a file that several name is in memory once."""
    texts: dict[str, str] = {}
    found = []
    for run in runs:
        files = {path: texts.setdefault(text, text) for path, text in run.read_files().items()}
        found.append(replace(run, inputs=files) if files else run)
    return found
