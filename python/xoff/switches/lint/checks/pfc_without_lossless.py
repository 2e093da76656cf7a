"""Pauses without headroom."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import COMPUTED, several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Buffer, Tables


class _Why(NamedTuple):
    """Reason for which a priority group has no headroom."""

    severity: Severity
    cause: str
    remedy: str
    """Change that would give it headroom, with {port} for its port; empty for a row of BUFFER_PG."""


def pfc_without_lossless(tables: Tables) -> Iterator[Fault]:
    """PFC for a priority whose group has no headroom.

    A warning where no row is about the group: the switch may make one itself, from a pg_profile_lookup.ini that is not
    there. Where that has no row for the port, or where nothing says how long the port's cable is, it makes none.
    """
    if not tables.has_table("BUFFER_PG") and tables.lookup is None:
        return
    groups = {(group.port, group.index): group for group in tables.priority_groups}
    lacking: dict[tuple[int, _Why], list[str]] = defaultdict(list)
    for port, priority in tables.qos.pausing:
        group = groups.get((port, tables.qos.priority_group_of(port, priority)))
        if why := _unset(tables, port) if group is None else _without(tables, group):
            lacking[priority, why].append(port)
    for (priority, why), ports in lacking.items():
        found = tables.qos.row(ports[0])
        assert found is not None, "PFC is on by such a row"
        index = tables.qos.priority_group_of(ports[0], priority)
        remedy = why.remedy.replace("{port}", ports[0]) or f"BUFFER_PG|{ports[0]}|{index} with a lossless profile"
        yield Fault(
            why.severity,
            tables.place("PORT_QOS_MAP", found[0], "pfc_enable"),
            f"priority {priority} of {several(ports)} is to pause its senders, and its priority group {index} is set "
            f"{why.cause}: what arrives after a pause is dropped",
            f"{remedy}, or no {priority} in pfc_enable",
        )


def _without(tables: Tables, group: Buffer) -> _Why | None:
    is_computed = group.profile is not None and group.profile.headroom_type == "dynamic"
    if group.profile_name == COMPUTED or (is_computed and tables.cable_m(group.port) == 0):
        return _not_made(tables, group.port, f"by {group.profile_name}")
    if not group.lossless and group.profile is not None and group.profile.headroom_type == "static":
        return _Why(Severity.ERROR, f"by {group.profile_name}, which has no xoff", "")
    return None


def _unset(tables: Tables, port: str) -> _Why:
    by = "by no row of BUFFER_PG"
    perhaps = "pg_profile_lookup.ini beside these tables, if that has a row for {port}; if not, one of BUFFER_PG"
    return _not_made(tables, port, by) or _Why(Severity.WARNING, by, "" if tables.computes else perhaps)


def _not_made(tables: Tables, port: str, by: str) -> _Why | None:
    """Says why the switch makes no profile (sonic-swss, cfgmgr/buffermgr.cpp, buffermgrdyn.cpp), if tables tell."""
    row, cable = tables.config.port.get(port), tables.cable_m(port)
    if cable == 0:
        cause = f"{by}, and CABLE_LENGTH says 0m, for which the switch makes no lossless profile"
        return _Why(Severity.ERROR, cause, "CABLE_LENGTH with the length of {port}'s cable")
    if tables.computes or any(invalid.path[0] in ("CABLE_LENGTH", "PORT") for invalid in tables.invalid):
        return None
    if cable is None and (tables.has_table("CABLE_LENGTH") or tables.lookup is not None):
        severity = Severity.ERROR if tables.has_table("CABLE_LENGTH") else Severity.WARNING
        cause = f"{by}, and no CABLE_LENGTH says how long its cable is, without which the switch makes no profile"
        name = next(iter(tables.config.cable_length), "AZURE")
        return _Why(severity, cause, f"CABLE_LENGTH|{name}|{{port}} with that length")
    if tables.lookup is None:
        return None
    if row is None:
        cause = f"{by}, and PORT says no speed to look one up by in {tables.lookup.name}"
        return _Why(Severity.WARNING, cause, "PORT|{port} with its speed")
    link = f"{row.speed} {cable}m"
    cause = f"{by}, nor has {tables.lookup.name} one for {link}, so that the switch makes none"
    return _Why(Severity.ERROR, cause, f"a row {link} in {tables.lookup.name}")
