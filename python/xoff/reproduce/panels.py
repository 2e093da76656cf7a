"""Rows and columns of panels, as papers draw one comparison of many things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from matplotlib.axes import Axes

    from xoff.reproduce.points import Measure, Points

Names: TypeAlias = "Mapping[Any, str]"
"""For each position on an axis what a reader calls it, in the order of the plot."""


def ratios(
    points: Points,
    measures: Mapping[str, Measure],
    *,
    along: str,
    lines: tuple[str, Names],
    columns: tuple[str, Names],
) -> Figure:
    """Ratios to the first of several lines, with 95 % intervals over seeds.

    Args:
        points: What is drawn; on other axes than the three they are at one position.
        measures: For each row of panels its title and what is drawn.
        along: The axis from left to right in a panel, of numbers.
        lines: The axis whose positions are lines; the first is the base.
        columns: The axis whose positions are columns of panels; those that have not run are left out.
    """
    base = next(iter(lines[1].values()))
    over_base = {f"{title}\nover {base}": measure for title, measure in measures.items()}
    figure = _grid(points, over_base, along, lines, columns, _ratios)
    for ax in figure.axes:  # not before all of a row are drawn, because they share a scale
        ax.set_ylim(bottom=0)
    return figure


def means(
    points: Points,
    measures: Mapping[str, Measure],
    *,
    along: str,
    lines: tuple[str, Names],
    columns: tuple[str, Names],
    logarithmic: bool = False,
) -> Figure:
    """Means over seeds; the arguments are those of `ratios`, but that no line is a base."""
    figure = _grid(points, measures, along, lines, columns, _means)
    for ax in figure.axes:
        if logarithmic:
            ax.set_yscale("log")
        else:
            ax.set_ylim(bottom=0)
    return figure


def _grid(
    points: Points,
    measures: Mapping[str, Measure],
    along: str,
    lines: tuple[str, Names],
    columns: tuple[str, Names],
    draw: Callable[[Points, Measure, str, tuple[str, Names], Axes], None],
) -> Figure:
    shown = {at: name for at, name in columns[1].items() if at in points.axis(columns[0])}
    figure = Figure(figsize=(1 + 2.6 * len(shown), 1 + 2.1 * len(measures)))
    rows = figure.subplots(len(measures), len(shown), sharex=True, sharey="row", squeeze=False)
    for row, (title, measure) in zip(rows, measures.items(), strict=True):
        for ax, at in zip(row, shown, strict=True):
            draw(points.where(**{columns[0]: at}), measure, along, lines, ax)
        row[0].set_ylabel(title)
    for ax, name in zip(rows[0], shown.values(), strict=True):
        ax.set_title(name)
    for ax in rows[-1]:
        ax.set_xlabel(along.replace("_", " "))
    figure.legend(*rows[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(lines[1]))
    return figure


def _means(points: Points, measure: Measure, along: str, lines: tuple[str, Names], ax: Axes) -> None:
    axis, names = lines
    for (at, name), colour in zip(names.items(), style.COLOURS, strict=False):
        values = [points.mean(measure, **{axis: at, along: position}) for position in points.axis(along)]
        ax.plot(points.axis(along), values, "o-", markersize=4, color=colour, label=name)


def _ratios(points: Points, measure: Measure, along: str, lines: tuple[str, Names], ax: Axes) -> None:
    axis, names = lines
    base, *others = names
    ax.axhline(1, color=style.COLOURS[6], linewidth=1, linestyle="--", label=names[base])
    for at, colour in zip(others, style.COLOURS, strict=False):
        ratios = points.ratios(measure, **{axis: (at, base)})
        below = [ratio.value - ratio.low if ratio.low is not None else 0 for ratio in ratios]
        above = [ratio.high - ratio.value if ratio.high is not None else 0 for ratio in ratios]
        values = [ratio.value for ratio in ratios]
        ax.errorbar(
            points.axis(along), values, [below, above], fmt="o-", markersize=4, capsize=3, color=colour, label=names[at]
        )
