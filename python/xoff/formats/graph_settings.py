"""Settings for networks that come without any: queue pairs with DCQCN in a class that pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.formats.draft import Table
from xoff.formats.round_trip import ample_memory_mib

if TYPE_CHECKING:
    from xoff.formats.draft import Draft, Network

_OWN = "no file says; yours to choose"


def settle(draft: Draft, network: Network) -> None:
    """Adds the tables of classes, switches and transport."""
    for priority in sorted({*draft.priorities, 7}):
        table = Table("[[class]]")
        table.add("priority", priority)
        if priority in draft.priorities:
            table.add("lossless", True, _OWN)
        draft.tables.append(table)
    switch = Table("[[switch]]")
    switch.add("total", f"{ample_memory_mib(network)}MiB", _OWN)
    red = {"kind": "red", "minimum": "400kB", "maximum": "1600kB", "probability": 0.2}
    switch.add("marking.queue", red, _OWN)
    switch.add("pfc", {}, _OWN)
    transport = Table(f"[transport.{draft.transport}]")
    transport.add("kind", "roce", _OWN)
    transport.add("congestion_control", {"algorithm": "dcqcn", "preset": "mellanox"}, _OWN)
    draft.tables += [switch, transport]
