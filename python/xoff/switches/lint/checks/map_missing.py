"""Ports that pause by classes, and that no map gives packets' classes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


class _Map(NamedTuple):
    """Map that a port of lossless classes must have."""

    fields: tuple[str, ...]
    """Any of these will do."""
    otherwise: str
    """Treatment of packets without the map (SAI, saiport.h)."""


_MAPS = (
    _Map(("dscp_to_tc_map", "dot1p_to_tc_map"), "nothing that packets carry gives them a lossless class"),
    _Map(("tc_to_queue_map",), "all packets wait in queue 0, SAI's default, which no pause of these priorities stops"),
)
_GROUPS = _Map(("tc_to_pg_map",), "which priority group counts packets, the chip decides")


def map_missing(tables: Tables) -> Iterator[Fault]:
    """A port with PFC whose row lacks the map of classes, of queues or, where others have one, of priority groups.

    A warning where no port with PFC has such a map. Of tables of maps that the files lack, nothing is known.
    """
    for of in _MAPS:
        if any(tables.has_table(field.upper()) for field in of.fields):
            yield from _lacking(tables, of)
    if any(_has(tables, port, _GROUPS) for port in tables.qos.pfc_ports):
        yield from _lacking(tables, _GROUPS)


def _lacking(tables: Tables, of: _Map) -> Iterator[Fault]:
    having = [port for port in tables.qos.pfc_ports if _has(tables, port, of)]
    ports: dict[str, list[str]] = defaultdict(list)
    for port in tables.qos.pfc_ports:
        found = tables.qos.row(port)
        if found is not None and port not in having:
            ports[having[0] if having else ""].append(port)
    for like, its in ports.items():
        found = tables.qos.row(its[0])
        assert found is not None, "PFC is on by such a row"
        field = of.fields[0]
        lacks = f"{' or '.join(of.fields)}{f', such as {like} has' if like else ''}"
        yield Fault(
            Severity.ERROR if like else Severity.WARNING,
            tables.place("PORT_QOS_MAP", found[0], field),
            f"{several(its)}: PFC is on without {lacks}: {of.otherwise}",
            f"{field} of {like}, {_named(tables, like, of)}" if like else f"{field} with a row of {field.upper()}",
        )


def _has(tables: Tables, port: str, of: _Map) -> bool:
    return bool(_named(tables, port, of))


def _named(tables: Tables, port: str, of: _Map) -> str | None:
    """The map that a port names, whether it is there or not."""
    rows = ((tables.qos.row_of(port, field), field) for field in of.fields)
    return next((name for found, field in rows if found and (name := getattr(found[1], field))), None)
