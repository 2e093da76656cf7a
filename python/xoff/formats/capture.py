"""Frames that ports of a run would have shown to a capture, as far as the run recorded them.

A capture is taken at ports: what they send is seen as its last bit leaves, and what they receive as it has come.
Without named ports, each flow is seen at the port of its source, as by `tcpdump` there, and no packet is seen twice.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from xoff import _xoff
from xoff.formats import frames
from xoff.results.columns import PACKETS, flow_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from xoff.formats.part import Part
    from xoff.results.result import Result

    Numbers = npt.NDArray[np.int64]
    Truths = npt.NDArray[np.bool_]

_ROWS = 1 << 16
"""Packets that are made at a time."""
_MOST_QUANTA = 65_535
_QUANTUM_BITS = 512
_OF_SENT = ("kind", "sequence", "payload_bytes", "frame_bytes", "priority", "marked", "hop", "drop_reason")
_OF_FLOWS = ("source", "number", "destination", "transport", "size_bytes")


class Seen(NamedTuple):
    """A frame at a port."""

    time_ns: int
    port: int
    """Number of the port."""
    leaves: bool
    """Whether the port sends it, rather than receives it."""
    frame: bytes
    """Bytes of the frame: its headers, and all of what has no payload."""
    length: int
    """Bytes of the whole frame."""
    comment: str
    """Reason for which it is lost next, in words; empty if it is not."""


class _Places(NamedTuple):
    """Packets that are seen at ports: the time, the port, the row of `packets`, and whether the port sends it."""

    times_ns: Numbers
    ports: Numbers
    rows: Numbers
    leave: Truths


class Capture:
    """A part of a run as ports saw it. Ports and hosts have the numbers that they have in the topology."""

    def __init__(self, result: Result, part: Part) -> None:
        """Finds what was seen. Raises InputError if a pattern of flows matches none that were recorded."""
        self._result, self._part = result, part
        self.topology = result.topology
        self._port_numbers = {port.name: number for number, port in enumerate(self.topology.ports)}
        self._peers = np.array([self._port_numbers[port.peer] for port in self.topology.ports], dtype=np.int64)
        self._named = np.array([part.ports is not None and part.has_port(port.name) for port in self.topology.ports])
        self._packets = (PACKETS.empty_table() if result.packets is None else result.packets).combine_chunks()
        self.pause_frames = [] if result.pauses is None else sorted(self._pauses())
        self._places = self._found()

    @property
    def ports(self) -> list[int]:
        """Ports that were named, or otherwise those that saw anything."""
        if self._part.ports is not None:
            return list(np.flatnonzero(self._named).tolist())
        of_pauses = np.array([seen.port for seen in self.pause_frames], dtype=np.int64)
        return list(np.union1d(self._places.ports, of_pauses).tolist())

    @cached_property
    def flows(self) -> list[frames.Flow]:
        """Flows whose packets were recorded, by the order of their names in `_names`."""
        names = self._names.dictionary
        tables = [self._result.flow_rows, self._result.unfinished]
        rows = pa.concat_tables([_plain(table.select(_OF_FLOWS)) for table in tables if table is not None])
        rows = rows.take(pc.index_in(names, value_set=flow_names(rows).combine_chunks()))
        hosts = {name: number for number, name in enumerate(self.topology.hosts)}
        transports = self._result._settings["transport"]
        return [
            frames.Flow(
                place,
                hosts[self.topology.host_of(row["source"])],
                hosts[self.topology.host_of(row["destination"])],
                transports[row["transport"]],
                row["size_bytes"],
            )
            for place, row in enumerate(rows.to_pylist())
        ]

    @cached_property
    def _names(self) -> pa.DictionaryArray:
        return flow_names(self._packets).combine_chunks().dictionary_encode()

    def _found(self) -> _Places:
        packets = self._packets
        names, of_flow = self._names.dictionary.to_pylist(), self._names.indices.to_numpy()
        self._part.check_flows(names)
        if not packets.num_rows:
            nothing = np.empty(0, dtype=np.int64)
            return _Places(nothing, nothing, nothing, nothing.astype(np.bool_))
        kept = np.array([self._part.has_flow(name) for name in names])[of_flow] & ~_is(packets, "credit")
        port = self._numbers(packets["port"].combine_chunks())
        peer = self._peers[port]
        leaves, comes = self._where(port, peer)
        comes &= pc.is_null(packets["drop_reason"]).to_numpy(zero_copy_only=False)
        sent, got = self._within(packets["ended_ps"], kept & leaves), self._within(packets["reached_ps"], kept & comes)
        times_ns = np.concatenate((sent[0], got[0]))
        order = np.argsort(times_ns, kind="stable")
        ports, rows = np.concatenate((port[sent[1]], peer[got[1]])), np.concatenate((sent[1], got[1]))
        return _Places(times_ns[order], ports[order], rows[order], order < len(sent[0]))

    def _numbers(self, column: pa.DictionaryArray) -> Numbers:
        names = column.dictionary.to_pylist()  # of flows and pools with records, too, which no row has
        of_names = np.array([self._port_numbers.get(name, -1) for name in names], dtype=np.int64)
        numbers: Numbers = of_names[column.indices.to_numpy()]
        return numbers

    def _where(self, port: Numbers, peer: Numbers) -> tuple[Truths, Truths]:
        """Returns for each row of `packets` whether its port sees it, and whether the other end of the link does."""
        if self._part.ports is not None:
            return self._named[port], self._named[peer]
        hosts = {name: number for number, name in enumerate(self.topology.hosts)}
        of_ports = [hosts.get(self.topology.host_of(each.node), -1) for each in self.topology.ports]
        sources = np.array([flow.source for flow in self.flows])[self._names.indices.to_numpy()]
        is_data = _is(self._packets, "data")
        is_first = self._packets["hop"].to_numpy() == 0
        return is_data & is_first, ~is_data & (np.array(of_ports)[peer] == sources)

    def _within(self, times_ps: pa.ChunkedArray, chosen: Truths) -> tuple[Numbers, Numbers]:
        """Returns times in nanoseconds and rows of what is chosen, has happened, and did so in the part's time."""
        times = pc.fill_null(times_ps, -1).to_numpy() // 1000
        rows = np.flatnonzero(chosen & (times >= self._part.start_ns) & (times <= self._part.end_ns))
        return times[rows], rows

    def packets(self) -> Iterator[Seen]:
        """Yields packets by time."""
        if not len(self._places.rows):
            return
        opens, of_flow = self._opening(), self._names.indices.to_numpy()
        for start in range(0, len(self._places.rows), _ROWS):
            times, ports, rows, leave = (column[start : start + _ROWS] for column in self._places)
            peers = self._peers[ports]
            begins, ends = np.where(leave, ports, peers), np.where(leave, peers, ports)
            taken = self._packets.select(_OF_SENT).take(pa.array(rows))
            columns = (times, ports, leave, begins, ends, of_flow[rows], opens[rows])
            for time_ns, port, leaves, begin, end, place, opening, (*of_sent, lost) in zip(
                *(column.tolist() for column in columns),
                zip(*(column.to_pylist() for column in taken.columns), strict=True),
                strict=True,
            ):
                sent = frames.Sent._make((*of_sent, opening, (begin, end)))
                frame, length = frames.of(self.flows[place], sent)
                yield Seen(time_ns, port, leaves, frame, length, f"lost on the link: {lost}" if lost else "")

    def _opening(self) -> Truths:
        """Returns which rows are of TCP's SYNs and their answers: without payload, and before any."""
        packets, of_flow = self._packets, self._names.indices.to_numpy()
        has_payload, number = packets["payload_bytes"].to_numpy() > 0, packets["packet"].to_numpy()
        first = np.full(len(self.flows), np.iinfo(np.int64).max)
        np.minimum.at(first, of_flow[has_payload], number[has_payload])
        is_tcp = np.array([flow.transport["kind"] == "tcp" for flow in self.flows])[of_flow]
        begins = pc.fill_null(packets["sequence"], -1).to_numpy() == 0
        opens: Truths = is_tcp & ~has_payload & begins & (_is(packets, "data") | (number < first[of_flow]))
        return opens

    def _pauses(self) -> Iterator[Seen]:
        """Yields the frames that begin and end pauses, classes of one port at one time in one frame."""
        quanta: dict[tuple[int, int], dict[int, int]] = {}
        pfc = self._result._settings["pfc"]
        longest = pfc["pause_quanta"] if pfc["form"] == "quanta" else _MOST_QUANTA
        for row in self._result.pauses.to_pylist() if self._result.pauses is not None else ():
            paused = self._port_numbers[row["paused_port"]]
            rate_bps = self.topology.ports[paused].rate_bps
            allowed = pfc.get("reaction_quanta")
            reaction = _xoff.reaction_quanta(rate_bps) if allowed is None else allowed
            reaction_ns = reaction * _QUANTUM_BITS * 10**9 // rate_bps
            for time_ns, length in ((row["start_ns"], longest), (row["end_ns"], 0)):
                if time_ns is not None:
                    quanta.setdefault((time_ns - reaction_ns, paused), {})[row["priority"]] = length
        sources = self._sources()
        for (came_ns, paused), of_classes in quanta.items():
            port = int(self._peers[paused])
            frame = frames.pfc(port, of_classes)
            left_ns = came_ns - round(self.topology.ports[port].delay_ns)
            for time_ns, at, leaves in ((left_ns, port, True), (came_ns, paused, False)):
                is_seen = (
                    self._named[at]
                    if self._part.ports is not None
                    else not leaves and (sources is None or at in sources)
                )
                if is_seen and self._part.overlaps(time_ns, time_ns):
                    yield Seen(time_ns, at, leaves, frame, len(frame), "")

    def _sources(self) -> set[int] | None:
        """Returns the ports of hosts that the part's flows begin at; None if it has all flows."""
        if not self._part.flows:
            return None
        hosts = {name.partition(".flow")[0] for name in self._names.dictionary.to_pylist() if self._part.has_flow(name)}
        return {number for number, port in enumerate(self.topology.ports) if port.node in hosts}


def _is(packets: pa.Table, kind: str) -> Truths:
    found: Truths = pc.equal(packets["kind"].cast(pa.string()), kind).to_numpy()
    return found


def _plain(table: pa.Table) -> pa.Table:
    """Returns a table with names as text in place of dictionary indices, which differ between tables."""
    return pa.table(
        {
            name: column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
    )
