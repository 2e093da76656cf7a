"""ASTRA-sim's configuration: the network of its analytical backend, logical dimensions, and the system's collectives.

A network (`network.yml`) has lists with a value for each dimension: `topology` (`Ring`, `FullyConnected` or `Switch`),
`npus_count`, `bandwidth` (GB/s of a link, each way) and `latency` (ns of a link). NPUs are numbered along the first
dimension first. All but those of one `Switch` forward, so each becomes a host and a switch. Their link has the rates of
all links of the NPU, so that it holds nothing up.
"""

from __future__ import annotations

import json
import re
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.errors import InputError
from xoff.formats.draft import Draft, Found, Key, Link, Network, Place
from xoff.formats.graph_settings import OWN, add_tables
from xoff.formats.lines import MOST_NS, counts, decimal, numbered, refusal, whole, written_rate, written_time
from xoff.text.line import quoted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME = "ASTRA-sim configuration"
ABOUT = "network, logical topology and system of ASTRA-sim"

_KNOWN = re.compile(
    r"""(?:^|[{,])\s*["']?(?:npus_count|logical-dims|scheduling-policy|all-[a-z-]+-implementation)["']?\s*:""", re.M
)
_KEY = re.compile(r"""["']?([A-Za-z_][\w-]*)["']?\s*:\s*(.*)""")
_MOST_CHARACTERS = 1 << 20
_MOST_NPUS = 1 << 16
_MOST_LINKS = 1 << 20
_MOST_BPS = 10**15
_BITS = 8 << 30
"""Bits of a GB, which is 2^30 B in ASTRA-sim's `bw_GBps_to_Bpns`."""
_NETWORK = ("topology", "npus_count", "bandwidth", "latency")
_SHAPES = ("Ring", "FullyConnected", "Switch")
_SYSTEM = {
    "all-reduce-implementation": "all_reduce",
    "all-gather-implementation": "all_gather",
    "reduce-scatter-implementation": "reduce_scatter",
    "all-to-all-implementation": "all_to_all",
}
_IMPLEMENTATIONS = {"ring": "ring", "oneRing": "ring", "direct": "direct", "oneDirect": "direct"}


class _Values(NamedTuple):
    """Values of one key, as the file writes them."""

    line: int
    texts: list[str]


class _Dimension(NamedTuple):
    """One dimension of a network."""

    shape: str
    npus: int
    rate_bps: int
    delay: str

    @property
    def links(self) -> int:
        """Links of one group of NPUs."""
        if self.shape == "FullyConnected":
            return self.npus * (self.npus - 1) // 2
        return self.npus if self.shape == "Switch" or self.npus > 2 else self.npus - 1

    @property
    def links_of_npu(self) -> int:
        """Links of one NPU."""
        most = {"Ring": 2, "FullyConnected": self.npus - 1, "Switch": 1}[self.shape]
        return most if self.shape == "Switch" else min(most, self.npus - 1)


def recognises(lines: Sequence[str]) -> bool:
    """Whether there is a key that only one of ASTRA-sim's files has."""
    return _KNOWN.search("\n".join(lines[:200])) is not None


def read(path: Path, draft: Draft) -> None:
    """Reads a network, logical dimensions or a system, as the keys are. Raises InputError."""
    values = _read(path)
    if "npus_count" in values:
        _read_network(path, values, draft)
    elif "logical-dims" in values:
        _read_dimensions(path, values["logical-dims"], draft)
    else:
        _read_system(path, values, draft)


def _read(path: Path) -> Mapping[str, _Values]:
    """Returns the values of all keys, of JSON or of YAML. Raises InputError."""
    lines: list[str] = []
    length = 0
    for number, line in numbered(path):
        lines.append(line)
        length += len(line)
        if length > _MOST_CHARACTERS:
            raise refusal(path, number, f"has more than {_MOST_CHARACTERS:,} characters", "expected a configuration")
    text = "".join(lines)
    return _of_json(path, text, lines) if text.lstrip().startswith("{") else _of_yaml(path, lines)


