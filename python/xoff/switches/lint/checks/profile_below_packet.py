"""Profiles that let no full packet in."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import MTU_BYTES, several
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def profile_below_packet(tables: Tables) -> Iterator[Fault]:
    """A lossy buffer profile whose reserve and static_th together hold less than one packet of its ports.

    A warning where a packet of Ethernet's own size fits, and only larger ones do not.
    """
    ports = _ports_by_profile(tables)
    for name, profile in tables.config.buffer_profile.items():
        admitted = profile.size + (profile.static_th or 0)
        if not profile.static_th or profile.xoff:
            continue
        mtu = max(map(tables.mtu_bytes, ports[name]), default=MTU_BYTES)
        if admitted >= mtu:
            continue
        larger = [port for port in ports[name] if tables.mtu_bytes(port) > admitted]
        becomes = "cut down" if profile.packet_discard_action == "trim" else "dropped"
        yield Fault(
            Severity.ERROR if admitted < MTU_BYTES else Severity.WARNING,
            tables.place("BUFFER_PROFILE", name, "static_th"),
            f"{f'{several(larger)}: ' if larger else ''}{bytes_text(profile.static_th)} and {bytes_text(profile.size)} "
            f"in reserve are less than one packet, which may be {bytes_text(mtu)}: every one above "
            f"{bytes_text(admitted)} is {becomes}, however empty the pool",
            f"static_th in bytes, of several packets: at least {mtu - profile.size}",
        )


def _ports_by_profile(tables: Tables) -> dict[str, list[str]]:
    """Returns, by profile, the ports that use it for a priority group, a queue, or in a list."""
    found: dict[str, list[str]] = defaultdict(list)
    for buffer in (*tables.priority_groups, *tables.queues):
        found[buffer.profile_name].append(buffer.port)
    config = tables.config
    for rows in (config.buffer_port_ingress_profile_list, config.buffer_port_egress_profile_list):
        for key, row in rows.items():
            for name in row.profile_list:
                found[name] += key.split(",")
    return found
