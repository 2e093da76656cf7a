"""Formatting of several values of a measure in one common unit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from xoff.results.table import measured

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_UNITS = {
    "us": {"us": 1.0, "ms": 1e3, "s": 1e6},
    "ns": {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9},
    "bytes": {"B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9},
    "gbps": {"bps": 1e-9, "kbps": 1e-6, "Mbps": 1e-3, "Gbps": 1.0},
}
"""Units by the last word of a measure, smallest first, each as a multiple of the measure's own unit."""
_DIGITS = 3
"""Least number of significant digits, except for zero."""


def telling(measure: str, values: Iterable[float]) -> Callable[[float], str]:
    """Returns a function that formats values of a measure in one unit, chosen by the greatest of `values`."""
    own = measure.rpartition(".")[2].rpartition("_")[2]
    if own not in _UNITS:
        return lambda value: measured(measure, value)
    greatest = max(map(abs, values), default=0.0)
    fitting = [unit for unit, scale in _UNITS[own].items() if scale <= greatest]
    unit = fitting[-1] if fitting else next(unit for unit, scale in _UNITS[own].items() if scale == 1)
    return lambda value: f"{_number(value / _UNITS[own][unit])} {unit}"


def _number(value: float) -> str:
    """Formats a number with at least one decimal, and enough that only zero reads as zero."""
    if not value:
        return "0"
    decimals = _DIGITS - 1 - math.floor(math.log10(abs(value)))
    return f"{value:,.{max(decimals, 1)}f}"
