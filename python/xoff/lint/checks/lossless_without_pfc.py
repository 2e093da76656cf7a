"""Headroom that no pause protects."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Buffer, Tables


def lossless_without_pfc(tables: Tables) -> Iterator[Fault]:
    """A lossless priority group whose port has no PFC for it: nobody is paused, and packets are lost."""
    if not tables.has_table("PORT_QOS_MAP"):
        return
    lacking: dict[tuple[int, str], list[Buffer]] = defaultdict(list)
    qos = tables.qos
    for group in tables.priority_groups:
        paused = {qos.priority_group_of(group.port, priority) for priority in qos.pfc_priorities(group.port)}
        if group.lossless and group.index not in paused and qos.is_known(group.port):
            lacking[group.index, group.profile_name].append(group)
    for (index, profile), groups in lacking.items():
        first = groups[0]
        found = qos.row(first.port)
        ports = several(group.port for group in groups)
        enabled = ",".join(map(str, qos.pfc_priorities(first.port))) or "no priority"
        yield Fault(
            Severity.ERROR,
            tables.place("PORT_QOS_MAP", found[0], "pfc_enable") if found else tables.place("BUFFER_PG", first.row),
            f"priority group {index} of {ports} has headroom by {profile}, and PFC is "
            f"on for {enabled}: no pause is sent, and what overflows is dropped",
            f"{index} in pfc_enable, or a profile without xoff",
        )
