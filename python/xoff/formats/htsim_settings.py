"""Settings for files of htsim, which have none: those that uet-htsim's `htsim_uec` has without options.

NSCC over packets that take all paths by REPS; each queue holds a bandwidth-delay product, and trims what has no room;
marks between 20 and 80 % of that product (`main_uec.cpp`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.formats.draft import Table
from xoff.formats.lines import written_time
from xoff.formats.round_trip import longest, rate_of

if TYPE_CHECKING:
    from xoff.formats.draft import Draft, Network

_CODE = "no file says; as htsim_uec without options"
_FRAME = 4150
_HEADERS = 64
_TRIMMED = 6


def settle(draft: Draft, network: Network) -> None:
    """Adds the tables of switches and transport to a draft whose network is known."""
    _, window, _ = longest(network, _FRAME)
    packets = -(-window // _FRAME)
    product = packets * _FRAME
    marked = [f"{-(-packets * share // 5) * _FRAME}B" for share in (1, 4)]
    ports: dict[str, int] = {}
    for link in network.links:
        for node in (link.one, link.other):
            ports[node] = ports.get(node, 0) + 1
    most = max((count for node, count in ports.items()), default=1)
    table = Table("[[switch]]")
    table.add("total", f"{most * 2 * product}B", f"ample: {most} ports")
    table.add(
        "buffer", {"policy": "static_threshold", "threshold": f"{product}B"}, f"{_CODE}: a bandwidth-delay product"
    )
    table.add("reserved_per_queue", "4kB", "room for headers")
    table.add("trimming", {"size": f"{_HEADERS}B", "priority": _TRIMMED}, _CODE)
    red = {"kind": "red", "minimum": marked[0], "maximum": marked[1], "probability": 1, "when": "dequeue"}
    table.add("marking.queue", red, f"{_CODE}: 20 and 80 % of it")
    draft.tables.append(table)
    transport = Table(f"[transport.{draft.transport}]")
    transport.add("kind", "roce")
    transport.add("payload", f"{_FRAME - _HEADERS}B", _CODE)
    transport.add("headers", f"{_HEADERS}B", _CODE)
    transport.add("acknowledgement", f"{_HEADERS}B", _CODE)
    transport.add("wire_overhead", "0B", _CODE)
    transport.add("control_priority", _TRIMMED, "ACKs go before data")
    transport.add(
        "spraying",
        {"algorithm": "reps", "entropies": 64},
        "nearest to htsim_uec's, which mixes REPS and a bitmap of paths",
    )
    hosts = set(network.hosts)
    slowest = min(rate_of(link.rate) for link in network.links if {link.one, link.other} & hosts)
    timeout = written_time(15_000_000 + 6 * product * 8 * 10**12 // slowest)
    timeouts = {"timeout_low": timeout, "timeout_high": timeout}
    recovery = {"kind": "selective_repeat", "window": f"{8 * product}B", "reordering": 200, **timeouts}
    transport.add("recovery", recovery, f"{_CODE}: 15 us and six queues; windows in which a late packet stops no other")
    transport.add("congestion_control", {"algorithm": "nscc"}, _CODE)
    draft.tables.append(transport)
