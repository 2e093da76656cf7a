"""The look of every figure: quiet axes, colours that people with any colour vision tell apart."""

from __future__ import annotations

import math
from collections import Counter
from contextlib import contextmanager
from functools import cache
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from cycler import cycler
from matplotlib import font_manager
from matplotlib.colors import to_hex
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from xoff.plot import room
from xoff.plot.house_figure import RC_OF_FILES, HouseFigure, letters_as_boxes
from xoff.plot.shortened import shortened
from xoff.text.units import quantity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from xoff.results.intervals import Estimate

TIME_UNITS = ("us", "ms", "s")
SIZE_UNITS = ("B", "kB", "MB", "GB")
RATE_UNITS = ("bps", "kbps", "Mbps", "Gbps", "Tbps")

SIZE_INCHES = (6.4, 3.6)
_CHARACTERS_PER_INCH = 11.25  # of a legend, of the width of its figure
_CHARACTERS_PER_INCH_OF_AXES = 14.5
_CHARACTERS_PER_INCH_OF_TEXT = 12.0
"""Characters per inch of text in axes."""
_BESIDE_A_LABEL = 7
"""Width, in characters, of the line beside a label and the gap to the next column."""
_LEGEND_SIZE, _SMALL_LEGEND_SIZE = 8, 7
"""Sizes of letters in legends; the smaller is for narrow axes."""
_INCHES_OF_A_LABEL = 0.17
_MOST_LINES_OF_LABELS = 8
"""Most lines of labels in a legend; more would leave the axes little height."""
_NOTHING = "nothing"
_LEAST_TICKS, _MOST_EVEN_TICKS = 3, 6
_TICKS_OF_A_DECADE = ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), (1.0, 2.0, 3.0, 5.0, 7.0))
"""Places of ticks within a decade of a logarithmic axis, the fewest first."""
_FIRST_OF_TWO_DECADES = 2
"""Index of the first places that are taken for fewer than two decades."""
_STEPS, _STEPS_FOR_FEW = (1, 2, 2.5, 5, 10), (1, 2, 2.5, 4, 5, 10)
"""Steps between ticks of an even axis; narrow axes also take 4, between 2.5 and 5."""

# Okabe and Ito's palette without its yellow, middling enough for light and dark paper alike.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#8c8c8c", "#7a5195")

_MARKERS = "osD^vP*X"
_LINES = ("-", "--", ":")
_LINES_APART = ("-", "--", (0, (1, 1.5)), (0, (6, 1.5, 1, 1.5)))
"""Lines to be drawn in this order, the first without gaps."""

CLASS_COLOURS = dict(zip(("all", "small", "medium", "large"), (COLOURS[6], *COLOURS[:3]), strict=True))

_STYLE: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.which": "major",
    "axes.labelsize": 10,
    "axes.prop_cycle": cycler(color=COLOURS),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.constrained_layout.use": True,
    "figure.dpi": 120,
    "figure.figsize": SIZE_INCHES,
    "font.size": 9.5,
    "grid.alpha": 0.25,
    "grid.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.6,
    "savefig.dpi": 200,
    "svg.fonttype": "none",
    **RC_OF_FILES,
}


_FONTS_WITH_MORE_LETTERS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Source Han Sans",
    "WenQuanYi Micro Hei",
    "WenQuanYi Zen Hei",
    "Hiragino Sans",
    "PingFang SC",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Arial Unicode MS",
)
"""Fonts for names in Chinese, Japanese and Korean, which Matplotlib's own font lacks."""


@contextmanager
def context() -> Iterator[None]:
    """Sets the style of the house inside a block.

    Only the style is undone at the end, since the first figure of a notebook switches its backend on in the same place.
    Letters that no font has are drawn as boxes, without a warning.
    """
    style = _STYLE | {"font.family": [*mpl.rcParams["font.family"], *_more_fonts()]}
    before = {key: mpl.rcParams[key] for key in style}
    mpl.rcParams.update(style)
    try:
        with letters_as_boxes():
            yield
    finally:
        mpl.rcParams.update(before)


