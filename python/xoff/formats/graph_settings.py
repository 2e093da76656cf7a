"""Settings for networks that come without any: queue pairs in a class that pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.formats.draft import Key, Table
from xoff.formats.round_trip import ample_memory_mib

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.formats.draft import Draft, Network

OWN = "no file says; yours to choose"
"""Origin of a setting that no imported file has."""


def settle(draft: Draft, network: Network) -> None:
    """Adds classes that pause, switches that mark, and queue pairs with DCQCN."""
    red = {"kind": "red", "minimum": "400kB", "maximum": "1600kB", "probability": 0.2}
    control = {"algorithm": "dcqcn", "preset": "mellanox"}
    transport = (Key("kind", "roce", OWN), Key("congestion_control", control, OWN))
    add_tables(draft, network, (Key("marking.queue", red, OWN),), transport)


def add_tables(draft: Draft, network: Network, marking: Sequence[Key], transport: Sequence[Key]) -> None:
    """Adds classes that pause, switches of ample memory that mark as told, and the transport."""
    for priority in sorted({*draft.priorities, 7}):
        table = Table("[[class]]")
        table.add("priority", priority)
        if priority in draft.priorities:
            table.add("lossless", True, OWN)
        draft.tables.append(table)
    memory = Key("total", f"{ample_memory_mib(network)}MiB", OWN)
    draft.tables.append(Table("[[switch]]", [memory, *marking, Key("pfc", {}, OWN)]))
    draft.tables.append(Table(f"[transport.{draft.transport}]", [*transport]))
