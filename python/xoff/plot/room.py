"""Room of axes for ticks, labels and legends; axes of the user may be small, and have others beside them."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from matplotlib.axis import Axis
from matplotlib.ticker import MaxNLocator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure
    from matplotlib.legend import Legend

_CHARACTERS_PER_INCH = 130
"""Characters per inch in a label of one point."""
_INCHES_BESIDE = 0.2
"""Width by which a label may exceed its axes."""
_NARROW_INCHES, _SMALL_LABEL_SIZE = 3.5, 8.0
_INCHES_OF_A_TICK = 0.75
_INCHES_ABOVE, _INCHES_OF_A_LABEL = 0.08, 0.55
"""Room above a legend, and room for the labels of the axes over it."""
_LEAST_KEPT = 0.4
"""Share of their height that axes keep, however high their legend is."""


def width_inches(ax: Axes) -> float:
    """Returns the width of axes before any layout, which happens when the figure is drawn."""
    return float(ax.bbox.width) / _figure_dpi(ax)


def most_ticks(ax: Axes, most: int) -> int:
    """Returns the number of ticks with units that fit side by side, at most `most`."""
    return max(2, min(most, int(width_inches(ax) / _INCHES_OF_A_TICK)))


class RoomyLocator(MaxNLocator):
    """A locator of as many ticks with units as fit side by side when they are drawn.

    Axes are narrower after the layout than before if names stand beside them.
    """

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self._most = most

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        """Returns the ticks, after setting their number for the width of the axes."""
        if isinstance(self.axis, Axis):
            self.set_params(nbins=most_ticks(self.axis.axes, self._most))
        return super().tick_values(vmin, vmax)


def label_along(ax: Axes, label: str, more: Sequence[str] = (), below: Sequence[str] = ()) -> None:
    """Labels the horizontal axis, and adds notes behind or below the label, in lines about as wide as the axes.

    Args:
        ax: The axes.
        label: The label.
        more: Notes behind the label, or below it where there is no room for that.
        below: Notes below all that.
    """
    size = float(ax.xaxis.label.get_fontsize())
    if is_narrow(ax):
        size = min(size, _SMALL_LABEL_SIZE)
    characters = max(1, int(_CHARACTERS_PER_INCH / size * (width_inches(ax) + _INCHES_BESIDE)))
    behind = ", ".join((label, *more))
    lines = [behind] if len(behind) <= characters else [label, *more]
    ax.set_xlabel("\n".join(fill(line, characters) for line in (*lines, *below)), size=size)


def is_narrow(ax: Axes) -> bool:
    """Whether axes are so narrow that their letters are smaller than usual."""
    return width_inches(ax) < _NARROW_INCHES


def make_for_legend(ax: Axes, legend: Legend) -> None:
    """Moves rows of axes without a layout apart, and the first from the edge, so that a legend fits above."""
    figure, root, grid = ax.get_figure(), ax.get_figure(root=True), ax.get_subplotspec()
    if figure is None or root is None or grid is None or root.get_layout_engine() is not None:
        return
    grid = grid.get_topmost_subplotspec()
    room = figure.subplotpars
    height, rows = room.top - room.bottom, grid.get_gridspec().nrows
    needed = (legend.get_window_extent().height / _figure_dpi(ax) + _INCHES_ABOVE) / _height_inches(figure)
    if grid.is_first_row():
        figure.subplots_adjust(top=max(min(room.top, 1 - needed), room.bottom + _LEAST_KEPT * height))
        return
    apart = room.hspace / (rows + room.hspace * (rows - 1)) * height
    needed += _INCHES_OF_A_LABEL / _height_inches(figure)
    apart = max(apart, min(needed, (1 - _LEAST_KEPT) * height / (rows - 1)))
    figure.subplots_adjust(hspace=apart * rows / (height - apart * (rows - 1)))


def _height_inches(figure: Figure | SubFigure) -> float:
    return float(figure.bbox.height / figure.dpi)


def _figure_dpi(ax: Axes) -> float:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return float(figure.dpi)
