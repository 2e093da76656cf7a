"""The critical path of a flow among its packets on their way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow.compute as pc
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from xoff.explain.critical_path import Cause
from xoff.plot import room, style

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from matplotlib.axes import Axes

    from xoff.explain.critical_path import CriticalPath, Stretch

_COLOURS = {
    Cause.TRANSMISSION: style.COLOURS[5],
    Cause.PROPAGATION: style.COLOURS[0],
    Cause.QUEUEING: style.COLOURS[1],
    Cause.PAUSED: style.COLOURS[3],
    Cause.LINK_DOWN: style.COLOURS[3],
    Cause.HOST: style.COLOURS[7],
    Cause.RATE: style.COLOURS[2],
    Cause.CREDIT: style.COLOURS[2],
    Cause.DELAYED_ACKNOWLEDGEMENT: style.COLOURS[7],
    Cause.RECOVERY: style.COLOURS[4],
    Cause.TIMEOUT: style.COLOURS[4],
    Cause.START: style.COLOURS[7],
}
_LINES = {
    Cause.LINK_DOWN: ":",
    Cause.CREDIT: ":",
    Cause.DELAYED_ACKNOWLEDGEMENT: ":",
    Cause.TIMEOUT: ":",
    Cause.START: "--",
}
_AT_SENDER = {Cause.RATE, Cause.RECOVERY, Cause.TIMEOUT, Cause.START}
_OTHERS = "#b8b8b8"
_MOST_PACKETS = 300
_PICOSECONDS = 1e6
"""Picoseconds in a microsecond."""

_Line = list[tuple[float, float]]


class _Hop(NamedTuple):
    """A packet at a port: the place on the path, and the times of arrival, departure and receipt at the other end."""

    height: float
    next_height: float
    arrived_us: float
    started_us: float | None
    reached_us: float | None


def size_inches(path: CriticalPath) -> tuple[float, float]:
    """Returns the size of a figure with room for the nodes of the path."""
    return 7.2, 1.6 + 0.42 * max(len(_nodes(path.packets)), 3)


def draw(path: CriticalPath, ax: Axes) -> Axes:
    """Draws time to the right, nodes of the path upwards, packets as thin and the critical path as thick lines."""
    nodes = _nodes(path.packets)
    hops = _hops(path.packets, len(nodes) - 1)
    shown = sorted({packet for packet, _ in hops})
    step = -(-len(shown) // _MOST_PACKETS)
    thin = set(shown[::step])
    lines = [line for (packet, _), hop in hops.items() if packet in thin for line in _course(hop)]
    ax.add_collection(LineCollection(lines, colors=_OTHERS, linewidths=0.6, zorder=1))
    if lost := _lost(path.packets, hops):
        ax.plot(*zip(*lost, strict=True), "x", color="black", markersize=5, label="dropped", zorder=4)
    _draw_path(path, hops, ax)
    ax.set_ylim(-0.25, len(nodes) - 0.75)
    ax.set_yticks(range(len(nodes)), [style.plain(node) for node in nodes])
    start, finish = path.start_ps / _PICOSECONDS, path.finish_ps / _PICOSECONDS
    margin = 0.02 * (finish - start)
    ax.set_xlim(start - margin, finish + margin)
    ax.xaxis.set_major_locator(MaxNLocator(room.most_ticks(ax, 6)))
    ax.xaxis.set_major_formatter(style.ticks(style.TIME_UNITS))
    ax.set_xlabel("time")
    ax.tick_params(axis="y", labelsize=8)
    few = f", and one in {step} of its packets" if step > 1 else ""
    style.legend(ax, f"critical path of {style.plain(path.flow)}{few}")
    return ax


def _draw_path(path: CriticalPath, hops: dict[tuple[int, str], _Hop], ax: Axes) -> None:
    lines: dict[Cause, list[_Line]] = {}
    height = 0.0
    for stretch in path.stretches:
        since, until = stretch.since_ps / _PICOSECONDS, stretch.until_ps / _PICOSECONDS
        hop = None if stretch.packet is None else hops.get((stretch.packet, stretch.place or ""))
        begins = ends = height
        if stretch.cause in _AT_SENDER:
            begins = ends = 0.0
        elif hop is not None and hop.started_us is not None and hop.reached_us is not None:
            begins = ends = hop.height
            if _is_on_link(stretch, hop):
                slope = (hop.next_height - hop.height) / (hop.reached_us - hop.started_us)
                begins = hop.height + slope * (since - hop.started_us)
                ends = hop.height + slope * (until - hop.started_us)
        lines.setdefault(stretch.cause, []).append([(since, begins), (until, ends)])
        height = ends
    for cause in Cause:
        if cause in lines:
            look = {"colors": _COLOURS[cause], "linewidths": 2.6, "linestyles": _LINES.get(cause, "-")}
            ax.add_collection(LineCollection(lines[cause], **look, label=cause.words, zorder=3))


def _is_on_link(stretch: Stretch, hop: _Hop) -> bool:
    """Whether the packet itself is on the wire in a stretch, and not waiting for packets before it."""
    assert hop.started_us is not None
    on_wire = stretch.cause in (Cause.TRANSMISSION, Cause.PROPAGATION)
    return on_wire and stretch.since_ps / _PICOSECONDS >= hop.started_us


def _course(hop: _Hop) -> Iterable[_Line]:
    if hop.started_us is None or hop.reached_us is None:
        return
    yield [
        (hop.arrived_us, hop.height),
        (hop.started_us, hop.height),
        (hop.reached_us, hop.next_height),
    ]


def _nodes(packets: pa.Table) -> Sequence[str]:
    """Returns the nodes from source to destination, of all paths that data takes."""
    data = packets.filter(pc.equal(packets["kind"].cast("string"), "data"))
    ports, hops = data["port"].cast("string").to_pylist(), data["hop"].to_pylist()
    at: list[list[str]] = [[] for _ in range(max(hops) + 1)]
    for port, hop in zip(ports, hops, strict=True):
        node = port.rpartition(".")[0]
        if node not in at[hop]:
            at[hop].append(node)
    return [*(_joined(nodes) for nodes in at), packets["destination"][0].as_py()]


def _joined(nodes: list[str]) -> str:
    return nodes[0] if len(nodes) == 1 else f"{nodes[0]} and {len(nodes) - 1} others"


def _hops(packets: pa.Table, links: int) -> dict[tuple[int, str], _Hop]:
    """Returns the hops by packet and port; those of acknowledgements lead downwards."""
    times = ["arrived_ps", "started_ps", "reached_ps"]
    rows = packets.select(["packet", "kind", "hop", "port", *times]).to_pylist()
    most_back = max((row["hop"] + 1 for row in rows if row["kind"] != "data"), default=1)
    found = {}
    for row in rows:
        hop, down = row["hop"], links / most_back
        heights = (hop, hop + 1) if row["kind"] == "data" else (links - hop * down, links - (hop + 1) * down)
        arrived, *rest = (None if row[name] is None else row[name] / _PICOSECONDS for name in times)
        assert arrived is not None
        found[row["packet"], row["port"]] = _Hop(*heights, arrived, *rest)
    return found


def _lost(packets: pa.Table, hops: dict[tuple[int, str], _Hop]) -> list[tuple[float, float]]:
    """Returns time and height of each drop."""
    rows = packets.filter(packets["drop_reason"].is_valid()).select(["packet", "port"]).to_pylist()
    of_drops = (hops[row["packet"], row["port"]] for row in rows)
    return [(hop.arrived_us, hop.height) for hop in of_drops]
