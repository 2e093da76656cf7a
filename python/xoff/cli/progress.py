"""Progress of one run or of many, with an estimate of what remains.

A terminal has a bar; elsewhere, as in a log, there is a line now and then.
"""

from __future__ import annotations

import itertools
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from xoff.cli.console import Console
from xoff.cli.terminal import is_terminal, printable, say
from xoff.text.units import duration, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from rich.console import RenderableType
    from rich.progress import Progress as Bar
    from rich.progress import Task
    from rich.text import Text

    from xoff._xoff import Progress
    from xoff.scenario.scenario import Scenario


_MOST_BAR = 40
_TIMES = 30
"""Columns of a terminal for how long it took and what remains, with the gaps before them."""
BETWEEN_LINES_S = 30
"""Seconds between plain lines at the least."""


class Counted(Protocol):
    """A function to call for each finished run."""

    def __call__(self, part: float = 1) -> None:
        """Counts the run, and its part of all work."""


class Lines:
    """Progress as plain lines, none before the first 30 seconds are over."""

    def __init__(self, title: str, clock: Callable[[], float]) -> None:
        """Takes a title, and what tells seconds."""
        self._title, self._clock = title, clock
        self._begun = self._told = clock()

    def tell(self, done: float, words: str) -> None:
        """Writes a line about the share that is done, unless there was one less than 30 seconds ago."""
        now = self._clock()
        if now - self._told < BETWEEN_LINES_S:
            return
        self._told = now
        remaining = ""
        if done > 0:
            seconds = (now - self._begun) * (1 - done) / done
            remaining = f", about {spelled_wait(seconds)} remaining"
        say(f"{self._title}: {words}{remaining}", err=True)


@contextmanager
def shown_progress(
    scenario: Scenario, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[Progress], None]]:
    """Yields a function to call with each report of progress; `clock` tells seconds."""
    if not is_terminal(sys.stderr):
        lines = Lines(scenario.title, clock)

        def tell_of(state: Progress) -> None:
            done = share_done(scenario, state)
            lines.tell(done, f"{_words(state)}, {percent(done)} done")

        yield tell_of

        return
    with _bar() as bar:
        task = bar.add_task(printable(scenario.title), total=1.0, state="")
        yield lambda state: bar.update(task, completed=share_done(scenario, state), state=_words(state))


@contextmanager
def shown_count(
    title: str,
    count: int,
    of: str = "runs",
    *,
    before: int = 0,
    weight: float | None = None,
    above: Iterable[RenderableType] = (),
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Counted]:
    """Yields a function to call for each finished run of many, with its part of the work.

    Args:
        title: What the runs are for.
        count: Number of runs.
        of: What they are called.
        before: Number of runs that were finished before.
        weight: All work that is left; left out, the number of runs.
        above: Shown above the bar of a terminal, as it is each time that this is drawn.
        clock: Tells seconds.
    """
    finished, done, whole = itertools.count(before + 1), 0.0, count - before if weight is None else weight

    def share(part: float) -> float:
        nonlocal done
        done += part
        return min(done / whole, 1.0) if whole else 1.0

    if not is_terminal(sys.stderr):
        lines = Lines(title, clock)

        def tell(part: float = 1) -> None:
            lines.tell(share(part), f"{next(finished)} of {count} {of} finished")

        yield tell
        return
    with _bar(above) as bar:
        task = bar.add_task(printable(title), total=1.0, state=f"{before} of {count} {of}")

        def update(part: float = 1) -> None:
            bar.update(task, completed=share(part), state=f"{next(finished)} of {count} {of}")

        yield update


@contextmanager
def _bar(above: Iterable[RenderableType] = ()) -> Iterator[Bar]:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    class Title(TextColumn):
        """Gives way where the terminal is narrow, and stays in its line."""

        def render(self, task: Task) -> Text:
            text = super().render(task)
            text.no_wrap, text.overflow = True, "ellipsis"
            return text

    class Below(Bar):
        """Stands below something else."""

        def get_renderables(self) -> Iterator[RenderableType]:
            yield from above
            yield from super().get_renderables()

    console = Console(stderr=True)
    state = Column(no_wrap=True, max_width=max(1, console.width - _TIMES))
    columns = (
        Title("{task.description}", markup=False, table_column=Column()),
        BarColumn(None, table_column=Column(max_width=_MOST_BAR)),
        TextColumn("{task.fields[state]}", table_column=state),
        TimeElapsedColumn(Column(no_wrap=True)),
        TextColumn("remaining"),
        TimeRemainingColumn(table_column=Column(no_wrap=True)),
    )
    bar = Below(*columns, console=console, transient=True)
    bar.start()
    try:
        yield bar
    finally:
        with suppress(OSError):  # of a terminal that was closed, which is nothing to the run
            bar.stop()


def share_done(scenario: Scenario, state: Progress) -> float:
    """Returns the share of the run that is done, from 0 to 1, by the nearest of its ends."""
    stop = scenario._core
    drained = state.flows_finished / max(state.flows_started, 1)
    shares = []
    if state.end_ns:
        shares.append(state.now_ns / state.end_ns)
    if stop.after_flows:
        shares.append(state.flows_finished / stop.after_flows)
    if stop.arrivals_end_ns:  # then what has started is drained
        shares.append(state.now_ns / stop.arrivals_end_ns if state.now_ns < stop.arrivals_end_ns else drained)
    return min(max(shares, default=drained), 1.0)


def spelled_wait(seconds: float) -> str:
    """Returns a time to wait as people say it: 40 s, 12 min, 1.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def _words(state: Progress) -> str:
    return f"{duration(state.now_ns / 1000)} simulated, {state.flows_finished:,} flows finished"
