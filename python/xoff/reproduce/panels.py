"""Rows and columns of panels, as papers draw one comparison of many things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from matplotlib.figure import Figure

from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    shown = {at: name for at, name in columns[1].items() if at in points.axis(columns[0])}
    figure = Figure(figsize=(1 + 2.6 * len(shown), 1 + 2.1 * len(measures)))
    rows = figure.subplots(len(measures), len(shown), sharex=True, sharey="row", squeeze=False)
    base = next(iter(lines[1].values()))
    for row, (title, measure) in zip(rows, measures.items(), strict=True):
        for ax, at in zip(row, shown, strict=True):
            _panel(points.where(**{columns[0]: at}), measure, along, lines, ax)
        row[0].set_ylabel(f"{title}\nover {base}")
    for ax, name in zip(rows[0], shown.values(), strict=True):
        ax.set_title(name)
    for ax in rows[-1]:
        ax.set_xlabel(along.replace("_", " "))
    figure.legend(*rows[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=len(lines[1]))
    return figure


def _panel(points: Points, measure: Measure, along: str, lines: tuple[str, Names], ax: Axes) -> None:
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
    ax.set_ylim(bottom=0)