@cache
def _more_fonts() -> list[str]:
    """Returns the installed fonts among those that have letters which the default font lacks."""
    installed = {font.name for font in font_manager.fontManager.ttflist}
    return [font for font in _FONTS_WITH_MORE_LETTERS if font in installed]


def axes(ax: Axes | None, size_inches: tuple[float, float] = SIZE_INCHES) -> Axes:
    """Returns the given axes, set to the colours that fewest lines have, or the axes of a new figure."""
    if ax is not None:
        taken = Counter(to_hex(line.get_color()) for line in ax.get_lines())
        ax.set_prop_cycle(color=sorted(COLOURS, key=taken.__getitem__))
        return ax
    from matplotlib import pyplot as plt

    return plt.subplots(figsize=size_inches, FigureClass=HouseFigure)[1]


def row_of_axes(count: int, size_inches: tuple[float, float] | None = None) -> list[Axes]:
    """Returns the axes of a new figure, side by side over the same horizontal axis."""
    size_inches = size_inches or (3.3 * count if count > 1 else SIZE_INCHES[0], 2.7)
    return list(figure(size_inches).subplots(1, count, sharex=True, squeeze=False)[0])


def figure(size_inches: tuple[float, float]) -> HouseFigure:
    """Returns a new figure, which a notebook shows."""
    from matplotlib import pyplot as plt

    new = plt.figure(figsize=size_inches, FigureClass=HouseFigure)
    assert isinstance(new, HouseFigure)
    return new


def look(number: int) -> dict[str, Any]:
    """Returns the look of a scenario by its number; from the ninth on, colours repeat with other markers and lines."""
    again = number // len(COLOURS)
    return {
        "color": COLOURS[number % len(COLOURS)],
        "marker": _MARKERS[(number + again) % len(_MARKERS)],
        "linestyle": _LINES[again % len(_LINES)],
    }


def apart(number: int) -> dict[str, Any]:
    """Returns the look of one of a few lines that may lie on one another.

    Each shows through the gaps of the next, and its markers are larger, where it has some.
    """
    return {
        "color": COLOURS[number],
        "linestyle": _LINES_APART[number % len(_LINES_APART)],
        "markersize": max(2.5, 7 - 1.5 * number),
    }


def say_nothing_is_there(ax: Axes, text: str) -> None:
    """Writes into empty axes that there is nothing to draw, until something is drawn into them."""
    in_lines = fill(text, int(_CHARACTERS_PER_INCH_OF_TEXT * room.width_inches(ax)))
    ax.text(0.5, 0.5, in_lines, transform=ax.transAxes, ha="center", va="center", gid=_NOTHING)


def unsay_nothing_is_there(ax: Axes) -> None:
    """Removes the text that says that there is nothing to draw."""
    for text in [text for text in ax.texts if text.get_gid() == _NOTHING]:
        text.remove()


def shared_legend(row: Sequence[Axes], title: str | None = None) -> None:
    """Draws one legend above panels for all their lines, in as many columns as fit; the figure grows with its height.

    Names too wide for the figure are broken into lines, or shortened in their middle.
    """
    handles: dict[str, Artist] = {}
    for ax in row:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure = row[0].get_figure(root=True)
    assert figure is not None
    characters = int(_CHARACTERS_PER_INCH * figure.get_figwidth())
    labels = _in_lines(list(handles), max(1, characters - _BESIDE_A_LABEL))
    columns = _columns_of(labels, characters)
    drawn = list(handles.values())
    figure.legend(drawn, labels, loc="outside upper center", ncols=columns, fontsize=8, title=title, title_fontsize=8)
    _grow(figure, labels, columns, title)


def _grow(figure: Figure, labels: Sequence[str], columns: int, title: str | None) -> None:
    """Makes a figure of the house higher by the lines of a legend after the first, for which it has room."""
    if isinstance(figure, HouseFigure):
        in_columns = [labels[start::columns] for start in range(columns)]
        lines = max((sum(label.count("\n") + 1 for label in column) for column in in_columns), default=0)
        lines += title.count("\n") + 1 if title else 0
        figure.grow(max(0, lines - 1) * _INCHES_OF_A_LABEL)


