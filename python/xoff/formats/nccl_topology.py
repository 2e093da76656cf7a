"""Topology XML of NCCL (`NCCL_TOPO_DUMP_FILE`): one server, whose GPUs NVLinks join.

Beside a network it makes servers of the network's hosts (`[scale_up]`). Alone it is one server on one switch.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from xoff.errors import InputError
from xoff.formats import graph_settings
from xoff.formats.draft import Draft, Found, Link, Network, Place, Table
from xoff.formats.lines import refusal, whole, written_rate
from xoff.formats.plain_xml import each_element
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

NAME = "NCCL topology"
ABOUT = "topology XML of NCCL"

_SYSTEM = re.compile(r"<system[\s>]")
_MBPS = 10**6
_NVLINK_MBPS = ((100, 320_800), (90, 164_800), (87, 160_000), (86, 96_000), (70, 160_000), (0, 144_000))
"""Megabits per second of one NVLink in each direction, from a compute capability on, as NCCL counts them."""
_DELAY = "25ns"
_FABRIC_DELAY = "500ns"
_OWN = "no file says; yours to choose"
_MOST_GPUS = 4096


@dataclass
class _Gpu:
    """One GPU."""

    line: int
    rate_bps: int
    """Rate of one of its NVLinks."""
    generation: int
    nvlinks: int = 0
    targets: set[str] = field(default_factory=set)


@dataclass
class _Server:
    """Everything that the file says of the server."""

    gpus: list[_Gpu] = field(default_factory=list)
    nics: list[int] = field(default_factory=list)
    """Rate of each port of an adapter."""
    buses: set[str] = field(default_factory=set)
    """Places of GPUs on the PCI bus, which NVLinks between two GPUs name."""


def recognises(lines: Sequence[str]) -> bool:
    """Whether a system is among the first elements."""
    return any(_SYSTEM.search(line) for line in lines[:50])


def read(path: Path, draft: Draft) -> None:
    """Reads a server into the draft. Raises InputError."""
    server = _read(path)
    gpus = server.gpus
    if len(gpus) < 2 or not any(gpu.nvlinks for gpu in gpus):
        problem = f"has {counted(len(gpus), 'GPU')} with {sum(gpu.nvlinks for gpu in gpus)} NVLinks"
        raise InputError(str(path), "", problem, "expected a dump of NCCL with several GPUs (NCCL_TOPO_DUMP_FILE)")
    place = Place(path.name, gpus[0].line)
    if draft.network is None:
        draft.network = _alone(path, draft, server)
    _add_servers(path, draft, draft.network, gpus)
    if server.buses & {target for gpu in gpus for target in gpu.targets}:
        draft.leave(place, "NVLinks from one GPU to another", "all of a GPU lead to one switch in its server")
    draft.leave(
        Place(path.name, 1), "PCI, CPUs and memory", "not simulated; a flow leaves its GPU at the rate of a link"
    )
    nics = counted(len(server.nics), "port")
    draft.found.append(Found(str(path), NAME, f"{counted(len(gpus), 'GPU')}, {nics} of network adapters"))
    draft.settle_unless_told(graph_settings.settle)


def _read(path: Path) -> _Server:
    server = _Server()
    buses: list[str] = []

    def begin(line: int, name: str, of: dict[str, str]) -> None:
        if name == "pci":
            buses.append(of.get("busid", ""))
        elif name == "gpu":
            generation = whole(path, line, "sm", of.get("sm", ""), 0, 999)
            rate = next(mbps for least, mbps in _NVLINK_MBPS if generation >= least) * _MBPS
            server.gpus.append(_Gpu(line, rate, generation))
            server.buses.update(buses[-1:])
            if len(server.gpus) > _MOST_GPUS:
                raise refusal(path, line, f"is GPU {len(server.gpus)} of one server", f"expected up to {_MOST_GPUS:,}")
        elif name == "nvlink":
            if not server.gpus:
                raise refusal(path, line, "is an NVLink of no GPU", "expected it in <gpu>")
            server.gpus[-1].nvlinks += whole(path, line, "count", of.get("count", ""), 1, 1000)
            server.gpus[-1].targets.add(of.get("target", ""))
        elif name == "net":
            server.nics.append(whole(path, line, "speed", of.get("speed", ""), 1, 10**8) * _MBPS)

    def end(name: str) -> None:
        if name == "pci":
            buses.pop()

    each_element(path, NAME, begin, end)
    return server


def _alone(path: Path, draft: Draft, server: _Server) -> Network:
    """Returns a network of the server's GPUs on one switch."""
    gpus = server.gpus
    place = Place(path.name, gpus[0].line)
    if not server.nics:
        raise InputError(str(path), "", "has no network adapter", "expected some, or a topology beside it")
    rate = written_rate(max(sum(server.nics) // len(gpus), 1))
    hosts = [f"gpu{number}" for number in range(len(gpus))]
    links = [
        Link(host, "switch0", rate, _FABRIC_DELAY, "", Place(path.name, gpu.line))
        for host, gpu in zip(hosts, gpus, strict=True)
    ]
    told = f"no topology: one switch, and {rate} for each GPU, an equal part of its server's adapters"
    draft.leave(place, told, f"{_FABRIC_DELAY} of delay are yours to choose")
    numbers = dict(enumerate(zip(hosts, strict=True)))
    return Network(place, hosts, ["switch0"], links, numbers, f"GPUs are 0 to {len(gpus) - 1}")


def _add_servers(path: Path, draft: Draft, network: Network, gpus: Sequence[_Gpu]) -> None:
    """Adds `[scale_up]` to a network. Raises InputError if its hosts are no such servers."""
    if any(table.head == "[scale_up]" for table in network.tables):
        raise InputError(
            str(path), "", "is a second scale-up network", f"expected one; {draft.found[0].file} has another"
        )
    several = {len(names) for names in network.numbers.values()}
    if len(network.numbers) % len(gpus) or len(several) != 1:
        problem = f"the topology's {counted(len(network.numbers), 'host')} are no servers of {len(gpus)} GPUs"
        raise InputError(str(path), "", problem, f"expected a multiple of {len(gpus)}, each with as many links")
    (nvlinks, rate, generation), most = Counter(
        (gpu.nvlinks, gpu.rate_bps, gpu.generation) for gpu in gpus
    ).most_common(1)[0]
    if most < len(gpus):
        told = f"{len(gpus) - most} of {len(gpus)} GPUs with other NVLinks"
        draft.leave(Place(path.name, gpus[0].line), told, f"all have {nvlinks}, as most have")
    if not nvlinks:
        raise refusal(path, gpus[0].line, "most GPUs have no NVLink", "expected NVLinks between all")
    table = Table("[scale_up]")
    table.add("hosts_per_server", len(gpus) * several.pop(), f"{path.name}: GPUs")
    each = written_rate(rate)
    origin = (
        f"{path.name}:{gpus[0].line} {counted(nvlinks, 'NVLink')} of {each}, as NCCL counts them for sm {generation}"
    )
    table.add("link", {"rate": written_rate(nvlinks * rate), "delay": _DELAY}, f"{origin}; delay: {_OWN}")
    network.tables.append(table)
