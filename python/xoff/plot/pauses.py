"""Pauses over time."""

from __future__ import annotations

from collections import defaultdict
from math import nan
from typing import TYPE_CHECKING

from matplotlib.ticker import MaxNLocator

from xoff.plot import course, room, style
from xoff.plot.stretch import Stretch
from xoff.victims import pauses_of

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff.pauses import Pauses, Queue
    from xoff.result import Result

_TICKS = 6
_MARGIN = 1.05
MOST_PORTS = 20
PIXELS = 600  # across a figure: gaps that are narrower cannot be seen

_LET_GO, _PAUSED = style.COLOURS[3], style.COLOURS[0]


def longest_paused(result: Result) -> str:
    """The host that was paused longest, or the port where no host was. Raises ValueError without any pause."""
    by_time = _by_time(pauses_of(result), Stretch.all_of(result))
    hosts = {host for table in (result.flows, result.pause_flows) for host in _ends(table)}
    paused = (queue.port.rpartition(".")[0] for queue in by_time)
    return next((node for node in paused if node in hosts), by_time[0].port)


def _ends(flows: pa.Table) -> set[str]:
    """The hosts between which flows run."""
    return {host for end in ("source", "destination") for host in flows[end].unique().to_pylist()}


def draw_timeline(result: Result, ax: Axes, stretch: Stretch | None = None) -> Axes:
    """A bar for each pause, a line for each class of a port, the longest paused at the top, or that there is none.

    Args:
        result: What is drawn.
        ax: Where.
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
    for line, queue in enumerate(shown):
        bars = _bars(pauses, queue, axis)
        across = [edge for start, length in bars for edge in (start, start + length, nan)]
        thick = min(9.0, 130 / len(shown))  # one line with gaps is a fraction of as many rectangles in a page
        ax.plot(across, [line] * len(across), color=_PAUSED, linewidth=thick, solid_capstyle="butt")
    ax.set_yticks(range(len(shown)), [style.plain(str(queue) if several else queue.port) for queue in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    if stretch is not None:
        stretch.show(ax)
    else:
        ax.set_xlim(axis)
        ax.xaxis.set_major_locator(MaxNLocator(room.most_ticks(ax, _TICKS)))
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


def _axis(pauses: Pauses, shown: list[Queue], run: Stretch, ax: Axes) -> Stretch:
    """The time until the last pause is over, and whatever has been drawn; all of a run without any pause."""
    ends_us = [float(pauses.end_ns[row]) / 1000 for queue in shown for row in pauses.of(queue)]
    if not ends_us:
        return run
    return Stretch(run.start_us, min(run.end_us, _MARGIN * max(*ends_us, float(ax.dataLim.x1))))


def _draw_watchdog(result: Result, shown: list[Queue], time: Stretch, ax: Axes) -> None:
    """A line above the pauses of a queue for as long as the watchdog let it go."""
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
    """Queues that were paused in that time, the longest first."""
    paused: defaultdict[Queue, float] = defaultdict(float)
    for row, queue in enumerate(pauses.paused):
        start, end = pauses.start_ns[row] / 1000, pauses.end_ns[row] / 1000
        if time.holds(start, end):
            within = time.clip(start, end)
            paused[queue] += within[1] - within[0]
    return sorted(paused, key=lambda queue: (-paused[queue], queue))


def _bars(pauses: Pauses, queue: Queue, axis: Stretch) -> list[tuple[float, float]]:
    """Start and length in microseconds of each pause on the axis; those with a gap too narrow to be seen are one."""
    bars: list[tuple[float, float]] = []
    gap_us = (axis.end_us - axis.start_us) / PIXELS
    for row in pauses.of(queue):
        start, end = float(pauses.start_ns[row]) / 1000, float(pauses.end_ns[row]) / 1000
        if not axis.holds(start, end):
            continue
        start, end = axis.clip(start, end)
        if bars and start - sum(bars[-1]) < gap_us:
            bars[-1] = (bars[-1][0], end - bars[-1][0])
        else:
            bars.append((start, end - start))
    return bars
