"""The class Machines: begins tasks somewhere, gives lost ones a second attempt, and says what became of each run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

from xoff.errors import HungUp
from xoff.runs.tasks import Lack, Outcome, Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from types import TracebackType

    from xoff.runs.store import KeptRuns
    from xoff.scenario.scenario import Scenario


class Lost(NamedTuple):
    """End of a task whose worker did not say what became of its runs."""

    lack: Lack
    reason: str
    """In a line."""
    is_final: bool = False
    """Whether no further attempt is worth it: the machines have made their own, or someone has cancelled the task."""


class Machines(ABC):
    """Machines that do tasks; as a context manager, they are left when the block ends.

    A run that had too little of something is begun once more, in a task of its own, with more of it where that can be
    had. The second time its error stands, and the other runs go on.
    """

    shortest_s: float
    """Seconds below which a task is not worth what it costs to begin one."""
    longest_s: float
    """Seconds that a task of several runs should not exceed."""
    brings_files: ClassVar[bool] = False
    """Whether scenarios bring the files they name along, since workers may not see them."""

    def __init__(self, kept: KeptRuns) -> None:
        self.kept = kept
        self._again: deque[Task] = deque()

    @property
    @abstractmethod
    def at_once(self) -> int:
        """Number of tasks that can run at a time, as far as that is known."""

    @abstractmethod
    def begin(self, tasks: Sequence[Task]) -> None:
        """Begins tasks, or lines them up. Raises InputError if the machines refuse them."""

    @abstractmethod
    def _ended(self) -> Iterable[tuple[Task, Sequence[Outcome] | Lost]]:
        """Waits until a task has ended, and returns those that have."""

    @abstractmethod
    def cancel(self) -> None:
        """Ends tasks that have begun, as far as these machines can, and those that have not."""

    def finished(self) -> Iterator[tuple[Scenario, Outcome]]:
        """Waits until a task has ended, and yields what became of its runs, but for those with another attempt."""
        for task, found in self._ended():
            if isinstance(found, Lost):
                yield from self._lost(task, found)
                continue
            for run, outcome in zip(task.runs, found, strict=True):
                if outcome.lack is None or task.lacked is not None:
                    yield run, outcome
                else:
                    self._again.append(Task.again(run, outcome.lack))
        again, self._again = self._again, deque()
        if again:
            self.begin(again)

    def _lost(self, task: Task, lost: Lost) -> Iterator[tuple[Scenario, Outcome]]:
        for run in task.runs:
            if self.kept.has(run):
                yield run, Outcome()
            elif task.lacked is None and not lost.is_final:
                self._again.append(Task.again(run, lost.lack))
            else:
                yield run, Outcome(error=lost.reason, lack=lost.lack)

    def leave(self) -> None:
        """Goes, since the terminal was closed; what can go on without this process does."""
        self.cancel()

    @contextmanager
    def cancelled_by_errors(self) -> Iterator[None]:
        """Cancels what is under way where an error, or Ctrl-C, ends a block."""
        try:
            yield
        except HungUp:
            self.leave()
            raise
        except BaseException:
            self.cancel()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:  # noqa: B027 not all have something to close
        """Leaves the machines, on which nothing is under way, or what is cancelled or left."""
