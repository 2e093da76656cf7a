"""Hands every packet of a run to the oracle, and compares what each switch did with what the oracle says."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

import pyarrow.compute as pc

from .switch import Change, Switch

if TYPE_CHECKING:
    from xoff import Result

    from .drawn import Drawn
    from .switch import Fate

_NEVER = 1 << 62


class _Kind(IntEnum):
    """Kinds of steps. At one instant a port first releases what has left, and then starts what waits."""

    RELEASE = 0
    START = 1
    ARRIVAL = 2


class _Step(NamedTuple):
    """A step; their order is that in which they happen.

    At one instant, ports whose transmissions end go on in the order of their numbers, before anything arrives. So what
    the first port starts still finds in memory what the second has just sent.
    """

    time: int
    is_arrival: bool
    port: int
    """The ingress of an arrival, else the egress."""
    kind: _Kind
    row: int


class DisagreementError(Exception):
    """The switch did something else than the oracle says."""


@dataclass
class Verdict:
    """Numbers of decisions that were compared, and where oracle and simulator differ."""

    packets: int = 0
    drops: int = 0
    pauses: int = 0
    marks: int = 0
    """Marks whose probability was neither 0 nor 1."""
    expected_marks: float = 0.0
    variance: float = 0.0
    disagreements: list[str] = field(default_factory=list)

    def add(self, other: Verdict) -> None:
        """Adds another run's."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def judge(drawn: Drawn, result: Result) -> Verdict:
    """Compares all switches of a run with the oracle. Each is judged up to its first disagreement."""
    verdict, journeys = Verdict(), _Journeys(drawn, result)
    for name in drawn.switches:
        try:
            _Replay(name, drawn, journeys, result, verdict).judge()
        except DisagreementError as disagreement:
            verdict.disagreements.append(str(disagreement))
    return verdict


class _Journeys:
    """Packets at each port that they came to, column by column."""

    def __init__(self, drawn: Drawn, result: Result) -> None:
        packets = result.packets
        assert packets is not None
        rows = {name: packets[name].to_pylist() for name in packets.column_names}
        self.frame, self.priority, self.marked = rows["frame_bytes"], rows["priority"], rows["marked"]
        self.kind, self.drop = rows["kind"], rows["drop_reason"]
        times = (
            [_NEVER if time is None else time for time in rows[f"{name}_ps"]]
            for name in ("arrived", "started", "ended")
        )
        self.arrived, self.started, self.ended = times
        peers = {port.name: port.peer for port in result.topology.ports}
        number = {name: int(name.partition(".port")[2]) for name in peers}
        self.device = [name.partition(".")[0] for name in rows["port"]]
        self.egress = [number[name] for name in rows["port"]]
        came_by = [number[peers[name]] for name in rows["port"]]
        self.ingress = [-1, *came_by[:-1]]
        self.was_marked = [False, *self.marked[:-1]]
        transports: dict[tuple[str, int], str] = {}
        for flows in (result.flows, result.unfinished):
            if flows is not None:
                columns = [flows[name].to_pylist() for name in ("source", "number", "transport")]
                transports |= {(source, number): transport for source, number, transport in zip(*columns, strict=True)}
        self.is_capable = [
            kind in drawn.capable[transports[source, number]]
            for source, number, kind in zip(rows["source"], rows["number"], self.kind, strict=True)
        ]


