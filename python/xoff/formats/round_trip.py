"""Longest round trip and largest bandwidth-delay product of a network, as simulators compute them, and its buffers."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from typing import TYPE_CHECKING

from xoff.formats.lines import rate_bps, time_ps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.formats.draft import Network

_FOR_ALL_PAIRS = 4_000_000
"""Steps over switches and links up to which paths are searched from every switch."""
_Wires = dict[str, list[tuple[str, int, int, int]]]
"""Neighbours of each switch: propagation and transmission in picoseconds, and rate, of the link to each."""
_Fronts = dict[str, Counter[tuple[int, int, int]]]
"""Links to hosts of each switch, with how many hosts have a link like that."""


def longest(network: Network, payload: int) -> tuple[int, int, bool]:
    """Returns the longest round trip in picoseconds, the largest bandwidth-delay product, and whether both are exact.

    As the simulator has it: twice the propagation of a shortest path, and the transmission of one payload on each of
    its links. In large networks two searches, each from where the one before ended, stand for all.
    """
    wires, fronts = _wires(network, payload)
    edges = sum(map(len, wires.values()))
    exact = len(fronts) * (edges + len(wires) + 1) <= _FOR_ALL_PAIRS
    starts = [*fronts] if exact else [(first := next(iter(fronts))), _farthest(first, wires, fronts)]
    round_trip, window = 0, 0
    for start in starts:
        for switch, (delay, sent, rate) in _paths(start, wires).items():
            for out, back in _pairs(fronts, start, switch):
                time = 2 * (delay + out[0] + back[0]) + sent + out[1] + back[1]
                round_trip = max(round_trip, time)
                window = max(window, time * min(rate, out[2], back[2]) // (8 * 10**12))
    return round_trip, window, exact


def _wires(network: Network, payload: int) -> tuple[_Wires, _Fronts]:
    hosts = set(network.hosts)
    wires: _Wires = defaultdict(list)
    fronts: _Fronts = defaultdict(Counter)
    for link in network.links:
        rate, delay = rate_of(link.rate), time_ps(link.delay) or 0
        sent = payload * 8 * 10**12 // rate
        for one, other in ((link.one, link.other), (link.other, link.one)):
            if one in hosts:
                fronts[other][delay, sent, rate] += 1
            elif other not in hosts:
                wires[one].append((other, delay, sent, rate))
    return wires, fronts


def _pairs(fronts: _Fronts, start: str, end: str) -> Iterator[tuple[tuple[int, int, int], tuple[int, int, int]]]:
    """Yields each kind of links of two different hosts, one at either switch."""
    for out in fronts.get(end, ()):
        for back, alike in fronts[start].items():
            if end != start or out != back or alike > 1:
                yield out, back


def _farthest(start: str, wires: _Wires, fronts: _Fronts) -> str:
    paths = _paths(start, wires)
    return max((switch for switch in paths if switch in fronts), key=lambda each: 2 * paths[each][0] + paths[each][1])


def _paths(start: str, wires: _Wires) -> dict[str, tuple[int, int, int]]:
    """Returns propagation, transmission and least rate from a switch to all others, along paths of fewest links."""
    found = {start: (0, 0, 1 << 62)}
    waiting = deque([start])
    while waiting:
        here = waiting.popleft()
        delay, sent, rate = found[here]
        for other, more, transmission, of_link in wires.get(here, ()):
            if other not in found:
                found[other] = (delay + more, sent + transmission, min(rate, of_link))
                waiting.append(other)
    return found


def rate_of(text: str) -> int:
    """Returns the bits per second of a rate that a link has."""
    return rate_bps(text) or 0


def ample_memory_mib(network: Network) -> int:
    """Returns memory that is ample for headroom and queues of the switch with most bandwidth, 32 MiB at least."""
    hosts = set(network.hosts)
    needed: dict[str, int] = defaultdict(int)
    for link in network.links:
        in_flight_ps = 2 * (time_ps(link.delay) or 0) + 12_000_000  # 12 us until a neighbour pauses, and frames end
        for node in {link.one, link.other} - hosts:
            needed[node] += 2 * rate_of(link.rate) * in_flight_ps // (8 * 10**12)
    most = -(-max(needed.values(), default=0) >> 20)
    return max(32, 1 << (most - 1).bit_length())
