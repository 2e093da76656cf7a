"""Figure of a large network: hosts side by side below their switch, and links bundled, with the busiest on top."""

from __future__ import annotations

from collections import defaultdict
from itertools import cycle
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from matplotlib.collections import LineCollection, PolyCollection

from xoff.plot import style
from xoff.plot.tier_order import ordered
from xoff.text.units import counted, percent

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes
    from matplotlib.typing import ColorType

    from xoff.scenario.topology import Port, Topology

Ranked: TypeAlias = "Callable[[Port], tuple[float, ColorType]]"
"""Function that returns how busy a link is, as a share of its rate, and the colour of that."""
_Place: TypeAlias = tuple[float, float]

_MOST_IN_A_ROW, _MOST_LINKS = 96, 512
"""Most nodes of a tier, and most links of a network, that can be told apart with a line for each link."""
SIZE_INCHES = (10.0, 5.2)
_LEFT = 0.17
"""Width left of the tiers, as a share of theirs, for what they are."""
_PALE = "0.86"
_DEPTH = 0.18
"""Distance, in tiers, from a row to where links to several of its nodes come together."""
_MARGIN = 0.12
"""Share of the place of a group that is left free on both sides."""
_THIN, _THICK, _POWER = 0.25, 3.0, 2.0
"""Widths of a link that is idle and of the busiest, and the power of the share in between."""
_MOST_DRAWN, _LEAST_SHOWN = 600, 0.02
"""Most links that are drawn one by one, and the least share of the busiest link's use."""
_MOST_NAMED = 3
_MANY = 2000
"""Number of nodes above which they are a bitmap in files."""


def is_large(topology: Topology) -> bool:
    """Whether a network is drawn with bundled links; servers are always drawn with their insides."""
    widest = max(map(len, topology.tiers))
    return (widest > _MOST_IN_A_ROW or len(topology.ports) > 2 * _MOST_LINKS) and not topology.servers


class _Bundle(NamedTuple):
    """Links from one node, or from the hosts below one switch, to nodes that all have the same neighbours below."""

    lower: tuple[str, ...]
    upper: tuple[str, ...]


def draw(topology: Topology, ax: Axes, ranked: Ranked | None, told: Callable[[Port], str]) -> None:
    """Draws a network by tier.

    Args:
        topology: The network.
        ax: The axes.
        ranked: How busy links are; left out, bundles have a colour for each kind of link.
        told: Returns the kind of a link in words.
    """
    tiers, bundles = _tiers(topology)
    at = _places(tiers, _groups(topology, tiers))
    links = [port for port in topology.ports if port.name < port.peer and not port.failed]
    failed = [port for port in topology.ports if port.name < port.peer and port.failed]
    if ranked is None:
        _draw_kinds(links, bundles, at, told, ax)
    else:
        _draw_bundles(list(bundles.values()), at, _PALE, None, ax)
        _draw_busiest(links, at, ranked, ax)
    if failed:
        lines = [_line(port, at) for port in failed]
        ax.add_collection(LineCollection(lines, colors="black", linestyles=":", zorder=3))
        ax.plot([], [], color="black", linestyle=":", label="failed")
    for height, tier in enumerate(tiers):
        _draw_tier(tier, height, at, ax)
    ax.set_axis_off()
    ax.set_xlim(-_LEFT, 1)
    ax.set_ylim(-0.25, len(tiers) - 0.8)
    style.legend(ax)


def _tiers(topology: Topology) -> tuple[list[list[str]], dict[str, _Bundle]]:
    """Returns the tiers, with nodes of a bundle side by side, and the bundle of each link by the name of its port."""
    hosts, *switches = ordered(topology)
    height = {node: number for number, tier in enumerate([hosts, *switches]) for node in tier}
    below: defaultdict[str, set[str]] = defaultdict(set)
    above: defaultdict[str, set[str]] = defaultdict(set)
    for port in topology.ports:
        if height[port.peer_node] == height[port.node] + 1:
            above[port.node].add(port.peer_node)
            below[port.peer_node].add(port.node)
    alike: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for tier in switches:
        for node in tier:
            alike[frozenset(below[node]) or frozenset([node])].append(node)
    of_node = {node: tuple(nodes) for nodes in alike.values() for node in nodes}
    place = {node: number for tier in switches for number, node in enumerate(tier)}
    tiers = [hosts, *(sorted(tier, key=lambda node: (place[of_node[node][0]], place[node])) for tier in switches)]
    siblings: defaultdict[frozenset[str], list[str]] = defaultdict(list)
    for host in hosts:
        siblings[frozenset(above[host])].append(host)
    of_host = {host: tuple(of_it) for of_it in siblings.values() for host in of_it}
    bundles = {}
    for port in topology.ports:
        if height[port.peer_node] == height[port.node] + 1 and not port.failed:
            lower = of_host.get(port.node, (port.node,))
            bundles[port.name] = bundles[port.peer] = _Bundle(lower, of_node[port.peer_node])
    return tiers, bundles


def _groups(topology: Topology, tiers: Sequence[Sequence[str]]) -> list[list[str]]:
    """Returns the hosts in groups with the same switches."""
    hosts, *_ = tiers
    switches: defaultdict[str, set[str]] = defaultdict(set)
    for port in topology.ports:
        switches[port.node].add(port.peer_node)
    groups: dict[frozenset[str], list[str]] = {}
    for host in hosts:
        groups.setdefault(frozenset(switches[host]), []).append(host)
    return list(groups.values())


