"""Pauses over time, and the tree of a victim."""

from __future__ import annotations

from collections import defaultdict
from math import nan
from typing import TYPE_CHECKING, Any

from matplotlib.ticker import MaxNLocator

from xoff.plot import course, style
from xoff.units import duration, percent
from xoff.victims import pauses_of

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff.pause_tree import PauseTree
    from xoff.pauses import Pauses, Queue
    from xoff.result import Result

MOST_PORTS = 20
PIXELS = 600  # across a figure: gaps that are narrower cannot be seen

MOST_WAYS = 16
"""Of a tree; below those that account for most nothing is drawn."""
_LEAST_INCHES = 8.0
"""Across a tree: a page would blow up one that is narrower."""

_ROOT, _PAUSED, _VICTIM = style.COLOURS[3], style.COLOURS[0], style.COLOURS[6]


def longest_paused(result: Result) -> str:
    """The host that was paused longest, or the port where no host was. Raises ValueError without any pause."""
    by_time = _by_time(pauses_of(result))
    hosts = {host for table in (result.flows, result.pause_flows) for host in _ends(table)}
    paused = (queue.port.rpartition(".")[0] for queue in by_time)
    return next((node for node in paused if node in hosts), by_time[0].port)


def _ends(flows: pa.Table) -> set[str]:
    """The hosts between which flows run."""
    return {host for end in ("source", "destination") for host in flows[end].unique().to_pylist()}


def draw_timeline(result: Result, ax: Axes) -> Axes:
    """A bar for each pause, a line for each class of a port, the longest paused at the top, or that there is none."""
    pauses = pauses_of(result)
    queues = _by_time(pauses)
    if not queues:
        ax.text(0.5, 0.5, "nothing was paused", transform=ax.transAxes, ha="center", va="center")
    shown = queues[:MOST_PORTS]
    several = len({queue.priority for queue in shown}) > 1
    end_us = result.summary["end_ns"] / 1000
    for line, queue in enumerate(shown):
        bars = _bars(pauses, queue, end_us / PIXELS)
        across = [edge for start, length in bars for edge in (start, start + length, nan)]
        thick = min(9.0, 130 / len(shown))  # one line with gaps is a fraction of as many rectangles in a page
        ax.plot(across, [line] * len(across), color=_PAUSED, linewidth=thick, solid_capstyle="butt")
    _draw_watchdog(result, shown, end_us, ax)
    ax.set_yticks(range(len(shown)), [style.plain(str(queue) if several else queue.port) for queue in shown])
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    course.draw(result, ax)
    ax.set_xlim(0, min(end_us, 1.05 * ax.dataLim.x1) if queues else end_us)
    ax.xaxis.set_major_locator(MaxNLocator(6))
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


def _draw_watchdog(result: Result, shown: list[Queue], end_us: float, ax: Axes) -> None:
    """A line above the pauses of a queue for as long as the watchdog let it go."""
    lines = {(queue.port, queue.priority): line for line, queue in enumerate(shown)}
    label = "let go by the watchdog"
    for let_go in result.summary.get("watchdog", []):  # results of before have none
        line = lines.get((let_go["port"], let_go["priority"]))
        if line is None:
            continue
        until = min(end_us, end_us if let_go["restored_ns"] is None else let_go["restored_ns"] / 1000)
        ax.plot([let_go["detected_ns"] / 1000, until], [line - 0.3] * 2, color=_ROOT, linewidth=2, label=label)
        label = ""


def size_inches(tree: PauseTree) -> tuple[float, float]:
    """What a tree needs to be read."""
    places = _places(tree)
    columns, rows = (max(place[axis] for place in places.values()) for axis in (0, 1))
    roots = (node for node in places if tree.graph.nodes[node]["is_root"])
    named = max((len(tree.flows(node)) for node in roots), default=0)
    return max(1.5 * (columns + 1), _LEAST_INCHES), (0.5 + 0.12 * named) * (rows + 1) + 0.4


def draw_tree(tree: PauseTree, ax: Axes) -> Axes:
    """The victim on the left, what each queue waited for to its right; lines as thick as their share, roots framed."""
    places = _places(tree)
    ax.set_axis_off()
    for node, (x, y) in places.items():
        data = tree.graph.nodes[node]
        for child in filter(places.__contains__, tree.children(node)):
            ends = [x, places[child][0]], [y, places[child][1]]
            ax.plot(*ends, color=style.COLOURS[5], linewidth=0.8 + 7 * tree.share(child))
        colour = _VICTIM if data["queue"] is None else _ROOT if data["is_root"] else _PAUSED
        words = f"{style.plain(data['name'])}\n{duration(data['paused_us'])}, {tree.share(node):.0%}"
        frame = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": colour, "linewidth": 1.2}
        ax.text(x, y, words, ha="center", va="center", fontsize=7.5, color="black", bbox=frame)
        if data["is_root"]:
            below: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "va": "top"}
            ax.annotate(style.plain("\n".join(tree.flows(node))), (x, y), (0, -17), fontsize=6.5, color=_ROOT, **below)
    columns, rows = (max(place[axis] for place in places.values()) for axis in (0, 1))
    ax.set_xlim(-0.5, columns + 0.5)
    ax.set_ylim(rows + 0.8, -0.4)
    if left_out := max((tree.share(node) for node in tree.graph if node not in places), default=0.0):
        ax.set_title(f"ways of at most {percent(left_out)} each are left out", fontsize=8)
    return ax


def _by_time(pauses: Pauses) -> list[Queue]:
    """Queues that were paused, the longest first."""
    time: defaultdict[Queue, int] = defaultdict(int)
    for row, queue in enumerate(pauses.paused):
        time[queue] += int(pauses.end_ns[row] - pauses.start_ns[row])
    return sorted(time, key=lambda queue: (-time[queue], queue))


def _bars(pauses: Pauses, queue: Queue, gap_us: float) -> list[tuple[float, float]]:
    """Start and length in microseconds of each pause; those with a gap too narrow to be seen are one."""
    bars: list[tuple[float, float]] = []
    for row in pauses.of(queue):
        start, end = float(pauses.start_ns[row]) / 1000, float(pauses.end_ns[row]) / 1000
        if bars and start - sum(bars[-1]) < gap_us:
            bars[-1] = (bars[-1][0], end - bars[-1][0])
        else:
            bars.append((start, end - start))
    return bars


def _places(tree: PauseTree) -> dict[int, tuple[float, float]]:
    """Where each node stands: its depth, and leaves one below another with parents in the middle of their children.

    Those are left out that account for least, as many as it takes to have few leaves.
    """
    places: dict[int, tuple[float, float]] = {}
    leaves, least = 0, _least_share(tree)

    def place(node: int, depth: int) -> float:
        nonlocal leaves
        below = [place(child, depth + 1) for child in tree.children(node) if tree.share(child) >= least]
        leaves += not below
        places[node] = (depth, sum(below) / len(below) if below else leaves - 1)
        return places[node][1]

    place(0, 0)
    return places


def _least_share(tree: PauseTree) -> float:
    """The share that a node must account for to be drawn."""

    def is_leaf(node: int, least: float) -> bool:
        return tree.share(node) >= least and all(tree.share(child) < least for child in tree.children(node))

    shares = sorted({tree.share(node) for node in tree.graph})
    return next(least for least in shares if sum(is_leaf(node, least) for node in tree.graph) <= MOST_WAYS)
