"""`--watch`: results of many runs as they come, in a terminal as a table that grows, in a log line by line."""

from __future__ import annotations

import sys
import time
from itertools import chain
from math import ceil
from typing import TYPE_CHECKING, Generic, TypeVar

from rich.segment import SegmentLines

from xoff.cli.console import Console
from xoff.cli.grid import table_of
from xoff.cli.terminal import is_terminal, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from rich.console import RenderableType
    from rich.segment import Segment

    from xoff.runs.batch import Wanted
    from xoff.runs.store import KeptRuns
    from xoff.scenario.scenario import Scenario
    from xoff.text.grid import Grid

_REST = 10
"""Time between two drawings at the least, in times that one takes."""
_BESIDES = 3
"""Lines of the terminal for progress, and for the cursor below it."""

FoundT = TypeVar("FoundT")


class Watch(Generic[FoundT]):
    """Table, or lines, of the parts of an experiment that have ended.

    Attributes:
        above: Table to show above the progress of runs; empty where there is no terminal.
    """

    def __init__(
        self,
        title: str,
        wanted: Wanted[FoundT],
        kept: KeptRuns,
        grid: Callable[[FoundT], Grid],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.above: list[RenderableType] = []
        self._title, self._wanted, self._kept, self._grid, self._clock = title, wanted, kept, grid, clock
        self._is_table = is_terminal(sys.stderr)
        self._left: list[int] = []
        """Number of runs of each part that have not ended."""
        self._parts: dict[Path, list[int]] = {}
        """Parts of each run that has not ended, by where it is kept: several may mean one scenario."""
        self._names: list[str] = []
        for part, (name, runs) in enumerate(wanted.parts):
            self._names.append(name)
            places = {kept.place(run) for run in runs}
            self._left.append(len(places))
            for place in places:
                self._parts.setdefault(place, []).append(part)
        self._ended: list[int] = []
        """Parts that have ended, in this order."""
        self._next_s = clock()

    def begin(self, runs: Iterable[Scenario]) -> None:
        """Shows what was found before, in runs that are kept."""
        for run in runs:
            self._take(run)
        if self._is_table:
            self._draw()

    def add(self, run: Scenario) -> None:
        """Takes a run that has ended, and shows what was found unless that was drawn just before."""
        self._take(run)
        if self._is_table and self._clock() >= self._next_s:
            self._draw()

    def _take(self, run: Scenario) -> None:
        for part in self._parts.pop(self._kept.place(run), ()):
            self._left[part] -= 1
            if not self._left[part]:
                self._ended.append(part)
                if not self._is_table:
                    self._say(part)

    def _say(self, part: int) -> None:
        found = self._wanted.so_far(self._kept, [part])
        told = "some run has no result" if found is None else self._grid(found).first_row
        say(f"{self._title}: {self._names[part]}: {told}", err=True)

    def _draw(self) -> None:
        """Draws the parts that have ended; of those that are rows, the last ones that the terminal has room for."""
        begun, console = self._clock(), Console(stderr=True)
        room = max(console.height - _BESIDES, 1)
        parts = self._ended[-room:]
        blocks = self._blocks(parts, console)
        too_many = sum(map(len, blocks)) - room
        if too_many > 0:
            parts = parts[-max(len(parts) - ceil(too_many / len(blocks)), 1) :]
            blocks = self._blocks(parts, console)
        lines = list(chain(*blocks))[:room]
        self.above[:] = [SegmentLines(lines, new_lines=True)]  # drawn anew ten times a second, as it is
        self._next_s = self._clock() + _REST * (self._clock() - begun)

    def _blocks(self, parts: Sequence[int], console: Console) -> list[list[list[Segment]]]:
        """Returns the lines of each table that it takes to show some parts in the width of a terminal."""
        found = self._wanted.so_far(self._kept, parts)
        if found is None:
            return []
        grid = self._grid(found)
        return [console.render_lines(each, pad=False) for each in console.folded(table_of(grid), grid.names)]
