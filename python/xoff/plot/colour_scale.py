"""Scale of colours, with its bar, for more lines than a legend can tell apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
from matplotlib.colors import ListedColormap, LogNorm, Normalize
from matplotlib.ticker import FuncFormatter, NullLocator

from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType

    from xoff.plot.along import Along, Value

_COLOURS = ListedColormap(mpl.colormaps["viridis"](np.linspace(0, 0.92, 48)))
"""Colours from dark to light, readable without colour vision; the palest are left out, since lines are thin."""
BAR_INCHES = 0.8
"""Width of the bar with its numbers."""
_BAR_INCHES = 0.14
"""Width of the bar without them."""
_WIDE = 20
"""Ratio of the greatest to the least position from which the scale is logarithmic."""
_MOST_TICKS = 6


class ColourScale:
    """Colours of the numbers on an axis of a sweep."""

    def __init__(self, along: Along) -> None:
        self._along = along
        self._places = sorted(set(along.places.values()))
        low, high = self._places[0], self._places[-1]
        self._norm = LogNorm(low, high) if low > 0 and high > _WIDE * low else Normalize(low, high)

    def colour(self, position: Value) -> ColorType:
        """Returns the colour of a position."""
        return _COLOURS(float(self._norm(self._along.places[position])))

    def draw_bar(self, figure: Figure, panels: Sequence[Axes]) -> None:
        """Draws the bar to the right of some panels, with the name of the axis and some of its positions."""
        drawn = mpl.cm.ScalarMappable(self._norm, _COLOURS)
        name, unit = self._along.name, self._along.unit
        aspect = figure.get_figheight() / _BAR_INCHES
        bar = figure.colorbar(drawn, ax=list(panels), aspect=aspect, pad=0.02, fraction=0.05)
        bar.set_label(style.plain(f"{name} ({unit})" if unit else name))
        assert bar.solids is not None
        bar.solids.set_edgecolor("face")  # without it, some viewers show gaps between the colours
        count = min(_MOST_TICKS, len(self._places))
        told = np.linspace(0, len(self._places) - 1, count).round().astype(int)
        bar.ax.yaxis.set_minor_locator(NullLocator())
        bar.set_ticks([self._places[index] for index in told])
        bar.ax.yaxis.set_major_formatter(FuncFormatter(lambda place, _: f"{place:g}"))
