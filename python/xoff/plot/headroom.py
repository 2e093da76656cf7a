"""Distribution of the peaks of headroom in use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from xoff.plot import style
from xoff.plot.completion import distribution

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from xoff.results.result import Result


def draw(result: Result, ax: Axes) -> Axes:
    """Draws the cumulative share of local maxima against their share of the headroom set aside, over all switches.

    Raises ValueError if the scenario's `observe.headroom` did not ask for it.
    """
    if result.headroom is None:
        message = "headroom was not observed; observe.headroom = true in the scenario records it"
        raise ValueError(message)
    used, set_aside = (result.headroom[name].to_numpy() for name in ("used_bytes", "set_aside_bytes"))
    if len(used):
        ax.plot(*distribution(np.sort(100 * used / set_aside)), drawstyle="steps-post", color=style.COLOURS[0])
    else:
        style.say_nothing_is_there(ax, "no headroom was in use")
    ax.set_ylim(0, 1.01)
    ax.set_xlim(left=0)
    ax.set_xlabel("headroom in use at a local maximum (% of a switch's)")
    ax.set_ylabel("share of local maxima")
    return ax