def plain(text: str) -> str:
    """Returns a user's name as a label: not as a formula, and in the legend even if it begins with an underscore."""
    seen = "\N{WORD JOINER}" + text if text.startswith("_") else text
    return seen.replace("$", r"\$")


def legend(ax: Axes, title: str | None = None) -> None:
    """Draws a legend above the axes and no wider than these; none if nothing has a name.

    The legend has as many columns as fit. A name that alone is too wide is broken into lines; many such names are
    shortened in their middle.
    """
    handles, labels = ax.get_legend_handles_labels()
    if not labels:
        return
    size = _SMALL_LEGEND_SIZE if room.is_narrow(ax) else _LEGEND_SIZE
    characters = int(_CHARACTERS_PER_INCH_OF_AXES * _LEGEND_SIZE / size * room.width_inches(ax))
    wrapped = _in_lines(labels, max(1, characters - _BESIDE_A_LABEL))
    columns = _columns_of(wrapped, characters)
    title = fill(title, max(1, characters)) if title else None
    drawn = ax.legend(
        handles,
        wrapped,
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=columns,
        title=title,
        title_fontsize=size,
        alignment="left",
        fontsize=size,
        borderaxespad=0.2,
        columnspacing=1.2,
        handlelength=1.4,
    )
    room.make_for_legend(ax, drawn)
    figure = ax.get_figure(root=True)
    assert figure is not None
    _grow(figure, wrapped, columns, title)


def _in_lines(labels: Sequence[str], characters: int) -> list[str]:
    """Breaks labels into lines of some characters; if that makes too many lines, shortens them to one line."""
    in_lines = [fill(label, characters) for label in labels]
    if sum(label.count("\n") + 1 for label in in_lines) <= _MOST_LINES_OF_LABELS:
        return in_lines
    named = shortened([label.replace(r"\$", "$") for label in labels], [characters])
    return [plain(fill(name, characters)) for name in named]


def _columns_of(labels: Collection[str], characters: float) -> int:
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    return min(max(1, len(labels)), max(1, int(characters / (longest + _BESIDE_A_LABEL))))


def logarithmic(axis: Axis, units: tuple[str, ...], low: float, high: float) -> None:
    """Sets the ticks of a logarithmic axis: at least three, at 1, 2 and 5 for less than two decades.

    If there are not enough such numbers, ticks are as far apart as on an even axis.
    """
    is_narrow = room.is_narrow(axis.axes)
    has_room_for_few = is_narrow or high >= 100 * low
    choices = _TICKS_OF_A_DECADE if has_room_for_few else _TICKS_OF_A_DECADE[_FIRST_OF_TWO_DECADES:]
    enough = [subs for subs in choices if _count_of_ticks(subs, low, high) >= _LEAST_TICKS]
    if enough:
        axis.set_major_locator(LogLocator(subs=enough[0]))
    else:
        most = room.most_ticks(axis.axes, _MOST_EVEN_TICKS)
        steps = _STEPS_FOR_FEW if is_narrow else _STEPS
        axis.set_major_locator(MaxNLocator(most, steps=steps, min_n_ticks=_LEAST_TICKS))
    axis.set_major_formatter(ticks(units))
    axis.set_minor_formatter(NullFormatter())


def _count_of_ticks(subs: Sequence[float], low: float, high: float) -> int:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return sum(low <= sub * 10.0**decade <= high for decade in decades for sub in subs)


def error_bars(estimates: Iterable[Estimate]) -> list[list[float]]:
    """Returns the lengths of the bars below and above the values; 0 without an interval."""
    found = list(estimates)
    below = [each.value - each.low if each.low is not None else 0 for each in found]
    above = [each.high - each.value if each.high is not None else 0 for each in found]
    return [below, above]


def ticks(units: tuple[str, ...]) -> FuncFormatter:
    """Returns ticks of values in the first unit, each in the unit that reads best; units differ by 1000. 0 has none."""
    return FuncFormatter(lambda value, _: quantity(value, units) if value else "0")