def _places(tiers: Sequence[Sequence[str]], groups: Sequence[Sequence[str]]) -> dict[str, _Place]:
    """Returns the place of each node: a switch in the middle of its share of the row, hosts close together."""
    _, *switches = tiers
    at = {
        node: ((place + 0.5) / len(tier), float(height))
        for height, tier in enumerate(switches, 1)
        for place, node in enumerate(tier)
    }
    for number, group in enumerate(groups):
        for place, host in enumerate(group):
            inside = _MARGIN + (1 - 2 * _MARGIN) * (place + 0.5) / len(group)
            at[host] = ((number + inside) / len(groups), 0.0)
    return at


def _line(port: Port, at: dict[str, _Place]) -> list[_Place]:
    return [at[port.node], at[port.peer_node]]


def _draw_kinds(
    links: Sequence[Port], bundles: dict[str, _Bundle], at: dict[str, _Place], told: Callable[[Port], str], ax: Axes
) -> None:
    """Draws bundles of each kind of link in one colour, the most common kind first."""
    kinds: defaultdict[str, list[Port]] = defaultdict(list)
    for port in links:
        kinds[told(port)].append(port)
    colours = cycle(style.COLOURS)
    for kind, ports in sorted(kinds.items(), key=lambda found: -len(found[1])):
        colour = next(colours)
        of_kind = [bundles[port.name] for port in ports if port.name in bundles]
        single = [_line(port, at) for port in ports if port.name not in bundles]
        ax.add_collection(LineCollection(single, colors=colour, linewidths=0.5, zorder=1))
        _draw_bundles(of_kind, at, colour, 0.45, ax)
        ax.plot([], [], color=colour, linewidth=3, alpha=0.6, label=f"{kind}: {counted(len(ports), 'link')}")


def _draw_bundles(
    bundles: Sequence[_Bundle], at: dict[str, _Place], colour: ColorType, alpha: float | None, ax: Axes
) -> None:
    """Draws each bundle as an area that spans its ends, hosts as an area from their bar to the switch."""
    areas, lines = [], []
    for lower, upper in dict.fromkeys(bundles):
        if len(lower) > 1:
            areas += [[at[lower[0]], at[lower[-1]], at[switch]] for switch in upper]
        else:
            lines.append([at[lower[0]], _foot(upper, at)])
    ax.add_collection(PolyCollection(areas, facecolors=colour, edgecolors="none", alpha=alpha, zorder=0.5))
    ax.add_collection(LineCollection(lines, colors=colour, linewidths=0.9, alpha=alpha, zorder=0.5))
    for upper in dict.fromkeys(bundle.upper for bundle in bundles if len(bundle.upper) > 1):
        fan = [at[upper[0]], at[upper[-1]], _foot(upper, at)]
        ax.add_collection(PolyCollection([fan], facecolors=colour, edgecolors="none", alpha=alpha, zorder=0.5))


def _foot(upper: Sequence[str], at: dict[str, _Place]) -> _Place:
    """Returns the place where the links to some nodes of a row come together, below their middle."""
    (left, y), (right, _) = at[upper[0]], at[upper[-1]]
    return (left + right) / 2, y - (_DEPTH if len(upper) > 1 else 0)


def _draw_busiest(links: Sequence[Port], at: dict[str, _Place], ranked: Ranked, ax: Axes) -> None:
    """Draws links one by one, thicker the busier they are, and names the busiest."""
    found = sorted(((*ranked(port), port) for port in links), key=lambda link: link[0])[-_MOST_DRAWN:]
    most = found[-1][0] if found else 0.0
    found = [link for link in found if link[0] > _LEAST_SHOWN * most]
    if not found:
        return
    widths = [_THIN + (_THICK - _THIN) * (busy / most) ** _POWER for busy, _, _ in found]
    lines = LineCollection(
        [_line(port, at) for _, _, port in found],
        colors=[colour for _, colour, _ in found],
        linewidths=widths,
        capstyle="round",
        zorder=2,
    )
    ax.add_collection(lines)
    for number, (busy, colour, port) in enumerate(found[: -_MOST_NAMED - 1 : -1], 1):
        (x, y), (to_x, to_y) = _line(port, at)
        ends = f"{port.node} - {port.peer_node}"
        middle = ((x + to_x) / 2, (y + to_y) / 2 + 0.12 * (number - 2))
        frame = {"boxstyle": "circle,pad=0.15", "facecolor": "white", "edgecolor": colour}
        ax.annotate(str(number), middle, fontsize=7, ha="center", va="center", bbox=frame, zorder=4)
        label = style.plain(f"{number}: {ends}, {percent(busy)}")
        ax.plot([], [], color=colour, linewidth=_THICK, label=label)


def _draw_tier(tier: Sequence[str], height: int, at: dict[str, _Place], ax: Axes) -> None:
    """Draws the nodes of a tier as dots, and says beside them how many there are."""
    x, y = zip(*(at[node] for node in tier), strict=True)
    look: dict[str, Any] = {"color": "0.25", "zorder": 3, "rasterized": len(tier) > _MANY}
    if height == 0:
        side = min(4.5, max(0.8, 300 / len(tier)))
        ax.scatter(x, y, s=side**2, marker="|", linewidths=0.4, **look)
    else:
        ax.scatter(x, y, s=9, marker="s", linewidths=0, **look)
    what = f"{len(tier):,} {'switches' if height else 'hosts'}"
    names = f"{tier[0]} to {tier[-1]}"
    beside: dict[str, Any] = {"xy": (-0.01, height), "textcoords": "offset points", "ha": "right"}
    ax.annotate(what, xytext=(0, 1), va="bottom", fontsize=8, **beside)
    ax.annotate(style.plain(names), xytext=(0, -1), va="top", fontsize=6.5, **beside)
