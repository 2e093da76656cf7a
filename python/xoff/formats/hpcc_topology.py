"""`topology.txt` of HPCC's ns-3 and its descendants: ConWeave, ns3-datacenter, SimAI, ASTRA-sim.

The first line has counts, the next ones the numbers of nodes that are switches, then each line is a link with rate,
delay and error rate. SimAI also counts NVSwitches, and lists them before the other switches.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.formats import hpcc_settings
from xoff.formats.draft import Draft, Found, Link, Network, Place, Table
from xoff.formats.lines import (
    counts,
    decimal,
    numbered,
    rate_bps,
    refusal,
    time_ps,
    whole,
    written_rate,
    written_time,
)
from xoff.text.line import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME = "HPCC topology"
ABOUT = "topology.txt of HPCC, ConWeave, ns3-datacenter, SimAI or ASTRA-sim's ns-3"

_LINK = re.compile(r"\s*\d+\s+\d+\s+[0-9.]\S*\s+[0-9.]\S*\s+[0-9.]\S*\s*")
_MOST_NODES = 10**7
_LINK_HAS = "expected NODE NODE RATE DELAY ERROR_RATE, such as 0 320 100Gbps 1us 0"
_HEADER_HAS = "expected NODES SWITCHES LINKS, or as ns3-datacenter or SimAI write it"


class Counts(NamedTuple):
    """First line of the file."""

    nodes: int
    switches: int
    links: int
    nvswitches: int = 0
    gpus_per_server: int = 0


def recognises(lines: Sequence[str]) -> bool:
    """Whether the lines begin with counts, and one of the next is a link."""
    first = next((line.split() for line in lines if line.strip()), [])
    ends = 3 <= len(first) <= 6 and all(each.isdigit() for each in first[:3])
    return ends and (any(map(_LINK.fullmatch, lines[1:8])) or (len(lines) == 1 and len(first) == 3))


def read(path: Path, draft: Draft) -> None:
    """Reads nodes and links into the draft. Raises InputError."""
    draft.check_is_first(path)
    lines = ((number, line.split()) for number, line in numbered(path) if not line.isspace())
    number, header = next(lines, (1, []))
    place = Place(path.name, number)
    has = _counts(path, number, header)
    switches = _switches(path, number, lines, has)
    links = _links(path, lines, has)
    beyond = next(lines, None)
    if beyond:
        draft.leave(Place(path.name, beyond[0]), "lines beyond the last link", "not read, as ns-3 does not read them")
    if has.gpus_per_server and len(header) == 6:
        draft.leave(place, f"GPU type {quoted(header[5])}", "computation is not simulated")
    nodes = _Nodes(path, has, switches)
    draft.network = network = _network(path, place, nodes, links)
    if nodes.second is not None:
        host, line = nodes.second
        several = sum(len(names) > 1 for names in nodes.hosts.values())
        told = f"a second link of host {host}, and of {several} hosts in all"
        reason = (
            f"each link has a host of its own, as host{host}_2; flows take one by a hash, those of jobs go over all"
        )
        draft.leave(Place(path.name, line), told, reason)
    draft.found.append(Found(str(path), NAME, counts(len(network.hosts), len(network.switches), len(network.links))))
    draft.settle_unless_told(hpcc_settings.settle)


def _counts(path: Path, line: int, fields: list[str]) -> Counts:
    kinds = {3: (0, 1, 2), 4: (0, 1, 3), 6: (0, 1, 3)}
    if len(fields) == 6 and not fields[5].replace(".", "").isdigit():
        nodes, gpus, nvswitches, switches, links = (
            whole(path, line, name, each, 0, _MOST_NODES)
            for name, each in zip(("nodes", "GPUs", "NVSwitches", "switches", "links"), fields, strict=False)
        )
        found = Counts(nodes, switches, links, nvswitches, gpus)
    elif len(fields) in kinds:
        nodes, switches, links = (
            whole(path, line, name, fields[at], 0, _MOST_NODES)
            for name, at in zip(("nodes", "switches", "links"), kinds[len(fields)], strict=True)
        )
        found = Counts(nodes, switches, links)
    else:
        raise refusal(path, line, f"has {len(fields)} fields", _HEADER_HAS)
    if found.switches + found.nvswitches >= found.nodes:
        problem = f"all of {found.nodes} nodes are switches"
        raise refusal(path, line, problem, "expected more nodes than switches: the others are hosts")
    return found


def _switches(path: Path, line: int, lines: Iterator[tuple[int, list[str]]], has: Counts) -> list[int]:
    """Returns the numbers of all switches, NVSwitches first."""
    wanted = has.switches + has.nvswitches
    found: dict[int, None] = {}
    number = line
    while len(found) < wanted:
        number, fields = next(lines, (number + 1, []))
        if not fields:
            raise refusal(path, number, f"the file ends after {len(found)} of {wanted} switches", "expected all")
        for field in fields:
            node = whole(path, number, "a switch", field, 0, has.nodes - 1)
            if node in found:
                raise refusal(path, number, f"switch {node} is there twice", f"expected {wanted} different ones")
            found[node] = None
        if len(found) > wanted:
            problem = f"has {len(found)} switches and line {line} announces {wanted}"
            raise refusal(path, number, problem, "expected as many")
    return [*found]


class _Joined(NamedTuple):
    """A link as its line has it."""

    one: int
    other: int
    rate: str
    delay: str
    error_rate: str
    line: int


def _links(path: Path, lines: Iterator[tuple[int, list[str]]], has: Counts) -> list[_Joined]:
    links: list[_Joined] = []
    number = 1
    for number, fields in lines if has.links else ():
        if len(fields) != 5:
            raise refusal(path, number, f"has {len(fields)} fields", _LINK_HAS)
        one, other = (whole(path, number, "a node", each, 0, has.nodes - 1) for each in fields[:2])
        if one == other:
            raise refusal(path, number, f"joins node {one} to itself", "expected two different nodes")
        links.append(_Joined(one, other, *_wire(path, number, *fields[2:]), number))
        if len(links) == has.links:
            return links
    raise refusal(path, number, f"the file ends after {len(links)} of {has.links} links", "expected all")


def _wire(path: Path, line: int, rate: str, delay: str, error_rate: str) -> tuple[str, str, str]:
    """Returns rate, delay and error rate of a link as scenarios write them; no error rate is an empty text."""
    bps, ps = rate_bps(rate), time_ps(delay)
    if bps is None:
        raise refusal(path, line, f"the rate is {quoted(rate)}", "expected one such as 100Gbps, up to 1000Tbps")
    if ps is None:
        raise refusal(path, line, f"the delay is {quoted(delay)}", "expected one such as 1us, up to 100,000 s")
    errors = decimal(path, line, "the error rate", error_rate, 0, 0.999999)
    return written_rate(bps), written_time(ps), f"{errors:f}" if errors else ""


class _Inside(NamedTuple):
    """A GPU's link to its NVSwitch."""

    host: int
    rate: str
    delay: str
    error_rate: str
    line: int


