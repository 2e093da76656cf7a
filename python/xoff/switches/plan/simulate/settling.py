"""Long flows into one port, which start at once: how soon it is busy again, and what is in its queue from then on.

The switch, its hosts and their transport are those of the plan's worst case. Thresholds that are too low for a link's
rate, and senders that recover too slowly for it, are seen here and not there.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.compute as pc

from xoff.switches.plan import hpcc
from xoff.switches.plan.file import Bcc, Dcqcn, Dctcp, Hpcc
from xoff.switches.plan.switch import Switch

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

    from xoff.results.result import Result
    from xoff.switches.plan.outcome import Outcome
    from xoff.switches.plan.simulate.bursts import Bursts
    from xoff.switches.plan.simulate.long_flows import LongFlows

    Floats = npt.NDArray[np.float64]

_FLOWS = 8
_INTERVALS = 100
"""For each of them it is said how busy the port was."""
_SAMPLES = 10
"""Of its queue, in each."""
_START = 5
"""The start is a fifth of the time."""
_BUSY = 0.95
_ROUND_TRIPS = 400
"""Length of a run with window-based congestion control, in round trips."""
_DCQCN_PS = 100 * 10**9
"""Length of a run with DCQCN, whose timers do not know the round trip: some 1800 round trips of 55 us."""


@dataclass(frozen=True)
class SettlingTrial:
    """Share of its rate at which a port was busy, and the length of its queue, while flows settled."""

    start_us: float
    """Microseconds from the beginning that count as the start."""
    start_busy: float
    busy_after_us: float | None
    """Microseconds until the port was 95 % busy for a hundredth of the time; None if it never was."""
    settled_us: float
    """From when on it is taken as settled: half of the time."""
    settled_busy: float
    settled_queue_p50_bytes: int
    settled_queue_p99_bytes: int

    @classmethod
    def of(cls, busy: Floats, queue: Floats, end_us: float) -> SettlingTrial:
        """Reads a port's throughput as a share of the rate, and its queue in bytes, at even times until the end."""
        reached = np.flatnonzero(busy >= _BUSY)
        settled = queue[len(queue) // 2 :]
        p50, p99 = (int(np.quantile(settled, share, method="higher")) for share in (0.5, 0.99))
        return cls(
            start_us=end_us / _START,
            start_busy=float(np.mean(busy[: len(busy) // _START])),
            busy_after_us=float(reached[0] + 1) / len(busy) * end_us if len(reached) else None,
            settled_us=end_us / 2,
            settled_busy=float(np.mean(busy[len(busy) // 2 :])),
            settled_queue_p50_bytes=p50,
            settled_queue_p99_bytes=p99,
        )

    @property
    def sentences(self) -> list[str]:
        """Sentences that tell the outcome."""
        reached = "never" if self.busy_after_us is None else f"for the first time after {_ms(self.busy_after_us)}"
        start = f"it is {_percent(self.start_busy)} busy in the first {_ms(self.start_us)}, {_percent(_BUSY)} {reached}"
        settled = f"from {_ms(self.settled_us)} on it is {_percent(self.settled_busy)} busy"
        p50, p99 = self.settled_queue_p50_bytes, self.settled_queue_p99_bytes
        return [f"{start}; {settled}, its queue {p50:,} B at the median and {p99:,} B at the 99th percentile"]

    @property
    def failures(self) -> list[str]:
        """None: how busy a port should be is for who reads it."""
        return []

    def as_data(self) -> dict[str, object]:
        """Returns the numbers of the outcome by name."""
        return asdict(self)


@dataclass(frozen=True)
class Settling:
    """Into the first of the fastest ports, from the hosts that follow."""

    worst_case: Bursts | LongFlows
    congestion: Bcc | Dctcp | Dcqcn | Hpcc

    @property
    def described(self) -> str:
        """In words."""
        return f"{self._flows} long flows into one port of {self._rate_bps / 10**9:g} Gb/s, which start at once"

    def table(self) -> dict[str, object]:
        """As a scenario. Raises PlanError for a plan that is not simulated."""
        table = self._worst_table()
        receiver, count = self._receiver, len(table["topology"]["hosts"])
        port, senders = f"switch0.port{receiver}", [(receiver + step) % count for step in range(1, self._flows + 1)]
        of_flows = "windows" if isinstance(self.congestion, Bcc | Dctcp) else "rates"
        return table | {
            "title": f"{self._found.settings.title}: long flows into one port",
            "workload": [
                {
                    "kind": "long_lived",
                    "transport": next(iter(table["transport"])),
                    "pairs": [[f"host{sender}", f"host{receiver}"] for sender in senders],
                    "priority": _priority(table),
                }
            ],
            "observe": {
                "throughput": {"every": f"{self._interval_ps}ps", "of": [port]},
                "queues": {"every": f"{self._interval_ps // _SAMPLES}ps", "of": [port]},
                of_flows: {"every": f"{self._interval_ps}ps", "of": [f"host{sender}" for sender in senders]},
            },
            "stop": {"at": f"{_INTERVALS * self._interval_ps}ps"},
        }

    def trial(self, result: Result) -> SettlingTrial:
        """Reads the outcome from the result of that scenario."""
        assert result.series is not None, "the scenario observes"
        queue = result.series.filter(pc.equal(result.series["priority"], _priority(self._worst_table())))
        busy = _values(result.series, "throughput") / self._rate_bps
        return SettlingTrial.of(busy, _values(queue, "queue"), _INTERVALS * self._interval_ps / 1e6)

    def _worst_table(self) -> dict[str, Any]:
        return self.worst_case.table()

    @property
    def _found(self) -> Outcome:
        return self.worst_case.found

    @property
    def _rates_bps(self) -> list[int]:
        return [group.rate_bps for group in self._found.settings.groups for _ in group.ports]

    @property
    def _rate_bps(self) -> int:
        return max(self._rates_bps)

    @property
    def _receiver(self) -> int:
        return self._rates_bps.index(self._rate_bps)

    @property
    def _flows(self) -> int:
        return min(_FLOWS, len(self._rates_bps) - 1)

    @property
    def _interval_ps(self) -> int:
        match self.congestion:
            case Dcqcn():
                end_ps = _DCQCN_PS
            case Hpcc():
                end_ps = _ROUND_TRIPS * hpcc.round_trip_ps(Switch.of(self._found.plan), self.congestion)
            case _:
                end_ps = _ROUND_TRIPS * self.congestion.round_trip
        return end_ps // (_INTERVALS * _SAMPLES) * _SAMPLES


def _priority(table: dict[str, Any]) -> int:
    """Returns the class of the flows: the first class that the worst case has."""
    found: int | list[int] = table["workload"][0]["priority"]
    return found[0] if isinstance(found, list) else found


def _values(series: pa.Table, quantity: str) -> Floats:
    values: Floats = series.filter(pc.equal(series["quantity"], quantity))["value"].to_numpy()
    return values


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _ms(us: float) -> str:
    return f"{us / 1000:.3g} ms"
