"""Processes of this machine that do runs."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections import deque
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from xoff.errors import TERMINAL_SIGNALS, WorkerLostError, interrupts_delayed, interrupts_held
from xoff.runs.machines.machines import Lost, Machines
from xoff.runs.tasks import KEEPING, Lack, work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future
    from multiprocessing.synchronize import Event

    from xoff.runs.store import KeptRuns
    from xoff.runs.tasks import Outcome, Task

_KILLED = "its process was killed, perhaps for lack of memory, and once more when it ran alone"
_IGNORED = (*TERMINAL_SIGNALS, *(getattr(signal, name) for name in ("SIGUSR2",) if hasattr(signal, name)))
"""Signals that a worker leaves to its parent: those of the terminal, and Slurm's that a job will end."""
_cancelled: Event | None = None
"""In a worker process, the event that its parent sets to cancel the run."""


class Processes(Machines):
    """Processes of this machine, some at a time.

    If one is killed, all of its pool are lost. Tasks that had begun then run again one at a time, so that each has all
    memory and only the one at fault is lost with its process; the others begin again together.
    """

    shortest_s, longest_s = 0.1, 1.0

    def __init__(self, kept: KeptRuns, workers: int) -> None:
        super().__init__(kept)
        self._workers = workers
        self._context = multiprocessing.get_context("spawn")  # Arrow's threads do not survive a fork
        with _terminals_blocked():  # Python's tracker of what these events take up inherits that
            self._begun, self._cancelled = self._context.Event(), self._context.Event()
        self._marks = TemporaryDirectory(prefix="xoff-")
        self._numbers = count()
        self._pool: ProcessPoolExecutor | None = None
        self._of_pool = workers
        self._under_way: dict[Future[list[Outcome]], tuple[Task, Path]] = {}
        self._alone: deque[Task] = deque()

    @property
    def at_once(self) -> int:
        """Number of processes."""
        return self._workers

    def begin(self, tasks: Sequence[Task]) -> None:
        """Lines tasks up; second attempts wait until all others have ended."""
        self._alone.extend(task for task in tasks if task.lacked)
        self._submit([task for task in tasks if not task.lacked], self._workers)

    def _submit(self, tasks: Sequence[Task], workers: int) -> None:
        if not tasks:
            return
        with interrupts_delayed(), _terminals_blocked():
            if not self._under_way and workers != self._of_pool:
                self._leave()
            if self._pool is None:
                self._of_pool = workers
                initial = (self._begun, self._cancelled)
                self._pool = ProcessPoolExecutor(workers, self._context, _prepare, initial)
            for task in tasks:
                mark = Path(self._marks.name, str(next(self._numbers)))
                self._under_way[self._pool.submit(_do, task, self.kept, mark)] = task, mark

    def _ended(self) -> Iterator[tuple[Task, Sequence[Outcome] | Lost]]:
        if not self._under_way:
            self._submit([self._alone.popleft()], 1)
        done, _ = wait(self._under_way, return_when=FIRST_COMPLETED)
        for future in done:
            try:
                found = future.result()
            except BrokenProcessPool:
                yield from self._after_a_kill()
                return
            task, _ = self._under_way.pop(future)
            yield task, found

    def _after_a_kill(self) -> Iterator[tuple[Task, Lost]]:
        """Yields the tasks that had begun when a process was killed, and begins the others anew."""
        if not self._begun.is_set():
            raise WorkerLostError
        left, self._under_way = self._under_way, {}
        self._leave()
        begun = [task for task, mark in left.values() if mark.exists()]
        self._submit([task for task, mark in left.values() if not mark.exists()], self._workers)
        for task in begun:
            yield task, Lost(Lack.WORKER, _KILLED)

    def _leave(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None

    def cancel(self) -> None:
        """Ends the runs under way, which are not kept, and waits for the processes."""
        with interrupts_held():  # which could ask for no more than this
            self._cancelled.set()
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)

    def close(self) -> None:
        """Waits for the processes to end."""
        self._leave()
        self._marks.cleanup()


@contextmanager
def _terminals_blocked() -> Iterator[None]:
    """Blocks the signals of terminals in a block; workers started there inherit that until they ignore them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows, where a Ctrl-C may end a worker that begins just then
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _IGNORED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare(begun: Event, cancelled: Event) -> None:
    """Prepares a worker: it ignores signals of the terminal, which its parent handles, and ends with its parent."""
    global _cancelled
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _cancelled = cancelled
    begun.set()
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Ends this worker once its parent is gone, even by a kill, but not while a result is being written."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    with KEEPING:
        os._exit(1)


def _do(task: Task, kept: KeptRuns, mark: Path) -> list[Outcome]:
    """Does a task; a file says while it is under way."""
    mark.touch()
    found = work(task, kept, goes_on=_goes_on)
    mark.unlink()
    return found


def _goes_on() -> bool:
    return _cancelled is None or not _cancelled.is_set()