class _Nodes:
    """Hosts, switches and NVSwitches, and the links of each host into the fabric."""

    def __init__(self, path: Path, has: Counts, switches: list[int]) -> None:
        self.path = path
        self.nvswitches = set(switches[: has.nvswitches])
        self.fabric = {node: f"switch{node}" for node in switches[has.nvswitches :]}
        self.hosts: dict[int, list[str]] = {node: [] for node in range(has.nodes)}
        for node in switches:
            del self.hosts[node]
        self.second: tuple[int, int] | None = None

    def name(self, node: int, peer: int, line: int) -> str:
        """Returns the name of a link's end, which for each further link of a host is another one. Raises InputError."""
        if node in self.fabric:
            return self.fabric[node]
        if peer in self.hosts:
            problem = f"joins the hosts {node} and {peer}"
            raise refusal(self.path, line, problem, "expected a switch at one end: hosts do not forward here")
        names = self.hosts[node]
        names.append(f"host{node}_{len(names) + 1}" if names else f"host{node}")
        if len(names) > 1:
            self.second = self.second or (node, line)
        return names[-1]

    def gpu(self, one: int, other: int, line: int) -> tuple[int, int]:
        """Returns the NVSwitch of a link, and its GPU. Raises InputError."""
        nvswitch, host = (one, other) if one in self.nvswitches else (other, one)
        if host not in self.hosts:
            problem = f"joins the NVSwitch {nvswitch} to node {host}, which is no GPU"
            raise refusal(self.path, line, problem, "expected NVSwitches with GPUs alone")
        return nvswitch, host


def _network(path: Path, place: Place, nodes: _Nodes, links: list[_Joined]) -> Network:
    inside: dict[int, list[_Inside]] = defaultdict(list)
    kept: list[Link] = []
    for one, other, rate, delay, error, line in links:
        if one in nodes.nvswitches or other in nodes.nvswitches:
            nvswitch, host = nodes.gpu(one, other, line)
            inside[nvswitch].append(_Inside(host, rate, delay, error, line))
            continue
        ends = nodes.name(one, other, line), nodes.name(other, one, line)
        kept.append(Link(*ends, rate, delay, error, Place(path.name, line)))
    hosts = nodes.hosts
    alone = next((host for host, names in hosts.items() if not names), None)
    if alone is not None:
        raise refusal(path, place.line, f"no link joins host {alone} to the fabric", "expected a link for every host")
    tables = [_servers(path, inside, hosts)] if inside else []
    ranges = f"hosts are {min(hosts)} to {max(hosts)}" if len(hosts) > 1 else f"the host is {min(hosts)}"
    names = [name for of_host in hosts.values() for name in of_host]
    return Network(place, names, [*nodes.fabric.values()], kept, hosts, ranges, tables)


def _servers(path: Path, inside: dict[int, list[_Inside]], hosts: Mapping[int, list[str]]) -> Table:
    """Returns servers of GPUs on one NVSwitch each as `[scale_up]`. Raises InputError for servers of other forms."""
    of_all = [sorted(links) for links in inside.values()]
    first = of_all[0][0].line
    size = len(of_all[0])
    members = sorted([host for host, *_ in links] for links in of_all)
    expected = "expected one NVSwitch for each server, with as many GPUs, and their numbers in a row"
    numbers = [*hosts]
    together = [numbers[at : at + size] for at in range(0, len(numbers), size)]
    several = {len(names) for names in hosts.values()}
    if members != together or size < 2 or len(several) > 1:
        raise refusal(path, first, f"{len(inside)} NVSwitches do not divide {len(hosts)} GPUs evenly", expected)
    ((rate, delay, error), most), *others = Counter(each[1:4] for links in of_all for each in links).most_common()
    if others:
        line = next(each.line for links in of_all for each in links if each[1:4] != (rate, delay, error))
        raise refusal(path, line, f"differs from {most} other links of NVSwitches", f"expected {rate} {delay} for all")
    table = Table("[scale_up]")
    table.add("hosts_per_server", size * several.pop(), f"{path.name}:1 GPUs of an NVSwitch")
    link = {"rate": rate, "delay": delay} | ({"error_rate": float(error)} if error else {})
    table.add("link", link, f"{path.name}:{first} and {len(hosts) - 1} more")
    return table
