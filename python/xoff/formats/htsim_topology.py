"""`.topo` files of htsim and uet-htsim: fat trees of two or three tiers, each tier with its links.

Hosts are numbered along ToRs, and ToRs along pods. In a pod every ToR is joined to every aggregation switch.
Aggregation switch `a` of each pod is joined to the cores `a`, `a + A`, `a + 2 A` and so on, with `A` of them in a pod.
A bundle is several links between the same two switches (`fat_tree_topology.cpp`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.formats import htsim_settings
from xoff.formats.draft import Draft, Found, Link, Network, Place
from xoff.formats.lines import counts, numbered, refusal, whole, written_rate, written_time
from xoff.text.line import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

NAME = "htsim topology"
ABOUT = ".topo of htsim or uet-htsim"

_HEADER = ("nodes", "tiers", "podsize")
_OF_TIER = (
    "downlink_speed_gbps",
    "downlink_latency_ns",
    "switch_latency_ns",
    "radix_down",
    "radix_up",
    "queue_down",
    "queue_up",
    "oversubscribed",
    "bundle",
)
_NEEDED = ("downlink_speed_gbps", "downlink_latency_ns", "radix_down")
_MOST_NODES = 10**6


@dataclass
class _Tier:
    """Keys of one tier, each with its value and line."""

    line: int
    keys: dict[str, tuple[int, int]] = field(default_factory=dict)

    def value(self, key: str, otherwise: int = 0) -> int:
        """Returns the value of a key."""
        return self.keys.get(key, (otherwise, 0))[0]

    def lines(self, *keys: str) -> str:
        """Returns the lines of some keys."""
        return ", ".join(str(self.keys[key][1]) for key in keys if key in self.keys)


def recognises(lines: Sequence[str]) -> bool:
    """Whether nodes, tiers and a first tier are there."""
    words = {line.split()[0].lower() for line in lines if line.strip()}
    return {"nodes", "tiers", "tier"} <= words


def read(path: Path, draft: Draft) -> None:
    """Reads a fat tree into the draft. Raises InputError."""
    draft.check_is_first(path)
    header, tiers = _keys(path)
    draft.network = network = _Tree(path, header, tiers).network()
    _leave(path, draft, tiers)
    sizes = counts(len(network.hosts), len(network.switches), len(network.links))
    draft.found.append(Found(str(path), NAME, f"fat tree of {len(tiers)} tiers, {sizes}"))
    draft.settle_unless_told(htsim_settings.settle)


def add_default(path: Path, draft: Draft, nodes: int) -> None:
    """Adds the fat tree that htsim builds where it is given connections alone: 100 Gb/s and 1 us on every link.

    Raises InputError for a number of nodes that no fat tree of three tiers has.
    """
    k = next((k for k in range(2, 200, 2) if k**3 // 4 >= nodes), 0)
    if k**3 // 4 != nodes:
        expected = "expected a .topo beside it, or k^3/4 nodes, for which htsim builds a fat tree: 16, 128, 1024"
        raise InputError(str(path), "", f"has no topology, and {nodes:,} nodes", expected)
    half = k // 2
    wire = {"downlink_speed_gbps": (100, 1), "downlink_latency_ns": (1000, 1)}
    radix = ((half, half), (half, half), (k, 0))
    tiers = [_Tier(1, wire | {"radix_down": (down, 1), "radix_up": (up, 1)}) for down, up in radix]
    draft.network = network = _Tree(path, {"nodes": (nodes, 1), "podsize": (half * half, 1)}, tiers).network()
    told = f"{counts(len(network.hosts), len(network.switches), len(network.links))}, 100 Gb/s and 1 us"
    draft.leave(path.name, "no topology", f"the fat tree that htsim builds for as many nodes: {told}")


def _keys(path: Path) -> tuple[dict[str, tuple[int, int]], list[_Tier]]:
    header: dict[str, tuple[int, int]] = {}
    tiers: dict[int, _Tier] = {}
    keys = header
    for number, line in numbered(path):
        fields = line.split()
        if not fields or fields[0].startswith("#"):
            continue
        key = fields[0].lower()
        if len(fields) != 2:
            raise refusal(path, number, f"has {len(fields)} fields", "expected KEY NUMBER")
        value = whole(path, number, fields[0], fields[1], 0, 10**12)
        if key == "tier":
            tier = tiers.setdefault(value, _Tier(number))
            if tier.line != number or value > 2:
                raise refusal(path, number, f"Tier {value} is there twice or too many", "expected tiers 0, 1 and 2")
            keys = tier.keys
            continue
        if key not in (_OF_TIER if tiers else _HEADER):
            known = ", ".join(_OF_TIER if tiers else _HEADER)
            raise refusal(path, number, f"there is no key {quoted(fields[0])} here", f"expected one of {known}, tier")
        if key in keys:
            raise refusal(path, number, f"{fields[0]} is there twice", f"expected one; line {keys[key][1]} has another")
        keys[key] = (value, number)
    return header, _in_order(path, header, tiers)


def _in_order(path: Path, header: dict[str, tuple[int, int]], tiers: dict[int, _Tier]) -> list[_Tier]:
    missing = next((key for key in _HEADER if not header.get(key, (0, 0))[0]), None)
    if missing:
        raise refusal(path, 1, f"{missing.capitalize()} is missing or 0", "expected Nodes, Tiers and Podsize")
    count, line = header["tiers"]
    if count not in (2, 3) or sorted(tiers) != [*range(count)]:
        raise refusal(path, line, f"Tiers is {count}, and {len(tiers)} are described", "expected 2 or 3, and Tier 0 on")
    for number in range(count):
        tier = tiers[number]
        needed = (*_NEEDED, *(["radix_up"] if number < count - 1 else []))
        lacking = next((key for key in needed if not tier.value(key)), None)
        if lacking:
            raise refusal(path, tier.line, f"{lacking} of tier {number} is missing or 0", "expected a number above 0")
    return [tiers[number] for number in range(count)]


class _Tree:
    """Counts of a fat tree, checked against one another."""

    def __init__(self, path: Path, header: dict[str, tuple[int, int]], tiers: list[_Tier]) -> None:
        self.path = path
        self.tiers = tiers
        self.nodes, self.line = header["nodes"]
        if self.nodes > _MOST_NODES:
            raise refusal(path, self.line, f"Nodes is {self.nodes:,}", f"expected at most {_MOST_NODES:,}")
        pod, pod_line = header["podsize"]
        first, second = tiers[0], tiers[1]
        self.per_tor = first.value("radix_down")
        self.pods = self._divided(self.nodes, pod, pod_line, "Nodes", "Podsize")
        self.tors = self._divided(pod, self.per_tor, first.keys["radix_down"][1], "Podsize", "Radix_Down of tier 0")
        self.bundle = second.value("bundle", 1)
        up = first.keys["radix_up"]
        self.aggregations = self._divided(up[0], self.bundle, up[1], "Radix_Up of tier 0", "Bundle of tier 1")
        self._is(second, "radix_down", self.tors * self.bundle, "the links from the ToRs of a pod")
        self.cores = 0
        if len(tiers) > 2:
            third = tiers[2]
            self.core_bundle = third.value("bundle", 1)
            up = second.keys["radix_up"]
            self.of_each = self._divided(up[0], self.core_bundle, up[1], "Radix_Up of tier 1", "Bundle of tier 2")
            self.cores = self.of_each * self.aggregations
            self._is(third, "radix_down", self.pods * self.core_bundle, "the links from all pods")
        elif self.pods != 1:
            raise refusal(
                path, pod_line, f"Podsize leaves {self.pods} pods", "expected all nodes in a tree of two tiers"
            )

    def _divided(self, count: int, by: int, line: int, name: str, of: str) -> int:
        if by == 0 or count % by or count == 0:
            raise refusal(self.path, line, f"{name} {count} is no multiple of {of} {by}", "expected one")
        return count // by

    def _is(self, tier: _Tier, key: str, expected: int, what: str) -> None:
        value, line = tier.keys[key]
        if value != expected:
            raise refusal(self.path, line, f"{key} is {value}", f"expected {expected}, {what}")

    def network(self) -> Network:
        """Returns nodes and links."""
        hosts = [f"host{host}" for host in range(self.nodes)]
        tors, aggregations = self.tors * self.pods, self.aggregations * self.pods
        names = (("tor", tors), ("agg", aggregations), ("core", self.cores))
        switches = [f"{name}{number}" for name, count in names for number in range(count)]
        place = Place(self.path.name, self.line)
        ranges = f"hosts are 0 to {self.nodes - 1}"
        return Network(place, hosts, switches, [*self._links()], dict(enumerate(zip(hosts, strict=True))), ranges)

    def _links(self) -> Iterator[Link]:
        to_host = self._link(0)
        for host in range(self.nodes):
            yield Link(f"host{host}", f"tor{host // self.per_tor}", *to_host)
        to_tor = self._link(1)
        for tor in range(self.tors * self.pods):
            pod = tor // self.tors
            for aggregation in range(pod * self.aggregations, (pod + 1) * self.aggregations):
                for _ in range(self.bundle):
                    yield Link(f"tor{tor}", f"agg{aggregation}", *to_tor)
        if not self.cores:
            return
        to_core = self._link(2)
        for aggregation in range(self.aggregations * self.pods):
            for core in range(aggregation % self.aggregations, self.cores, self.aggregations):
                for _ in range(self.core_bundle):
                    yield Link(f"agg{aggregation}", f"core{core}", *to_core)

    def _link(self, tier: int) -> tuple[str, str, str, Place]:
        """Returns rate, delay, error rate and place of a tier's downlinks.

        A switch's own latency is divided between the links on either side of it, so that every path has all of it.
        """
        here = self.tiers[tier]
        below = self.tiers[tier - 1].value("switch_latency_ns") if tier else 0
        picoseconds = 1000 * here.value("downlink_latency_ns") + 500 * (here.value("switch_latency_ns") + below)
        rate = written_rate(here.value("downlink_speed_gbps") * 10**9)
        return rate, written_time(picoseconds), "", Place(self.path.name, here.keys["downlink_speed_gbps"][1])


def _leave(path: Path, draft: Draft, tiers: list[_Tier]) -> None:
    for number, tier in enumerate(tiers):
        if tier.value("switch_latency_ns"):
            place = f"{path.name}:{tier.lines('switch_latency_ns')}"
            told = f"Switch_Latency_ns {tier.value('switch_latency_ns')} of tier {number}"
            draft.leave(place, told, "in the delays of links, half of it on either side of the switch")
        queues = [key for key in ("queue_down", "queue_up") if tier.value(key)]
        if queues:
            told = ", ".join(f"{key} {tier.value(key)} of tier {number}" for key in queues)
            draft.leave(f"{path.name}:{tier.lines(*queues)}", told, "switches share their memory; see [[switch]]")
        ratio = tier.value("oversubscribed", 1)
        if number < len(tiers) - 1 and ratio != 1 and tier.value("radix_down") // tier.value("radix_up") != ratio:
            place = f"{path.name}:{tier.lines('oversubscribed')}"
            draft.leave(place, f"Oversubscribed {ratio} of tier {number}", "radixes and rates of links decide")
