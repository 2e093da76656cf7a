"""Distribution of queue lengths over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xoff.plot import measured_time, over_time, room, style
from xoff.plot.completion import POINTS
from xoff.plot.stretch import Stretch

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from xoff.plot.over_time import Names
    from xoff.results.result import Result

_LAST = 20
"""Number of steps of the tail that are drawn without thinning."""


def draw(
    result: Result, ax: Axes, names: Names = None, stretch: Stretch | None = None, label: str | None = None
) -> Axes:
    """Draws the share of the time against length, a line for each of the queues with the highest peaks.

    A recorded length counts until the next one, the last until the end of the run. Without a stretch of time, the
    figure is of the measured time.
    """
    of_time = measured_time.told(result.summary) if stretch is None else [stretch.told.strip()]
    stretch = stretch or Stretch.measured(result)
    chosen = over_time.choose(result, "queue", names, stretch)
    for line in chosen.shown:
        lengths, shares = time_shares(line, Stretch.all_of(result), stretch)
        ax.plot(lengths, shares, label=chosen.name(line, label), drawstyle="steps-post")
    over_time.say_if_nothing(result, "queue", ax, stretch, is_zero=ax.dataLim.x1 <= 0)
    ax.set_xlim(0, 1.05 * ax.dataLim.x1 or 1)
    ax.xaxis.set_major_formatter(style.ticks(style.SIZE_UNITS))
    ax.set_ylim(0, 1.01)
    room.label_along(ax, "queue", of_time)
    ax.set_ylabel("share of time, idle included")
    style.legend(ax, chosen.hidden)
    return ax


def time_shares(
    line: over_time.Line, run: Stretch, stretch: Stretch | None = None
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Returns the steps of the share of a run, or of a stretch of it, in which a queue was no longer than a length.

    Steps are thinned evenly, but the longest lengths are kept.
    """
    time_us = np.concatenate([[run.start_us], line.time_us, [run.end_us]])
    value = np.concatenate([[0.0], line.value, line.value[-1:]])
    time_us, value = (stretch or run).cut(time_us, value, before=False)
    order = np.argsort(value[:-1], kind="stable")
    lasted = np.diff(time_us)[order]
    shares = np.cumsum(lasted) / lasted.sum()
    evenly = np.searchsorted(shares, np.linspace(0, 1, POINTS)).clip(max=len(shares) - 1)
    places = np.unique([*evenly, *range(max(0, len(shares) - _LAST), len(shares))])
    lengths = value[:-1][order]
    return np.append(lengths[0], lengths[places]), np.append(0.0, shares[places])
