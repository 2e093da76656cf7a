"""Headroom for a link that is not the port's."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.headrooms import link_named, link_of
from xoff.switches.lint.tables import COMPUTED, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Buffer, Tables
    from xoff.switches.sonic import PgProfile


class _Other(NamedTuple):
    """Profile in a row that differs from the one that its port needs, or gets, and the reason."""

    severity: Severity
    physics: str
    remedy: str


def profile_of_other_link(tables: Tables) -> Iterator[Fault]:
    """A lossless priority group by another profile than speed and cable look up: the switch replaces it, or cannot.

    So does sonic-swss (cfgmgr/buffermgr.cpp) wherever its lookup table has a row for the port, which is a note. Where
    it has none, the row's profile stays, even one that was made for another link. So does it with a cable of 0 m, by
    which tables often say that a port is not used: a note. Nothing is said where the switch computes headroom, or where
    its lookup table is not named.
    """
    found: dict[tuple[str, _Other], list[Buffer]] = defaultdict(list)
    for port, priority in tables.qos.pausing if not tables.computes else ():
        group = tables.groups_of_rows.get((port, tables.qos.priority_group_of(port, priority)))
        if group and group.profile_name != COMPUTED and (other := _other(tables, group)):
            found[group.profile_name, other].append(group)
    for (_, other), groups in found.items():
        place = tables.place("BUFFER_PG", groups[0].row, "profile")
        physics = f"{several(group.port for group in groups)}: {other.physics}"
        yield Fault(other.severity, place, physics, other.remedy)


def _other(tables: Tables, group: Buffer) -> _Other | None:
    looked_up, link, named = tables.looked_up(group.port), link_of(tables, group.port), link_named(group.profile_name)
    if looked_up is not None:
        return None if looked_up[1].name == group.profile_name else _replaced(tables, group, looked_up)
    if link is None or named in (None, link):
        return None
    if link[1] == 0:
        why = "CABLE_LENGTH says 0m, for which the switch makes no lossless profile"
        physics = f"{why}: {group.profile_name} stays as the row has it, whatever the cable"
        return _Other(Severity.NOTE, physics, "CABLE_LENGTH with the cable's length, or no PFC at this port")
    if tables.lookup is None:
        return None
    wanted = f"{link[0]} {link[1]}m"
    physics = f"{tables.lookup.name} has no row {wanted}, and the switch keeps {group.profile_name}, for another link"
    return _Other(Severity.WARNING, physics, f"a row {wanted} in {tables.lookup.name}")


def _replaced(tables: Tables, group: Buffer, looked_up: tuple[int, PgProfile]) -> _Other:
    line, row = looked_up
    assert tables.lookup is not None, "it has a row"
    made = tables.groups_made[group.port, group.index].profile
    xoff, own = made.xoff if made else None, group.profile.xoff if group.profile else None
    numbers = f"xoff = {xoff}, and not {'none' if own is None else own}" if xoff != own else f"xoff = {xoff}, too"
    return _Other(
        Severity.NOTE,
        f"the switch puts {row.name} in the place of {group.profile_name}, as it looks up speed and cable "
        f"({tables.lookup.name}:{line}), with {numbers}",
        f"{row.name}, or no row {row.speed} {row.cable}m in {tables.lookup.name}",
    )
