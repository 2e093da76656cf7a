"""Headroom that no pause protects."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Buffer, Tables


def lossless_without_pfc(tables: Tables) -> Iterator[Fault]:
    """A lossless priority group whose port has no PFC for it: nobody is paused, and packets are lost."""
    if not tables.has_table("PORT_QOS_MAP"):
        return
    yield from _without_row(tables)
    lacking: dict[tuple[int, str], list[Buffer]] = defaultdict(list)
    qos = tables.qos
    for group in tables.priority_groups:
        paused = {qos.priority_group_of(group.port, priority) for priority in qos.pfc_priorities(group.port)}
        if group.lossless and group.index not in paused and qos.row(group.port) and qos.is_known(group.port):
            lacking[group.index, group.profile_name].append(group)
    for (index, profile), groups in lacking.items():
        first = groups[0]
        found = qos.row(first.port)
        assert found is not None, "of others it is told apart"
        ports = several(group.port for group in groups)
        enabled = ",".join(map(str, qos.pfc_priorities(first.port))) or "no priority"
        yield Fault(
            Severity.ERROR,
            tables.place("PORT_QOS_MAP", found[0], "pfc_enable"),
            f"priority group {index} of {ports} has headroom by {profile}, and PFC is "
            f"on for {enabled}: no pause is sent, and what overflows is dropped",
            f"{index} in pfc_enable, or a profile without xoff",
        )


def _without_row(tables: Tables) -> Iterator[Fault]:
    """Ports that PORT_QOS_MAP says nothing of, those with the same groups together."""
    groups: dict[str, dict[int, Buffer]] = defaultdict(dict)
    for group in tables.priority_groups:
        if group.lossless and tables.qos.row(group.port) is None and tables.qos.is_known(group.port):
            groups[group.port][group.index] = group
    ports: dict[tuple[int, ...], list[str]] = defaultdict(list)
    for port, its in groups.items():
        ports[tuple(sorted(its))].append(port)
    for indices, alike in ports.items():
        named = listed([str(index) for index in indices])
        yield Fault(
            Severity.ERROR,
            tables.place("BUFFER_PG", groups[alike[0]][indices[0]].row),
            f"PORT_QOS_MAP has no row for {several(alike)}, whose priority group{'s' * (len(indices) > 1)} {named} "
            f"{'have' if len(indices) > 1 else 'has'} headroom: no pause is sent, and what overflows is dropped",
            f"a row PORT_QOS_MAP|{alike[0]} with pfc_enable, or a profile without xoff",
        )
