"""Headroom and the link that it is for."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.lint.tables import COMPUTED, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.finding import Place
    from xoff.lint.tables import Buffer, Tables


class Headroom(NamedTuple):
    """Headroom that is set for a speed and a cable."""

    place: Place
    speed_mbps: int
    cable_m: int
    xoff_bytes: int
    ports: tuple[str, ...]
    """Those that have it; none where the row itself names speed and cable."""

    @property
    def of(self) -> str:
        """The ports, to put before a sentence."""
        return f"{several(self.ports)}: " if self.ports else ""


def headrooms(tables: Tables) -> list[Headroom]:
    """All headroom of which speed and cable are known."""
    return [*_of_lookup(tables), *_of_profiles(tables)]


def without_link(tables: Tables) -> list[Buffer]:
    """Lossless priority groups that no speed or no cable is known of, neither by their port nor by their profile."""
    return [
        group
        for group in tables.priority_groups
        if group.lossless and link_of(tables, group.port) is None and _link_named(group.profile_name) is None
    ]


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
        yield Headroom(tables.place_of_row(looked_up, "xoff"), row.speed, row.cable, row.xoff, ())


def _of_profiles(tables: Tables) -> Iterator[Headroom]:
    profiles = tables.config.buffer_profile
    users: dict[tuple[str, int, int], list[str]] = defaultdict(list)
    for group in tables.priority_groups:
        if group.lossless and group.profile_name in profiles and (link := link_of(tables, group.port)):
            users[group.profile_name, *link].append(group.port)
    used = {name for name, _, _ in users}
    for name in profiles:
        if name not in used and (named := _link_named(name)):
            users[name, *named] = []
    for (name, speed, cable), ports in users.items():
        xoff = profiles[name].xoff
        if xoff is not None:
            yield Headroom(tables.place("BUFFER_PROFILE", name, "xoff"), speed, cable, xoff, tuple(ports))


def link_of(tables: Tables, port: str) -> tuple[int, int] | None:
    """Speed and cable of a port."""
    row, cable = tables.config.port.get(port), tables.cable_m(port)
    return None if row is None or row.speed is None or cable is None else (row.speed, cable)


def _link_named(profile: str) -> tuple[int, int] | None:
    """Speed and cable for which the switch has made a profile."""
    match = re.fullmatch(r"pg_lossless_([0-9]+)_([0-9]+)m_profile", profile)
    return (int(match[1]), int(match[2])) if match else None