def _of_json(path: Path, text: str, lines: Sequence[str]) -> Mapping[str, _Values]:
    try:
        told: dict[str, Any] = json.loads(text, parse_int=str, parse_float=str, parse_constant=str)
    except json.JSONDecodeError as error:
        raise refusal(path, error.lineno, f"is no JSON: {error.msg.lower()}", "expected keys and lists") from None
    except RecursionError:
        raise InputError(str(path), "", "is nested too deeply", "expected keys and lists") from None
    places: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        for found in re.finditer(r'"([^"]*)"\s*:', line):
            places.setdefault(found[1], number)
    values = {}
    for key, value in told.items():
        each = value if isinstance(value, list) else [value]
        values[key] = _Values(places.get(key, 1), [one if isinstance(one, str) else json.dumps(one) for one in each])
    return values


def _of_yaml(path: Path, lines: Sequence[str]) -> Mapping[str, _Values]:
    """Returns the keys of YAML with one value each, or a list in brackets or below. Raises InputError."""
    entries: list[tuple[int, list[str]]] = []
    is_open = False
    for number, line in enumerate(lines, 1):
        told = re.sub(r"(?:^|\s)#.*", "", line).strip()
        if told in ("", "---", "..."):
            continue
        if entries and (is_open or told.startswith(("- ", "["))):
            entries[-1][1].append(f",{told[2:]}" if told.startswith("- ") else told)
        else:
            entries.append((number, [told]))
        is_open = (is_open or "[" in told) and "]" not in told
    values: dict[str, _Values] = {}
    for number, parts in entries:
        found = _KEY.fullmatch(" ".join(parts))
        if found is None or found[1] in values or found[2].startswith("[") != found[2].endswith("]"):
            problem = f"{quoted(parts[0])} is no key with values, or there already"
            raise refusal(path, number, problem, "expected a key such as npus_count: [ 8 ]")
        texts = found[2].removeprefix("[").removesuffix("]").split(",")
        values[found[1]] = _Values(number, [_bare(text) for text in texts if text.strip()])
    return values


def _bare(text: str) -> str:
    return text.strip().strip("\"'")


