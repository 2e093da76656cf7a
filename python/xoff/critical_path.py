"""Where a flow's time went: its critical path, from its last acknowledgement back to its start.

The path is found backwards. An acknowledgement waits for the data that it answers; data waits for what let it be sent:
an acknowledgement, the rate of the congestion control, the packet before it, or the start of the flow. Data that had to
be sent again has waited since it was first sent. So every instant of the completion time has one cause, and what it was
spent on adds up to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xoff.columns import flow_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    _Spans = NDArray[np.int64]
    """Begins and ends of times that do not overlap, in order, in two columns."""

_PICOSECONDS = 1000
"""In a nanosecond."""


class Cause(StrEnum):
    """What a flow waits for at an instant of its critical path."""

    TRANSMISSION = "transmission"
    """Bits of its own go onto a wire: of the packet itself, or of those of its flow before it in the same queue."""
    PROPAGATION = "propagation"
    QUEUEING = "queueing"
    """Others go first at a port, or hold it."""
    PAUSED = "paused"
    """The other end of the link has paused the port (PFC)."""
    HOST = "host"
    """Between transport and adapter: the host's delay, jitter, interrupts, a receiver that is slow."""
    RATE = "rate"
    """Its congestion control, or a rate limiter (QCN), lets it send no sooner."""
    DELAYED_ACKNOWLEDGEMENT = "delayed_acknowledgement"
    """The receiver has the data and has not acknowledged it."""
    RECOVERY = "recovery"
    """Data is sent again, since acknowledgements say that it is missing; the time since it was first sent."""
    TIMEOUT = "timeout"
    """The same where the retransmission timer had to expire for it."""
    START = "start"
    """The flow is there, and its connection or its queue pair does not send it yet."""

    @property
    def words(self) -> str:
        """What tables and figures call it."""
        return _WORDS[self]


_WORDS = {
    Cause.TRANSMISSION: "own bits on the wire",
    Cause.PROPAGATION: "propagation",
    Cause.QUEUEING: "queue",
    Cause.PAUSED: "pause (PFC)",
    Cause.HOST: "host",
    Cause.RATE: "rate",
    Cause.DELAYED_ACKNOWLEDGEMENT: "delayed acknowledgement",
    Cause.RECOVERY: "recovery of a loss",
    Cause.TIMEOUT: "retransmission timeout",
    Cause.START: "start of its connection",
}


class Stretch(NamedTuple):
    """A part of a critical path."""

    cause: Cause
    place: str | None
    """The port where it waits, or whose link it is on; of what is sent again, where a packet was dropped."""
    reason: str | None
    """Why that was dropped."""
    since_ps: int
    until_ps: int
    packet: int
    """Which packet of `packets.parquet` it is about."""

    @property
    def time_ps(self) -> int:
        """How long it is."""
        return self.until_ps - self.since_ps


class Part(NamedTuple):
    """All stretches of a critical path that have one cause, at one place."""

    cause: Cause
    place: str | None
    reason: str | None
    time_ps: int
    share: float
    """Of the completion time."""


@dataclass(frozen=True)
class CriticalPath:
    """What one flow's completion time was spent on."""

    flow: str
    """Its name, `host0.flow3`."""
    stretches: tuple[Stretch, ...]
    """In order of time, each beginning where the one before ends."""
    packets: pa.Table = field(repr=False, compare=False)
    """The flow's rows of `packets.parquet`."""

    @property
    def start_ps(self) -> int:
        """When the flow started."""
        return self.stretches[0].since_ps

    @property
    def finish_ps(self) -> int:
        """When it was complete."""
        return self.stretches[-1].until_ps

    @property
    def time_ps(self) -> int:
        """Its completion time, which is what the stretches add up to."""
        return self.finish_ps - self.start_ps

    @property
    def round_trips(self) -> int:
        """How many acknowledgements it waited for, one after another."""
        answers = self.packets.filter(pc.equal(self.packets["kind"].cast(pa.string()), "acknowledgement"))
        return len({stretch.packet for stretch in self.stretches} & set(answers["packet"].to_pylist()))

    @property
    def parts(self) -> list[Part]:
        """What it was spent on, the most first."""
        return parts([self])


