"""Progress of a run, on a terminal only: simulated time, flows, an estimate of what remains."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from xoff.units import duration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.progress import Progress as Bar
    from rich.progress import TaskID

    from xoff._xoff import Progress


@contextmanager
def shown_progress(title: str) -> Iterator[Callable[[Progress], None] | None]:
    """What to call with each report of progress; None, and nothing is shown, where nobody watches."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[state]}"),
        TimeElapsedColumn(),
        TextColumn("remaining"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None, state="")
        yield lambda state: _update(bar, task, state)


def _update(bar: Bar, task: TaskID, state: Progress) -> None:
    done = f"{duration(state.now_ns / 1000)} simulated, {state.flows_finished:,} flows finished"
    # Once arrivals have ended what is left is the draining, which flows measure better than time.
    draining = state.end_ns is None or state.now_ns >= state.end_ns
    if draining:
        bar.update(task, completed=state.flows_finished, total=state.flows_started, state=done)
    else:
        bar.update(task, completed=state.now_ns, total=state.end_ns, state=done)
