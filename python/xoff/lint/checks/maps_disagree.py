"""Packets that come in by one priority and wait by another."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.qos import Qos
    from xoff.lint.tables import Tables


def maps_disagree(tables: Tables) -> Iterator[Fault]:
    """A PFC priority whose group no traffic class has, or whose traffic waits in a queue that it does not pause.

    A warning where the maps agree and nothing that packets carry leads there.
    """
    found: dict[tuple[str, Severity, str, str], list[str]] = defaultdict(list)
    for port, priority in tables.qos.pausing:
        for field, severity, physics, remedy in _of_priority(tables.qos, port, priority):
            found[field, severity, physics, remedy].append(port)
    for (field, severity, physics, remedy), ports in found.items():
        row = tables.qos.row_of(ports[0], field)
        assert row is not None, "PFC is on by such a row"
        yield Fault(severity, tables.place("PORT_QOS_MAP", row[0], field), f"{several(ports)}: {physics}", remedy)


def _of_priority(qos: Qos, port: str, priority: int) -> Iterator[tuple[str, Severity, str, str]]:
    group, queue = qos.priority_group_of(port, priority), qos.queue_of(port, priority)
    classes = qos.classes_of_group(port, group)
    if not classes:
        physics = (
            f"priority {priority} pauses for priority group {group}, and no traffic class comes into that: "
            "nobody is ever paused"
        )
        yield "tc_to_pg_map", Severity.ERROR, physics, f"a traffic class with priority group {group}"
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
        yield "dscp_to_tc_map", Severity.WARNING, physics, f"a DSCP for traffic class {names}"
