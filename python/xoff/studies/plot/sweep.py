"""Figures of a sweep: each measure against the positions on an axis."""

from __future__ import annotations

from itertools import chain, product
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matplotlib.transforms import ScaledTranslation

from xoff.plot import bars, room, style
from xoff.plot.along import Along, Value, short
from xoff.plot.colour_scale import BAR_INCHES
from xoff.plot.facets import FACET_INCHES, MOST_COLUMNS, FacetAxis, Facets, draw_title
from xoff.plot.house_figure import HouseFigure
from xoff.plot.measure_ticks import ticks_of
from xoff.results.table import measure_name
from xoff.studies.plot import swept_slowdown_by_size

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

    from xoff.results.intervals import Estimate
    from xoff.studies.slowdown_by_size import OfSize
    from xoff.studies.sweep import Row, Sweep, Swept

_MANY_TIMES = 30
"""Ratio of the greatest to the least value of a measure from which the scale is logarithmic."""
_MOST_COLUMNS = 3
_PANEL_INCHES = (3.4, 2.5)
_LEAST_INCHES = 3.4
_MOST_FACETS, _MOST_PANELS = 6, 16
"""Most facets of several measures, and of one."""
_BESIDE_CHARACTERS = 22
_LINE = {"marker": "o", "linestyle": "-"}
_TITLE_CHARACTERS = 32
_NOTE_CHARACTERS = 40
_CHARACTERS_PER_INCH = 15
_APART = 0.4
"""Share of the distance to the next position that the points of all lines take, if not joined."""
_BESIDE_POINTS, _FAN_POINTS = 3.0, 12.0
"""Distance between joined lines, so that their bars do not overlap, and the most of all lines together."""
_FAN = 0.3
"""Share of the distance to the next position that all joined lines take at most."""
_MARGIN = 0.05
"""Margin that Matplotlib leaves beside the first and the last position."""
_POINT_POINTS = 3.5


_Points: TypeAlias = "dict[str, list[tuple[float, Estimate]]]"
"""Points of each line: place and estimate."""


class _Barred(NamedTuple):
    """A line as `bars.mark_cut` takes it."""

    places: list[float]
    estimates: list[Estimate]
    colour: str
    aside: Transform


class SweptPlots:
    """Figures of a sweep: a panel per measure, the first axis of numbers from left to right, lines for other axes."""

    def __init__(self, swept: Swept) -> None:
        self._swept = swept

    def measures(self) -> Figure:
        """Draws each measure with 95 % intervals over seeds."""
        with style.context():
            return _draw(self._swept, ratios=False)

    def ratios(self) -> Figure:
        """Draws each measure over its value at the first position of the first axis, with 95 % intervals over seeds."""
        with style.context():
            return _draw(self._swept, ratios=True)

    def slowdown_by_size(self) -> Figure:
        """Draws FCT slowdown against flow size, p50 and p99, over the same groups of flows everywhere.

        There is a line for each position on the first axis, and a panel for each combination of positions on the other
        axes: at most 16. More than eight positions are colours on a scale if they are numbers.

        Raises:
            ValueError: There is nothing to draw (`Swept.by_size`).
        """
        with style.context():
            sweep = self._swept.sweep
            first, *_ = sweep.axes
            colours, scale = _facet_axis(sweep, first).colours()
            return swept_slowdown_by_size.draw(_panels(self._swept), sweep.told_apart([first]), colours, scale)


