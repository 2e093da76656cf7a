"""How much a line adds up to over time, which tells lines with the same peak apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from xoff.plot.stretch import Stretch


def samples(time_us: np.ndarray, value: np.ndarray, stretch: Stretch | None) -> float:
    """Of what was recorded at even intervals, or one by one: the sum."""
    if stretch is None:
        return float(value.sum())
    return float(value[(time_us >= stretch.start_us) & (time_us <= stretch.end_us)].sum())


def steps(time_us: np.ndarray, value: np.ndarray, end_us: float, stretch: Stretch | None) -> float:
    """Of what holds from its time on until the next, or the end: each value as long as it lasts."""
    edges_us = np.append(time_us, max(end_us, time_us[-1]))
    if stretch is not None:
        edges_us = edges_us.clip(stretch.start_us, stretch.end_us)
    return float(np.dot(value, np.diff(edges_us)))
