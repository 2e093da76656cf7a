"""Slowdown against flow size at the combinations of a sweep."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from xoff.plot import chosen, style
from xoff.plot.colour_scale import BAR_INCHES
from xoff.plot.house_figure import HouseFigure
from xoff.studies.plot.slowdown_by_size import DRAWN, draw_facets, draw_lines, few, say_if_empty, told_sizes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import ColorType

    from xoff.plot.colour_scale import ColourScale
    from xoff.studies.slowdown_by_size import OfSize

_PANEL_INCHES, _LEGEND_INCHES = (3.3, 2.6), 0.17
_POINTS: dict[str, Any] = {"marker": "o", "linestyle": "-", "markersize": 2.5}
_MOST_PANELS, _MOST_FACETS = 4, 16
"""Most panels side by side with one percentile each, and most panels in rows with both."""


def draw(
    panels: Mapping[str, Mapping[str, Sequence[OfSize]]],
    apart: str,
    colours: Mapping[str, ColorType],
    scale: ColourScale | None,
) -> Figure:
    """Draws panels side by side, each with its lines by name, and one percentile below the other.

    Raises ValueError if there is nothing to draw.

    Args:
        panels: Lines by name, by title of the panel.
        apart: Axes that tell the lines apart although their names do not say so.
        colours: Colours of the lines on the scale.
        scale: Scale of colours if there are too many lines for a legend.
    """
    if not any(chain(*(lines.values() for lines in panels.values()))):
        message = "slowdown_by_size: there are no flows of several sizes, or too many; expected another figure"
        raise ValueError(message)
    is_small = len(panels) > _MOST_PANELS
    most = _MOST_FACETS if is_small else _MOST_PANELS
    shown = chosen.evenly(panels, most)
    names = dict.fromkeys(chain(*shown.values()))
    told = list(names) if scale else list(chosen.evenly(names))
    looks = {
        name: {"color": colours[name], "marker": "o", "linestyle": "-", "markersize": 2.5} for name in told if scale
    }
    looks = looks or {name: style.look(number) for number, name in enumerate(told)}
    hidden = chosen.left_out(panels, most)
    said = [style.plain(each) for each in (apart, None if scale else chosen.left_out(names)) if each]
    if is_small:
        of_told = {title: {name: lines[name] for name in told if name in lines} for title, lines in shown.items()}
        figure, axes = draw_facets(of_told, looks, BAR_INCHES if scale else 0)
        _explain(figure, axes, scale, [*said, *([hidden] if hidden else [])])
        return figure
    is_alone = len(shown) == 1
    rows, columns = (1, len(DRAWN)) if is_alone else (len(DRAWN), len(shown))
    width = _PANEL_INCHES[0] * columns
    figure = HouseFigure(figsize=(width + (BAR_INCHES if scale else 0), _PANEL_INCHES[1] * rows + _LEGEND_INCHES))
    grid = figure.subplots(rows, columns, squeeze=False)
    everything = [each for lines in shown.values() for name in told for each in lines.get(name, ())]
    for percent, of_percent in zip(DRAWN, grid.T if is_alone else grid, strict=True):
        for (panel, lines), ax in zip(shown.items(), of_percent, strict=True):
            drawn = [row._replace(scenario=name) for name in told for row in lines.get(name, ())]
            draw_lines(told, drawn, ax, percent, everything, looks)
            say_if_empty(ax, {name: lines.get(name, ()) for name in told})
            ax.set_title(style.plain(f"{panel}, p{percent}" if panel else f"p{percent}"))
            if is_alone or percent == DRAWN[-1]:
                ax.set_xlabel(told_sizes(everything))
        of_percent[0].set_ylabel("FCT slowdown")
    figure.supxlabel("\n".join(few(everything)), fontsize=8)
    _explain(figure, list(grid.flat), scale, said)
    return figure


def _explain(figure: HouseFigure, axes: Sequence[Axes], scale: ColourScale | None, said: Sequence[str]) -> None:
    """Draws the bar of colours, and the legend of what has no colour on it."""
    if scale:
        scale.draw_bar(figure, axes)
        for ax in axes:
            for line in ax.get_lines():
                if len(line.get_xdata()):  # type: ignore[arg-type] # Matplotlib says ArrayLike
                    line.set_label("_nolegend_")
    if any(ax.get_legend_handles_labels()[1] for ax in axes) or said:
        style.shared_legend(axes, "\n".join(said) or None)
