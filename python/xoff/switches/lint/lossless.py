"""Lossless packets of a port, and differences between two ports."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.finding import Place
    from xoff.switches.lint.tables import Tables

Priorities: TypeAlias = dict[str, int | None]
"""PFC priorities that pause packets, by what packets carry (`DSCP 26`); None for packets that may be dropped."""


def priorities_at(tables: Tables, port: str) -> Priorities | None:
    """Returns the priorities of all packets that a port's maps name; None where the port has no map."""
    qos = tables.qos
    given = qos.classes_given(port)
    if given is None:
        return None
    lossless = {
        traffic_class: priority
        for priority in qos.pfc_priorities(port)
        for traffic_class in qos.classes_of_group(port, qos.priority_group_of(port, priority))
    }
    return {carried: lossless.get(of) for of, its in given.items() for carried in its}


def leading(tables: Tables, dscp: int) -> Iterator[tuple[Place, int, list[str]]]:
    """Yields the place where maps give a DSCP a lossless priority, the priority, and the ports with that map."""
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for port in tables.qos.pfc_ports:
        priority = (priorities_at(tables, port) or {}).get(f"DSCP {dscp}")
        row = tables.qos.row_of(port, "dscp_to_tc_map")
        if priority is not None and row is not None:
            found[row[1].dscp_to_tc_map or "", priority].append(port)
    for (name, priority), ports in found.items():
        yield tables.place("DSCP_TO_TC_MAP", name, str(dscp)), priority, ports


def differing(here: Priorities, there: Priorities) -> list[str]:
    """Lists DSCPs and PCPs whose priority differs between two ports, by maps that name them.

    Passes over a priority that no map leads to at one of the ports: the check maps_disagree reports it.
    """
    both = set(here.values()) & set(there.values())
    return [
        carried
        for carried, own in here.items()
        if carried in there and own != (other := there[carried])
        if None not in (own, other) or (other if own is None else own) in both
    ]


def told(here: Priorities, there: Priorities, where: tuple[str, str]) -> str:
    """Names the first DSCP or PCP whose priority differs in two places, and says how many more differ."""
    first, *others = differing(here, there)
    more = f", and {len(others)} more differ{'' if others[1:] else 's'}" if others else ""
    return f"{first} has {_named(here[first])} {where[0]}, and {_named(there[first])} {where[1]}{more}"


def _named(priority: int | None) -> str:
    return "no lossless priority" if priority is None else f"lossless priority {priority}"
