"""Times of a run as options."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from xoff import _xoff
from xoff.errors import InputError
from xoff.text.units import duration

if TYPE_CHECKING:
    from xoff.results.result import Result


def nanoseconds(text: str, option: str) -> float:
    """A time with its unit. Raises InputError."""
    try:
        return _xoff.quantity("time", json.dumps(text)) / 1000
    except InputError as error:
        raise InputError(None, option, error.problem, error.expected, error.kind) from None


def check_within(result: Result, time_ns: float, option: str) -> None:
    """Raises InputError for a time after the end of a run."""
    if time_ns > result.summary["end_ns"]:
        problem = f"the run ended at {duration(result.summary['end_ns'] / 1000)}"
        raise InputError(None, option, problem, "expected a time before that")


def between(result: Result, start_ns: float | None, end_ns: float | None) -> tuple[float, float] | None:
    """From `--from` until `--to`, or from the begin or until the end of the run; None for all of it.

    Raises InputError for times after its end, or of which the one is not before the other.
    """
    if start_ns is None and end_ns is None:
        return None
    for time_ns, option in ((start_ns, "--from"), (end_ns, "--to")):
        if time_ns is not None:
            check_within(result, time_ns, option)
    start, end = start_ns or 0.0, result.summary["end_ns"] if end_ns is None else end_ns
    if start >= end:
        until = "the end of the run" if end_ns is None else "--to"
        problem = f"{duration(start / 1000)} is not before {until}, {duration(end / 1000)}"
        raise InputError(None, "--from", problem, "expected a time before that")
    return start, end
