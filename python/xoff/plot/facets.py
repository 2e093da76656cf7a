"""Lines of a sweep divided among panels side by side, where one legend cannot tell them apart."""

from __future__ import annotations

from itertools import chain
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from xoff.plot import chosen, style
from xoff.plot.colour_scale import ColourScale
from xoff.plot.over_time import MOST_LINES
from xoff.plot.shortened import shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from xoff.plot.along import Along, Value
    from xoff.plot.house_figure import HouseFigure

MOST_COLUMNS = 4
FACET_INCHES = (2.5, 2.1)
TITLE_SIZE, TITLE_CHARACTERS = 9, 28
_MOST_TITLE_LINES = 2
_AROUND_INCHES = 0.8


class Placed(Protocol):
    """A combination of positions, such as a run of a sweep."""

    @property
    def at(self) -> Mapping[str, Value]:
        """Position on each axis."""


Row = TypeVar("Row", bound=Placed)


class FacetAxis(NamedTuple):
    """An axis of a sweep, and how its positions are labelled."""

    along: Along
    told: Callable[[Value], str]

    @property
    def positions(self) -> Sequence[Value]:
        """Positions in their order."""
        return list(self.along.places)

    @property
    def is_scale(self) -> bool:
        """Whether positions are numbers too many for a legend, which a scale of colours tells apart."""
        return len(self.positions) > MOST_LINES and self.along.unit is not None

    def colours(self) -> tuple[dict[str, ColorType], ColourScale | None]:
        """Returns the colour of each position, by label, and their scale; nothing without a scale."""
        if not self.is_scale:
            return {}, None
        scale = ColourScale(self.along)
        return {self.told(at): scale.colour(at) for at in self.positions}, scale


class Facet(NamedTuple, Generic[Row]):
    """Lines that are drawn in one panel of each measure, by name, and their looks."""

    lines: dict[str, list[Row]]
    looks: Mapping[str, Mapping[str, Any]]


class Facets(NamedTuple, Generic[Row]):
    """Panels side by side, by title, that share their scales."""

    shown: dict[str, Facet[Row]]
    hidden: str | None = None
    """Note on panels that are not drawn."""
    scale: ColourScale | None = None
    """Colours of the lines, if there are too many for a legend."""

    @classmethod
    def of(cls, rows: Sequence[Row], axes: Mapping[str, FacetAxis], most: int) -> Facets[Row]:
        """Puts the lines of some axes into one panel if a legend can tell them apart.

        Of more, one axis tells the lines of each panel apart: by their looks, or on a scale of colours if it has many
        numbers. The other axes have a panel for each combination, at most `most`. Many names are divided among panels.
        """
        if len(lines := _lines(rows, axes, axes)) <= MOST_LINES:
            return cls({"": Facet(lines, _looks(lines))})
        within = _within(axes)
        panels = _lines(rows, axes, [name for name in axes if name != within])
        shown = {title: _lines(of_it, axes, [within]) for title, of_it in chosen.evenly(panels, most).items()}
        hidden = chosen.left_out(panels, most)
        if len(axes[within].positions) <= MOST_LINES:
            return cls({title: Facet(lines, _looks(lines)) for title, lines in shown.items()}, hidden)
        colours, scale = axes[within].colours()
        if scale:
            looks = {label: {"color": colour} for label, colour in colours.items()}
            return cls({title: Facet(lines, looks) for title, lines in shown.items()}, hidden, scale)
        return cls(dict(chain(*map(_divided, shown.values()))), hidden)


def size_inches(count: int) -> tuple[float, float]:
    """Returns the size of a figure of panels in rows, with room for its labels."""
    rows, columns = _rows_and_columns(count)
    width, height = FACET_INCHES
    return width * columns, height * rows + _AROUND_INCHES


def grid(figure: HouseFigure, count: int) -> list[Axes]:
    """Returns new panels in rows over the same scales, with numbers beside the first column and below the last row."""
    rows, columns = _rows_and_columns(count)
    panels: list[Axes] = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False).flatten().tolist()
    for ax in panels[count:]:
        ax.remove()
    for ax in panels[max(0, count - columns) : count]:
        ax.tick_params(axis="x", labelbottom=True)
    return panels[:count]


def draw_title(ax: Axes, title: str) -> None:
    """Writes the title of a small panel."""
    ax.set_title(style.plain("\n".join(title_lines(title))), fontsize=TITLE_SIZE)


def title_lines(title: str) -> list[str]:
    """Returns a title as one or two lines, shortened in its middle if it is too long for them."""
    told, most = title, 2 * TITLE_CHARACTERS
    while len(lines := wrap(told, TITLE_CHARACTERS)) > _MOST_TITLE_LINES:
        told, most = shortened([title], [most])[0], most - 1
    return lines


def _rows_and_columns(count: int) -> tuple[int, int]:
    rows = -(-count // MOST_COLUMNS)
    return rows, -(-count // rows)


def _lines(rows: Iterable[Row], axes: Mapping[str, FacetAxis], of: Iterable[str]) -> dict[str, list[Row]]:
    """Returns rows by their positions on some axes, in words."""
    names = list(of)
    lines: dict[str, list[Row]] = {}
    for row in rows:
        lines.setdefault(", ".join(axes[name].told(row.at[name]) for name in names), []).append(row)
    return lines


def _within(axes: Mapping[str, FacetAxis]) -> str:
    """Returns the axis with most positions among those of few or of numbers; if there is none, that with most names."""

    def rank(name: str) -> tuple[bool, int]:
        positions = len(axes[name].positions)
        return positions <= MOST_LINES or axes[name].is_scale, positions

    return max((name for name, axis in axes.items() if len(axis.positions) > 1), key=rank)


def _looks(lines: Iterable[str]) -> dict[str, dict[str, Any]]:
    return {label: {"color": colour} for label, colour in zip(lines, style.COLOURS, strict=False)}


def _divided(lines: dict[str, list[Row]]) -> Iterator[tuple[str, Facet[Row]]]:
    """Divides lines with many names evenly among panels."""
    names = list(lines)
    looks = {name: style.look(number) for number, name in enumerate(names)}
    panels = -(-len(names) // MOST_LINES)
    size = -(-len(names) // panels)
    for start in range(0, len(names), size):
        of_it = names[start : start + size]
        yield f"{of_it[0]} to {of_it[-1]}", Facet({name: lines[name] for name in of_it}, looks)
