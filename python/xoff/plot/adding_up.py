"""Sum of a line over time, which orders lines with the same peak."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from xoff.plot.stretch import Stretch


def samples(time_us: np.ndarray, value: np.ndarray, stretch: Stretch | None) -> float:
    """Returns the sum of values recorded at even intervals, or of single events."""
    if stretch is None:
        return float(value.sum())
    return float(value[(time_us >= stretch.start_us) & (time_us <= stretch.end_us)].sum())


def steps(time_us: np.ndarray, value: np.ndarray, end_us: float, stretch: Stretch | None) -> float:
    """Returns the integral of values that hold until the next one, or until the end."""
    edges_us = np.append(time_us, max(end_us, time_us[-1]))
    if stretch is not None:
        edges_us = edges_us.clip(stretch.start_us, stretch.end_us)
    return float(np.dot(value, np.diff(edges_us)))
