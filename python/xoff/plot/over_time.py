"""Observed quantities against time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow.compute as pc
from matplotlib.ticker import AutoLocator, MaxNLocator

from xoff.plot import adding_up, course, room, style
from xoff.results import recorded
from xoff.text import units

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff.plot.stretch import Stretch
    from xoff.results.result import Result

MOST_LINES = 8
_ALIKE = 0.05
"""Share of the highest peak within which peaks of rates count as equal; most reach their link's rate."""
_TICKS = 6
POINTS = 1000  # per line: the extremes of as many stretches as a figure in a report is wide

Names: TypeAlias = "Sequence[str] | str | None"
"""Names and patterns as in `observe.of`, one or several; None for all."""


class _Axis(NamedTuple):
    label: str
    units: tuple[str, ...]
    nothing: str
    """Text where all values are zero."""
    drawstyle: str = "steps-post"
    names: tuple[tuple[str, int], ...] = ()
    """Names of the values, where these stand for states."""
    is_share: bool = False


_BEFORE = "steps-pre"
"""Style of lines whose values are of the time since the value before."""
_COUNTED = ("",)
_RTT_UNITS = ("ns", *style.TIME_UNITS)
_STATES = tuple((name, value) for name, value in recorded.RECOVERY_STATES.items() if name != "disorder")
_AXES = {
    "queue": _Axis("queue", style.SIZE_UNITS, "no queue held anything"),
    "pool": _Axis("pool", style.SIZE_UNITS, "no pool held anything"),
    "throughput": _Axis("throughput", style.RATE_UNITS, "nothing was sent", _BEFORE),
    "class_throughput": _Axis("throughput", style.RATE_UNITS, "nothing was sent", _BEFORE),
    "window": _Axis("window", style.SIZE_UNITS, "every window was closed"),
    "alpha": _Axis("alpha", _COUNTED, "every alpha was zero", is_share=True),
    "threshold": _Axis("slow-start threshold", style.SIZE_UNITS, "every threshold was zero"),
    "rtt": _Axis("smoothed round-trip time", _RTT_UNITS, "every round-trip time was zero"),
    "recovery_state": _Axis("recovery state", _COUNTED, "no flow repaired a loss", names=_STATES),
    "rate": _Axis("rate limit", style.RATE_UNITS, "every rate was zero"),
    "flow_throughput": _Axis("throughput of flows", style.RATE_UNITS, "nothing was sent", _BEFORE),
    "input": _Axis("input buffer", style.SIZE_UNITS, "no input buffer held anything"),
    "cnms": _Axis("CNMs", _COUNTED, "no CNM came", _BEFORE),
    "marks": _Axis("packets marked", _COUNTED, "nothing was marked", _BEFORE),
    "drops": _Axis("packets dropped", _COUNTED, "nothing was dropped", _BEFORE),
}
_AXES_ON_CHANGE = {
    "cnms": _Axis("quantised feedback of CNMs", _COUNTED, "no CNM came"),
    "marks": _Axis("packets marked (cumulative)", _COUNTED, "nothing was marked"),
    "drops": _Axis("packets dropped (cumulative)", _COUNTED, "nothing was dropped"),
}
_MAY_BE_OF_CHANGES = frozenset({"queue", "window", "rate", "cnms", "marks", "drops"})
"""Quantities that can be recorded on change."""


class Line(NamedTuple):
    """A recorded series: one quantity of one name and priority."""

    label: str
    time_us: np.ndarray
    value: np.ndarray


class Chosen(NamedTuple):
    """The lines to draw among all that were recorded."""

    shown: list[Line]
    of: int
    """Number of lines that could be drawn."""
    zero: int
    """Number of lines left out because they are zero throughout."""

    @property
    def all_are_zero(self) -> bool:
        """Whether all lines are zero; a single line of zeros then stands for all."""
        return not self.of

    @property
    def hidden(self) -> str | None:
        """Note in the legend on lines that are not drawn."""
        return None if self.all_are_zero else left_out(len(self.shown), self.of, self.zero)

    def name(self, line: Line, label: str | None = None) -> str:
        """Returns the label of a line: the result's label and the line's name, without the name for a single line."""
        if self.all_are_zero:
            return style.plain(label) if label else _UNNAMED
        is_single = self.of + self.zero == 1
        return style.plain(", ".join(part for part in (label, None if label and is_single else line.label) if part))


