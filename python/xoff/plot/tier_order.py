"""Order of the nodes of a network in their tiers: by number, with few links that cross."""

from __future__ import annotations

import re
from bisect import bisect_right, insort
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xoff.scenario.topology import Topology

_ROUNDS = 4
_MOST_LINKS = 2000
"""Most links between switches for which an order with few crossings is sought."""

_Tiers = list[list[str]]
_Neighbours = dict[str, set[str]]


def ordered(topology: Topology) -> _Tiers:
    """Returns the tiers of a network, each from left to right, with hosts side by side below their switch."""
    hosts, *tiers = (sorted(tier, key=_by_number(tier)) for tier in topology.tiers)
    neighbours: defaultdict[str, set[str]] = defaultdict(set)
    for port in topology.ports:
        neighbours[port.node].add(port.peer_node)
    if len(topology.ports) // 2 - len(hosts) <= _MOST_LINKS:
        tiers = _with_few_crossings(tiers, neighbours)
    place = {switch: place for place, switch in enumerate(tiers[0])}
    return [sorted(hosts, key=lambda host: min(place[switch] for switch in neighbours[host])), *tiers]


def _by_number(names: Sequence[str]) -> Callable[[str], tuple[int, list[int]]]:
    """Returns a sort key: names that differ only in their numbers by these, others as they are listed."""
    without_numbers = list(dict.fromkeys(re.sub(r"\d+", "0", name) for name in names))
    listed = {name: place for place, name in enumerate(without_numbers)}
    return lambda name: (listed[re.sub(r"\d+", "0", name)], [int(number) for number in re.findall(r"\d+", name)])


def _with_few_crossings(tiers: _Tiers, neighbours: _Neighbours) -> _Tiers:
    """Orders each tier by the middle of its neighbours, up and down (Sugiyama), and returns the best order met."""
    best, least = tiers, _crossings(tiers, neighbours)
    for _ in range(_ROUNDS):
        tiers = _swept(_swept(tiers, neighbours)[::-1], neighbours)[::-1]
        crossings = _crossings(tiers, neighbours)
        if crossings < least:
            best, least = tiers, crossings
    return best


def _swept(tiers: _Tiers, neighbours: _Neighbours) -> _Tiers:
    """Orders each tier by its neighbours in the tier before; nodes without any there keep their place."""
    found = [tiers[0]]
    for tier in tiers[1:]:
        before = {node: place for place, node in enumerate(found[-1])}
        middles = {}
        for place, node in enumerate(tier):
            linked = [before[peer] for peer in neighbours[node] if peer in before] or [place]
            middles[node] = sum(linked) / len(linked)
        found.append(sorted(tier, key=middles.__getitem__))
    return found


def _crossings(tiers: _Tiers, neighbours: _Neighbours) -> int:
    """Returns the number of pairs of links between neighbouring tiers that cross."""
    count = 0
    for lower, upper in pairwise(tiers):
        place = {node: place for place, node in enumerate(upper)}
        ends: list[int] = []
        for node in lower:
            own = [place[peer] for peer in neighbours[node] if peer in place]
            count += sum(len(ends) - bisect_right(ends, end) for end in own)
            for end in own:
                insort(ends, end)
    return count
