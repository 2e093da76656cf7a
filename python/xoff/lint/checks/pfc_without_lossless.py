"""Pauses without headroom."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def pfc_without_lossless(tables: Tables) -> Iterator[Fault]:
    """PFC for a priority whose group has no headroom.

    A warning where no row is about the group: the switch may make one itself, from pg_profile_lookup.ini.
    """
    if not tables.has_table("BUFFER_PG"):
        return
    groups = {(group.port, group.index): group for group in tables.priority_groups}
    lacking: dict[tuple[int, str], list[str]] = defaultdict(list)
    for port in tables.pfc_ports:
        for priority in tables.pfc_priorities(port):
            group = groups.get((port, tables.priority_group_of(port, priority)))
            if group is None:
                lacking[priority, ""].append(port)
            elif not group.lossless and group.profile is not None and group.profile.headroom_type == "static":
                lacking[priority, group.profile_name].append(port)
    for (priority, profile), ports in lacking.items():
        qos = tables.qos(ports[0])
        assert qos is not None, "PFC is on by such a row"
        index = tables.priority_group_of(ports[0], priority)
        why = f"by {profile}, which has no xoff" if profile else "by no row of BUFFER_PG"
        yield Fault(
            Severity.ERROR if profile else Severity.WARNING,
            tables.place("PORT_QOS_MAP", qos[0], "pfc_enable"),
            f"priority {priority} of {several(ports)} is to pause its senders, and its priority group {index} is set "
            f"{why}: what arrives after a pause is dropped",
            f"BUFFER_PG|{ports[0]}|{index} with a lossless profile, or no {priority} in pfc_enable",
        )