def _read_network(path: Path, values: Mapping[str, _Values], draft: Draft) -> None:
    draft.check_is_first(path)
    dimensions = _dimensions(path, values)
    npus = prod(each.npus for each in dimensions)
    links = sum(npus // each.npus * each.links for each in dimensions)
    place = Place(path.name, values["npus_count"].line)
    if not 2 <= npus <= _MOST_NPUS or links > _MOST_LINKS:
        problem = f"npus_count makes {npus:,} NPUs and {links:,} links"
        expected = f"expected 2 to {_MOST_NPUS:,} NPUs, and up to {_MOST_LINKS:,} links"
        raise refusal(path, place.line, problem, expected)
    rate = sum(each.rate_bps * each.links_of_npu for each in dimensions)
    if rate > _MOST_BPS:
        problem = f"the links of an NPU come to {written_rate(rate)}"
        raise refusal(path, values["bandwidth"].line, problem, f"expected up to {written_rate(_MOST_BPS)}")
    draft.network = network = _network(dimensions, npus, rate, place, Place(path.name, values["bandwidth"].line))
    if len(network.switches) > 1:
        told = "NPUs that forward"
        draft.leave(place, told, f"each is a host and a switch; {written_rate(rate)} join them, as all its links have")
    if len(dimensions) > 1:
        draft.leave(place, "order of dimensions on a route", "flows take shortest paths, of which a hash takes one")
    for key in (each for each in values if each not in _NETWORK):
        draft.leave(Place(path.name, values[key].line), quoted(key), "not carried over")
    shape = " x ".join(f"{each.shape} {each.npus}" for each in dimensions)
    size = counts(len(network.hosts), len(network.switches), len(network.links))
    draft.found.append(Found(str(path), NAME, f"{shape}: {size}"))
    draft.settle_unless_told(_settle)


def _settle(draft: Draft, network: Network) -> None:
    """Adds classes that pause, and a transport without congestion control, as ASTRA-sim has none."""
    kind = Key("kind", "roce", f"{OWN}; ASTRA-sim has no congestion control")
    add_tables(draft, network, (), (kind, Key("payload", "4096B", OWN)))


def _dimensions(path: Path, values: Mapping[str, _Values]) -> list[_Dimension]:
    """Returns the dimensions of a network. Raises InputError."""
    for key in _NETWORK:
        if key not in values:
            raise InputError(str(path), key, "is missing", f"expected {', '.join(_NETWORK)}")
        here, wanted = len(values[key].texts), len(values["topology"].texts)
        if here != wanted or not wanted:
            problem = f"{key} has {here} values, and topology {wanted}"
            raise refusal(path, values[key].line, problem, "expected one for each dimension")
    dimensions = []
    for shape, npus, bandwidth, latency in zip(*(values[key].texts for key in _NETWORK), strict=True):
        if shape not in _SHAPES:
            expected = f"expected one of {', '.join(_SHAPES)}"
            raise refusal(path, values["topology"].line, f"topology is {quoted(shape)}", expected)
        line = values["bandwidth"].line
        rate = int(decimal(path, line, "bandwidth", bandwidth, 1e-6, _MOST_BPS // _BITS) * _BITS)
        delay = decimal(path, values["latency"].line, "latency", latency, 0, MOST_NS)
        count = whole(path, values["npus_count"].line, "npus_count", npus, 1, _MOST_NPUS)
        dimensions.append(_Dimension(shape, count, rate, written_time(round(delay * 1000))))
    return dimensions


def _network(dimensions: Sequence[_Dimension], npus: int, rate: int, place: Place, of_links: Place) -> Network:
    """Returns the network; `rate` joins the host of an NPU and its switch."""
    hosts = [f"host{npu}" for npu in range(npus)]
    is_star = len(dimensions) == 1 and dimensions[0].shape == "Switch"
    nodes = hosts if is_star else [f"npu{npu}" for npu in range(npus)]
    switches = [] if is_star else [*nodes]
    links = []
    if not is_star:
        joined = zip(hosts, nodes, strict=True)
        links = [Link(host, node, written_rate(rate), "0s", "", of_links) for host, node in joined]
    stride, names = 1, 0
    for each in dimensions:
        for first in range(npus):
            if first // stride % each.npus:
                continue
            group = [nodes[first + stride * at] for at in range(each.npus)]
            if each.shape == "Switch":
                switches.append(f"switch{names}")
                names += 1
            for one, other in _pairs(each.shape, group, switches):
                links.append(Link(one, other, written_rate(each.rate_bps), each.delay, "", of_links))
        stride *= each.npus
    numbers = {npu: [host] for npu, host in enumerate(hosts)}
    return Network(place, hosts, switches, links, numbers, f"NPUs are 0 to {npus - 1}")


def _pairs(shape: str, group: Sequence[str], switches: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields both ends of each link of a group, whose switch is the last one."""
    if shape == "Switch":
        yield from ((node, switches[-1]) for node in group)
    elif shape == "FullyConnected" or len(group) < 3:
        yield from combinations(group, 2)
    else:
        yield from zip(group, [*group[1:], group[0]], strict=True)


def _read_dimensions(path: Path, values: _Values, draft: Draft) -> None:
    sizes = [whole(path, values.line, "logical-dims", text, 1, _MOST_NPUS) for text in values.texts]
    told = f"logical dimensions {' x '.join(map(str, sizes))}"
    if len(sizes) > 1:
        reason = "a collective goes over all its ranks at once, not dimension by dimension"
        draft.leave(Place(path.name, values.line), told, reason)
    draft.found.append(Found(str(path), NAME, told))


def _read_system(path: Path, values: Mapping[str, _Values], draft: Draft) -> None:
    """Takes the implementations of collectives; nothing else of a system is in a scenario."""
    if draft.implementations:
        raise InputError(str(path), "", "is a second system", "expected one")
    chosen = {}
    for key, operation in _SYSTEM.items():
        if key not in values:
            continue
        line, texts = values[key]
        kinds = {_IMPLEMENTATIONS.get(text, "") for text in texts}
        kind = kinds.pop() if len(kinds) == 1 else ""
        carried = "direct" if operation == "all_to_all" else kind or "ring"
        if kind != carried:
            draft.leave(Place(path.name, line), f"{key} {quoted(', '.join(texts))}", f"carried out as {carried}")
        elif len(texts) > 1:
            reason = "over all ranks at once, not dimension by dimension"
            draft.leave(Place(path.name, line), f"{key} {quoted(', '.join(texts))}", reason)
        chosen[operation] = carried
    rest = [quoted(key) for key in values if key not in _SYSTEM]
    if rest:
        reason = "not carried over; a collective is one chunk, and its flows go as soon as they can"
        draft.leave(path.name, ", ".join(rest), reason)
    draft.implementations = chosen
    told = ", ".join(f"{operation} {kind}" for operation, kind in chosen.items())
    draft.found.append(Found(str(path), NAME, told or "no implementation of a collective"))
