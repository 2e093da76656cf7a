"""Progress of one run or of many, with an estimate of what remains.

A terminal has a bar; elsewhere, as in a log, there is a line now and then.
"""

from __future__ import annotations

import itertools
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from xoff.cli.console import Console
from xoff.cli.terminal import is_terminal, printable, say
from xoff.text.units import duration, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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


class Lines:
    """Progress as plain lines, none before the first 30 seconds are over."""

    def __init__(self, title: str, clock: Callable[[], float], done: float = 0) -> None:
        """Takes a title, what tells seconds, and what share of it all was done before."""
        self._title, self._clock, self._done = title, clock, done
        self._begun = self._told = clock()

    def tell(self, done: float, words: str) -> None:
        """Writes a line about the share that is done, unless there was one just now."""
        now = self._clock()
        if now - self._told < BETWEEN_LINES_S:
            return
        self._told = now
        remaining = ""
        if done > self._done:
            seconds = (now - self._begun) * (1 - done) / (done - self._done)
            remaining = f", about {spelled_wait(seconds)} remaining"
        say(f"{self._title}: {words}, {percent(done)} done{remaining}", err=True)


@contextmanager
def shown_progress(
    scenario: Scenario, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[Progress], None]]:
    """Yields a function to call with each report of progress; `clock` tells seconds."""
    if not is_terminal(sys.stderr):
        lines = Lines(scenario.title, clock)
        yield lambda state: lines.tell(share_done(scenario, state), _words(state))
        return
    with _bar() as bar:
        task = bar.add_task(printable(scenario.title), total=1.0, state="")
        yield lambda state: bar.update(task, completed=share_done(scenario, state), state=_words(state))


@contextmanager
def shown_count(
    title: str, count: int, of: str = "runs", *, before: int = 0, clock: Callable[[], float] = time.monotonic
) -> Iterator[Callable[[], None]]:
    """Yields a function to call for each finished run of many; `before` of them take no time, `clock` tells seconds."""
    finished = itertools.count(1)
    if not is_terminal(sys.stderr):
        lines = Lines(title, clock, before / max(count, 1))
        yield lambda: lines.tell((n := next(finished)) / count, f"{n} of {count} {of} finished")
        return
    with _bar() as bar:
        task = bar.add_task(printable(title), total=count, state=f"0 of {count} {of}")
        yield lambda: bar.update(task, completed=(n := next(finished)), state=f"{n} of {count} {of}")


@contextmanager
def _bar() -> Iterator[Bar]:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar
    from rich.table import Column

    class Title(TextColumn):
        """Gives way where the terminal is narrow, and stays in its line."""

        def render(self, task: Task) -> Text:
            text = super().render(task)
            text.no_wrap, text.overflow = True, "ellipsis"
            return text

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
    bar = Bar(*columns, console=console, transient=True)
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
