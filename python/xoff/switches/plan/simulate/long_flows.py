"""Long flows of TCP from several hosts into every port, which all start at once: slow start is part of the case."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from xoff.switches.plan.file import Bcc, Dctcp
from xoff.switches.plan.simulate import switch
from xoff.switches.plan.simulate.trial import SharedMemoryTrial

if TYPE_CHECKING:
    from xoff.results.result import Result
    from xoff.switches.plan.outcome import Outcome

_FLOWS = 4
"""Into each port."""
_ROUND_TRIPS = 100
"""Length of the run in round trips."""
_TCP_HEADERS = 58


@dataclass(frozen=True)
class SlowStart:
    """Bytes sent before the first loss, against the bytes that can be held."""

    windows_bytes: int
    """Of all flows together."""
    links_bytes: int
    """In flight in a round trip, at the rate of every port [N C RTT]."""
    memory_bytes: int
    """Of the switch."""
    adapter_bytes: int
    """The most that had waited in one host's adapter."""
    round_trip_us: float
    """Without waiting [RTT]."""
    longest_round_trip_us: float
    """For what waited there: echoes wait behind data."""

    @property
    def sentence(self) -> str:
        """Sentence that tells the outcome."""
        held = (
            f"by the first loss slow start has brought all windows to {self.windows_bytes:,} B, of which links hold "
            f"{self.links_bytes:,} B in a round trip, and the switch has room for {self.memory_bytes:,} B"
        )
        if self.windows_bytes <= self.links_bytes + self.memory_bytes:
            return held
        return (
            f"{held}; the rest waits in hosts, up to {self.adapter_bytes:,} B in one adapter, and echoes of marks "
            f"behind it: a round trip takes {self.longest_round_trip_us:.0f} us there "
            f"instead of {self.round_trip_us:.0f}"
        )


@dataclass(frozen=True)
class LongFlowsTrial:
    """Outcome of a plan without lossless classes under long flows."""

    switch: SharedMemoryTrial
    slow_start: SlowStart | None
    """None if nothing was lost."""

    @property
    def sentences(self) -> list[str]:
        """Sentences that tell the outcome."""
        return self.switch.sentences + ([self.slow_start.sentence] if self.slow_start else [])

    @property
    def failures(self) -> list[str]:
        """None: TCP sends again what is lost, and nobody is paused."""
        return []

    def as_data(self) -> dict[str, object]:
        """Returns the numbers of the outcome by name."""
        return self.switch.as_data() | {"slow_start": asdict(self.slow_start) if self.slow_start else None}


@dataclass(frozen=True)
class LongFlows:
    """Each port has flows from the hosts that follow its own."""

    found: Outcome

    @property
    def described(self) -> str:
        """In words."""
        return f"{_FLOWS} long flows into each of {self._hosts} ports, which all start at once"

    def table(self) -> dict[str, object]:
        """As a scenario. Raises PlanError if there are too few ports."""
        settings, hosts = self.found.settings, self._hosts
        sampled = f"{self._round_trip_ps // 4}ps"
        return {
            "title": f"{settings.title}: all ports congested at once",
            "topology": switch.around(settings.groups),
            "class": switch.classes(settings),
            "switch": [switch.with_shared_memory(self.found)],
            "host": {"delay": f"{max(0, self._round_trip_ps - 4 * self._link_ps) // 4}ps", "jitter": True},
            "transport": {"long": self._transport()},
            "workload": [
                {
                    "kind": "long_lived",
                    "transport": "long",
                    "pairs": [
                        [f"host{(n + step) % hosts}", f"host{n}"] for n in range(hosts) for step in range(1, _FLOWS + 1)
                    ],
                    "priority": settings.hosts.priority if settings.hosts else settings.classes[0].priority,
                }
            ],
            "observe": switch.OBSERVED | {"windows": {"every": sampled}, "queues": {"every": sampled, "of": ["host*"]}},
            "stop": {"at": f"{_ROUND_TRIPS * self._round_trip_ps}ps"},
        }

    def trial(self, result: Result) -> LongFlowsTrial:
        """Reads the outcome from the result of this trial's scenario."""
        of_switch = SharedMemoryTrial.of(result, self.found.settings.classes)
        return LongFlowsTrial(of_switch, self._slow_start(result, of_switch.first_drop_us))

    @property
    def _hosts(self) -> int:
        return switch.hosts(self.found.settings, _FLOWS + 1)

    @property
    def _link_ps(self) -> int:
        return max(group.delay_ps for group in self.found.settings.groups)

    @property
    def _round_trip_ps(self) -> int:
        congestion = self.found.plan.congestion
        return congestion.round_trip if isinstance(congestion, Bcc | Dctcp) else 4 * self._link_ps

    def _transport(self) -> dict[str, object]:
        settings = self.found.settings
        control: dict[str, object] = {"algorithm": settings.hosts.congestion_control if settings.hosts else "reno"}
        if settings.hosts is not None and settings.hosts.gain is not None:
            control["gain"] = settings.hosts.gain
        payload = switch.payload(settings, _TCP_HEADERS)
        return {"kind": "tcp", "payload": payload, "congestion_control": control}

    def _slow_start(self, result: Result, first_drop_us: float | None) -> SlowStart | None:
        if first_drop_us is None or result.series is None:
            return None
        rows = result.series.select(["time_ns", "quantity", "value"]).to_pylist()
        before = [row for row in rows if row["time_ns"] <= first_drop_us * 1000]
        windows = [row for row in before if row["quantity"] == "window"]
        latest = max((row["time_ns"] for row in windows), default=0)
        waited = max((row["value"] for row in before if row["quantity"] == "queue"), default=0)
        settings, trip_us = self.found.settings, self._round_trip_ps / 1e6
        rates = [group.rate_bps for group in settings.groups for _ in group.ports]
        return SlowStart(
            windows_bytes=int(sum(row["value"] for row in windows if row["time_ns"] == latest)),
            links_bytes=sum(rates) * self._round_trip_ps // (8 * 10**12),
            memory_bytes=settings.memory_bytes,
            adapter_bytes=int(waited),
            round_trip_us=trip_us,
            longest_round_trip_us=trip_us + waited * 8e6 / min(rates),
        )
