"""Ticks of an axis with values of a measure."""

from __future__ import annotations

from matplotlib.ticker import FuncFormatter

from xoff.plot import style
from xoff.results.table import measured
from xoff.text.units import quantity


def ticks_of(measure: str) -> FuncFormatter:
    """Returns ticks in the units that read best; `measure` is a key of `summary.json`."""
    if measure.endswith("_us"):
        return style.ticks(style.TIME_UNITS)
    if measure.endswith("_bytes"):
        return style.ticks(style.SIZE_UNITS)
    if measure.endswith("_gbps"):
        return FuncFormatter(lambda value, _: quantity(1e9 * value, style.RATE_UNITS) if value else "0")
    return FuncFormatter(lambda value, _: measured(measure, value) if value else "0")