_UNNAMED = "_nolegend_"


def quantities(result: Result) -> list[str]:
    """Returns the observed quantities, in the order of first appearance."""
    return [] if result.series is None else pc.unique(result.series["quantity"]).to_pylist()


def lines_of(result: Result, quantity: str, names: Names = None) -> list[Line]:
    """Returns a line per name and priority, the highest peak first; `names` may be patterns, as in `observe.of`.

    Marks and drops that were recorded one by one are counted from the start. Raises ValueError if there is no line, or
    none that a name or pattern fits.
    """
    if result.series is None or quantity not in quantities(result):
        raise ValueError(recorded.why_not(result, quantity))
    of_quantity = result.series.filter(pc.equal(result.series["quantity"], quantity))
    there = pc.unique(of_quantity["name"]).to_pylist()
    lines = _split(of_quantity, None if names is None else recorded.names_meant(there, names))
    if quantity in {"marks", "drops"} and _is_of_changes(result, quantity):
        lines = [_counted(line) for line in lines]
    return sorted(lines, key=lambda line: -line.value.max(initial=0))


def choose(result: Result, quantity: str, names: Names = None, stretch: Stretch | None = None) -> Chosen:
    """Returns at most eight lines, the highest peaks in a stretch of time first.

    Lines with the same peak are ordered by their sum over time. Lines of zeros are only taken if named in full. Raises
    ValueError as `lines_of` does, and if no line has a record in the stretch.
    """
    peaks = [(line, peak(result, quantity, line, stretch)) for line in lines_of(result, quantity, names)]
    recorded = [(line, high) for line, high in peaks if high is not None]
    if not recorded and stretch is not None:
        message = f"nothing was recorded{stretch.told}"
        raise ValueError(message)
    recorded = _ordered(result, quantity, recorded, stretch)
    named = {names} if isinstance(names, str) else set(names or ())
    lines = [line for line, high in recorded if high > 0 or line.label.partition(", priority ")[0] in named]
    shown = lines[:MOST_LINES] or [line for line, _ in recorded[:1]]
    return Chosen(shown, len(lines), len(recorded) - len(lines))


def _ordered(
    result: Result, quantity: str, peaks: list[tuple[Line, float]], stretch: Stretch | None
) -> list[tuple[Line, float]]:
    """Returns the lines with their peaks, the highest first, equal ones by their sum over time."""
    highest = max((high for _, high in peaks), default=0.0)
    step = _ALIKE * highest if _axis(result, quantity).units is style.RATE_UNITS else 0.0
    is_held = _is_held(result, quantity)

    def rank(found: tuple[Line, float]) -> tuple[float, float]:
        line, high = found
        peak = round(high / step) if step else high
        if not is_held:
            return -peak, -adding_up.samples(line.time_us, line.value, stretch)
        return -peak, -adding_up.steps(line.time_us, line.value, _end_us(result, line), stretch)

    return sorted(peaks, key=rank)


def peak(result: Result, quantity: str, line: Line, stretch: Stretch | None) -> float | None:
    """Returns the peak of a line in a stretch of time; None if it has no record there."""
    value = line.value if stretch is None else _cut(result, quantity, line, stretch).value
    return float(value.max()) if len(value) else None


def left_out(shown: int, of: int, zero: int) -> str | None:
    """Returns a note on lines left out: those with lower peaks, and those of zeros."""
    parts = [f"highest {shown} of {of}"] if shown < of else []
    if zero:
        parts.append(f"{zero} {'other is' if zero == 1 else 'others are'} zero throughout")
    return ", ".join(parts) or None


def draw(
    result: Result,
    quantity: str,
    ax: Axes,
    names: Names = None,
    stretch: Stretch | None = None,
    label: str | None = None,
) -> Axes:
    """Draws at most eight lines, the highest peaks first; the legend has the number of all, and the result's label."""
    chosen = choose(result, quantity, names, stretch)
    for line in chosen.shown:
        draw_line(result, quantity, line, ax, called=chosen.name(line, label), stretch=stretch)
    draw_axes(result, quantity, ax, stretch)
    course.draw(result, ax, stretch)
    style.legend(ax, chosen.hidden)
    return ax


class Shown(NamedTuple):
    """The lines of a figure, as they are drawn."""

    lines: list[Line]
    units: tuple[str, ...]
    drawstyle: str
    names: tuple[tuple[str, int], ...]
    is_dots: bool


