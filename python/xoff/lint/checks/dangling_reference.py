"""Names of rows that are not there."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.sonic.fields import ports_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.finding import Place
    from xoff.lint.tables import Tables

_REFERENCES = (
    ("BUFFER_PROFILE", "pool", "BUFFER_POOL"),
    ("BUFFER_PG", "profile", "BUFFER_PROFILE"),
    ("BUFFER_QUEUE", "profile", "BUFFER_PROFILE"),
    ("QUEUE", "wred_profile", "WRED_PROFILE"),
    ("QUEUE", "scheduler", "SCHEDULER"),
    ("PORT_QOS_MAP", "scheduler", "SCHEDULER"),
    ("PORT_QOS_MAP", "dscp_to_tc_map", "DSCP_TO_TC_MAP"),
    ("PORT_QOS_MAP", "dot1p_to_tc_map", "DOT1P_TO_TC_MAP"),
    ("PORT_QOS_MAP", "tc_to_queue_map", "TC_TO_QUEUE_MAP"),
    ("PORT_QOS_MAP", "tc_to_pg_map", "TC_TO_PRIORITY_GROUP_MAP"),
    ("PORT_QOS_MAP", "pfc_to_queue_map", "MAP_PFC_PRIORITY_TO_QUEUE"),
    ("PORT_QOS_MAP", "pfc_to_pg_map", "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"),
)
_OF_PORTS = ("BUFFER_PG", "BUFFER_QUEUE", "QUEUE")


def dangling_reference(tables: Tables) -> Iterator[Fault]:
    """Pools, profiles, schedulers, maps and ports that are named and not there.

    Of a table that the files lack it is noted once: buffers and classes are often files of their own.
    """
    lacking: dict[str, tuple[Place, str]] = {}
    for table, field, target in _REFERENCES:
        rows = getattr(tables.config, table.lower())
        known = getattr(tables.config, target.lower())
        for key, row in rows.items():
            name = getattr(row, field)
            if not name or name == "NULL":
                continue
            if not tables.has_table(target):
                lacking.setdefault(target, (tables.place(table, key, field), name))
            elif not tables.has(target, name):
                problem = f"{target} has no row {name}"
                yield Fault(Severity.ERROR, tables.place(table, key, field), problem, _remedy(name, target, known))
    for target, (place, name) in lacking.items():
        problem = f"there is no {target}, so that nothing is known of {name}"
        yield Fault(Severity.NOTE, place, problem, f"add {target}, or name the file that has it")
    if tables.has_table("PORT"):
        yield from _ports(tables)


def _ports(tables: Tables) -> Iterator[Fault]:
    for table in _OF_PORTS:
        for key in getattr(tables.config, table.lower()):
            for port in ports_of(key):
                if not tables.has("PORT", port):
                    remedy = f"add {port} to PORT, or remove the row"
                    yield Fault(Severity.ERROR, tables.place(table, key), f"PORT has no row {port}", remedy)


def _remedy(name: str, target: str, known: dict[str, object]) -> str:
    if name.startswith("["):
        return f"write the name alone, {name.strip('[]').rpartition('|')[2]}; brackets are the form before 2021"
    nearest = get_close_matches(name, known, n=1)
    return f"did you mean {nearest[0]}?" if nearest else f"add it to {target}"
