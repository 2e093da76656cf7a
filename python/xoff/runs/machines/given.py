"""An executor of the caller: anything with `submit` that returns futures, or jobs that can be asked for their end."""

from __future__ import annotations

import queue
import uuid
from concurrent.futures import CancelledError
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from xoff.errors import InputError, spelled
from xoff.runs.machines.machines import Lost, Machines
from xoff.runs.tasks import Lack, Sight, work_elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from xoff.runs.store import KeptRuns
    from xoff.runs.tasks import Outcome, Task

_POLL_S = 0.5
_AT_ONCE = 32
"""Tasks at a time where nobody says how many there can be."""


class Job(Protocol):
    """A task under way: a future of `concurrent.futures`, Dask and the like, or a job of submitit."""

    def done(self) -> bool:
        """Whether it has ended."""

    def result(self) -> Any:  # noqa: ANN401 what the function returned
        """Returns what its function returned, or raises what it raised."""

    def cancel(self) -> object:
        """Ends it, if it can."""


class Executor(Protocol):
    """Runner of functions somewhere, as `concurrent.futures.Executor` does."""

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Job:  # noqa: ANN401
        """Lines up a call."""


class Given(Machines):
    """An executor of the caller, who also shuts it down.

    Workers may be anywhere. Those that see the store keep results there; the others return them.
    """

    shortest_s, longest_s = 0.5, 60.0
    brings_files: ClassVar[bool] = True

    def __init__(self, kept: KeptRuns, executor: Executor) -> None:
        super().__init__(kept)
        self._executor = executor
        self._sight = sight_of(kept, kept.root, is_demanded=False)
        self._under_way: dict[int, tuple[Job, Task]] = {}
        self._called_back: queue.SimpleQueue[int] = queue.SimpleQueue()

    @property
    def at_once(self) -> int:
        """A guess: nobody says."""
        return _AT_ONCE

    def begin(self, tasks: Sequence[Task]) -> None:
        """Submits tasks. Raises InputError if the executor does not take them all; `cancel` then ends the others."""
        try:
            for job, task in zip(self._submitted(tasks), tasks, strict=True):
                self._under_way[id(job)] = job, task
                if hasattr(job, "add_done_callback"):
                    job.add_done_callback(partial(_put, self._called_back, id(job)))
        except Exception as error:  # whatever this kind of executor raises
            raise InputError(
                None, "on", f"takes no tasks: {spelled(error)}", "expected an executor that is not shut down"
            ) from error

    def _submitted(self, tasks: Sequence[Task]) -> Iterable[Job]:
        return (self._executor.submit(work_elsewhere, task, self.kept, self._sight) for task in tasks)

    def _ended(self) -> Iterator[tuple[Task, Sequence[Outcome] | Lost]]:
        for key in self._keys_of_ended():
            job, task = self._under_way.pop(key)
            try:
                found = job.result()
            except Exception as error:  # of the scheduler, not of the task, which returns its own
                yield task, self._lost_by(error)
                continue
            if isinstance(found, Exception):
                raise found
            yield task, found

    def _keys_of_ended(self) -> list[int]:
        try:
            return [self._called_back.get(timeout=_POLL_S)]
        except queue.Empty:
            jobs = self._under_way.items()
            return [key for key, (job, _) in jobs if not hasattr(job, "add_done_callback") and job.done()]

    def _lost_by(self, error: Exception) -> Lost:
        if isinstance(error, CancelledError):
            return Lost(Lack.WORKER, "was cancelled, not by xoff", is_final=True)
        return Lost(Lack.WORKER, spelled(error))

    def cancel(self) -> None:
        """Cancels what has not begun, and what the executor can end."""
        for job, _ in self._under_way.values():
            job.cancel()

    def close(self) -> None:
        """Leaves the executor as it is."""
        self._sight.mark.unlink(missing_ok=True)


def sight_of(kept: KeptRuns, folder: Path, *, is_demanded: bool) -> Sight:
    """Puts a file into a folder of the store by which workers find out whether they see it. Raises OutputError."""
    mark = folder.absolute() / f".seen-{uuid.uuid4().hex}"
    kept.make(folder)
    mark.touch()
    return Sight(mark, is_demanded)


def _put(called_back: queue.SimpleQueue[int], key: int, _: object) -> None:
    called_back.put(key)
