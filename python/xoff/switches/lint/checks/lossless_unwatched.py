"""Lossless classes that the PFC watchdog passes over."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.qos import WHOLE_SWITCH
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables

_OF_ALL = "GLOBAL"
_DUAL_TOR = (frozenset({2, 3, 4, 6}), frozenset({3, 4}))
"""Priorities of PFC, and those that are watched, at uplinks of dual ToRs (sonic-buildimage, qos_config.j2)."""


def lossless_unwatched(tables: Tables) -> Iterator[Fault]:
    """Priorities of PFC that the watchdog does not look after, where it looks after others, and the other way round.

    A note where it is so by SONiC's own template. Rows that are invalid are another finding. Tables of a version before
    3_0_5 have one field for both, pfc_enable (sonic-utilities, db_migrator.py).
    """
    watched = {port for port in tables.config.pfc_wd if port != _OF_ALL}
    left_out = tables.left_out("PFC_WD")
    if not watched:
        yield from () if left_out else _nobody(tables)
        return
    unwatched = [port for port in tables.qos.pfc_ports if port not in watched and port not in left_out]
    if unwatched:
        yield Fault(
            Severity.WARNING,
            tables.place("PFC_WD", unwatched[0]),
            f"{several(unwatched)} can be paused and has no watchdog, as {min(watched)} has: a storm there lasts",
            f"a row PFC_WD|{unwatched[0]}",
        )
    yield from _of_watched(tables, watched)


def _of_watched(tables: Tables, watched: set[str]) -> Iterator[Fault]:
    """Ports whose watchdog looks after other priorities than can be paused, alike ones together."""
    alike: dict[tuple[frozenset[int], frozenset[int]], list[str]] = defaultdict(list)
    for port in tables.qos.pfc_ports:
        found = tables.qos.row(port)
        if found is not None and found[0] != WHOLE_SWITCH and port in watched:
            row = found[1]
            is_of_pfc = tables.is_before(3, 0, 5) and row.pfcwd_sw_enable is None
            looked_after = frozenset((row.pfc_enable if is_of_pfc else row.pfcwd_sw_enable) or ())
            alike[frozenset(tables.qos.pfc_priorities(port)), looked_after].append(port)
    for (paused, looked_after), ports in alike.items():
        found = tables.qos.row(ports[0])
        assert found is not None, "it was looked at"
        place, whose = tables.place("PORT_QOS_MAP", found[0], "pfcwd_sw_enable"), several(ports)
        remedy = f'"{",".join(map(str, sorted(paused)))}", as pfc_enable has it'
        if missing := paused - looked_after:
            is_stock = (paused, looked_after) == _DUAL_TOR
            stock = ", as SONiC's template for uplinks of dual ToRs has it" if is_stock else ""
            physics = (
                f"priority {_named(missing)} of {whose} can be paused, and its watchdog does not look after it{stock}"
            )
            yield Fault(Severity.NOTE if is_stock else Severity.WARNING, place, physics, remedy)
        if more := looked_after - paused:
            physics = f"the watchdog of {whose} looks after priority {_named(more)}, which has no PFC"
            yield Fault(Severity.NOTE, place, physics, remedy)


def _named(priorities: frozenset[int]) -> str:
    return listed([str(priority) for priority in sorted(priorities)])


def _nobody(tables: Tables) -> Iterator[Fault]:
    """Yields a fault where the watchdog has an interval or priorities, but no port."""
    asked = [port for port in tables.qos.ports if (found := tables.qos.row(port)) and found[1].pfcwd_sw_enable]
    if asked and _OF_ALL in tables.config.pfc_wd:
        yield Fault(
            Severity.NOTE,
            tables.place("PFC_WD"),
            f"has {_OF_ALL} alone: pfcwd_sw_enable of {several(asked)} names priorities, and nothing is watched there",
            f"a row PFC_WD|{asked[0]} with detection_time, or no pfcwd_sw_enable",
        )
