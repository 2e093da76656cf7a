"""A stretch of a run's time, to which figures can be narrowed."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from matplotlib.ticker import FuncFormatter

from xoff.plot import room
from xoff.results.table import measured_time
from xoff.text.units import duration

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.results.result import Result

_SCALES = {"s": 1e6, "ms": 1e3, "us": 1.0}
_DIGITS = 9
"""Digits after the point of a tick; further ones come from binary rounding."""
_TICKS, _FEW_TICKS = 6, 4
_SHORT = 0.01
"""Length of a stretch, as a share of its end, below which ticks have many digits."""


class Stretch(NamedTuple):
    """The start and the end of a stretch of time."""

    start_us: float
    end_us: float

    @classmethod
    def of(cls, result: Result, between_ns: tuple[float, float] | None) -> Stretch | None:
        """Returns the stretch of an argument; None for None.

        Raises ValueError for an empty time, or one after the run, and TypeError for anything but two times.
        """
        if between_ns is None:
            return None
        start, end = _pair(between_ns)
        if not start < end:
            told = _apart(start / 1000, end / 1000)
            message = f"between_ns: {told[0]} is not before {told[1]}; expected a start, and an end after it"
            raise ValueError(message)
        if start >= result.summary["end_ns"]:
            ended = duration(result.summary["end_ns"] / 1000)
            message = f"between_ns: the run ended at {ended}; expected a start before that"
            raise ValueError(message)
        return cls(start / 1000, end / 1000)

    @classmethod
    def all_of(cls, result: Result) -> Stretch:
        """Returns the whole time of a run."""
        return cls(0.0, result.summary["end_ns"] / 1000)

    @classmethod
    def measured(cls, result: Result) -> Stretch | None:
        """Returns the measured time; None if that is the whole run, or empty."""
        measured = result.summary.get("measured")  # results of before have none
        if measured is None or measured_time(result.summary) is None or measured["start_ns"] >= measured["end_ns"]:
            return None
        return cls(measured["start_ns"] / 1000, measured["end_ns"] / 1000)

    @property
    def told(self) -> str:
        """The stretch in words, to append to a message."""
        start, end = _apart(*self)
        return f" from {start} to {end}"

    def clip(self, start_us: float, end_us: float) -> tuple[float, float]:
        """Returns the part of a time in the stretch, which must hold some of it."""
        return max(start_us, self.start_us), min(end_us, self.end_us)

    def holds(self, start_us: float, end_us: float) -> bool:
        """Whether the stretch holds some of a time."""
        return start_us <= self.end_us and end_us >= self.start_us

    def cut(self, time_us: np.ndarray, value: np.ndarray, *, before: bool) -> tuple[np.ndarray, np.ndarray]:
        """Returns the part of a line of steps in the stretch, with values at its start and end.

        Args:
            time_us: Times of the steps, in order.
            value: Values from these times on.
            before: Whether values are of the time before them instead.
        """
        start, end = self
        inside = (time_us > start) & (time_us <= end) if before else (time_us >= start) & (time_us < end)
        at_start = np.searchsorted(time_us, start, side="right") - (not before)
        at_end = np.searchsorted(time_us, end, side="left") - (not before)
        known = [
            (edge, value[place])
            for edge, place in ((start, at_start), (end, at_end))
            if 0 <= place < len(time_us) and time_us[0] <= edge <= time_us[-1]
        ]
        times = np.append(time_us[inside], [edge for edge, _ in known])
        values = np.append(value[inside], [held for _, held in known])
        order = np.argsort(times, kind="stable")
        return times[order], values[order]

    def show(self, ax: Axes) -> None:
        """Limits an axis to the stretch, with ticks that differ however short it is."""
        start, end = self
        ax.set_xlim(start, end)
        unit = _unit(end)
        most = _FEW_TICKS if end - start < _SHORT * end else _TICKS
        ax.xaxis.set_major_locator(room.RoomyLocator(most))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda time, _: _precise(time, unit)))


def _apart(start_us: float, end_us: float) -> tuple[str, str]:
    """Returns two times in words, with digits enough that they differ if the times do."""
    start, end = duration(start_us), duration(end_us)
    if start != end:
        return start, end
    unit = _unit(end_us)
    return _precise(start_us, unit), _precise(end_us, unit)


def _unit(time_us: float) -> str:
    """Returns the largest unit of which a time has at least one."""
    return next(unit for unit, scale in _SCALES.items() if time_us >= scale or scale == 1)


def _precise(time_us: float, unit: str) -> str:
    """Returns a time with all its digits."""
    return f"{round(time_us / _SCALES[unit], _DIGITS):.12g} {unit}"


def _pair(between_ns: object) -> tuple[float, float]:
    """Returns a start and an end. Raises TypeError for anything else."""
    match list(between_ns) if isinstance(between_ns, Iterable) else None:
        case [Real() as start, Real() as end]:
            return float(start), float(end)
    message = (
        f"between_ns: {between_ns!r} is no pair of numbers; expected a start and an end in nanoseconds: (1e6, 2e6)"
    )
    raise TypeError(message)
