"""Notes of figures whose measured time is not the whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.results.table import measured_time

if TYPE_CHECKING:
    from xoff.results.summary import Summary


def told(*summaries: Summary) -> list[str]:
    """Returns the note `measured from 3.00 ms to 8.00 ms` for an axis; nothing for whole runs."""
    times = {measured_time(summary) for summary in summaries}
    if times <= {None}:
        return []
    [time, *others] = times
    return ["of the measured time" if others else f"measured from {time}"]


def none_finished(finished: int, what: str, *summaries: Summary) -> str:
    """Returns words which say that nothing finished, or nothing that counts.

    Args:
        finished: Number that finished, including those that do not count.
        what: Name of one, such as `flow`.
        summaries: Summaries of the runs.
    """
    if not finished:
        return f"no {what} finished"
    started = " that started in the measured time" if told(*summaries) else ""
    return f"no {what}{started} finished before the stop"