def _draw(swept: Swept, *, ratios: bool) -> Figure:
    axis, along = _along(swept.sweep)
    sweep = swept.sweep
    others = [name for name in sweep.axes if name != axis]
    most = _MOST_PANELS if len(swept.told) == 1 else _MOST_FACETS
    facets = Facets.of(swept.rows, {name: _facet_axis(sweep, name) for name in others}, most)
    points = {
        (measure, title): _points(facet.lines, measure, axis, along, ratios=ratios)
        for measure in swept.told
        for title, facet in facets.shown.items()
    }
    drawn = {panel: _unless_vague(of_it) for panel, of_it in points.items()}
    estimates = {
        measure: [each for title in facets.shown for _, each in chain(*drawn[measure, title].values())]
        for measure in swept.told
    }
    shown = [measure for measure, found in estimates.items() if any(each.value for each in found)]
    zero = [measure for measure, found in estimates.items() if found and measure not in shown]
    shown = shown or list(swept.told[:1])
    figure, panels = _panels_of(shown, facets)
    barred = {}
    for (measure, title), ax in panels.items():
        along.label(ax)
        barred[measure, title] = _draw_lines(ax, drawn[measure, title], along, facets.shown[title].looks)
        if not any(drawn[measure, title].values()):
            style.say_nothing_is_there(ax, _why_none(swept, facets.shown[title].lines.values(), measure, ratios=ratios))
        if estimates[measure]:
            _scale(ax, measure, estimates[measure], ratios=ratios)
        else:
            ax.set_yticks([])
        if ratios and title == next(iter(facets.shown)):
            _say_what_has_none(swept, measure, ax)
    _share_scales(panels)
    _mark_cut(panels, barred)
    _name_panels(panels, facets, f"over {_base(swept.sweep)}" if ratios else "")
    foot = _what_has_none(swept, shown) if ratios else _what_is_zero(swept, zero)
    foot += _what_is_absent(swept, shown, ratios=ratios)
    foot += [bars.LEFT_OUT] if any(drawn[panel] != points[panel] for panel in panels) else []
    if foot:
        figure.supxlabel("\n".join(_note(figure, said) for said in foot), fontsize=8)
    _explain(figure, facets, "" if facets.scale else sweep.told_apart(others), list(panels.values()))
    return figure