def parts(paths: Sequence[CriticalPath]) -> list[Part]:
    """What the completion times of several flows together were spent on, the most first."""
    sums: dict[tuple[Cause, str | None, str | None], int] = {}
    for path in paths:
        for stretch in path.stretches:
            # Where bits are on the wire is no news: the links of the path all have a share.
            place = None if stretch.cause in (Cause.TRANSMISSION, Cause.PROPAGATION) else stretch.place
            key = (stretch.cause, place, stretch.reason)
            sums[key] = sums.get(key, 0) + stretch.time_ps
    whole = sum(sums.values())
    found = [Part(*key, time_ps, time_ps / whole) for key, time_ps in sums.items() if time_ps]
    return sorted(found, key=lambda part: -part.time_ps)


def critical_path(packets: pa.Table, pauses: pa.Table | None, flow: str, start_ns: int, finish_ns: int) -> CriticalPath:
    """The critical path of a finished flow.

    Args:
        packets: Rows of `packets.parquet`, with all of the flow.
        pauses: Rows of `pauses.parquet`, if there were any.
        flow: The flow's name, `host0.flow3`.
        start_ns: When it started,
        finish_ns: and when it was complete, as `flows.parquet` has them.

    Raises:
        ValueError: The rows tell of no packet of it that was received.
    """
    own = _Packets(packets.filter(pc.equal(flow_names(packets), flow)))
    return _Walk(own, pauses, start_ns).from_end(flow, finish_ns)


