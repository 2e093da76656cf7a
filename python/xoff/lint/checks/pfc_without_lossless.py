"""Pauses without headroom."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.headrooms import link_of
from xoff.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def pfc_without_lossless(tables: Tables) -> Iterator[Fault]:
    """PFC for a priority whose group has no headroom.

    A warning where no row is about the group: the switch may make one itself, from a pg_profile_lookup.ini that is not
    there. Where it is, and has no row for the port, it makes none.
    """
    if not tables.has_table("BUFFER_PG"):
        return
    groups = {(group.port, group.index): group for group in tables.priority_groups}
    lacking: dict[tuple[int, Severity, str], list[str]] = defaultdict(list)
    for port in tables.pfc_ports:
        for priority in tables.pfc_priorities(port):
            group = groups.get((port, tables.priority_group_of(port, priority)))
            if group is None:
                missing = _missing_row(tables, port)
                severity = Severity.ERROR if missing else Severity.WARNING
                lacking[priority, severity, f"by no row of BUFFER_PG{missing}"].append(port)
            elif not group.lossless and group.profile is not None and group.profile.headroom_type == "static":
                why = f"by {group.profile_name}, which has no xoff"
                lacking[priority, Severity.ERROR, why].append(port)
    for (priority, severity, why), ports in lacking.items():
        qos = tables.qos(ports[0])
        assert qos is not None, "PFC is on by such a row"
        index = tables.priority_group_of(ports[0], priority)
        yield Fault(
            severity,
            tables.place("PORT_QOS_MAP", qos[0], "pfc_enable"),
            f"priority {priority} of {several(ports)} is to pause its senders, and its priority group {index} is set "
            f"{why}: what arrives after a pause is dropped",
            f"BUFFER_PG|{ports[0]}|{index} with a lossless profile, or no {priority} in pfc_enable",
        )


def _missing_row(tables: Tables, port: str) -> str:
    """What the lookup table lacks for a port of which speed and cable are known; empty if it is not there to ask."""
    link = link_of(tables, port)
    if tables.lookup is None or tables.computes or link is None:
        return ""
    return f", nor has {tables.lookup.name} one for {link[0]} {link[1]}m, so that the switch makes none"
