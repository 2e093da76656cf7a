"""Pauses over time."""

from __future__ import annotations

from collections import defaultdict
from math import nan
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.explain.pause_victims import pauses_of
from xoff.plot import course, room, style
from xoff.plot.shortened import shortened
from xoff.plot.stretch import Stretch

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff.explain.pauses import Pauses, Queue
    from xoff.results.result import Result

_TICKS = 6
_MARGIN = 1.05
MOST_PORTS = 20
PIXELS = 600  # across a figure: gaps that are narrower cannot be seen, and bars would not be
_MOST_JOINED = 10
"""Most pixels of a bar that joins several pauses, so that it shows when there were many."""
_SHADES, _PALEST = 5, 0.3
"""Number of shades of bars, and the opacity of the palest one."""
_NAME_LENGTHS = (28, 36, 44, 52, 60)
"""Most characters of a port's name; the first length with which all names differ is taken."""

_LET_GO, _PAUSED = style.COLOURS[3], style.COLOURS[0]


class _Bar(NamedTuple):
    """A pause, or several with gaps too narrow to be seen."""

    start_us: float
    end_us: float
    paused_us: float

    @property
    def shade(self) -> float:
        """Opacity of the bar: 1 for pauses without gaps, less the more gaps it has."""
        share = round(_SHADES * self.paused_us / (self.end_us - self.start_us)) / _SHADES
        return _PALEST + (1 - _PALEST) * share


def longest_paused(result: Result) -> str:
    """Returns the host that was paused longest, or the port if no host was. Raises ValueError without any pause."""
    by_time = _by_time(pauses_of(result), Stretch.all_of(result))
    hosts = {host for table in (result.flows, result.pause_flows) for host in _ends(table)}
    paused = (queue.port.rpartition(".")[0] for queue in by_time)
    return next((node for node in paused if node in hosts), by_time[0].port)


def _ends(flows: pa.Table) -> set[str]:
    """Returns the hosts at both ends of flows."""
    return {host for end in ("source", "destination") for host in flows[end].unique().to_pylist()}


def draw_timeline(result: Result, ax: Axes, stretch: Stretch | None = None) -> Axes:
    """Draws a bar per pause and a row per class of a port, the longest paused at the top.

    Args:
        result: The result.
        ax: The axes; without any pause, they say so.
        stretch: The time that is shown and counts; left out, all.
    """
    pauses = pauses_of(result)
    shown_time = stretch or Stretch.all_of(result)
    queues = _by_time(pauses, shown_time)
    if not queues:
        style.say_nothing_is_there(ax, "nothing was paused" + ("" if stretch is None else stretch.told))
    shown = queues[:MOST_PORTS]
    several = len({queue.priority for queue in shown}) > 1
    _draw_watchdog(result, shown, shown_time, ax)
    course.draw(result, ax, stretch)
    axis = stretch or _axis(pauses, shown, shown_time, ax)
    _draw_bars([_bars(pauses, queue, axis) for queue in shown], ax)
    names = shortened([str(queue) if several else queue.port for queue in shown], _NAME_LENGTHS)
    ax.set_yticks(range(len(shown)), list(map(style.plain, names)))
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    if stretch is not None:
        stretch.show(ax)
    else:
        ax.set_xlim(axis)
        ax.xaxis.set_major_locator(room.RoomyLocator(_TICKS))
        ax.xaxis.set_major_formatter(style.ticks(style.TIME_UNITS))
    ax.set_xlabel("time")
    ax.set_ylabel("paused port")
    ax.tick_params(axis="y", labelsize=7.5)
    hidden = f"{MOST_PORTS} longest paused of {len(queues)}" if len(queues) > MOST_PORTS else None
    if ax.get_legend_handles_labels()[1]:
        style.legend(ax, hidden)
    elif hidden:
        ax.set_title(hidden, fontsize=8)
    return ax


def bars_of_ports(result: Result) -> dict[str, list[tuple[float, float]]]:
    """Returns begin and end of each pause in microseconds, by name of the ports that were paused longest."""
    pauses = pauses_of(result)
    shown = _by_time(pauses, Stretch.all_of(result))[:MOST_PORTS]
    several = len({queue.priority for queue in shown}) > 1
    return {
        str(queue) if several else queue.port: [
            (float(pauses.start_ns[row]) / 1000, float(pauses.end_ns[row]) / 1000) for row in pauses.of(queue)
        ]
        for queue in shown
    }


