"""Hotspots behind a switch with queues at its inputs, all at once (QCN-OS, section II-A and figure 2).

Into the output of a hotspot come hot flows of K - 1 inputs. One of these inputs has an innocent flow, too, to an output
that is free: QCN is to find those that are to blame before PFC stops both.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from xoff.errors import PlanError
from xoff.switches.plan import qcn
from xoff.switches.plan.simulate import switch
from xoff.switches.plan.simulate.trial import came_before, losses, lost_lossless, order, pauses_us, times_us

if TYPE_CHECKING:
    from xoff.results.result import Result
    from xoff.switches.plan.file import Qcn
    from xoff.switches.plan.outcome import Outcome
    from xoff.switches.plan.settings import PortGroup

_SETTLED_TIMERS, _TIMERS = 4, 7
"""Times of the reaction point's timer until rates are measured, and until the end: those of figure 4, nearly."""
_HEADERS = 58
_TAG = 4
_ONE_FRAME_OF_A_FLOW = "2kB"
"""Bytes that an adapter holds of each flow in the paper's simulations."""


@dataclass(frozen=True)
class HotspotsTrial:
    """Outcome of a plan with QCN whose inputs all feed hotspots."""

    first_cnm_us: float | None
    """None if no feedback came."""
    first_pause_us: float | None
    """None if nobody was paused."""
    last_pause_us: float | None
    cnms: int
    least_feedback: int | None
    """In steps of the planned range, of 63."""
    greatest_feedback: int | None
    full_feedback: int
    """Of a full buffer at rest, by the plan."""
    pause_frames: int
    settled_us: float
    """From when on rates are measured."""
    hot_mbps: float
    """Mean of a hot flow."""
    planned_hot_mbps: float
    innocent_mbps: float
    """Mean of an innocent flow."""
    offered_innocent_mbps: float
    dropped_packets: int
    last_drop_us: float | None

    @property
    def sentences(self) -> list[str]:
        """Sentences that tell the outcome."""
        first = self._order
        if self.last_pause_us is not None:
            first += f"; the last pause began after {self.last_pause_us / 1000:.3f} ms"
        return [
            first,
            f"{self.cnms:,} CNMs, their feedback {self.least_feedback} to {self.greatest_feedback} of {qcn.STEPS} "
            f"steps, where a full buffer at rest has {self.full_feedback}"
            if self.cnms
            else "no feedback at all",
            f"from {self.settled_us / 1000:g} ms on a hot flow has {self.hot_mbps:,.0f} of its planned "
            f"{self.planned_hot_mbps:,.0f} Mb/s, an innocent one {self.innocent_mbps:,.0f} of "
            f"{self.offered_innocent_mbps:,.0f} Mb/s",
            losses(self.dropped_packets, self.last_drop_us),
        ]

    @property
    def failures(self) -> list[str]:
        """Pauses before any feedback, and losses: all flows are lossless."""
        late = came_before(self.first_pause_us, self.first_cnm_us)
        return ([self._order] if late else []) + lost_lossless(self.dropped_packets)

    @property
    def _order(self) -> str:
        return order(("QCN", "CNM", self.first_cnm_us), ("PFC", "pause", self.first_pause_us))

    def as_data(self) -> dict[str, object]:
        """Returns the numbers of the outcome by name."""
        return asdict(self)


