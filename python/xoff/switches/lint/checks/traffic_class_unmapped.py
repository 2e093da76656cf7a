"""Traffic classes that a map leaves out."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


class _Map(NamedTuple):
    """Map from traffic classes at a port."""

    severity: Severity
    field: str
    table: str
    what: str
    otherwise: str
    """Treatment of packets of a class without a row (SAI, saiqosmap.h)."""


_QUEUES = _Map(
    Severity.WARNING, "tc_to_queue_map", "TC_TO_QUEUE_MAP", "queue", "its packets wait in queue 0, SAI's default"
)
_GROUPS = _Map(
    Severity.NOTE,
    "tc_to_pg_map",
    "TC_TO_PRIORITY_GROUP_MAP",
    "priority group",
    "which one counts them, the chip decides",
)


def traffic_class_unmapped(tables: Tables) -> Iterator[Fault]:
    """A traffic class of a DSCP or an 802.1p priority that a map of queues or of priority groups has no row for.

    Packets may leave by any port: maps of queues are held against the classes of all. A note of priority groups.
    """
    given = {port: tables.qos.classes_given(port) or {} for port in tables.qos.ports}
    anywhere: dict[int, list[str]] = defaultdict(list)
    for classes in given.values():
        for traffic_class, carried in classes.items():
            anywhere[traffic_class] += carried
    yield from _left_out(tables, _QUEUES, dict.fromkeys(given, anywhere))
    yield from _left_out(tables, _GROUPS, given)


def _left_out(tables: Tables, of: _Map, given: dict[str, dict[int, list[str]]]) -> Iterator[Fault]:
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for port, classes in given.items():
        row = tables.qos.row(port)
        assert row is not None, "it is a port of such a row"
        name = getattr(row[1], of.field) or ""
        rows = getattr(tables.config, of.table.lower()).get(name)
        for traffic_class in classes if rows is not None else ():
            if str(traffic_class) not in rows:
                found[name, traffic_class].append(port)
    for (name, traffic_class), ports in found.items():
        carried = several(given[ports[0]][traffic_class])
        yield Fault(
            of.severity,
            tables.place(of.table, name, str(traffic_class)),
            f"traffic class {traffic_class}, of {carried}, has no {of.what} in this map, used by {several(ports)}: "
            f"{of.otherwise}",
            f"a {of.what} for traffic class {traffic_class}, or another class for {carried}",
        )