class _Replay:
    """One switch of a run."""

    def __init__(self, name: str, drawn: Drawn, journeys: _Journeys, result: Result, verdict: Verdict) -> None:
        self._name, self._of, self._result, self._verdict = name, journeys, result, verdict
        self._settings, self._end = drawn.switches[name], drawn.end
        self._switch = Switch(self._settings)
        self._chance: dict[int, float] = {}
        """Probability with which a packet that waits was marked as it came."""
        self._dropped: list[tuple[object, ...]] = []

    def judge(self) -> None:
        """Goes through all packets of the switch. Raises DisagreementError at the first that differs."""
        take = {_Kind.ARRIVAL: self._arrive, _Kind.START: self._start, _Kind.RELEASE: self._release}
        for step in sorted(self._steps()):
            take[step.kind](step)
        self._judge_drops()
        self._judge_pauses()

    def _steps(self) -> list[_Step]:
        of, keeps, end, steps = self._of, self._settings.keeps, self._end, []
        for row, device in enumerate(of.device):
            if device != self._name or of.arrived[row] == _NEVER:
                continue
            steps.append(_Step(of.arrived[row], True, of.ingress[row], _Kind.ARRIVAL, row))
            if of.arrived[row] < of.started[row] < _NEVER:
                steps.append(_Step(of.started[row], False, of.egress[row], _Kind.START, row))
            if keeps and of.ended[row] <= end:
                steps.append(_Step(of.ended[row], False, of.egress[row], _Kind.RELEASE, row))
        return steps

    def _arrive(self, step: _Step) -> None:
        of, row, switch = self._of, step.row, self._switch
        egress, priority, frame = of.egress[row], of.priority[row], of.frame[row]
        self._verdict.packets += 1
        if not of.is_capable[row] and not switch.is_lossless(priority):
            is_dropped = of.drop[row] == "not_ecn_capable"
            self._draw(step, switch.chance_of_drop(egress, priority), "dropped for want of ECN", happened=is_dropped)
            if is_dropped:
                self._dropped.append((step.time // 1000, egress, priority, "not_ecn_capable", None, None))
                return
        waits = of.started[row] > step.time
        fate = switch.arrive(step.time, step.port, egress, priority, frame, waits=waits)
        self._compare_drop(step, fate)
        if fate.drop or not of.is_capable[row]:
            return
        self._chance[row] = fate.chance
        if not waits:
            self._leave_marked(step, frame if self._settings.keeps else 0)

    def _start(self, step: _Step) -> None:
        self._leave_marked(step, self._of.frame[step.row])
        if not self._settings.keeps:
            self._release(step)

    def _release(self, step: _Step) -> None:
        of, row = self._of, step.row
        self._switch.leave(step.time, of.ingress[row], of.egress[row], of.priority[row], of.frame[row])

    def _leave_marked(self, step: _Step, held: int) -> None:
        """Compares the mark of a packet that leaves, of whose bytes memory still counts `held`."""
        of, row = self._of, step.row
        before = self._chance.pop(row, None)
        if before is None or of.was_marked[row]:
            return
        now = self._switch.chance_at_departure(of.egress[row], of.priority[row], held)
        self._draw(step, 1 - (1 - before) * (1 - now), "marked", happened=of.marked[row])

    def _draw(self, step: _Step, chance: float, what: str, *, happened: bool) -> None:
        if 0.0 < chance < 1.0:
            verdict = self._verdict
            verdict.marks += happened
            verdict.expected_marks += chance
            verdict.variance += chance * (1 - chance)
        elif happened != (chance == 1.0):
            self._differs(
                step, f"is {'' if happened else 'not '}{what}; the oracle says {'it is' if chance else 'not'}"
            )

    def _compare_drop(self, step: _Step, fate: Fate) -> None:
        of, row = self._of, step.row
        if fate.drop != of.drop[row]:
            self._differs(step, f"is dropped: {of.drop[row]}; the oracle says {fate}")
        if fate.drop:
            self._verdict.drops += 1
            place = (step.time // 1000, of.egress[row], of.priority[row])
            self._dropped.append((*place, fate.drop, fate.held, fate.limit))

    def _judge_drops(self) -> None:
        """Compares bytes held and allowed at each drop, in the order of the drops."""
        table = self._result.drops
        assert table is not None
        table = table.filter(pc.equal(table["device"].cast("string"), self._name))
        names = ("time_ns", "port", "priority", "reason", "held_bytes", "limit_bytes")
        recorded = [
            (time, int(port.partition(".port")[2]), *others)
            for time, port, *others in zip(*(table[name].to_pylist() for name in names), strict=True)
        ]
        for ours, theirs in zip(sorted(self._dropped, key=str), sorted(recorded, key=str), strict=True):
            if ours != theirs:
                raise DisagreementError(f"{self._name}: drop {theirs}; the oracle says {ours}")

    def _judge_pauses(self) -> None:
        """Compares when each sender was told to pause, and when to resume."""
        ingress, lossless, table = self._switch.ingress, self._settings.lossless, self._result.off_times
        if ingress is None or lossless is None or table is None:
            return
        table = table.filter(pc.equal(table["device"].cast("string"), self._name))
        recorded: dict[tuple[int, int], list[tuple[int, bool]]] = {}
        names = ("port", "priority", "xoff_ns", "end_ns")
        for port, priority, xoff, end in zip(*(table[name].to_pylist() for name in names), strict=True):
            changes = recorded.setdefault((int(port.partition(".port")[2]), priority), [])
            changes += [(xoff, True)] + ([] if end is None else [(end, False)])
        ours: dict[tuple[int, int], list[Change]] = {}
        for change in ingress.changes:
            if change.priority in lossless.classes:
                ours.setdefault((change.port, change.priority), []).append(change)
        for queue in sorted(ours.keys() | recorded.keys()):
            mine = [(change.time // 1000, change.pauses) for change in ours.get(queue, [])]
            theirs = sorted(recorded.get(queue, []), key=itemgetter(0))
            self._verdict.pauses += len(mine)
            if mine != theirs:
                place = next((n for n, pair in enumerate(zip(mine, theirs, strict=False)) if pair[0] != pair[1]), -1)
                found = f"{theirs[place:][:1]} of {len(theirs)}; the oracle says {mine[place:][:1]} of {len(mine)}"
                raise DisagreementError(f"{self._name}: pauses of {queue}: {found}")

    def _differs(self, step: _Step, how: str) -> None:
        of, row = self._of, step.row
        place = f"{step.time} ps, port {of.ingress[row]} to {of.egress[row]}, class {of.priority[row]}"
        raise DisagreementError(f"{self._name}: {of.kind[row]} of {of.frame[row]} B at {place} {how}")