def _axis(pauses: Pauses, shown: list[Queue], run: Stretch, ax: Axes) -> Stretch:
    """Returns the time until the last pause is over and all that was drawn ends; the whole run without pauses."""
    ends_us = [float(pauses.end_ns[row]) / 1000 for queue in shown for row in pauses.of(queue)]
    if not ends_us:
        return run
    return Stretch(run.start_us, min(run.end_us, _MARGIN * max(*ends_us, float(ax.dataLim.x1))))


def _draw_watchdog(result: Result, shown: list[Queue], time: Stretch, ax: Axes) -> None:
    """Draws a line above the pauses of a queue while the watchdog let it go."""
    lines = {(queue.port, queue.priority): line for line, queue in enumerate(shown)}
    label = "let go by the watchdog"
    for let_go in result.summary.get("watchdog", []):  # results of before have none
        line = lines.get((let_go["port"], let_go["priority"]))
        start = let_go["detected_ns"] / 1000
        end = time.end_us if let_go["restored_ns"] is None else let_go["restored_ns"] / 1000
        if line is None or not time.holds(start, end):
            continue
        ax.plot(time.clip(start, end), [line - 0.3] * 2, color=_LET_GO, linewidth=2, label=label, zorder=3)
        label = ""


def _by_time(pauses: Pauses, time: Stretch) -> list[Queue]:
    """Returns the queues that were paused in a time, the longest first."""
    paused: defaultdict[Queue, float] = defaultdict(float)
    for row, queue in enumerate(pauses.paused):
        start, end = pauses.start_ns[row] / 1000, pauses.end_ns[row] / 1000
        if time.holds(start, end):
            within = time.clip(start, end)
            paused[queue] += within[1] - within[0]
    return sorted(paused, key=lambda queue: (-paused[queue], queue))


def _bars(pauses: Pauses, queue: Queue, axis: Stretch) -> list[_Bar]:
    """Returns the bars of a queue; pauses with gaps too narrow to be seen are joined."""
    bars: list[_Bar] = []
    pixel_us = (axis.end_us - axis.start_us) / PIXELS
    for row in pauses.of(queue):
        start, end = float(pauses.start_ns[row]) / 1000, float(pauses.end_ns[row]) / 1000
        if not axis.holds(start, end):
            continue
        start, end = axis.clip(start, end)
        last = bars[-1] if bars else None
        if last and start - max(last.end_us, last.start_us + pixel_us) < pixel_us:
            if end - last.start_us <= _MOST_JOINED * pixel_us:
                bars[-1] = _Bar(last.start_us, end, last.paused_us + end - start)
                continue
            bars[-1] = last._replace(end_us=start)
        bars.append(_Bar(start, end, end - start))
    return [_seen(bar, axis, pixel_us) for bar in bars]


def _seen(bar: _Bar, axis: Stretch, pixel_us: float) -> _Bar:
    """Returns a bar widened to at least a pixel."""
    if bar.end_us - bar.start_us >= pixel_us:
        return bar
    start = min(bar.start_us, axis.end_us - pixel_us)
    return bar._replace(start_us=start, end_us=start + pixel_us)


def _draw_bars(bars: list[list[_Bar]], ax: Axes) -> None:
    """Draws the bars of each queue in a row, as one line with gaps, which is smaller in a page than rectangles."""
    thick = min(9.0, 130 / max(1, len(bars)))
    for line, of_queue in enumerate(bars):
        for shade in sorted({bar.shade for bar in of_queue}):
            across = [edge for bar in of_queue if bar.shade == shade for edge in (bar.start_us, bar.end_us, nan)]
            # Snapped to pixels, narrow bars would end where they start.
            look: dict[str, Any] = {"solid_capstyle": "butt", "snap": False, "alpha": shade}
            ax.plot(across, [line] * len(across), color=_PAUSED, linewidth=thick, **look)
    if any(bar.shade < 1 for of_queue in bars for bar in of_queue):
        ax.plot([], [], color=_PAUSED, linewidth=6, alpha=0.5, label="paler: paused part of the time")