@dataclass(frozen=True)
class Hotspots:
    """As many hotspots as the fastest ports can feed; outputs are ports of other hotspots."""

    found: Outcome
    own: Qcn

    @property
    def described(self) -> str:
        """In words."""
        return (
            f"{self._hotspots} hotspots at once, each of {self._inputs} inputs into one output; one of them shares "
            "its rate with an innocent flow to a free output"
        )

    def table(self) -> dict[str, object]:
        """As a scenario. Raises PlanError if ports are too few, or no class is lossless."""
        settings, own, group = self.found.settings, self.own, self._group
        if not any(one.lossless for one in settings.classes):
            raise PlanError(None, "class", "none is lossless, and full inputs pause their senders", "expected one")
        ports = len(group.ports)
        if ports <= own.hot_inputs:
            problem = f"{ports} ports are too few for a hotspot of {own.hot_inputs} inputs"
            raise PlanError(None, "ports", problem, f"expected at least {own.hot_inputs + 1}")
        return {
            "title": f"{settings.title}: all inputs congested at once",
            "topology": switch.around([group]),
            "class": switch.classes(settings),
            "switch": [self._switch()],
            "host": {
                "jitter": True,
                "small_queue": _ONE_FRAME_OF_A_FLOW,
                "reaction_point": {"timer": f"{own.timer}ps", "byte_counter": f"{own.interval}B"},
            },
            "transport": {"half": self._transport(2), "whole": self._transport(1)},
            "workload": self._workloads(),
            "observe": {
                "flow_throughput": {"every": f"{own.timer}ps"},
                "cnms": {"every": "change"},
                "drops": {"every": "change"},
                "pauses": True,
            },
            "stop": {"at": f"{_TIMERS * own.timer}ps"},
        }

    def trial(self, result: Result) -> HotspotsTrial:
        """Reads the outcome from the result of that scenario."""
        rows = result.series.to_pylist() if result.series is not None else []
        feedback = [int(row["value"]) for row in rows if row["quantity"] == "cnms"]
        paused = pauses_us(result)
        cnms, drops, packets = times_us(result, "cnms"), times_us(result, "drops"), result.summary["packets"]
        hot, innocent = self._rates_mbps(rows)
        return HotspotsTrial(
            first_cnm_us=min(cnms, default=None),
            first_pause_us=min(paused, default=None),
            last_pause_us=max(paused, default=None),
            cnms=len(feedback),
            least_feedback=min(feedback, default=None),
            greatest_feedback=max(feedback, default=None),
            full_feedback=qcn.full_at_rest(self.own),
            pause_frames=result.summary["pfc"]["pause_frames"],
            settled_us=self._settled_ps / 1e6,
            hot_mbps=hot,
            planned_hot_mbps=self._group.rate_bps / self._inputs / 1e6,
            innocent_mbps=innocent,
            offered_innocent_mbps=self._group.rate_bps / 2 / 1e6,
            dropped_packets=packets["dropped"],
            last_drop_us=max(drops, default=None),
        )

    @property
    def _group(self) -> PortGroup:
        return max(self.found.settings.groups, key=lambda group: group.rate_bps)

    @property
    def _inputs(self) -> int:
        """Inputs of one hotspot."""
        return self.own.hot_inputs - 1

    @property
    def _hotspots(self) -> int:
        return len(self._group.ports) // self._inputs

    @property
    def _settled_ps(self) -> int:
        return _SETTLED_TIMERS * self.own.timer

    def _switch(self) -> dict[str, object]:
        own = self.own
        return {
            "kind": "cioq",
            "input": {
                "buffer": f"{own.buffer}B",
                "xoff": f"{own.stop}B",
                "xon": f"{own.go}B",
                "congestion_point": {
                    "sampling": own.sampling,
                    "set_point": f"{own.set_point}B",
                    "weight": float(own.weight),
                    "interval": f"{own.interval}B",
                },
            },
            "output": {"buffer": f"{own.buffer}B"},
        }

    def _transport(self, parts: int) -> dict[str, object]:
        return {
            "kind": "constant_rate",
            "rate": f"{self._group.rate_bps // parts}bps",
            "payload": switch.payload(self.found.settings, _HEADERS - _TAG),
            "catch_up": False,
        }

    def _workloads(self) -> list[dict[str, object]]:
        shared, alone = [], []
        for first in range(0, self._hotspots * self._inputs, self._inputs):
            innocent, hot = (f"host{(first + self._inputs + n) % len(self._group.ports)}" for n in (1, 0))
            shared += [[f"host{first}", innocent], [f"host{first}", hot]]
            alone += [[f"host{n}", hot] for n in range(first + 1, first + self._inputs)]
        priority = next(one.priority for one in self.found.settings.classes if one.lossless)
        return [
            {"kind": "long_lived", "transport": transport, "pairs": pairs, "priority": priority}
            for transport, pairs in (("half", shared), ("whole", alone))
        ]

    def _rates_mbps(self, rows: list[dict[str, Any]]) -> tuple[float, float]:
        """Means of a hot and of an innocent flow; of those that share an input, the innocent is the first."""
        firsts = {f"host{n * self._inputs}.flow0" for n in range(self._hotspots)}
        total = {True: 0.0, False: 0.0}
        for row in rows:
            if row["quantity"] == "flow_throughput" and row["time_ns"] * 1000 > self._settled_ps:
                total[row["name"] in firsts] += row["value"]
        samples = (_TIMERS - _SETTLED_TIMERS) * self._hotspots
        return total[False] / samples / self._inputs / 1e6, total[True] / samples / 1e6
