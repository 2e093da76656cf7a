"""Progress of one run or of many, on a terminal only, with an estimate of what remains."""

from __future__ import annotations

import itertools
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xoff.cli.terminal import Console, printable
from xoff.units import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as Bar

    from xoff._xoff import Progress
    from xoff.scenario import Scenario


@contextmanager
def shown_progress(scenario: Scenario) -> Iterator[Callable[[Progress], None] | None]:
    """What to call with each report of progress; None, and nothing is shown, where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    with _bar() as bar:
        task = bar.add_task(printable(scenario.title), total=1.0, state="")
        yield lambda state: bar.update(task, completed=share_done(scenario, state), state=_words(state))


@contextmanager
def shown_count(title: str, count: int, of: str = "runs") -> Iterator[Callable[[], None]]:
    """What to call for each finished one of many; nothing is shown where nobody watches."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    with _bar() as bar:
        task = bar.add_task(printable(title), total=count, state=f"0 of {count} {of}")
        finished = itertools.count(1)
        yield lambda: bar.update(task, completed=(n := next(finished)), state=f"{n} of {count} {of}")


def _bar() -> Bar:
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        TextColumn("remaining"),
        TimeRemainingColumn(),
    )
    return Bar(*columns, console=Console(stderr=True), transient=True)


def share_done(scenario: Scenario, state: Progress) -> float:
    """How much of the run is done, from 0 to 1, by whichever of its ends is nearest."""
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


def _words(state: Progress) -> str:
    return f"{duration(state.now_ns / 1000)} simulated, {state.flows_finished:,} flows finished"
