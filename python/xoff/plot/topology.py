"""Figure of a network: nodes in tiers, hosts lowest except for the insides of servers, and links."""

from __future__ import annotations

from collections import defaultdict
from itertools import cycle, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matplotlib.collections import LineCollection

from xoff.plot import style, tiers
from xoff.plot.shortened import shortened
from xoff.plot.tier_order import ordered
from xoff.text.units import TIMES, quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from xoff.scenario.topology import Port, Topology

_Place: TypeAlias = tuple[float, float]
_Courses: TypeAlias = "list[tuple[Port, list[_Place]]]"

_WIDEST_INCHES = 14.0
_NODE_INCHES = 0.3
_TIER_INCHES = 1.1
_LINE_INCHES, _CHARACTER_INCHES = 0.15, 0.07
"""Height of a name, and width of each of its characters."""
_FRAME_CHARACTERS = 2
"""Width, in characters, of a frame with the free space on both sides."""
_NAME_LENGTHS = (20, 24, 28, 36, 44, 52)
"""Most characters of names too long to stand side by side; the first length with which all differ is taken."""
_WIDTH_OF_AXES = 0.775
"""Share of a figure's width that Matplotlib gives its axes before any layout."""
_LEGEND_INCHES = 0.2
"""Height of each line of the legend."""
_MANY = 2000
"""Number of links above which lines are transparent and a bitmap in files."""
_STEPS = 20
"""Steps of a line that is not straight."""
_BACKGROUND = {"pad": 0.8, "facecolor": "white", "edgecolor": "none"}
"""Background of names that links may lie behind."""


class _Named(NamedTuple):
    """The labels of a tier's nodes."""

    nodes: Sequence[str]
    names: Sequence[str]
    turned: bool = False

    @classmethod
    def of(cls, nodes: Sequence[str], spacing_inches: float) -> _Named:
        """Makes labels, shortened or turned where they are too long, or only those of the first and the last node."""
        if spacing_inches < _LINE_INCHES:
            ends = (nodes[0], nodes[-1])
            return cls(ends, ends)
        if not _overlap(nodes, spacing_inches):
            return cls(nodes, nodes)
        names = shortened(nodes, _NAME_LENGTHS)
        return cls(nodes, names, _overlap(names, spacing_inches))

    @property
    def inches(self) -> float:
        """Height of the labels."""
        return _CHARACTER_INCHES * max(map(len, self.names)) if self.turned else _LINE_INCHES


def _overlap(names: Sequence[str], spacing_inches: float) -> bool:
    widest = max((len(name) + len(other) for name, other in pairwise(names)), default=0) / 2 + _FRAME_CHARACTERS
    return spacing_inches < _CHARACTER_INCHES * widest


def size_inches(topology: Topology) -> tuple[float, float]:
    """Returns the size of a figure for the widest tier, and for all tiers and names below the longest legend."""
    if tiers.is_large(topology):
        return tiers.SIZE_INCHES
    widest = max(map(len, (*topology.tiers, topology.servers)))
    width = min(max(style.SIZE_INCHES[0], _NODE_INCHES * widest), _WIDEST_INCHES)
    hosts, *switches = (_Named.of(tier, _WIDTH_OF_AXES * width / len(tier)) for tier in topology.tiers)
    tier = max(_TIER_INCHES, *(named.inches + _LINE_INCHES for named in switches))
    names = _CHARACTER_INCHES * max(map(len, hosts.names))
    rates = {port: _sorted_rates(topology, port) for port in topology.ports}
    legend = _LEGEND_INCHES * len({_told(port, of_link) for port, of_link in rates.items()})
    return width, tier * (len(topology.tiers) + bool(topology.servers)) + names + legend


def plot(topology: Topology, ax: Axes | None = None) -> Axes:
    """Draws a topology into `ax`, or into a new figure, and returns the axes."""
    with style.context():
        return draw(topology, style.axes(ax, size_inches(topology)))


def draw(topology: Topology, ax: Axes, ranked: Callable[[Port], tuple[float, ColorType]] | None = None) -> Axes:
    """Draws a topology; links differ in look by rate, delay and faults.

    With `ranked`, links have its colours instead, and lie over one another in the order of its numbers. Links of a
    large network are bundled.
    """
    if tiers.is_large(topology):
        tiers.draw(topology, ax, ranked, lambda port: _told(port, _sorted_rates(topology, port)))
        return ax
    rows_of_nodes = ordered(topology)
    at = {
        node: ((place + 0.5) / len(nodes), float(tier))
        for tier, nodes in enumerate(rows_of_nodes)
        for place, node in enumerate(nodes)
    }
    servers = topology.servers
    at |= {server: ((place + 0.5) / len(servers), -1.0) for place, server in enumerate(servers)}
    at |= {adapter: at[host] for adapter, host in topology.inside.items()}
    ax.set_axis_off()
    courses = _courses(topology, at)
    if ranked is None:
        _draw_kinds(courses, lambda port: _told(port, _rates(topology, port, at)), ax)
    else:
        _draw_ranked(courses, ranked, ax)
    figure = ax.get_figure(root=True)
    assert figure is not None
    inches = ax.get_position().width * figure.get_figwidth()
    rows = [*rows_of_nodes, servers] if servers else rows_of_nodes
    are_turned = [_draw_nodes(nodes, at, inches / len(nodes), ax) for nodes in rows]
    ax.set_xlim(0, 1)
    above = 0.55 if are_turned[len(rows_of_nodes) - 1] else 0.2
    below = 0.1 if not servers else 1.55 if are_turned[-1] else 1.2
    ax.set_ylim(-below, max(len(rows_of_nodes) - 1 + above, ax.dataLim.y1 + 0.05))
    style.legend(ax)
    return ax


