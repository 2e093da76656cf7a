"""Packets that come in by one priority and wait by another."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.qos import Qos
    from xoff.switches.lint.tables import Tables


class _Map(NamedTuple):
    """Map from PFC priorities at a port."""

    field: str
    table: str
    what: str
    unknown: str
    """Treatment of a priority without a row in the map, which no table gives."""


_QUEUES = _Map("pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE", "queue", "which one a neighbour's pause stops, if any")
_GROUPS = _Map(
    "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", "priority group", "for which one the switch pauses, if any"
)


def maps_disagree(tables: Tables) -> Iterator[Fault]:
    """A PFC priority whose group no traffic class has, or whose traffic waits in a queue that it does not pause.

    A warning where a map of priorities has no row for it. A note where nothing that packets carry leads there, and
    where the class of that number has a group of its own by another number: no map says which priority pauses for that.
    """
    for of in (_QUEUES, _GROUPS):
        yield from _left_out(tables, of)
    found: dict[tuple[str, Severity, str, str], list[str]] = defaultdict(list)
    for port, priority in tables.qos.pausing:
        for field, severity, physics, remedy in _of_priority(tables.qos, port, priority):
            found[field, severity, physics, remedy].append(port)
    for (field, severity, physics, remedy), ports in found.items():
        row = tables.qos.row_of(ports[0], field)
        assert row is not None, "PFC is on by such a row"
        yield Fault(severity, tables.place("PORT_QOS_MAP", row[0], field), f"{several(ports)}: {physics}", remedy)


def _left_out(tables: Tables, of: _Map) -> Iterator[Fault]:
    maps = getattr(tables.config, of.table.lower())
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for port, priority in tables.qos.pausing:
        row = tables.qos.row(port)
        assert row is not None, "PFC is on by such a row"
        name = getattr(row[1], of.field) or ""
        if name in maps and str(priority) not in maps[name]:
            found[name, priority].append(port)
    for (name, priority), ports in found.items():
        yield Fault(
            Severity.WARNING,
            tables.place(of.table, name, str(priority)),
            f"priority {priority}, for which {several(ports)} has PFC on, has no {of.what} in this map: "
            f"{of.unknown}, the chip decides",
            f"a {of.what} for priority {priority}",
        )


def _of_priority(qos: Qos, port: str, priority: int) -> Iterator[tuple[str, Severity, str, str]]:
    group, queue = qos.priority_group_of(port, priority), qos.queue_of(port, priority)
    classes = qos.classes_of_group(port, group)
    if not classes:
        physics = (
            f"priority {priority} pauses for priority group {group}, and no traffic class comes into that: "
            "nobody is ever paused"
        )
        severity = Severity.NOTE if _has_group_of_its_own(qos, port, priority) else Severity.ERROR
        yield "tc_to_pg_map", severity, physics, f"a traffic class with priority group {group}"
    for traffic_class in classes:
        waits_in = qos.queue_of_class(port, traffic_class)
        if waits_in != queue:
            physics = (
                f"traffic class {traffic_class} comes into priority group {group}, for which priority {priority} "
                f"pauses, and waits in queue {waits_in}, while a neighbour's pause of priority {priority} stops "
                f"queue {queue}"
            )
            remedy = f"queue {queue} for traffic class {traffic_class}, or another priority group"
            yield "tc_to_queue_map", Severity.ERROR, physics, remedy
    given = qos.classes_given(port)
    if classes and given is not None and given.keys().isdisjoint(classes):
        names = ", ".join(map(str, classes))
        leads = f"no DSCP or 802.1p priority leads to traffic class {names}"
        physics = f"{leads}, for which priority {priority} pauses"
        yield "dscp_to_tc_map", Severity.NOTE, physics, f"a DSCP for traffic class {names}"


def _has_group_of_its_own(qos: Qos, port: str, priority: int) -> bool:
    """Whether no other traffic class shares a group with that of a priority, of which no map names the group."""
    return not qos.names_group_of(port, priority) and any(
        qos.classes_of_group(port, group) == (priority,) for group in range(8)
    )
