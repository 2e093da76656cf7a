"""Slowdown against flow size at the combinations of a sweep."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from xoff.plot import chosen, style
from xoff.plot.house_figure import HouseFigure
from xoff.studies.plot.slowdown_by_size import DRAWN, draw_lines, few, told_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from xoff.studies.slowdown_by_size import OfSize

_PANEL_INCHES = (3.3, 2.6)
_MOST_PANELS = 4


def draw(panels: Mapping[str, Mapping[str, Sequence[OfSize]]], apart: str) -> Figure:
    """Draws panels side by side, each with its lines by name, and one percentile below the other.

    The legend says with `apart` which axes tell the lines apart. Raises ValueError if there is nothing to draw.
    """
    if not any(chain(*(lines.values() for lines in panels.values()))):
        message = "slowdown_by_size: there are no flows of several sizes, or too many; expected another figure"
        raise ValueError(message)
    shown = chosen.evenly(panels, _MOST_PANELS)
    names = dict.fromkeys(chain(*shown.values()))
    told = list(chosen.evenly(names))
    is_alone = len(shown) == 1
    rows, columns = (1, len(DRAWN)) if is_alone else (len(DRAWN), len(shown))
    width = _PANEL_INCHES[0] * columns
    figure = HouseFigure(figsize=(width, _PANEL_INCHES[1] * rows + style.legend_inches(told, width)))
    grid = figure.subplots(rows, columns, squeeze=False)
    everything = [each for lines in shown.values() for name in told for each in lines.get(name, ())]
    for percent, of_percent in zip(DRAWN, grid.T if is_alone else grid, strict=True):
        for (panel, lines), ax in zip(shown.items(), of_percent, strict=True):
            drawn = [row._replace(scenario=name) for name in told for row in lines.get(name, ())]
            draw_lines(told, drawn, ax, percent, everything)
            ax.set_title(style.plain(f"{panel}, p{percent}" if panel else f"p{percent}"))
            if is_alone or percent == DRAWN[-1]:
                ax.set_xlabel(told_sizes(everything))
        of_percent[0].set_ylabel("FCT slowdown")
    hidden = chosen.left_out(panels, _MOST_PANELS)
    figure.supxlabel("\n".join([*few(everything), *([hidden] if hidden else [])]), fontsize=8)
    said = [style.plain(each) for each in (apart, chosen.left_out(names)) if each]
    style.shared_legend(list(grid.flat), "\n".join(said) or None)
    return figure
