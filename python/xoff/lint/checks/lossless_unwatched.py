"""Lossless classes that the PFC watchdog passes over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.qos import WHOLE_SWITCH
from xoff.lint.tables import several
from xoff.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables

_OF_ALL = "GLOBAL"
_DUAL_TOR = ({2, 3, 4, 6}, {3, 4})
"""Priorities of PFC, and those that are watched, at uplinks of dual ToRs (sonic-buildimage, qos_config.j2)."""


def lossless_unwatched(tables: Tables) -> Iterator[Fault]:
    """Priorities of PFC that the watchdog does not look after, where it looks after others, and the other way round.

    A note where it is so by SONiC's own template.
    """
    watched = {port for port in tables.config.pfc_wd if port != _OF_ALL}
    if not watched:
        yield from _nobody(tables)
        return
    unwatched = [port for port in tables.qos.pfc_ports if port not in watched]
    if unwatched:
        yield Fault(
            Severity.WARNING,
            tables.place("PFC_WD", unwatched[0]),
            f"{several(unwatched)} can be paused and has no watchdog, as {min(watched)} has: a storm there lasts",
            f"a row PFC_WD|{unwatched[0]}",
        )
    seen = set()
    for port in tables.qos.pfc_ports:
        found = tables.qos.row(port)
        if found is None or found[0] == WHOLE_SWITCH or found[0] in seen or port not in watched:
            continue
        seen.add(found[0])
        paused, looked_after = set(tables.qos.pfc_priorities(port)), set(found[1].pfcwd_sw_enable or ())
        place = tables.place("PORT_QOS_MAP", found[0], "pfcwd_sw_enable")
        enable = ",".join(str(priority) for priority in sorted(paused))
        if missing := sorted(paused - looked_after):
            named = listed([str(priority) for priority in missing])
            is_stock = (paused, looked_after) == _DUAL_TOR
            stock = ", as SONiC's template for uplinks of dual ToRs has it" if is_stock else ""
            physics = f"priority {named} of {port} can be paused, and its watchdog does not look after it{stock}"
            severity = Severity.NOTE if is_stock else Severity.WARNING
            yield Fault(severity, place, physics, f'"{enable}", as pfc_enable has it')
        if more := sorted(looked_after - paused):
            named = listed([str(priority) for priority in more])
            physics = f"the watchdog of {port} looks after priority {named}, which has no PFC"
            yield Fault(Severity.NOTE, place, physics, f'"{enable}", as pfc_enable has it')


def _nobody(tables: Tables) -> Iterator[Fault]:
    """Where the watchdog is told how often to look, which priorities at, and at no port."""
    asked = [port for port in tables.qos.ports if (found := tables.qos.row(port)) and found[1].pfcwd_sw_enable]
    if asked and _OF_ALL in tables.config.pfc_wd:
        yield Fault(
            Severity.NOTE,
            tables.place("PFC_WD"),
            f"has {_OF_ALL} alone: pfcwd_sw_enable of {several(asked)} names priorities, and nothing is watched there",
            f"a row PFC_WD|{asked[0]} with detection_time, or no pfcwd_sw_enable",
        )
