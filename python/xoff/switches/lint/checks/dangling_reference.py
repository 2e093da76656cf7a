"""Names of rows that are not there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.qos import WHOLE_SWITCH
from xoff.switches.lint.references import references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.finding import Place
    from xoff.switches.lint.tables import Tables

_KINDS = (("ingress", "egress"), ("less", "lossy"))
"""Words of names that rule one another out."""
_OF_QUEUES = ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE")
"""Tables whose keys are of ports and their priority groups or queues."""
_OF_PORTS = ("BUFFER_PORT_INGRESS_PROFILE_LIST", "BUFFER_PORT_EGRESS_PROFILE_LIST", "PORT_QOS_MAP", "PFC_WD")
"""Tables whose keys are of ports alone."""
_NO_PORTS = {("QUEUE", "CPU"), ("PORT_QOS_MAP", WHOLE_SWITCH), ("PFC_WD", "GLOBAL")}
"""Keys of such tables that are no port's and that they may have all the same."""


def dangling_reference(tables: Tables) -> Iterator[Fault]:
    """Pools, profiles, schedulers, maps and ports that are named and not there.

    Of a table that the files lack it is noted once: buffers and classes are often files of their own.
    """
    lacking: dict[str, tuple[Place, str]] = {}
    for table, key, field, target, name in references(tables):
        if not tables.has_table(target):
            lacking.setdefault(target, (tables.place(table, key, field), name))
        elif not tables.has(target, name):
            remedy = _remedy(name, target, _rows(tables, target))
            yield Fault(Severity.ERROR, tables.place(table, key, field), f"{target} has no row {name}", remedy)
    for target, (place, name) in lacking.items():
        problem = f"there is no {target}, so that nothing is known of {name}"
        yield Fault(Severity.NOTE, place, problem, f"add {target}, or name the file that has it")
    if tables.has_table("PORT"):
        yield from _ports(tables)


def _ports(tables: Tables) -> Iterator[Fault]:
    for path, port in _named_ports(tables):
        if (path[0], port) not in _NO_PORTS and not tables.has("PORT", port):
            remedy = f"add {port} to PORT, or remove {'its length' if path[2:] else 'the row'}"
            yield Fault(Severity.ERROR, tables.place(*path), f"PORT has no row {port}", remedy)


def _named_ports(tables: Tables) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each port that something is about, and where that is."""
    for table in _OF_QUEUES:
        yield from (((table, key), port) for key in _rows(tables, table) for port in tables.ports_of(key))
    for table in _OF_PORTS:
        yield from (((table, key), port) for key in _rows(tables, table) for port in key.split(","))
    for name, lengths in tables.config.cable_length.items():
        yield from ((("CABLE_LENGTH", name, port), port) for port in lengths)


def _rows(tables: Tables, table: str) -> dict[str, object]:
    rows: dict[str, object] = getattr(tables.config, table.lower())
    return rows


def _remedy(name: str, target: str, known: dict[str, object]) -> str:
    nearest = get_close_matches(name, [one for one in known if not _is_other_kind(name, one)], n=1)
    return f"did you mean {nearest[0]}?" if nearest else f"add it to {target}"


def _is_other_kind(name: str, other: str) -> bool:
    return any((first in name and second in other) or (second in name and first in other) for first, second in _KINDS)
