"""Bursts of lossless classes into one port after another, faster than ports drain, until all are full."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from xoff.switches.plan import headroom, hpcc, pools
from xoff.switches.plan.file import Dcqcn, Hpcc, Scheme
from xoff.switches.plan.headroom import OF_PUBLISHED_REACTION, PUBLISHED_QUANTA
from xoff.switches.plan.mmus import check_shared, ports
from xoff.switches.plan.outcome import of_mmu
from xoff.switches.plan.rows import Verdict
from xoff.switches.plan.simulate import switch
from xoff.switches.plan.simulate.trial import SharedMemoryTrial
from xoff.switches.plan.switch import Switch

if TYPE_CHECKING:
    from xoff.results.result import Result
    from xoff.switches.plan.outcome import Outcome

_OVERFILL = 3
"""Times that the bursts together would fill memory if nobody slowed down."""
_LEAST_HOSTS = 5
_ROCE_HEADERS = 62
_TELEMETRY = 42
"""Bytes of telemetry that every packet carries."""


@dataclass(frozen=True)
class Bursts:
    """All hosts at once into one port of an MMU, then into the next."""

    found: Outcome
    """Outcome of one MMU's plan: simulated switches have one lossless pool."""
    mmu: str = ""
    """Name of the MMU among several, in words."""

    @classmethod
    def into_fullest_mmu(cls, found: Outcome) -> Bursts:
        """Bursts into the MMU that has least left beside headroom."""
        planned = Switch.of(found.plan)
        if planned.mmus == 1:
            return cls(found)
        part = pools.fullest(planned)
        called = f"MMU {planned.parts.index(part)} of {planned.mmus} by itself, which has least left ({ports(part)}): "
        return cls(of_mmu(found, part), called)

    @classmethod
    def into_mmus_in_doubt(cls, found: Outcome) -> dict[int, Bursts]:
        """Bursts into one of each other kind of MMU whose headroom may not be enough, by its number."""
        mmus = Switch.of(found.plan).mmus
        return {
            number: cls(of_mmu(found, part), f"MMU {number} of {mmus} by itself ({ports(part)}): ")
            for number, part in _other_kinds(found).items()
            if not _spared(part)
        }

    @property
    def described(self) -> str:
        """In words."""
        hosts = self._hosts
        reaction = f"{PUBLISHED_QUANTA} quanta" if self._published_reaction else "what IEEE 802.3 allows"
        case = f"{hosts - 1} hosts at once into one of {hosts} ports after another, {_OVERFILL} times what memory holds"
        return f"{self.mmu}{case}; senders react to a pause within {reaction}, as the plan's method takes it"

    def table(self) -> dict[str, object]:
        """As a scenario. Raises PlanError if ports or what is shared are too little."""
        check_shared(Switch.of(self.found.plan), "an MMU" if self.mmu else "memory")
        settings, hosts = self.found.settings, self._hosts
        return {
            "title": f"{settings.title}: all ports congested at once",
            "topology": switch.around(settings.groups),
            "class": switch.classes(settings),
            "switch": [switch.with_shared_memory(self.found)],
            "pfc": {"reaction_quanta": PUBLISHED_QUANTA} if self._published_reaction else {},
            "transport": {"burst": self._transport()},
            "workload": self._workloads(hosts),
            "observe": switch.OBSERVED | {"pauses": True},
        }

    def trial(self, result: Result) -> SharedMemoryTrial:
        """Reads the outcome from the result of that scenario."""
        return SharedMemoryTrial.of(result, self.found.settings.classes)

    @property
    def _hosts(self) -> int:
        return switch.hosts(self.found.settings, _LEAST_HOSTS, " of an MMU" if self.mmu else "")

    @property
    def _published_reaction(self) -> bool:
        lossless = any(one.lossless for one in self.found.settings.classes)
        return lossless and self.found.plan.headroom.method in OF_PUBLISHED_REACTION

    def _transport(self) -> dict[str, object]:
        settings, congestion = self.found.settings, self.found.plan.congestion
        present = [one.priority for one in settings.classes]
        lossy = [one.priority for one in settings.classes if not one.lossless]
        control = congestion.cnp_priority if isinstance(congestion, Dcqcn) else None
        headers = _ROCE_HEADERS + (_TELEMETRY if isinstance(congestion, Hpcc) else 0)
        transport: dict[str, object] = {
            "kind": "roce",
            "payload": switch.payload(settings, headers),
            "control_priority": control if control in present else (lossy or present)[0],
        }
        if isinstance(congestion, Dcqcn):
            transport["congestion_control"] = _dcqcn(congestion)
        if isinstance(congestion, Hpcc):
            transport["congestion_control"] = self._by_telemetry(congestion)
        return transport

    def _by_telemetry(self, own: Hpcc) -> dict[str, object]:
        planned = Switch.of(self.found.plan)
        common = {"algorithm": own.congestion_control, "base_rtt": f"{hpcc.round_trip_ps(planned, own)}ps"}
        if own.congestion_control == "power_tcp":
            return common | {"expected_flows": own.flows}
        increase = max(1, round(hpcc.additive_increase(planned, own)))
        return common | {"target_utilization": float(own.utilization), "additive_increase": f"{increase}B"}

    def _workloads(self, hosts: int) -> list[dict[str, object]]:
        settings = self.found.settings
        size = -(-2 * _OVERFILL * settings.memory_bytes // (hosts * hosts))
        slot_ps = size * 8 * 10**12 // min(group.rate_bps for group in settings.groups)
        return [
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
        ]


def left_out(found: Outcome) -> list[str]:
    """Names one of each kind of MMU that no bursts go into, and says why."""
    others = _other_kinds(found).items()
    return [f"MMU {number} ({ports(part)}), {why}" for number, part in others if (why := _spared(part))]


def _other_kinds(found: Outcome) -> dict[int, Switch]:
    """Returns the first MMU of each kind by number, without the kind of the fullest MMU."""
    planned = Switch.of(found.plan)
    kinds = {ports(pools.fullest(planned))}
    firsts = {}
    for number, part in enumerate(planned.parts):
        if ports(part) not in kinds:
            kinds.add(ports(part))
            firsts[number] = part
    return firsts


def _spared(part: Switch) -> str:
    """Says why an MMU beside the fullest is not simulated; empty where it is."""
    if part.ports < _LEAST_HOSTS:
        return "which has too few ports to congest them all"
    judged = {row.verdict for row in headroom.rows(part)}
    in_doubt = {Verdict.FAILS, Verdict.WARNS} & judged or part.plan.headroom.scheme is Scheme.OVERSUBSCRIBED
    return "" if in_doubt else "whose headroom holds"


def _dcqcn(own: Dcqcn) -> dict[str, object]:
    """Returns the plan's DCQCN settings as keys of a scenario; the paper's preset has the rest."""
    planned = {
        "additive_increase": own.additive_increase and f"{own.additive_increase}bps",
        "hyper_increase": own.hyper_increase and f"{own.hyper_increase}bps",
        "timer": own.timer and f"{own.timer}ps",
    }
    said = {key: value for key, value in planned.items() if value is not None}
    return {"algorithm": "dcqcn", "gain": float(own.gain)} | said