def shown(result: Result, quantity: str, points: int) -> Shown:
    """Returns the lines that `draw` draws, each with about so many points at most."""
    axis, is_dots = _axis(result, quantity), _is_dots(result, quantity)
    lines = [line if is_dots else _held(result, quantity, line) for line in choose(result, quantity).shown]
    thin = [Line(line.label, *thinned(line, points)) for line in lines]
    return Shown(thin, axis.units, axis.drawstyle, axis.names, is_dots)


def _cut(result: Result, quantity: str, line: Line, stretch: Stretch) -> Line:
    """Returns the part of a line in a stretch."""
    if _is_dots(result, quantity):
        inside = (line.time_us >= stretch.start_us) & (line.time_us <= stretch.end_us)
        return Line(line.label, line.time_us[inside], line.value[inside])
    held = _held(result, quantity, line)
    before = _axis(result, quantity).drawstyle == _BEFORE
    return Line(line.label, *stretch.cut(held.time_us, held.value, before=before))


def draw_line(
    result: Result,
    quantity: str,
    line: Line,
    ax: Axes,
    colour: str | None = None,
    called: str | None = None,
    stretch: Stretch | None = None,
    linestyle: str = "-",
) -> None:
    """Draws a line, or a dot for each CNM, of which only the instant is known."""
    label = called or style.plain(line.label)
    shown = _held(result, quantity, line) if stretch is None else _cut(result, quantity, line, stretch)
    if _is_dots(result, quantity):
        ax.plot(shown.time_us, shown.value, ".", markersize=3, label=label, color=colour)
        return
    time_us, value = thinned(shown)
    drawstyle = _axis(result, quantity).drawstyle
    marker = "." if len(time_us) == 1 else None
    look: dict[str, Any] = {
        "drawstyle": drawstyle,
        "linewidth": 1.1,
        "linestyle": linestyle,
        "marker": marker,
        "color": colour,
    }
    ax.plot(time_us, value, label=label, **look)


def _is_dots(result: Result, quantity: str) -> bool:
    return quantity == "cnms" and _is_of_changes(result, quantity)


def draw_axes(result: Result, quantity: str, ax: Axes, stretch: Stretch | None = None) -> None:
    """Labels and scales both axes, from zero, over all of the time or a stretch."""
    axis = _axis(result, quantity)
    is_one_instant = ax.dataLim.x0 == ax.dataLim.x1
    ax.set_xlim(0, result.summary["end_ns"] / 1000 if is_one_instant else None)
    ax.xaxis.set_major_locator(room.RoomyLocator(_TICKS))
    ax.xaxis.set_major_formatter(style.ticks(style.TIME_UNITS))
    is_zero = ax.dataLim.y1 <= 0
    ax.set_ylim(0, 1 if is_zero else 1.05 * ax.dataLim.y1)
    whole = MaxNLocator(8, integer=True, steps=[1, 2, 5, 10])
    ax.yaxis.set_major_locator(whole if axis.units is _COUNTED and not axis.is_share else AutoLocator())
    if is_zero:
        ax.set_yticks([0])
    ax.yaxis.set_major_formatter(style.ticks(axis.units))
    if axis.names:
        names, values = zip(*axis.names, strict=True)
        ax.set_yticks(values, names)
    say_if_nothing(result, quantity, ax, stretch, is_zero=is_zero)
    if stretch is not None:
        stretch.show(ax)
    ax.set_xlabel("time")
    is_count = axis.units is _COUNTED and axis.drawstyle == _BEFORE
    ax.set_ylabel(f"{axis.label} per {_told_interval(result, quantity)}" if is_count else axis.label)


def say_if_nothing(result: Result, quantity: str, ax: Axes, stretch: Stretch | None, *, is_zero: bool) -> None:
    """Writes that all is zero where it is, and removes that once something was drawn."""
    style.unsay_nothing_is_there(ax)
    if is_zero:
        nothing = _axis(result, quantity).nothing + _at_samples(result, quantity)
        style.say_nothing_is_there(ax, nothing + ("" if stretch is None else stretch.told))


def _at_samples(result: Result, quantity: str) -> str:
    """Returns words which say that a quantity was sampled, and so may differ between samples."""
    is_of_all_time = _is_of_changes(result, quantity) or _axis(result, quantity).drawstyle == _BEFORE
    return "" if is_of_all_time else f" at any of the samples, every {_told_interval(result, quantity)}"


