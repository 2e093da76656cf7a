"""Faults of schemes in the course of a run, as errors of one line."""

from __future__ import annotations

from xoff.errors import SchemeError
from xoff.schemes.loading import line_of, named, split
from xoff.schemes.watching import TookTooLong

_UNKNOWN = 2**64 - 1
"""Time of a fault that has none."""


def raised(scheme: str, method: str, now_ps: int, flow: str | None, error: BaseException) -> SchemeError:
    """Returns the error of a method that has raised."""
    file, cls = split(scheme) or (scheme, scheme)
    where = _where(cls, method, now_ps, flow)
    if isinstance(error, TookTooLong):
        problem = f"{where} has not returned for {error.seconds:g} s"
        return SchemeError(file, line_of(error, file), problem, "expected an answer in microseconds")
    return SchemeError(file, line_of(error, file), f"{named(error)}, in {where}")


def answered(scheme: str, method: str, now_ps: int, flow: str | None, answer: str, expected: str) -> SchemeError:
    """Returns the error of a method whose answer is none."""
    file, cls = split(scheme) or (scheme, scheme)
    return SchemeError(file, "", f"{_where(cls, method, now_ps, flow)} answers {answer}", expected)


def _where(cls: str, method: str, now_ps: int, flow: str | None) -> str:
    of = f" of flow {flow}" if flow else ""
    at = f" at {now_ps / 1e6:.12g} us" if now_ps != _UNKNOWN else ""
    return f"{cls}.{method}{of}{at}"