class _Packets:
    """The packets of one flow, row by row, and which of them were what."""

    def __init__(self, rows: pa.Table) -> None:
        self.rows = rows

        def numbers(name: str) -> NDArray[np.int64]:
            found: NDArray[np.int64] = rows[name].cast(pa.int64()).fill_null(-1).combine_chunks().to_numpy()
            return found

        def names(name: str) -> list[str | None]:
            found: list[str | None] = rows[name].cast(pa.string()).to_pylist()
            return found

        self.number = numbers("packet")
        self.first = np.flatnonzero(np.diff(self.number, prepend=-1))
        """The first row of each packet."""
        self.last = np.append(self.first[1:], len(self.number)) - 1
        self.port, self.drop_reason = names("port"), names("drop_reason")
        self.arrived, self.started, self.ended = numbers("arrived_ps"), numbers("started_ps"), numbers("ended_ps")
        self.reached, self.ready = numbers("reached_ps"), numbers("ready_ps")[self.first]
        self.priority, self.sequence = numbers("priority"), numbers("sequence")[self.first]
        self.payload = numbers("payload_bytes")[self.first]
        self.again = numbers("retransmission")[self.first] == 1
        self.handed = numbers("handed_ps")[self.first]
        self.received = numbers("received_ps")[self.last]
        release, kind = names("release"), names("kind")
        self.release = [release[row] for row in self.first]
        self.data = np.flatnonzero([kind[row] == "data" for row in self.first])
        """Which of them are data, in the order in which they set out."""
        answers = np.flatnonzero([kind[row] == "acknowledgement" for row in self.first])
        dropped = self.last[[self.drop_reason[row] is not None for row in self.last]]
        self.dropped = dropped[np.argsort(self.arrived[dropped], kind="stable")]
        """Rows of packets that were dropped, in the order in which they came to where they were."""
        self._data_received, self._answers_received = self._in_order(self.data), self._in_order(answers)

    def _in_order(self, among: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of these packets that were received, in the order in which they were."""
        received = among[self.received[among] >= 0]
        ordered: NDArray[np.int64] = received[np.argsort(self.received[received], kind="stable")]
        return ordered

    def latest_data(self, until_ps: int) -> int | None:
        """The data that was received last by then; of several packets at once, the one that set out last."""
        return _latest(self._data_received, self.received, until_ps)

    def latest_answer(self, until_ps: int) -> int | None:
        """The same of acknowledgements."""
        return _latest(self._answers_received, self.received, until_ps)


class _Walk:
    """Goes back along a critical path, and notes its stretches, the last one first."""

    def __init__(self, packets: _Packets, pauses: pa.Table | None, start_ns: int) -> None:
        self.packets, self.start_ns = packets, start_ns
        self.stretches: list[Stretch] = []
        self.place_of = {int(packet): place for place, packet in enumerate(packets.data)}
        self.own, self.paused = _transmissions(packets), _pauses(pauses)

    def from_end(self, flow: str, finish_ns: int) -> CriticalPath:
        """The whole of it."""
        end = (finish_ns + 1) * _PICOSECONDS - 1
        packet = self.packets.latest_answer(end)
        if packet is None:  # nothing is acknowledged
            packet = self.packets.latest_data(end)
        while packet is not None:
            packet = self._before(packet)
        if not self.stretches:
            message = f"no packet of {flow} was received"
            raise ValueError(message)
        return CriticalPath(flow, tuple(_joined(reversed(self.stretches))), self.packets.rows)

    def _before(self, packet: int) -> int | None:
        """Notes the way of a packet and what it waited for before; returns the packet that it waited for."""
        self._way(packet)
        packets = self.packets
        if packet not in self.place_of:
            answered = packets.latest_data(int(packets.handed[packet]))
            if answered is not None:
                self._note(
                    Cause.DELAYED_ACKNOWLEDGEMENT, None, packets.received[answered], packets.handed[packet], packet
                )
            return answered
        sender: int | None = packet
        while sender is not None:
            sender, answer = self._sent_after(sender)
            if answer is not None:
                return answer
        return None

    def _sent_after(self, packet: int) -> tuple[int | None, int | None]:
        """What let data set out: the data before it at its host, or an acknowledgement; nothing where it began."""
        packets = self.packets
        handed, ready = int(packets.handed[packet]), int(packets.ready[packet])
        if packets.again[packet] and (original := self._original(packet)) is not None:
            self._note_again(original, packet)
            return original, None
        port, priority = packets.port[packets.first[packet]], int(packets.priority[packets.first[packet]])
        self._wait(port, priority, ready, handed, packet)
        before = self._data_before(packet)
        match packets.release[packet]:
            case "acknowledgement" if (answer := packets.latest_answer(ready)) is not None:
                return None, answer
            case "rate" if before is not None:
                self._wait(port, priority, int(packets.handed[before]), ready, packet, otherwise=Cause.RATE)
                return before, None
            case _ if before is not None:
                self._wait(port, priority, int(packets.handed[before]), ready, packet)
                return before, None
        if ready >= (self.start_ns + 1) * _PICOSECONDS:  # else it has begun within that nanosecond, and at once
            self._note(Cause.START, None, self.start_ns * _PICOSECONDS, ready, packet)
        return None, None

    def _data_before(self, packet: int) -> int | None:
        place = self.place_of[packet]
        return int(self.packets.data[place - 1]) if place else None

    def _original(self, packet: int) -> int | None:
        """The packet that last brought the same data, before this one."""
        packets = self.packets
        before = packets.data[: self.place_of[packet]]
        first = packets.sequence[packet]
        same = (packets.sequence[before] <= first) & (first < packets.sequence[before] + packets.payload[before])
        return int(before[np.flatnonzero(same)[-1]]) if same.any() else None

    def _note_again(self, original: int, packet: int) -> None:
        """The time from when data was sent until it was sent again, and where what was lost meanwhile was dropped."""
        packets = self.packets
        since, until = int(packets.handed[original]), int(packets.handed[packet])
        meanwhile = packets.data[self.place_of[original] : self.place_of[packet] + 1]
        has_waited = any(packets.release[one] == "timeout" for one in meanwhile[1:])
        cause = Cause.TIMEOUT if has_waited else Cause.RECOVERY
        lost = packets.dropped[np.searchsorted(packets.arrived[packets.dropped], since) :]
        row = int(lost[0]) if lost.size and packets.arrived[lost[0]] <= until else None
        place, reason = (None, None) if row is None else (packets.port[row], packets.drop_reason[row])
        self._note(cause, place, since, until, packet, reason)

    def _way(self, packet: int) -> None:
        """From its transport to the one at the other end."""
        packets = self.packets
        first, last = int(packets.first[packet]), int(packets.last[packet])
        self._note(Cause.HOST, None, packets.reached[last], packets.received[packet], packet)
        for row in range(last, first - 1, -1):
            port, arrived, started = packets.port[row], int(packets.arrived[row]), int(packets.started[row])
            self._note(Cause.PROPAGATION, port, packets.ended[row], packets.reached[row], packet)
            self._note(Cause.TRANSMISSION, port, started, packets.ended[row], packet)
            self._wait(port, int(packets.priority[row]), arrived, started, packet)
        self._note(Cause.HOST, None, packets.handed[packet], packets.arrived[first], packet)

    def _wait(
        self,
        port: str | None,
        priority: int,
        since_ps: int,
        until_ps: int,
        packet: int,
        otherwise: Cause = Cause.QUEUEING,
    ) -> None:
        """A wait at a port: what of it goes to the flow's own packets before, what to pauses, and the rest."""
        if until_ps <= since_ps:
            return
        own = [(*span, Cause.TRANSMISSION) for span in _within(self.own.get(port), since_ps, until_ps)]
        paused = _within(self.paused.get((port, priority)), since_ps, until_ps)
        spans = own + [(*span, Cause.PAUSED) for span in _without(paused, own)]
        position = until_ps
        for since, until, cause in sorted(spans, reverse=True):
            self._note(otherwise, port, until, position, packet)
            self._note(cause, port, since, until, packet)
            position = since
        self._note(otherwise, port, since_ps, position, packet)

    def _note(
        self, cause: Cause, place: str | None, since_ps: int, until_ps: int, packet: int, reason: str | None = None
    ) -> None:
        if until_ps > since_ps:
            number = int(self.packets.number[self.packets.first[packet]])
            self.stretches.append(Stretch(cause, place, reason, int(since_ps), int(until_ps), number))


def _latest(in_order: NDArray[np.int64], received_ps: NDArray[np.int64], until_ps: int) -> int | None:
    """The last of these packets, which are in the order in which they were received, that was there by then."""
    place = int(np.searchsorted(received_ps[in_order], until_ps, "right"))
    return int(in_order[place - 1]) if place else None


def _transmissions(packets: _Packets) -> dict[str | None, _Spans]:
    """When each port sent data of the flow."""
    of_ports: dict[str | None, list[tuple[int, int]]] = {}
    for packet in packets.data:
        for row in range(packets.first[packet], packets.last[packet] + 1):
            if packets.started[row] >= 0:
                of_ports.setdefault(packets.port[row], []).append((packets.started[row], packets.ended[row]))
    return {port: np.array(sorted(spans)) for port, spans in of_ports.items()}


def _pauses(pauses: pa.Table | None) -> dict[tuple[str | None, int], _Spans]:
    """When each port and class was paused."""
    spans: dict[tuple[str | None, int], list[tuple[int, int]]] = {}
    if pauses is None:
        return {}
    for row in pauses.select(["paused_port", "priority", "start_ns", "end_ns"]).to_pylist():
        end = row["end_ns"] * _PICOSECONDS if row["end_ns"] is not None else np.iinfo(np.int64).max
        spans.setdefault((row["paused_port"], row["priority"]), []).append((row["start_ns"] * _PICOSECONDS, end))
    return {queue: np.array(sorted(of_queue)) for queue, of_queue in spans.items()}


def _within(spans: _Spans | None, since_ps: int, until_ps: int) -> list[tuple[int, int]]:
    """What of these times lies in another."""
    if spans is None:
        return []
    first, last = np.searchsorted(spans[:, 1], since_ps, "right"), np.searchsorted(spans[:, 0], until_ps, "left")
    return [(max(int(start), since_ps), min(int(end), until_ps)) for start, end in spans[first:last]]


def _without(spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int, Cause]]) -> Iterator[tuple[int, int]]:
    """What of these times lies in none of the others, which are in order."""
    for start, end in spans:
        position = start
        for since, until, _ in others:
            if since < end and until > position:
                if since > position:
                    yield position, since
                position = until
        if position < end:
            yield position, end


def _joined(stretches: Iterator[Stretch]) -> Iterator[Stretch]:
    """Stretches that go on as the one before, as one."""
    before: Stretch | None = None
    for stretch in stretches:
        if before is not None and before._replace(since_ps=0, until_ps=0) == stretch._replace(since_ps=0, until_ps=0):
            before = before._replace(until_ps=stretch.until_ps)
            continue
        if before is not None:
            yield before
        before = stretch
    if before is not None:
        yield before
