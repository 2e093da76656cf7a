"""Packets whose class is a matter of the port that they come in by."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.lossless import differing, priorities_at, told
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def classes_disagree(tables: Tables) -> Iterator[Fault]:
    """Packets that have a lossless priority at some ports with PFC, and another, or none, at others of the switch.

    A note: SONiC's own template has other maps at uplinks of dual ToRs. Ports are held against what most of them have.
    """
    alike: dict[frozenset[tuple[str, int | None]], list[str]] = defaultdict(list)
    for port in tables.qos.pfc_ports:
        found = priorities_at(tables, port)
        if found is not None:
            alike[frozenset(found.items())].append(port)
    most = max(alike.values(), key=len, default=[])
    for its in alike.values():
        here, there = (priorities_at(tables, ports[0]) or {} for ports in (its, most))
        if differing(here, there):
            where = (f"at {several(its)}", f"at {several(most)}")
            key, _ = _map(tables, its[0])
            yield Fault(
                Severity.NOTE,
                tables.place("PORT_QOS_MAP", key, "dscp_to_tc_map"),
                f"{told(here, there, where)}: whether they may be dropped hangs on where they come in",
                f"{_map(tables, most[0])[1]}, as others have it, if that is not meant",
            )


def _map(tables: Tables, port: str) -> tuple[str, str]:
    """The key of the row that gives packets their classes at a port, and its map."""
    found = tables.qos.row_of(port, "dscp_to_tc_map")
    assert found is not None, "it has lossless classes by such a row"
    return found[0], found[1].dscp_to_tc_map or found[1].dot1p_to_tc_map or ""
