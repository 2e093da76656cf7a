"""Graphs of the Internet Topology Zoo: points of presence with coordinates, and links with a speed where it is known.

Each point becomes a switch with one host. Links are as long as the great circle between their ends, in fibre.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from xoff.formats.draft import Place
from xoff.text.units import counted

if TYPE_CHECKING:
    import networkx as nx

    from xoff.formats.draft import Draft

_RATE_BPS = 10 * 10**9
_DELAY_NS = 1_000_000
_EARTH_KM = 6371.0
_NS_PER_KM = 5000
"""Light in fibre takes so long, at two thirds of its speed."""
_HOST_DELAY_NS = 1000


def is_one(graph: nx.Graph) -> bool:
    """Whether the graph has what all of the zoo say of themselves, and no link has what xoff needs."""
    return "NetworkDate" in graph.graph and not any(
        {"rate", "rate_bps"} & {*of_edge} for *_, of_edge in graph.edges(data=True)
    )


def network_of(graph: nx.Graph, file: str, draft: Draft) -> tuple[nx.MultiGraph, dict[Any, str]]:
    """Returns the graph with hosts, rates and delays, and the names of the switches by node. Notes what is made up."""
    import networkx as nx

    place = Place(file, 1)
    parts = sorted(nx.connected_components(graph.to_undirected(as_view=True)), key=len, reverse=True)
    kept = parts[0] if parts else set()
    if len(kept) < len(graph):
        draft.leave(
            place, f"{counted(len(graph) - len(kept), 'point')} that no link joins to the others", "not in the scenario"
        )
    names = _names(graph)
    network = nx.MultiGraph()
    network.add_nodes_from((name for node, name in names.items() if node in kept), kind="switch")
    slow = far = 0
    fastest: dict[Any, int] = dict.fromkeys((node for node in graph if node in kept), 0)
    links = [(one, other, of_edge) for one, other, of_edge in graph.edges(data=True) if one in kept and one != other]
    for one, other, of_edge in links:
        rate, delay = _rate_bps(of_edge), _delay_ns(graph.nodes[one], graph.nodes[other])
        slow, far = slow + (rate is None), far + (delay is None)
        rate = rate or _RATE_BPS
        fastest[one], fastest[other] = max(fastest[one], rate), max(fastest[other], rate)
        network.add_edge(names[one], names[other], rate_bps=rate, delay_ns=_DELAY_NS if delay is None else delay)
    for node, rate in fastest.items():
        host = f"host_{names[node]}"
        network.add_node(host, kind="host")
        network.add_edge(host, names[node], rate_bps=rate or _RATE_BPS, delay_ns=_HOST_DELAY_NS)
    loops = nx.number_of_selfloops(graph)
    if loops:
        draft.leave(place, f"{counted(loops, 'link')} from a point to itself", "not in the scenario")
    own = "no file says; yours to choose"
    draft.leave(place, "hosts", f"one at each point, as fast as the fastest link there, 1 us away: {own}")
    draft.leave(place, "delays of links", "5 us for each kilometre between the coordinates of their ends")
    if slow:
        draft.leave(place, f"LinkSpeedRaw of {counted(slow, 'link')}", f"missing; 10 Gb/s: {own}")
    if far:
        draft.leave(place, f"coordinates of ends of {counted(far, 'link')}", f"missing; 1 ms: {own}")
    return network, {node: name for node, name in names.items() if node in kept}


def _names(graph: nx.Graph) -> dict[Any, str]:
    """Returns a name for each node: its label in letters and digits, numbered where several have it."""
    names: dict[Any, str] = {}
    taken: set[str] = set()
    for node, of_node in graph.nodes(data=True):
        stem = re.sub(r"[^A-Za-z0-9]+", "_", str(of_node.get("label", node))).strip("_")[:40] or "point"
        name, number = stem, 1
        while name in taken:
            number += 1
            name = f"{stem}_{number}"
        taken.add(name)
        names[node] = name
    return names


def _rate_bps(of_edge: dict[str, Any]) -> int | None:
    speed = of_edge.get("LinkSpeedRaw")
    return int(speed) if isinstance(speed, (int, float)) and 1 <= speed <= 10**15 else None


def _delay_ns(one: dict[str, Any], other: dict[str, Any]) -> int | None:
    """Returns the delay of a fibre between two points; None if the place of one is not known."""
    angles = [_radians(of_node.get(key)) for of_node in (one, other) for key in ("Latitude", "Longitude")]
    here, east, there, west = angles
    if here is None or east is None or there is None or west is None:
        return None
    half = math.sin((there - here) / 2) ** 2
    half += math.cos(here) * math.cos(there) * math.sin((west - east) / 2) ** 2
    kilometres = 2 * _EARTH_KM * math.asin(math.sqrt(min(1.0, max(0.0, half))))
    return max(round(kilometres * _NS_PER_KM), 1)


def _radians(degrees: object) -> float | None:
    return math.radians(degrees) if isinstance(degrees, (int, float)) and -360 <= degrees <= 360 else None
