"""What figures of the measured time say where that is not the whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.results.table import measured_time

if TYPE_CHECKING:
    from xoff.results.summary import Summary


def told(*summaries: Summary) -> list[str]:
    """`measured from 3.00 ms to 8.00 ms`, as more that is said of an axis; nothing of whole runs."""
    times = {measured_time(summary) for summary in summaries}
    if times <= {None}:
        return []
    [time, *others] = times
    return ["of the measured time" if others else f"measured from {time}"]


def none_finished(finished: int, what: str, *summaries: Summary) -> str:
    """Says that nothing finished, or nothing that counts.

    Args:
        finished: How many did, those included that do not count.
        what: Such as `flow`.
        summaries: Of the runs.
    """
    if not finished:
        return f"no {what} finished"
    started = " that started in the measured time" if told(*summaries) else ""
    return f"no {what}{started} finished before the stop"