def _counted(line: Line) -> Line:
    """Returns the count of events over time, from zero at the start."""
    return Line(line.label, np.append(0.0, line.time_us), np.append(0.0, np.cumsum(line.value)))


def _held(result: Result, quantity: str, line: Line) -> Line:
    """Extends a line to all of the time in which its value is known.

    A value recorded on change holds after the last change, to the end of the flow or of the run. A value of the time
    since the value before begins with the first interval.
    """
    if _axis(result, quantity).drawstyle == _BEFORE:
        start_us = max(0.0, line.time_us[0] - _interval_us(result, quantity))
        return Line(line.label, np.append(start_us, line.time_us), np.append(0.0, line.value))
    if not _is_held(result, quantity):
        return line
    end_us = max(line.time_us[-1], _end_us(result, line))
    return Line(line.label, np.append(line.time_us, end_us), np.append(line.value, line.value[-1]))


def _is_held(result: Result, quantity: str) -> bool:
    """Whether each value of a quantity holds until the next."""
    return _is_of_changes(result, quantity) and not _is_dots(result, quantity)


def _end_us(result: Result, line: Line) -> float:
    """Returns the finish of a line's flow; the end of the run for unfinished flows and for other lines."""
    end_ns: float = result.summary["end_ns"]
    source, _, number = line.label.partition(".flow")
    if number:
        flows = result.flow_rows.select(["source", "number", "finish_ns"])
        of_it = pc.and_(pc.equal(flows["source"], source), pc.equal(flows["number"], int(number)))
        end_ns = pc.max(flows.filter(of_it)["finish_ns"]).as_py() or end_ns
    return end_ns / 1000


def _told_interval(result: Result, quantity: str) -> str:
    return units.quantity(_interval_us(result, quantity), style.TIME_UNITS)


def _interval_us(result: Result, quantity: str) -> float:
    """Returns the interval of samples of a quantity."""
    observed = recorded.observe(result.scenario)[recorded.key_of(quantity)]
    return course.microseconds(observed["every"])


def _is_of_changes(result: Result, quantity: str) -> bool:
    """Whether every change of a quantity, or every counted event, was recorded."""
    if quantity not in _MAY_BE_OF_CHANGES:
        return False
    return bool(recorded.observe(result.scenario)[recorded.key_of(quantity)]["every"] == "change")


def _axis(result: Result, quantity: str) -> _Axis:
    axes = _AXES_ON_CHANGE if quantity in _AXES_ON_CHANGE and _is_of_changes(result, quantity) else _AXES
    return axes.get(quantity, _Axis(quantity, _COUNTED, f"{quantity} was zero"))


def thinned(line: Line, points: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Returns a line with about `points` points at most, which keep the lowest and highest of each interval."""
    places = kept(line.value, points)
    return line.time_us[places], line.value[places]


def kept(value: np.ndarray, points: int = POINTS) -> np.ndarray:
    """Returns about `points` indices at most: the first, the last, and the lowest and highest of each interval."""
    if len(value) <= points:
        return np.arange(len(value))
    stretches = np.array_split(np.arange(len(value)), points // 2)
    extremes = [stretch[pick(value[stretch])] for stretch in stretches for pick in (np.argmin, np.argmax)]
    return np.unique([0, *extremes, len(value) - 1])


def _split(series: pa.Table, names: set[str] | None) -> list[Line]:
    """Splits the series by name and priority in one pass; there can be thousands of both."""
    name = series["name"].combine_chunks()
    codes, dictionary = name.indices.to_numpy(), name.dictionary.to_pylist()
    priority = series["priority"].to_numpy()
    time_us, value = series["time_ns"].to_numpy() / 1000, series["value"].to_numpy()
    order = np.lexsort((time_us, priority, codes))
    changes = np.flatnonzero(np.diff(codes[order]) | np.diff(priority[order])) + 1
    several = len(np.unique(priority)) > 1
    lines = []
    for rows in np.split(order, changes):
        label = dictionary[codes[rows[0]]]
        if names is None or label in names:
            shown = f"{label}, priority {priority[rows[0]]}" if several else label
            lines.append(Line(shown, time_us[rows], value[rows]))
    return lines
