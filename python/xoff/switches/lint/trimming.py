"""Packet trimming: the queues whose packets are cut where they have no room, and where what is left of them goes.

Sources: SONiC, doc/packet_trimming/packet-trimming-design.md; SAI-Proposal-Packet-Trimming.md.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from xoff.switches.lint.finding import Place
    from xoff.switches.lint.tables import Buffer, Tables
    from xoff.switches.sonic.config_db import SwitchTrimming

_DEFAULT_BYTES = 128
"""To which SAI trims where no size is set."""
_DEFAULT_CLASS = 0
"""Traffic class of packets whose DSCP no map has."""


def trims(buffer: Buffer) -> bool:
    """Whether packets that have no room in a queue are trimmed."""
    return buffer.profile is not None and buffer.profile.packet_discard_action == "trim"


def trimmed_queues(tables: Tables) -> list[Buffer]:
    """Returns all queues whose packets are trimmed."""
    return [queue for queue in tables.queues if trims(queue)]


def settings(tables: Tables) -> SwitchTrimming | None:
    """Returns the row that says how the switch trims packets."""
    return tables.config.switch_trimming.get("GLOBAL")


def size_of_headers(tables: Tables) -> int:
    """To which packets are trimmed, in bytes."""
    row = settings(tables)
    return _DEFAULT_BYTES if row is None or row.size is None else row.size


def queue_of_headers(tables: Tables, port: str) -> int | None:
    """In which headers wait at a port; None where no row says.

    What a DSCP leads to counts where the queue is `dynamic`, or none is set. A class whose DSCP ports set themselves
    (`from-tc`) is taken to be that to which this DSCP leads back.
    """
    row = settings(tables)
    if row is None:
        return None
    if isinstance(row.queue_index, int):
        return row.queue_index
    if row.dscp_value == "from-tc":
        return None if row.tc_value is None else tables.qos.queue_of_class(port, row.tc_value)
    return None if row.dscp_value is None else queue_of_dscp(tables, port, row.dscp_value)


def says_queue(tables: Tables) -> bool:
    """Whether a row says in which queue headers wait, or what leads them to it."""
    row = settings(tables)
    if row is None or isinstance(row.queue_index, int):
        return row is not None
    return (row.tc_value if row.dscp_value == "from-tc" else row.dscp_value) is not None


def ports_by_queue(tables: Tables) -> dict[int, list[str]]:
    """Ports where packets are trimmed, by the queue in which their headers wait, as far as it is known."""
    found: dict[int, list[str]] = defaultdict(list)
    for port in dict.fromkeys(queue.port for queue in trimmed_queues(tables)):
        queue = queue_of_headers(tables, port)
        if queue is not None:
            found[queue].append(port)
    return found


def place_of_queue(tables: Tables) -> Place:
    """Returns the place of the setting that names the queue of trimmed headers."""
    row = settings(tables)
    is_told = row is not None and isinstance(row.queue_index, int)
    return tables.place("SWITCH_TRIMMING", "GLOBAL", "queue_index" if is_told else "dscp_value")


def queue_of_dscp(tables: Tables, port: str, dscp: int) -> int | None:
    """In which packets that carry it wait at a port; None where the port has no map of DSCPs."""
    given = tables.qos.classes_given(port)
    if given is None:
        return None
    leads = (one for one, carried in given.items() if f"DSCP {dscp}" in carried)
    return tables.qos.queue_of_class(port, next(leads, _DEFAULT_CLASS))


def lossless_queues(tables: Tables, port: str) -> dict[int, int]:
    """Returns the PFC priorities of a port by the queues in which their packets wait."""
    return {tables.qos.queue_of(port, priority): priority for priority in tables.qos.pfc_priorities(port)}


def never_trimmed(tables: Tables) -> dict[str, str]:
    """Profiles of which SONiC refuses to trim, and where they are: trimming is for queues alone.

    Those of priority groups and of ports' lists (sonic-swss, orchagent/bufferorch.cpp, isTrimmingProhibited).
    """
    config = tables.config
    found = {row.profile: f"BUFFER_PG|{key}" for key, row in config.buffer_pg.items()}
    for table in ("BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST"):
        for key, row in getattr(config, table.lower()).items():
            found |= dict.fromkeys(row.profile_list, f"{table}|{key}")
    return found
