"""This process as the only machine: one run after another."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from xoff.runs.machines.machines import Machines
from xoff.runs.tasks import work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.runs.machines.machines import Lost
    from xoff.runs.store import KeptRuns
    from xoff.runs.tasks import Outcome, Task


class Here(Machines):
    """This process."""

    shortest_s, longest_s = 0.0, 0.0  # each run is a task

    def __init__(self, kept: KeptRuns) -> None:
        super().__init__(kept)
        self._left: deque[Task] = deque()

    @property
    def at_once(self) -> int:
        """One."""
        return 1

    def begin(self, tasks: Sequence[Task]) -> None:
        """Lines tasks up."""
        self._left.extend(tasks)

    def _ended(self) -> Iterator[tuple[Task, Sequence[Outcome] | Lost]]:
        task = self._left.popleft()
        yield task, work(task, self.kept)

    def cancel(self) -> None:
        """Forgets the tasks that have not begun."""
        self._left.clear()
