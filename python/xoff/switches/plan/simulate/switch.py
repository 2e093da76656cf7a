"""The planned switch and its hosts in a scenario."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.switches.ethernet import HEADER_AND_CHECK_BYTES
from xoff.switches.plan.classes import alpha_of
from xoff.switches.plan.file import Bcc
from xoff.switches.plan.switch import Switch

if TYPE_CHECKING:
    from collections.abc import Iterable

    from xoff.switches.plan.outcome import Outcome
    from xoff.switches.plan.settings import Ecn, PortGroup, Settings, TrafficClass

OBSERVED: dict[str, object] = {quantity: {"every": "change", "of": ["switch0.*"]} for quantity in ("marks", "drops")}
_ACKNOWLEDGEMENTS_BYTES = 256 << 10
"""For them where the plan, as papers do, leaves lossy classes no memory."""


def hosts(settings: Settings, least: int, of: str = "") -> int:
    """Returns the number of hosts, one for each port. Raises PlanError if they are too few to congest all ports."""
    count = sum(len(group.ports) for group in settings.groups)
    if count < least:
        problem = f"{count} ports{of} are too few to congest them all"
        raise PlanError(None, "ports", problem, f"expected at least {least}")
    return count


def payload(settings: Settings, headers_bytes: int) -> str:
    """Returns the payload of the largest packet. Raises PlanError if that is nothing."""
    count = settings.mtu_bytes + HEADER_AND_CHECK_BYTES - headers_bytes
    if count < 1:
        problem = f"{settings.mtu_bytes} B are no more than headers"
        raise PlanError(None, "mtu", problem, f"expected at least {settings.mtu_bytes - count + 1}B")
    return f"{count}B"


def around(groups: Iterable[PortGroup]) -> dict[str, object]:
    """Returns a topology with a host at each port."""
    ports = [group for group in groups for _ in group.ports]
    return {
        "kind": "custom",
        "hosts": [f"host{n}" for n in range(len(ports))],
        "switches": ["switch0"],
        "links": [
            {"between": [f"host{n}", "switch0"], "rate": f"{group.rate_bps}bps", "delay": f"{group.delay_ps}ps"}
            for n, group in enumerate(ports)
        ],
    }


def classes(settings: Settings) -> list[dict[str, object]]:
    """Returns the classes of traffic."""
    return [{"priority": one.priority, "lossless": one.lossless} for one in settings.classes]


def with_shared_memory(found: Outcome) -> dict[str, object]:
    """Returns a switch whose ports share memory, with thresholds. One with lossless classes has a single MMU."""
    settings, pools = found.settings, found.settings.pools
    lossy = [one for one in settings.classes if not one.lossless]
    table: dict[str, object] = {
        "ports_per_pool": pools.ports_per_mmu,
        "buffer": _dynamic_threshold(found, lossy),
        "scheduler": {"kind": "deficit_round_robin"},
        "marking": _marking(found),
    }
    if lossy:
        table["reserved_per_queue"] = f"{min(one.reserved_bytes for one in lossy)}B"
    if settings.headroom_scheme is not None:
        beside = 0 if pools.lossy_bytes else _ACKNOWLEDGEMENTS_BYTES
        return table | {"total": f"{settings.memory_bytes + beside}B", "pfc": _pauses(found)}
    if isinstance(found.plan.congestion, Bcc):
        return table | {"shared_per_pool": f"{pools.lossy_bytes}B"}
    used = -(-sum(len(group.ports) for group in settings.groups) // pools.ports_per_mmu)
    return table | {"total": f"{settings.memory_bytes // pools.mmus * used}B"}


def _pauses(found: Outcome) -> dict[str, object]:
    settings = found.settings
    lossless = [one for one in settings.classes if one.lossless]
    pauses = [group.pause for group in settings.groups if group.pause is not None]
    sizes = _headroom_sizes(settings)
    scheme: dict[str, object] = {"scheme": settings.headroom_scheme} | _said(sizes)
    if found.plan.headroom.ratio is not None:
        scheme["ratio"] = f"{settings.pools.headroom_bytes}/{len(lossless) * sum(sizes)}"
    return {
        "xoff": _dynamic_threshold(found, lossless),
        "xon_offset": f"{pauses[0].xon_offset_bytes}B",
        "headroom": scheme,
        "reserved": f"{min(one.reserved_bytes for one in lossless)}B",
        "lossless_pool": f"{settings.pools.lossless_bytes}B",
    }


def _dynamic_threshold(found: Outcome, classes: list[TrafficClass]) -> dict[str, object]:
    """Returns dynamic thresholds with the exact alpha of each of some classes; other priorities get 1."""
    planned = Switch.of(found.plan)
    exact = {priority: alpha_of(one, planned) for one in found.plan.classes for priority in one.priorities}
    alphas = {one.priority: exact[one.priority] for one in classes}
    return {
        "policy": "dynamic_threshold",
        "alpha_by_priority": [str(alphas.get(priority, 1)) for priority in range(8)],
    }


def _headroom_sizes(settings: Settings) -> list[int]:
    """Returns the headroom in bytes of one lossless class of each port."""
    return [group.pause.headroom_bytes for group in settings.groups for _ in group.ports if group.pause is not None]


def _said(sizes: list[int]) -> dict[str, object]:
    """Returns sizes as a scenario writes them: one for all ports, or one for each port."""
    if len(set(sizes)) == 1:
        return {"size": f"{sizes[0]}B"}
    ports: dict[int, list[int]] = {}
    for port, size in enumerate(sizes):
        ports.setdefault(size, []).append(port)
    return {"at_ports": [{"ports": of_it, "size": f"{size}B"} for size, of_it in ports.items()]}


def _marking(found: Outcome) -> dict[str, object]:
    """On the queues of each class, by the rate of ports, and on the pool; BCC marks packets that leave (section 5)."""
    settings, when = found.settings, {"when": "dequeue"} if isinstance(found.plan.congestion, Bcc) else {}

    def of_queues(ecn: Iterable[tuple[int, Ecn | None]]) -> dict[str, object]:
        by_class = {str(priority): _marker(one) | when for priority, one in ecn if one is not None}
        return {"queue_by_priority": by_class} if by_class else {}

    markers = of_queues((one.priority, one.ecn) for one in settings.classes)
    if at_rate := {f"{group.rate_bps}bps": of_queues(group.ecn) for group in settings.groups if group.ecn}:
        markers["at_rate"] = at_rate
    if settings.pools.ecn is not None:
        markers["pool"] = _marker(settings.pools.ecn) | when | {"uniform": True}
    return markers


def _marker(ecn: Ecn) -> dict[str, object]:
    if ecn.minimum_bytes == ecn.maximum_bytes:
        return {"kind": "threshold", "threshold": f"{ecn.minimum_bytes}B"}
    return {
        "kind": "red",
        "minimum": f"{ecn.minimum_bytes}B",
        "maximum": f"{ecn.maximum_bytes}B",
        "probability": ecn.probability,
    }