def _panels_of(measures: Sequence[str], facets: Facets[Row]) -> tuple[HouseFigure, dict[tuple[str, str], Axes]]:
    """Returns a new figure and its panels by measure and facet, with a row for each measure if there are several."""
    titles = list(facets.shown)
    is_grid = len(titles) > 1 and len(measures) > 1
    count = len(titles) * len(measures)
    most = _MOST_COLUMNS if len(titles) == 1 else MOST_COLUMNS
    rows = len(measures) if is_grid else -(-count // most)
    columns = -(-count // rows)
    width, height = _PANEL_INCHES if len(titles) == 1 else FACET_INCHES
    bar = BAR_INCHES if facets.scale else 0
    figure = HouseFigure(figsize=(max(width * columns, _LEAST_INCHES) + bar, height * rows + 0.5))
    grid = figure.subplots(rows, columns, squeeze=False).flatten().tolist()
    for ax in grid[count:]:
        ax.remove()
    return figure, dict(zip(product(measures, titles), grid, strict=False))


def _name_panels(panels: Mapping[tuple[str, str], Axes], facets: Facets[Row], over: str) -> None:
    """Writes the measure above each panel, or beside the first of each row where panels have titles of their own."""
    is_alone = len(facets.shown) == 1
    several = len({measure for measure, _ in panels}) > 1
    for (measure, title), ax in panels.items():
        grid = ax.get_subplotspec()
        assert grid is not None
        name = measure_name(measure)
        beside = ([] if is_alone else [name]) + ([over] if over else [])
        if beside and grid.is_first_col():
            ax.set_ylabel(style.plain("\n".join(fill(part, _BESIDE_CHARACTERS) for part in beside)))
        if is_alone:
            ax.set_title(fill(name, _TITLE_CHARACTERS))
            continue
        if not several or grid.is_first_row():
            draw_title(ax, title)
        if not grid.is_first_col():
            ax.tick_params(axis="y", labelleft=False, which="both")
        if several and not grid.is_last_row():
            ax.set_xlabel(ax.get_xlabel().partition("\n")[2])


def _scale(ax: Axes, measure: str, estimates: Sequence[Estimate], *, ratios: bool) -> None:
    """Scales the vertical axis of a panel, as far as there are values."""
    if ratios:
        ax.axhline(1, color=style.COLOURS[6], linewidth=1, linestyle="--")
        bars.scale_of_ratios(ax, estimates)
        return
    values = [each.value for each in estimates]
    if min(values) > 0 and max(values) > _MANY_TIMES * min(values):
        ax.set_yscale("log")
        style.logarithmic(ax.yaxis, ("",), min(values), max(values))
    else:
        ax.set_ylim(0, 1.05 * bars.highest(estimates) or 1)
    ax.yaxis.set_major_formatter(ticks_of(measure))


def _share_scales(panels: Mapping[tuple[str, str], Axes]) -> None:
    """Limits the vertical axes of panels of one measure to what all of them show together."""
    by_measure: dict[str, list[Axes]] = {}
    for (measure, _), ax in panels.items():
        by_measure.setdefault(measure, []).append(ax)
    for row in by_measure.values():
        lows, highs = zip(*(ax.get_ylim() for ax in row), strict=True)
        for ax in row:
            ax.set_ylim(min(lows), max(highs))


def _mark_cut(panels: Mapping[tuple[str, str], Axes], barred: Mapping[tuple[str, str], Sequence[_Barred]]) -> None:
    for panel, ax in panels.items():
        for line in barred[panel]:
            bars.mark_cut(ax, *line)


def _explain(figure: Figure, facets: Facets[Row], apart: str, panels: Sequence[Axes]) -> None:
    """Draws the bar of colours, or the legend; `apart` names axes which labels of lines do not name."""
    said = [_note(figure, each) for each in (apart, facets.hidden) if each]
    if facets.scale:
        facets.scale.draw_bar(figure, panels)
        if said:
            figure.suptitle("\n".join(said), fontsize=8)
    elif any(len(facet.lines) > 1 for facet in facets.shown.values()):
        style.shared_legend(panels, "\n".join(said) or None)


def _say_what_has_none(swept: Swept, measure: str, ax: Axes) -> None:
    """Writes below a panel which points are missing because a ratio over zero does not exist."""
    missing = len(swept.over_zero(measure))
    if missing:
        counted = sum(measure in row.measured for row in swept.rows)
        said = style.plain(f"no ratio of {missing} of {counted}: {_base(swept.sweep)} has 0")
        ax.set_xlabel(f"{ax.get_xlabel()}\n{fill(said, _NOTE_CHARACTERS)}")


def _what_has_none(swept: Swept, shown: Sequence[str]) -> list[str]:
    """Returns a note on measures without a panel because a ratio over zero does not exist."""
    without = (
        measure for measure in swept.told if any(row.measured[measure].value for row in swept.over_zero(measure))
    )
    names = [measure_name(measure) for measure in without if measure not in shown]
    return [f"no ratio of {', '.join(names)}: {_base(swept.sweep)} has 0"] if names else []


def _what_is_zero(swept: Swept, zero: Sequence[str]) -> list[str]:
    """Returns a note on chosen measures without a panel because they are zero throughout."""
    is_told = zero and swept.sweep.chose_measures
    return [f"{', '.join(map(measure_name, zero))}: 0 throughout"] if is_told else []


def _what_is_absent(swept: Swept, shown: Sequence[str], *, ratios: bool) -> list[str]:
    """Returns a note on measures without a panel because no combination has a value."""
    absent = [measure for measure in swept.told if _is_absent(swept, measure, ratios=ratios)]
    names = [measure_name(measure) for measure in absent if measure not in shown]
    return [f"{', '.join(names)}: {_nothing_to_count(swept, ratios=ratios)}"] if names else []


def _is_absent(swept: Swept, measure: str, *, ratios: bool) -> bool:
    """Whether no combination has a value of a measure, and not because its ratio is over zero."""
    there = any(measure in (row.ratios if ratios else row.measured) for row in swept.rows)
    return not there and not (ratios and swept.over_zero(measure))


def _why_none(swept: Swept, lines: Iterable[Sequence[Row]], measure: str, *, ratios: bool) -> str:
    """Returns the reason in words why a panel has no point of a measure."""
    rows = list(chain(*lines))
    if ratios and any(row in rows for row in swept.over_zero(measure)):
        return f"no ratio: {_base(swept.sweep)} has 0"
    return _nothing_to_count(swept, ratios=ratios)


def _nothing_to_count(swept: Swept, *, ratios: bool) -> str:
    """Returns the reason in words why a measure is absent."""
    whose = f"{_base(swept.sweep)} has " if ratios else ""
    return f"{whose}nothing to count" + (" with some seed" if len(swept.sweep.seeds) > 1 else "")


def _note(figure: Figure, text: str) -> str:
    """Breaks a note into lines that are not wider than the figure."""
    return fill(style.plain(text), int(_CHARACTERS_PER_INCH * figure.get_figwidth()))


def _base(sweep: Sweep) -> str:
    """Returns the base of ratios in words, with numbers as people write them."""
    return sweep.told(next(iter(sweep.axes)), short(sweep.first_position))


def _lanes(lines: int) -> list[float]:
    """Returns the offset of each line from the middle of all, so that none hides another."""
    return [line - (lines - 1) / 2 for line in range(lines)]


def _along(sweep: Sweep) -> tuple[str, Along]:
    found = {name: _along_of(sweep, name) for name in sweep.axes}
    return next(((name, along) for name, along in found.items() if along.unit is not None), next(iter(found.items())))


def _facet_axis(sweep: Sweep, name: str) -> FacetAxis:
    return FacetAxis(_along_of(sweep, name), lambda position: _position_told(sweep, name, position))


def _along_of(sweep: Sweep, name: str) -> Along:
    return Along.of(sweep.heading(name), list(sweep.axes[name].positions), sweep.axes[name].unit)


def _panels(swept: Swept) -> dict[str, dict[str, list[OfSize]]]:
    """Returns the slowdowns by flow size of each line, by panel."""
    sweep, (first, *others) = swept.sweep, swept.sweep.axes
    found: dict[str, list[OfSize]] = {}
    for each in swept.by_size:
        found.setdefault(each.scenario, []).append(each)
    panels: dict[str, dict[str, list[OfSize]]] = {}
    for row in swept.rows:
        lines = panels.setdefault(_told(sweep, row, others), {})
        lines[_told(sweep, row, [first])] = found.get(sweep.named(row.at), [])
    return panels


def _told(sweep: Sweep, row: Row, axes: Iterable[str]) -> str:
    """Returns the positions of a combination on some axes, in words."""
    return ", ".join(_position_told(sweep, axis, row.at[axis]) for axis in axes)


def _position_told(sweep: Sweep, axis: str, position: Value) -> str:
    return sweep.told(axis, short(position))


def _points(lines: dict[str, list[Row]], measure: str, axis: str, along: Along, *, ratios: bool) -> _Points:
    """Returns the points of each line: the place of each combination, and its estimate."""
    found = {
        label: [(along.places[row.at[axis]], (row.ratios if ratios else row.measured).get(measure)) for row in rows]
        for label, rows in lines.items()
    }
    return {label: [(place, each) for place, each in points if each] for label, points in found.items()}


def _unless_vague(lines: _Points) -> _Points:
    """Returns the points without intervals that are too wide to tell anything."""
    return {label: [(place, each.unless_vague) for place, each in points] for label, points in lines.items()}


def _draw_lines(
    ax: Axes,
    lines: Mapping[str, Sequence[tuple[float, Estimate]]],
    along: Along,
    looks: Mapping[str, Mapping[str, Any]],
) -> list[_Barred]:
    """Draws the lines side by side: names always, numbers only if their bars would hide one another."""
    lanes = _lanes(len(lines))
    if along.unit is None:
        still, width = _aside(ax, 0), _APART / len(lanes)
        _show_all(ax, [place + width * lane for place in along.places.values() for lane in lanes])
        return [
            _line(
                ax,
                [(place + width * lane, each) for place, each in points],
                label,
                {**looks[label], "linestyle": ""},
                still,
            )
            for (label, points), lane in zip(lines.items(), lanes, strict=True)
        ]
    has_bars = any(each.low is not None for points in lines.values() for _, each in points)
    apart = _points_apart(ax, along, len(lines)) if has_bars else 0.0
    fan = apart * (len(lines) - 1) + _POINT_POINTS
    ax.set_xmargin(max(_MARGIN, fan / 2 / _width_points(ax)))
    _show_all(ax, list(along.places.values()))
    return [
        _line(ax, points, label, looks[label], _aside(ax, apart * lane))
        for (label, points), lane in zip(lines.items(), lanes, strict=True)
    ]


def _show_all(ax: Axes, places: Sequence[float]) -> None:
    """Widens the axis to hold some places, even if a panel has no point there."""
    ax.update_datalim([(place, 0) for place in places], updatey=False)


def _points_apart(ax: Axes, along: Along, lines: int) -> float:
    """Returns the distance between neighbouring lines, in points."""
    gaps = max(1, lines - 1)
    return min(_BESIDE_POINTS, _FAN_POINTS / gaps, _FAN * along.nearest(ax) * _width_points(ax) / gaps)


def _width_points(ax: Axes) -> float:
    return 72 * room.width_inches(ax)


def _aside(ax: Axes, points: float) -> Transform:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return ScaledTranslation(points / 72, 0, figure.dpi_scale_trans)


def _line(
    ax: Axes, found: Sequence[tuple[float, Estimate]], label: str, look: Mapping[str, Any], aside: Transform
) -> _Barred:
    places, estimates = [place for place, _ in found], [estimate for _, estimate in found]
    drawn = ax.errorbar(
        places,
        [estimate.value for estimate in estimates],
        style.error_bars(estimates),
        markersize=_POINT_POINTS,
        capsize=2,
        linewidth=1.2,
        elinewidth=0.7,
        label=style.plain(label),
        **_LINE | dict(look),
    )
    for artist in drawn.get_children():
        artist.set_transform(ax.transData + aside)
    return _Barred(places, estimates, str(drawn.lines[0].get_color()), aside)
