"""A plan tried out: the planned switch under the worst case that it claims to survive, all ports congested at once.

Hosts of lossless classes send to one port after another, all of them at once and faster than ports drain, until all
are full. With TCP each port has long flows from several hosts, which all start at once: slow start is part of the case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xoff.errors import PlanError
from xoff.plan.file import Bcc, Dcqcn, Dctcp, Qcn
from xoff.plan.headroom import OF_PUBLISHED_REACTION, PUBLISHED_QUANTA
from xoff.scenario import Scenario

if TYPE_CHECKING:
    from xoff.plan.outcome import Outcome
    from xoff.plan.settings import Ecn, Settings
    from xoff.result import Result

_OVERFILL = 3
"""Times that the bursts together would fill memory if nobody slowed down."""
_LONG_FLOWS = 4
"""Long flows into each port."""
_ROUND_TRIPS = 100
"""How long they last."""
_ACKNOWLEDGEMENTS_BYTES = 256 << 10
_HEADER_AND_CHECK = 18
_ROCE_HEADERS = 62
_TCP_HEADERS = 58
_OBSERVED = {quantity: {"every": "change", "of": ["switch0.*"]} for quantity in ("marks", "drops")}


@dataclass(frozen=True)
class Trial:
    """What became of a plan."""

    first_mark_us: float | None
    """None if nothing was marked."""
    first_pause_us: float | None
    """None if nobody was paused."""
    marked_packets: int
    pause_frames: int
    dropped_packets: int
    """Data and acknowledgements."""
    last_drop_us: float | None
    """None if nothing was dropped."""
    peak_bytes: int
    """The most that the switch held."""

    @property
    def ecn_came_first(self) -> bool:
        """Whether a packet was marked before any sender was paused."""
        if self.first_mark_us is None:
            return False
        return self.first_pause_us is None or self.first_mark_us < self.first_pause_us

    @property
    def sentences(self) -> list[str]:
        """What to tell."""
        marked = f"first mark after {self.first_mark_us:.3f} us" if self.first_mark_us is not None else "no mark"
        paused = f"first pause after {self.first_pause_us:.3f} us" if self.first_pause_us is not None else "no pause"
        if self.first_mark_us is None and self.first_pause_us is None:
            order = "neither ECN nor PFC was needed"
        elif self.first_mark_us is None:
            order = "PFC alone"
        elif self.first_pause_us is None:
            order = "ECN alone"
        else:
            order = "ECN came before PFC" if self.ecn_came_first else "PFC came before ECN"
        lost = "nothing was lost"
        if self.last_drop_us is not None:
            lost = f"{self.dropped_packets:,} packets were lost, the last after {self.last_drop_us:.3f} us"
        return [f"{marked}, {paused}: {order}", f"{lost}; the switch held {self.peak_bytes:,} B at the most"]


def scenario(found: Outcome, file: str | None = None) -> Scenario:
    """The scenario of the planned switch. Raises PlanError for what is not simulated."""
    if isinstance(found.plan.congestion, Qcn):
        problem = "QCN is not simulated from a plan"
        raise PlanError(file, "congestion.scheme", problem, "expected another; scenarios/input_hotspot.toml runs QCN")
    settings = found.settings
    pairs = [(group, port) for group in settings.groups for port in group.ports]
    if len(pairs) < _LONG_FLOWS + 1:
        problem = f"{len(pairs)} ports are too few to congest them all"
        raise PlanError(file, "ports", problem, f"expected at least {_LONG_FLOWS + 1}")
    table: dict[str, object] = {
        "title": f"{settings.title}: all ports congested at once",
        "topology": {
            "kind": "custom",
            "hosts": [f"host{n}" for n in range(len(pairs))],
            "switches": ["switch0"],
            "links": [
                {"between": [f"host{n}", "switch0"], "rate": f"{group.rate_bps}bps", "delay": f"{group.delay_ps}ps"}
                for n, (group, _) in enumerate(pairs)
            ],
        },
        "class": [{"priority": one.priority, "lossless": one.lossless} for one in settings.classes],
        "switch": [_switch(found)],
        "observe": _OBSERVED,
    }
    if settings.headroom_scheme is None:
        table |= _long_flows(found, len(pairs))
    else:
        table |= _bursts(found, len(pairs))
        table["observe"] = _OBSERVED | {"pauses": True}
        table["pfc"] = (
            {"reaction_quanta": PUBLISHED_QUANTA} if found.plan.headroom.method in OF_PUBLISHED_REACTION else {}
        )
    return Scenario.from_dict(table)


def described(found: Outcome) -> str:
    """The worst case in words."""
    hosts = sum(len(group.ports) for group in found.settings.groups)
    if found.settings.headroom_scheme is None:
        return f"{_LONG_FLOWS} long flows into each of {hosts} ports, which all start at once"
    reaction = (
        f"{PUBLISHED_QUANTA} quanta"
        if found.plan.headroom.method in OF_PUBLISHED_REACTION
        else "what IEEE 802.3 allows"
    )
    case = f"{hosts - 1} hosts at once into one of {hosts} ports after another, {_OVERFILL} times what memory holds"
    return f"{case}; senders react to a pause within {reaction}, as the plan's method takes it"


def trial(result: Result) -> Trial:
    """What a result of that scenario says of the plan."""
    series = result.series.select(["time_ns", "quantity", "value"]).to_pylist() if result.series is not None else []
    marks, drops = (
        [row["time_ns"] for row in series if row["quantity"] == quantity and row["value"]] for quantity in _OBSERVED
    )
    pauses = result.pauses["xoff_ns"].to_pylist() if result.pauses is not None else []
    summary = result.summary
    return Trial(
        first_mark_us=min(marks) / 1000 if marks else None,
        first_pause_us=min(pauses) / 1000 if pauses else None,
        marked_packets=summary["packets"]["marked"],
        pause_frames=summary["pfc"]["pause_frames"],
        dropped_packets=summary["packets"]["dropped"] + summary["packets"]["acknowledgements_dropped"],
        last_drop_us=max(drops) / 1000 if drops else None,
        peak_bytes=summary["buffer"]["peak_bytes"],
    )


def _switch(found: Outcome) -> dict[str, object]:
    settings, pools = found.settings, found.settings.pools
    lossy = [one for one in settings.classes if not one.lossless]
    alphas = {one.priority: one.alpha for one in lossy}
    table: dict[str, object] = {
        "ports_per_pool": pools.ports_per_mmu,
        "buffer": {
            "policy": "dynamic_threshold",
            "alpha_by_priority": [alphas.get(priority, 1.0) for priority in range(8)],
        },
        "scheduler": {"kind": "deficit_round_robin"},
        "marking": _marking(found),
    }
    if isinstance(found.plan.congestion, Bcc):
        table["shared_per_pool"] = f"{pools.lossy_bytes}B"
    else:
        table["total"] = f"{settings.memory_bytes + _beside(settings)}B"
    if lossy and settings.headroom_scheme is None:
        table["reserved_per_queue"] = f"{min(one.reserved_bytes for one in lossy)}B"
    if settings.headroom_scheme is not None:
        table["pfc"] = _pauses(found)
    return table


def _pauses(found: Outcome) -> dict[str, object]:
    settings = found.settings
    lossless = [one for one in settings.classes if one.lossless]
    pauses = [group.pause for group in settings.groups if group.pause is not None]
    scheme: dict[str, object] = {
        "scheme": settings.headroom_scheme,
        "size": f"{max(pause.headroom_bytes for pause in pauses)}B",
    }
    if found.plan.headroom.ratio is not None:
        scheme["ratio"] = float(found.plan.headroom.ratio)
    return {
        "xoff": {"policy": "dynamic_threshold", "alpha": max(one.alpha for one in lossless)},
        "xon_offset": f"{pauses[0].xon_offset_bytes}B",
        "headroom": scheme,
        "reserved": f"{min(one.reserved_bytes for one in lossless)}B",
        "lossy_pool": f"{settings.pools.lossy_bytes * settings.pools.mmus + _beside(settings)}B",
    }


def _beside(settings: Settings) -> int:
    """Memory for acknowledgements where the plan, as papers do, leaves lossy classes none."""
    return 0 if settings.pools.lossy_bytes else _ACKNOWLEDGEMENTS_BYTES


def _marking(found: Outcome) -> dict[str, object]:
    """On each queue and on the pool; BCC marks packets that leave (section 5)."""
    settings, when = found.settings, {"when": "dequeue"} if isinstance(found.plan.congestion, Bcc) else {}
    markers: dict[str, object] = {}
    by_class = [one.ecn for one in settings.classes if one.ecn is not None]
    if by_class:
        markers["queue"] = _marker(by_class[0]) | when
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


def _bursts(found: Outcome, hosts: int) -> dict[str, object]:
    settings = found.settings
    payload = settings.mtu_bytes + _HEADER_AND_CHECK - _ROCE_HEADERS
    control = found.plan.congestion.cnp_priority if isinstance(found.plan.congestion, Dcqcn) else None
    present = [one.priority for one in settings.classes]
    lossy = [one.priority for one in settings.classes if not one.lossless]
    transport: dict[str, object] = {
        "kind": "roce",
        "payload": f"{payload}B",
        "control_priority": control if control in present else (lossy or present)[0],
    }
    if settings.hosts is not None and isinstance(found.plan.congestion, Dcqcn):
        transport["congestion_control"] = {"algorithm": "dcqcn", "gain": settings.hosts.gain}
    size = -(-2 * _OVERFILL * settings.memory_bytes // (hosts * hosts))
    slowest = min(group.rate_bps for group in settings.groups)
    slot_ps = size * 8 * 10**12 // slowest
    return {
        "transport": {"burst": transport},
        "workload": [
            {
                "kind": "incast",
                "transport": "burst",
                "fan_in": hosts - 1,
                "size": f"{size}B",
                "receivers": [f"host{n}"],
                "groups": 1,
                "every": "1s",
                "start": f"{n * slot_ps}ps",
                "priority": [one.priority for one in settings.classes if one.lossless],
            }
            for n in range(hosts)
        ],
    }


def _long_flows(found: Outcome, hosts: int) -> dict[str, object]:
    settings, congestion = found.settings, found.plan.congestion
    control: dict[str, object] = {"algorithm": settings.hosts.congestion_control if settings.hosts else "reno"}
    if settings.hosts is not None and settings.hosts.gain is not None:
        control["gain"] = settings.hosts.gain
    link_ps = max(group.delay_ps for group in settings.groups)
    trip_ps = congestion.round_trip if isinstance(congestion, Bcc | Dctcp) else 4 * link_ps
    return {
        "host": {"delay": f"{max(0, trip_ps - 4 * link_ps) // 4}ps", "jitter": True},
        "transport": {
            "long": {
                "kind": "tcp",
                "payload": f"{settings.mtu_bytes + _HEADER_AND_CHECK - _TCP_HEADERS}B",
                "congestion_control": control,
            }
        },
        "workload": [
            {
                "kind": "long_lived",
                "transport": "long",
                "pairs": [
                    [f"host{(n + step) % hosts}", f"host{n}"]
                    for n in range(hosts)
                    for step in range(1, _LONG_FLOWS + 1)
                ],
                "priority": settings.hosts.priority if settings.hosts else settings.classes[0].priority,
            }
        ],
        "stop": {"at": f"{_ROUND_TRIPS * trip_ps}ps"},
    }
