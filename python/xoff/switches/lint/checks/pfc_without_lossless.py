"""Pauses without headroom."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import COMPUTED, POOL_OF_LOOKUP, several

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

    The switch makes a group itself, of a row of its pg_profile_lookup.ini for speed and cable. Where that has no row of
    the speed at all it is a warning. It is a note where tables leave open what the switch makes, and where
    CABLE_LENGTH says 0m, as of ports that are not used. So it is where no group of the switch is lossless at all.
    """
    if not tables.has_table("BUFFER_PG") and tables.lookup is None:
        return
    groups = {(group.port, group.index): group for group in tables.priority_groups}
    is_lossless = _has_lossless(tables)
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
            why.severity if is_lossless else Severity.NOTE,
            tables.place("PORT_QOS_MAP", found[0], "pfc_enable"),
            f"priority {priority} of {several(ports)} is to pause its senders, and its priority group {index} is set "
            f"{why.cause}: nobody is paused, and what finds no room is dropped",
            f"{remedy}, or no {priority} in pfc_enable",
        )


def _has_lossless(tables: Tables) -> bool:
    """Whether any group has headroom, or tables set some aside."""
    rows = tables.lookup.rows if tables.lookup and not tables.lacks_pool_of_lookup else ()
    pools = tables.config.buffer_pool.values()
    return bool(rows) or any(pool.xoff for pool in pools) or any(group.lossless for group in tables.priority_groups)


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
    return _not_made(tables, port, by) or _Why(Severity.NOTE, by, "" if tables.computes else perhaps)


def _not_made(tables: Tables, port: str, by: str) -> _Why | None:
    """Says why the switch makes no profile (sonic-swss, cfgmgr/buffermgr.cpp, buffermgrdyn.cpp), if tables tell."""
    row, cable = tables.config.port.get(port), tables.cable_m(port)
    if cable == 0:
        cause = f"{by}, and CABLE_LENGTH says 0m, for which the switch makes no lossless profile"
        return _Why(Severity.NOTE, cause, "CABLE_LENGTH with the length of {port}'s cable")
    if tables.computes or any(invalid.path[0] in ("CABLE_LENGTH", "PORT") for invalid in tables.invalid):
        return None
    if cable is None and (tables.has_table("CABLE_LENGTH") or tables.lookup is not None):
        severity = Severity.ERROR if tables.has_table("CABLE_LENGTH") else Severity.NOTE
        cause = f"{by}, and no CABLE_LENGTH says how long its cable is, without which the switch makes no profile"
        name = next(iter(tables.config.cable_length), "AZURE")
        return _Why(severity, cause, f"CABLE_LENGTH|{name}|{{port}} with that length")
    if tables.lookup is None:
        return None
    if tables.lacks_pool_of_lookup:
        cause = f"{by}, and there is no {POOL_OF_LOOKUP}, without which the switch makes no profile"
        return _Why(Severity.ERROR, cause, f"{POOL_OF_LOOKUP} in BUFFER_POOL")
    if row is None:
        cause = f"{by}, and PORT says no speed to look one up by in {tables.lookup.name}"
        return _Why(Severity.NOTE, cause, "PORT|{port} with its speed")
    link = f"{row.speed} {cable}m"
    cause = f"{by}, nor has {tables.lookup.name} one for {link}, so that the switch makes none"
    is_of_speed = any(looked_up.speed == row.speed for _, looked_up in tables.lookup.rows)
    return _Why(Severity.ERROR if is_of_speed else Severity.WARNING, cause, f"a row {link} in {tables.lookup.name}")