def _courses(topology: Topology, at: dict[str, _Place]) -> _Courses:
    """Returns the line of every link, by one of its ports."""
    between: defaultdict[tuple[str, str], list[Port]] = defaultdict(list)
    for port in topology.ports:
        if port.name < port.peer:
            between[port.node, port.peer_node].append(port)
    return [
        (port, _course(at[node], at[peer], index - (len(ports) - 1) / 2))
        for (node, peer), ports in between.items()
        for index, port in enumerate(ports)
    ]


def _look(links: int) -> dict[str, Any]:
    """Returns the look of links that have not failed, by their number."""
    width, alpha = min(1.4, max(0.3, 60 / links)), min(1, _MANY / links)
    return {"linewidths": width, "alpha": alpha, "rasterized": links > _MANY, "zorder": 1}


def _draw_ranked(courses: _Courses, ranked: Callable[[Port], tuple[float, ColorType]], ax: Axes) -> None:
    works = sorted(((*ranked(port), course) for port, course in courses if not port.failed), key=lambda link: link[0])
    _, colours, places = zip(*works, strict=True)
    ax.add_collection(LineCollection(places, colors=colours, **_look(len(courses))))
    if failed := [course for port, course in courses if port.failed]:
        _draw_failed(failed, "failed", ax)


def _draw_failed(courses: list[list[_Place]], label: str, ax: Axes) -> None:
    ax.add_collection(LineCollection(courses, colors="black", linestyles=":", linewidths=1.2, zorder=1))
    ax.plot([], [], color="black", linestyle=":", label=label)


def _draw_kinds(courses: _Courses, told: Callable[[Port], str], ax: Axes) -> None:
    """Draws kinds of links, the most common first, and failed links over all others."""
    kinds: defaultdict[tuple[bool, str], list[list[_Place]]] = defaultdict(list)
    for port, course in courses:
        kinds[port.failed, told(port)].append(course)
    colours = cycle(style.COLOURS)
    for (failed, label), places in sorted(kinds.items(), key=lambda kind: (kind[0][0], -len(kind[1]))):
        if failed:
            _draw_failed(places, label, ax)
            continue
        colour = next(colours)
        ax.add_collection(LineCollection(places, colors=colour, **_look(len(courses))))
        ax.plot([], [], color=colour, label=label)


def _told(port: Port, rates: str) -> str:
    return ", ".join(filter(None, (rates, quantity(1000 * port.delay_ns, tuple(TIMES)), port.faults)))


def _both_rates(topology: Topology, port: Port) -> tuple[str, str]:
    """Returns the rates of a link from a port and back."""
    there, back = port.rate_bps, topology.rate_back_bps(port)
    return quantity(there, style.RATE_UNITS), quantity(back, style.RATE_UNITS)


def _sorted_rates(topology: Topology, port: Port) -> str:
    """Returns the rate of a link or, if these differ, both."""
    return " and ".join(sorted(set(_both_rates(topology, port))))


def _rates(topology: Topology, port: Port, at: dict[str, _Place]) -> str:
    """Returns the rate of a link or, if these differ, that of each way as the link is drawn."""
    there, back = _both_rates(topology, port)
    if there == back:
        return there
    (x, y), (to_x, to_y) = at[port.node], at[port.peer_node]
    one, other = ("up", "down") if y != to_y else ("to the right", "to the left")
    if (to_y, to_x) < (y, x):
        there, back = back, there
    return f"{there} {one}, {back} {other}"


def _course(one: _Place, other: _Place, lane: float) -> list[_Place]:
    """Returns the line between two places, bent where several links join the same nodes or nodes are in between."""
    (x, y), (to_x, to_y) = one, other
    bend = (0.0, 0.3 * abs(to_x - x) + 0.08 * lane) if y == to_y else (0.012 * lane, 0.0)
    if bend == (0, 0):
        return [one, other]
    steps = [(step / _STEPS, 4 * step * (_STEPS - step) / _STEPS**2) for step in range(_STEPS + 1)]
    return [(x + (to_x - x) * along + bend[0] * off, y + (to_y - y) * along + bend[1] * off) for along, off in steps]


def _draw_nodes(nodes: Sequence[str], at: dict[str, _Place], spacing_inches: float, ax: Axes) -> bool:
    """Draws a tier: hosts as dots above their names, switches as frames around theirs, turned if they are too long.

    If there is no room even for that, all nodes are dots, and only the first and the last are named. Returns whether
    names are turned.
    """
    named = _Named.of(nodes, spacing_inches)
    is_named = named.nodes is nodes
    has_hosts = at[nodes[0]][1] == 0
    if has_hosts or not is_named:
        x, y = zip(*(at[node] for node in nodes), strict=True)
        side = min(4.0, max(1.0, 0.6 * 72 * spacing_inches))
        ax.scatter(x, y, s=side**2, color="0.2", linewidths=0, zorder=2, rasterized=len(nodes) > _MANY)
    look: dict[str, Any] = {"ha": "center", "textcoords": "offset points", "fontsize": 7, "zorder": 3}
    if has_hosts:
        look |= {"xytext": (0, -6), "va": "top", "bbox": _BACKGROUND}
    elif is_named:
        frame = {"boxstyle": "round,pad=0.25", "facecolor": "white", "edgecolor": "0.2"}
        look |= {"xytext": (0, 0), "va": "center", "bbox": frame}
    else:
        look |= {"xytext": (0, 6), "va": "bottom", "bbox": _BACKGROUND}
    for node, name in zip(named.nodes, named.names, strict=True):
        ax.annotate(style.plain(name), at[node], rotation=90 if named.turned else 0, **look)
    return named.turned
