"""Many runs, in several worker processes; finished runs are kept in a store and never run again."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Protocol, TypeVar

from xoff.errors import TERMINAL_SIGNALS, WorkerLostError, check_at_least_one, interrupts_delayed, interrupts_held
from xoff.runs.store import kept_in

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
    from multiprocessing.synchronize import Event
    from pathlib import Path

    from xoff._xoff import Progress
    from xoff.runs.store import KeptRuns
    from xoff.scenario.scenario import Scenario

FoundT = TypeVar("FoundT")

_cancelled: Event | None = None
"""In a worker process, the event that its parent sets to cancel the run."""
_keeping = threading.Lock()
"""Lock held while a result is written."""


def run(
    scenarios: Iterable[Scenario],
    kept: KeptRuns,
    *,
    workers: int = 1,
    on_finished: Callable[[], None] = lambda: None,
) -> None:
    """Runs every scenario that is not kept yet, and keeps each result as the run finishes.

    Args:
        scenarios: Scenarios to run; all are checked before the first runs.
        kept: The store of finished runs.
        workers: Number of runs at once, each in a process of its own; 1 runs them in this process.
        on_finished: Called for each finished run; for runs that were kept already, at once.

    Raises:
        ValueError: There are no workers.
        ScenarioError: A scenario, or a file it names, cannot be simulated; nothing has run.
        WorkerLostError: A worker was killed, or none could begin.
        OutputError: A run cannot be kept, or kept runs are gone.
        KeyboardInterrupt: Ctrl-C.

    Finished runs stay kept whatever ends the call, a kill included; the same call then goes on with the others.
    """
    check_at_least_one("workers", workers)
    wanted = {kept.place(scenario): scenario for scenario in scenarios}
    missing = [scenario for scenario in wanted.values() if not kept.has(scenario)]
    kept.warn_if_edited(missing)
    for scenario in missing:
        scenario.check()
    for _ in range(len(wanted) - len(missing)):
        on_finished()
    in_processes = workers > 1 and len(missing) > 1
    finished = _in_processes(missing, kept, min(workers, len(missing))) if in_processes else _here(missing, kept)
    with closing(finished):
        for _ in finished:
            on_finished()
    if not all(map(os.path.lexists, wanted)):
        raise kept.gone()


def _here(scenarios: Sequence[Scenario], kept: KeptRuns) -> Generator[None]:
    for scenario in scenarios:
        _run(scenario, kept)
        yield


def _in_processes(scenarios: Sequence[Scenario], kept: KeptRuns, workers: int) -> Generator[None]:
    context = multiprocessing.get_context("spawn")  # Arrow's threads do not survive a fork
    begun, cancelled = context.Event(), context.Event()
    with ProcessPoolExecutor(workers, context, _prepare, (begun, cancelled)) as pool:
        try:
            with interrupts_delayed(), _terminals_blocked():
                tasks = [pool.submit(_run, scenario, kept) for scenario in scenarios]
            for task in as_completed(tasks):
                yield task.result()
        except BrokenProcessPool:
            raise WorkerLostError(begun=begun.is_set()) from None
        except BaseException:
            with interrupts_held():  # which could ask for no more than this
                cancelled.set()
                pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def _terminals_blocked() -> Iterator[None]:
    """Blocks the signals of terminals in a block; workers started there inherit that until they ignore them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows, where a Ctrl-C may end a worker that begins just then
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, TERMINAL_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare(begun: Event, cancelled: Event) -> None:
    """Prepares a worker: it ignores signals of the terminal, which its parent handles, and ends with its parent."""
    global _cancelled
    for number in TERMINAL_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    _cancelled = cancelled
    begun.set()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this worker once its parent is gone, even by a kill, but not while a result is being written."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    with _keeping:
        os._exit(1)


def _run(scenario: Scenario, kept: KeptRuns) -> None:
    result = scenario.run(progress=_goes_on if _cancelled else None)
    if not result.interrupted:
        with _keeping, interrupts_delayed():
            kept.keep(scenario, result)


def _goes_on(_: Progress) -> bool:
    return _cancelled is None or not _cancelled.is_set()


class Wanted(Protocol[FoundT]):
    """An experiment of many runs, such as a sweep, in parts of which each can be evaluated."""

    @property
    def all_runs(self) -> list[Scenario]:
        """Every run, part by part, so that an interrupt leaves whole parts."""

    @property
    def run_names(self) -> list[str]:
        """Name of each run's part of the experiment, in the order of `all_runs`; runs of several seeds share one."""

    def finished(self, kept: KeptRuns) -> FoundT | None:
        """Evaluates the parts that have run; returns None if there is none."""

    def progress(self, found: FoundT | None) -> str:
        """Returns in words how many of the parts have run."""


def run_all(
    wanted: Wanted[FoundT], *, workers: int, keep: str | Path | None, on_finished: Callable[[], None]
) -> FoundT:
    """Runs an experiment and returns its evaluation; without `keep`, runs are kept only until then.

    Raises the errors of `run`.
    """
    with kept_in(keep) as kept:
        run(wanted.all_runs, kept, workers=workers, on_finished=on_finished)
        found = wanted.finished(kept)
    assert found is not None, "every run has finished"
    return found
