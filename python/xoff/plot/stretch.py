"""A stretch of a run's time, to which what is drawn can be narrowed."""

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
"""After the point of a tick: those behind are of binary fractions."""
_TICKS, _FEW_TICKS = 6, 4
_SHORT = 0.01
"""Of the time until its end; ticks of a shorter one have many digits."""


class Stretch(NamedTuple):
    """From when until when."""

    start_us: float
    end_us: float

    @classmethod
    def of(cls, result: Result, between_ns: tuple[float, float] | None) -> Stretch | None:
        """None if nothing is said of it. Raises ValueError for no time, or one after the run, TypeError for none."""
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
        """All of a run."""
        return cls(0.0, result.summary["end_ns"] / 1000)

    @classmethod
    def measured(cls, result: Result) -> Stretch | None:
        """The measured time; None where that is the whole run, or none of it."""
        measured = result.summary.get("measured")  # results of before have none
        if measured is None or measured_time(result.summary) is None or measured["start_ns"] >= measured["end_ns"]:
            return None
        return cls(measured["start_ns"] / 1000, measured["end_ns"] / 1000)

    @property
    def told(self) -> str:
        """In words that follow what was not in it."""
        start, end = _apart(*self)
        return f" from {start} to {end}"

    def clip(self, start_us: float, end_us: float) -> tuple[float, float]:
        """What of that time is in it, of a time that it holds some of."""
        return max(start_us, self.start_us), min(end_us, self.end_us)

    def holds(self, start_us: float, end_us: float) -> bool:
        """Whether some of that time is in it."""
        return start_us <= self.end_us and end_us >= self.start_us

    def cut(self, time_us: np.ndarray, value: np.ndarray, *, before: bool) -> tuple[np.ndarray, np.ndarray]:
        """What steps have in it, from its start to its end as far as they reach.

        Args:
            time_us: In order.
            value: Of the time from then on.
            before: Whether it is of the time before instead.
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
        """Has the axis show it and nothing else, with ticks that differ however short it is."""
        start, end = self
        ax.set_xlim(start, end)
        unit = _unit(end)
        most = _FEW_TICKS if end - start < _SHORT * end else _TICKS
        ax.xaxis.set_major_locator(room.RoomyLocator(most))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda time, _: _precise(time, unit)))


def _apart(start_us: float, end_us: float) -> tuple[str, str]:
    """Two times in words that differ if the times do."""
    start, end = duration(start_us), duration(end_us)
    if start != end:
        return start, end
    unit = _unit(end_us)
    return _precise(start_us, unit), _precise(end_us, unit)


def _unit(time_us: float) -> str:
    """The largest of which a time has one."""
    return next(unit for unit, scale in _SCALES.items() if time_us >= scale or scale == 1)


def _precise(time_us: float, unit: str) -> str:
    """A time with all its digits."""
    return f"{round(time_us / _SCALES[unit], _DIGITS):.12g} {unit}"


def _pair(between_ns: object) -> tuple[float, float]:
    """A start and an end. Raises TypeError for anything else."""
    match list(between_ns) if isinstance(between_ns, Iterable) else None:
        case [Real() as start, Real() as end]:
            return float(start), float(end)
    message = (
        f"between_ns: {between_ns!r} is no pair of numbers; expected a start and an end in nanoseconds: (1e6, 2e6)"
    )
    raise TypeError(message)
