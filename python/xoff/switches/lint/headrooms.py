"""Headroom and the link that it is for."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.physics import bytes_on_cable
from xoff.switches.lint.tables import COMPUTED, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.finding import Place
    from xoff.switches.lint.tables import Buffer, Tables


_LOSSLESS_BYTES = 1024
"""The largest packet of lossless classes where no LOSSLESS_TRAFFIC_PATTERN says (SONiC's buffers_config.j2)."""


class Headroom(NamedTuple):
    """Headroom that is set for a speed and a cable."""

    place: Place
    speed_mbps: int
    cable_m: int
    xoff_bytes: int
    ports: tuple[str, ...]
    """Ports that have this headroom; none where that is not known, and the row itself names speed and cable."""

    @property
    def of(self) -> str:
        """The ports, to put before a sentence."""
        return f"{several(self.ports)}: " if self.ports else ""


def headrooms(tables: Tables) -> list[Headroom]:
    """Returns every headroom whose link speed and cable length are known."""
    return [*_of_lookup(tables), *_of_profiles(tables)]


def overfilled_at_once(tables: Tables, headroom: Headroom) -> tuple[int, int] | None:
    """Returns the packets for which there is no room beside the cable, even if the other end stops at once.

    These are the one that the pause waits for, of whatever class, and the lossless one that the other end has begun,
    by SONiC's formula (sonic-swss, cfgmgr/buffer_headroom_mellanox.lua); None where they fit, or no port has it.
    """
    if not headroom.ports:
        return None
    own, others = max(map(tables.mtu_bytes, headroom.ports)), tables.stated_packet or _LOSSLESS_BYTES
    cable = bytes_on_cable(headroom.speed_mbps, headroom.cable_m)
    return (own, others) if cable <= headroom.xoff_bytes < cable + own + others else None


def without_link(tables: Tables) -> list[Buffer]:
    """Lossless priority groups that no speed or no cable is known of, neither by their port nor by their profile."""
    return [
        group
        for group in tables.priority_groups
        if group.lossless and link_of(tables, group.port) is None and link_named(group.profile_name) is None
    ]


def without_cable(tables: Tables) -> dict[str, int]:
    """Ports without a length, where others have one, and that for which their profile is named."""
    lengths = tables.config.cable_length.values()
    there = {port for of_table in lengths for port in of_table}
    there |= {invalid.path[2] for invalid in tables.invalid if invalid.path[0] == "CABLE_LENGTH" and invalid.path[2:]}
    return {
        group.port: link[1]
        for group in tables.priority_groups
        if there and group.port not in there and group.lossless and (link := link_named(group.profile_name))
    }


def set_by_switch(tables: Tables) -> list[Buffer]:
    """Priority groups whose headroom no table says: the switch is to compute it, or to look it up."""
    return [
        group
        for group in tables.priority_groups
        if group.profile_name == COMPUTED
        or (group.profile is not None and group.profile.headroom_type == "dynamic" and group.profile.xoff is None)
    ]


def _of_lookup(tables: Tables) -> Iterator[Headroom]:
    for looked_up in tables.lookup.rows if tables.lookup else ():
        row = looked_up[1]
        made = (group for group in tables.groups_made.values() if group.profile_name == row.name)
        ports = () if row.name in tables.config.buffer_profile else dict.fromkeys(group.port for group in made)
        yield Headroom(tables.place_of_row(looked_up, "xoff"), row.speed, row.cable, row.xoff, tuple(ports))


def _of_profiles(tables: Tables) -> Iterator[Headroom]:
    profiles = tables.config.buffer_profile
    users: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for group in tables.priority_groups:
        if group.lossless and group.profile_name in profiles and (link := link_of(tables, group.port)):
            users[group.profile_name, *link].append(group.port)
    used = {name for name, _, _ in users}
    for name in profiles:
        if name not in used and (named := link_named(name)):
            users[name, *named] = []
    for (name, speed, cable), ports in users.items():
        xoff = profiles[name].xoff
        if xoff is not None:
            yield Headroom(tables.place("BUFFER_PROFILE", name, "xoff"), speed, cable, xoff, tuple(ports))


def link_of(tables: Tables, port: str) -> tuple[int, int] | None:
    """Speed and cable of a port."""
    row, cable = tables.config.port.get(port), tables.cable_m(port)
    return None if row is None or cable is None else (row.speed, cable)


def link_named(profile: str) -> tuple[int, int] | None:
    """Speed and cable for which the switch has made a profile."""
    match = re.fullmatch(r"pg_lossless_([0-9]+)_([0-9]+)m_profile", profile)
    return (int(match[1]), int(match[2])) if match else None
