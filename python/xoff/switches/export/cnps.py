"""The class of congestion notification packets (CNPs), which a plan may name by its priority alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xoff.switches.plan.settings import TrafficClass

if TYPE_CHECKING:
    from xoff.switches.plan.settings import Settings


def with_cnps(settings: Settings) -> tuple[Settings, list[str]]:
    """Settings in which CNPs have a class of their own or share one, and what is to be said of it."""
    hosts = settings.hosts
    if hosts is None or hosts.cnp_dscp is None or hosts.cnp_priority is None:
        return settings, []
    dscp, priority = hosts.cnp_dscp, hosts.cnp_priority
    shared = next((one for one in settings.classes if one.dscp == dscp), None)
    if shared is not None:
        return settings, _told_of(shared, priority)
    cnps = TrafficClass(f"cnp{priority}", priority, dscp, lossless=False, alpha=1.0, reserved_bytes=0, ecn=None)
    key = "congestion.cnp_priority" if settings.source == "plan" else "cnp_priority of its transport"
    note = (
        f"CNPs (DSCP {dscp}) have no class in the {settings.source}: they get priority {priority}, by the name "
        f"{cnps.name}; {key}, set to the priority of a class, gives them that one"
    )
    return replace(settings, classes=(*settings.classes, cnps)), [note]


def _told_of(shared: TrafficClass, planned: int) -> list[str]:
    if shared.priority != planned:
        return [
            f"CNPs (DSCP {shared.dscp}) are of the class {shared.name}, whose dscp that is: they get priority "
            f"{shared.priority}, and not {planned} as planned"
        ]
    if shared.lossless:
        return [f"CNPs (DSCP {shared.dscp}) are of the lossless class {shared.name}: pauses hold them up, too"]
    return []
