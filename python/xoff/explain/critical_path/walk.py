"""The walk back along a flow's critical path."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xoff.explain.critical_path.packets import Packets
from xoff.explain.critical_path.path import Cause, CriticalPath, Stretch

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_PICOSECONDS = 1000
"""Picoseconds in a nanosecond."""


class _Spans(NamedTuple):
    """Intervals that do not overlap, in order."""

    begins: list[int]
    ends: list[int]

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int]]) -> _Spans:
        in_order = sorted(spans)
        return cls([begin for begin, _ in in_order], [end for _, end in in_order])

    def within(self, since_ps: int, until_ps: int) -> list[tuple[int, int]]:
        """Returns the parts of the intervals that lie between two instants."""
        first, last = bisect_right(self.ends, since_ps), bisect_left(self.begins, until_ps)
        return [(max(self.begins[at], since_ps), min(self.ends[at], until_ps)) for at in range(first, last)]


def critical_path(
    packets: pa.Table,
    pauses: pa.Table | None,
    flow: str,
    start_ns: int,
    end_ns: int,
    *,
    acknowledged: bool = True,
    missing: int | None = None,
    on_credit: bool = False,
    down_ps: Mapping[str, Sequence[tuple[int, int]]] | None = None,
) -> CriticalPath:
    """Returns the critical path of a flow.

    Args:
        packets: Rows of `packets.parquet` of the flow, and of earlier flows on its queue pair.
        pauses: Rows of `pauses.parquet`, if there were any.
        flow: Name of the flow, such as `host0.flow3`.
        start_ns: Start of the flow, as in `flows.parquet`.
        end_ns: Completion of the flow, as in `flows.parquet`; for an incomplete flow, the end of the run.
        acknowledged: Whether `end_ns` is the flow's `finish_ns` and not its `received_ns`.
        missing: For an incomplete flow, the offset of the first byte that its receiver lacks; -1 where the transport
            does not repair losses.
        on_credit: Whether the flow sends on credit from its receiver.
        down_ps: Intervals in which the link of a port was down, in order, by the name of the port.

    Raises:
        ValueError: The rows have no received packet of a complete flow.
    """
    number = int(flow.rpartition(".flow")[2])
    walk = _Walk(Packets(packets, number), pauses, start_ns, down_ps or {}, on_credit=on_credit)
    if missing is None:
        walk.from_end((end_ns + 1) * _PICOSECONDS - 1, acknowledged=acknowledged)
    else:
        walk.from_cut(end_ns * _PICOSECONDS, missing)
    if not walk.stretches:
        message = f"no packet of {flow} was received"
        raise ValueError(message)
    stretches = tuple(_joined(reversed(walk.stretches)))
    return CriticalPath(flow, stretches, walk.answers, packets.filter(pc.equal(packets["number"], number)))


class _Walk:
    """A walk back along a critical path, which notes its stretches, the last one first."""

    def __init__(
        self,
        packets: Packets,
        pauses: pa.Table | None,
        start_ns: int,
        down_ps: Mapping[str, Sequence[tuple[int, int]]],
        *,
        on_credit: bool,
    ) -> None:
        self.packets = packets
        self.holds_back = Cause.CREDIT if on_credit else Cause.RATE
        """Cause while the flow could send and its sender holds it back."""
        began = int(packets.ready[packets.own[0]]) if packets.own.size else 0
        self.start_ps = began if began // _PICOSECONDS == start_ns else start_ns * _PICOSECONDS
        self.stretches: list[Stretch] = []
        self.answers = 0
        """Number of acknowledgements on the walk so far."""
        self.data = packets.data.tolist()
        self.place_of = {packet: place for place, packet in enumerate(self.data)}
        self.own, self.paused = _transmissions(packets), _pauses(pauses)
        self.down: dict[str | None, _Spans] = {port: _Spans.of(spans) for port, spans in down_ps.items()}
        # Lists of what is looked up packet by packet.
        self.handed, self.ready, self.again = packets.handed.tolist(), packets.ready.tolist(), packets.again.tolist()
        self.numbers = packets.number[packets.first_row].tolist()
        self.priority = packets.priority[packets.first_row].tolist()
        self.adapter = [packets.port[row] for row in packets.first_row]
        """Port from which each packet departs."""

    def from_end(self, end_ps: int, *, acknowledged: bool) -> None:
        """Walks the whole path of a complete flow."""
        self._go_on(self.packets.end(end_ps, acknowledged=acknowledged))

    def from_cut(self, end_ps: int, missing: int) -> None:
        """Walks the path of a flow cut off by the end of the run, from the packet that it was waiting for."""
        packets = self.packets
        awaited = packets.awaited(missing)
        if awaited is None:
            self._hold_back(end_ps)
            return
        if packets.is_dropped[awaited]:
            self._from_lost(awaited, end_ps)
            return
        packets.cut(awaited, end_ps)
        self._go_on(awaited)

    def _from_lost(self, packet: int, end_ps: int) -> None:
        """Walks from an awaited packet that had been dropped and not yet been sent again."""
        packets, row = self.packets, int(self.packets.last_row[packet])
        handed, place, reason = self.handed[packet], packets.port[row], packets.drop_reason[row]
        known = self._known_to_be_lost(packet, reason, end_ps)
        self._note(Cause.RECOVERY, place, handed, known, packet, reason)
        self._go_on(self._before_data(packet) if packet in self.place_of else self._answered(packet))

    def _hold_back(self, end_ps: int) -> None:
        """Notes the wait of a flow that has nothing under way: it has more to send, and its sender holds it back."""
        packets = self.packets
        last = packets.end(end_ps, acknowledged=True)
        since = self.start_ps if last is None else int(packets.received[last])
        lost = packets.last_lost(self.start_ps if last is None else self.handed[last])
        if lost is not None:
            self._from_lost(lost, end_ps)
            return
        if packets.own.size:
            first = packets.own[0]
            port, priority, cause = self.adapter[first], self.priority[first], self.holds_back
        else:
            port, priority, cause = None, 0, Cause.START
        self._wait(port, priority, since, end_ps, last, otherwise=cause)
        self._go_on(last)

    def _go_on(self, packet: int | None) -> None:
        """Walks on from a packet until the start of the flow."""
        while packet is not None and not self._is_at_start():
            packet = self._before(packet)

    def _is_at_start(self) -> bool:
        return bool(self.stretches) and self.stretches[-1].since_ps <= self.start_ps

    def _before(self, packet: int) -> int | None:
        """Notes the way of a packet and its waits before that; returns the packet that it waited for."""
        self._way(packet)
        return self._before_data(packet) if packet in self.place_of else self._answered(packet)

    def _answered(self, packet: int) -> int | None:
        """Returns the data that an acknowledgement or credit answers, and notes its delay after that data."""
        packets = self.packets
        self.answers += 1
        answered = packets.latest_data(self.handed[packet])
        if answered is not None:
            cause = Cause.CREDIT if packets.is_credit[packet] else Cause.DELAYED_ACKNOWLEDGEMENT
            self._note(cause, None, packets.received[answered], self.handed[packet], packet)
        return answered

    def _before_data(self, packet: int) -> int | None:
        """Notes the waits of data before its departure; returns the acknowledgement or credit that it waited for."""
        sender: int | None = packet
        while sender is not None:
            sender, answer = self._sent_after(sender)
            if answer is not None:
                return answer
        return None

    def _sent_after(self, packet: int) -> tuple[int | None, int | None]:
        """Returns the data before it at its host, and the acknowledgement or credit, one of which let data depart.

        Both are None at the start of the flow.
        """
        packets = self.packets
        handed, ready = self.handed[packet], self.ready[packet]
        if self.again[packet] and (original := self._original(packet)) is not None:
            self._note_again(original, packet)
            return original, None
        port, priority = self.adapter[packet], self.priority[packet]
        self._wait(port, priority, ready, handed, packet)
        if ready <= self.start_ps:
            return None, None
        before = self._data_before(packet)
        match packets.release[packet]:
            case "acknowledgement" if (answer := packets.latest_answer(ready)) is not None:
                return None, answer
            case "credit" if (credit := packets.latest_credit(ready)) is not None:
                return None, credit
            case "rate" if before is not None:
                self._wait(port, priority, self.handed[before], ready, packet, otherwise=Cause.RATE)
                return before, None
            case _ if before is not None:
                self._wait(port, priority, self.handed[before], ready, packet)
                return before, None
        self._note(Cause.START, None, self.start_ps, ready, packet)
        return None, None

    def _data_before(self, packet: int) -> int | None:
        place = self.place_of[packet]
        return self.data[place - 1] if place else None

    def _original(self, packet: int) -> int | None:
        """Returns the last earlier packet with the same data."""
        packets = self.packets
        before = packets.data[: self.place_of[packet]]
        first = packets.sequence[packet]
        length = np.maximum(packets.payload[before], 1)  # of a SYN, which has none
        same = (packets.sequence[before] <= first) & (first < packets.sequence[before] + length)
        same &= packets.flow[before] == packets.flow[packet]
        return int(before[np.flatnonzero(same)[-1]]) if same.any() else None

    def _note_again(self, original: int, packet: int) -> None:
        """Notes the time from when data was sent until it was sent again, with the place of the drop in between."""
        packets = self.packets
        since, until = self.handed[original], self.handed[packet]
        meanwhile = packets.data[self.place_of[original] : self.place_of[packet] + 1]
        own = packets.flow[packet]
        has_waited = any(packets.release[one] == "timeout" and packets.flow[one] == own for one in meanwhile[1:])
        cause = Cause.TIMEOUT if has_waited else Cause.RECOVERY
        row = self._lost(original, since, until)
        place, reason = (None, None) if row is None else (packets.port[row], packets.drop_reason[row])
        known = until if has_waited else self._known_to_be_lost(original, reason, until)
        self._note(cause, place, since, known, packet, reason)

    def _known_to_be_lost(self, packet: int, reason: str | None, until_ps: int) -> int:
        """Returns the time at which a NACK told of a trimmed packet, else `until_ps`; notes the wait after the NACK."""
        told = self.packets.told_to_be_missing(packet, until_ps) if reason == "trimmed" else None
        if told is None:
            return until_ps
        self._wait(self.adapter[packet], self.priority[packet], told, until_ps, packet, otherwise=self.holds_back)
        return told

    def _lost(self, original: int, since_ps: int, until_ps: int) -> int | None:
        """Returns the row of the drop that made a sender repeat data: of the data itself, or else of its flow.

        Go-back-N repeats data after another packet was lost, perhaps before the data was first sent.
        """
        packets = self.packets
        own_row = int(packets.last_row[original])
        if packets.drop_reason[own_row] is not None:
            return own_row
        lost = packets.dropped[packets.flow_of_row[packets.dropped] == packets.flow[original]]
        lost = lost[: np.searchsorted(packets.arrived[lost], until_ps, "right")]
        first = min(int(np.searchsorted(packets.arrived[lost], since_ps)), lost.size - 1)
        return int(lost[first]) if lost.size else None

    def _way(self, packet: int) -> None:
        """Notes the way of a packet from its transport to the transport at the other end."""
        packets = self.packets
        first, last = int(packets.first_row[packet]), int(packets.last_row[packet])
        self._note(Cause.HOST, None, packets.reached[last], packets.received[packet], packet)
        for row in range(last, first - 1, -1):
            port, arrived, started = packets.port[row], int(packets.arrived[row]), int(packets.started[row])
            self._note(Cause.PROPAGATION, port, packets.ended[row], packets.reached[row], packet)
            self._note(Cause.TRANSMISSION, port, started, packets.ended[row], packet)
            self._wait(port, int(packets.priority[row]), arrived, started, packet)
        self._note(Cause.HOST, None, self.handed[packet], packets.arrived[first], packet)

    def _wait(
        self,
        port: str | None,
        priority: int,
        since_ps: int,
        until_ps: int,
        packet: int | None,
        otherwise: Cause = Cause.QUEUEING,
    ) -> None:
        """Notes a wait at a port, split into earlier packets of the flow, pauses, a failed link, and the rest."""
        if until_ps <= since_ps:
            return
        own = self.own.get(port)
        spans = [] if own is None else [(*span, Cause.TRANSMISSION) for span in own.within(since_ps, until_ps)]
        for held, why in ((self.down.get(port), Cause.LINK_DOWN), (self.paused.get((port, priority)), Cause.PAUSED)):
            if held is not None:
                within = held.within(since_ps, until_ps)
                spans = sorted([*spans, *((*span, why) for span in _without(within, spans))])
        position, place = until_ps, None if otherwise is Cause.CREDIT else port
        for since, until, cause in reversed(spans):
            self._note(otherwise, place, until, position, packet)
            self._note(cause, port, since, until, packet)
            position = since
        self._note(otherwise, place, since_ps, position, packet)

    def _note(
        self,
        cause: Cause,
        place: str | None,
        since_ps: int,
        until_ps: int,
        packet: int | None,
        reason: str | None = None,
    ) -> None:
        since_ps = max(since_ps, self.start_ps)
        if until_ps > since_ps:
            number = None if packet is None else self.numbers[packet]
            self.stretches.append(Stretch(cause, place, reason, int(since_ps), int(until_ps), number))


def _transmissions(packets: Packets) -> dict[str | None, _Spans]:
    """Returns the intervals in which each port sent the recorded data."""
    of_ports: dict[str | None, list[tuple[int, int]]] = {}
    started, ended = packets.started.tolist(), packets.ended.tolist()
    firsts, lasts = (rows[packets.data].tolist() for rows in (packets.first_row, packets.last_row))
    for first, last in zip(firsts, lasts, strict=True):
        for row in range(first, last + 1):
            if started[row] >= 0:
                of_ports.setdefault(packets.port[row], []).append((started[row], ended[row]))
    return {port: _Spans.of(spans) for port, spans in of_ports.items()}


def _pauses(pauses: pa.Table | None) -> dict[tuple[str | None, int], _Spans]:
    """Returns the intervals in which each port and class was paused."""
    spans: dict[tuple[str | None, int], list[tuple[int, int]]] = {}
    if pauses is None:
        return {}
    for row in pauses.select(["paused_port", "priority", "start_ns", "end_ns"]).to_pylist():
        end = row["end_ns"] * _PICOSECONDS if row["end_ns"] is not None else np.iinfo(np.int64).max
        spans.setdefault((row["paused_port"], row["priority"]), []).append((row["start_ns"] * _PICOSECONDS, end))
    return {queue: _Spans.of(of_queue) for queue, of_queue in spans.items()}


def _without(spans: Sequence[tuple[int, int]], others: Sequence[tuple[int, int, Cause]]) -> Iterator[tuple[int, int]]:
    """Yields the parts of some intervals that lie in none of the others, which are in order."""
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
    """Yields the stretches, with neighbours of equal cause and place joined."""
    before: Stretch | None = None
    for stretch in stretches:
        if before is not None and (before[:3], before.packet) == (stretch[:3], stretch.packet):
            before = before._replace(until_ps=stretch.until_ps)
            continue
        if before is not None:
            yield before
        before = stretch
    if before is not None:
        yield before
