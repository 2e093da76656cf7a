"""`flow.txt` of HPCC's ns-3 and its descendants: a count, and a line for each flow.

HPCC has `SOURCE DESTINATION PRIORITY PORT BYTES SECONDS`; ConWeave leaves the port out. The simulator of DCQCN's paper
(ns3-rdma), from which both come, has `SOURCE DESTINATION PRIORITY PACKETS SECONDS SECONDS`: start and end.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from xoff.formats import hpcc_settings
from xoff.formats.draft import Draft, Flows, Found, Place, one_of
from xoff.formats.lines import MOST_BYTES, MOST_NS, decimal, numbered, refusal, whole
from xoff.text.line import quoted
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from xoff.errors import InputError

NAME = "HPCC flows"
ABOUT = "flow.txt of the same simulators"

COLUMNS = "source,destination,size_bytes,start_ns,priority\n"
_FLOW = re.compile(r"\s*\d+\s+\d+\s+\d+(\s+\d+)?\s+[0-9.]+\s+[0-9.][0-9.eE+-]*\s*")
_FLOW_HAS = "expected SOURCE DESTINATION PRIORITY [PORT] BYTES SECONDS"
_MOST_FLOWS = 10**10
_WITH_PORT = 6
_MOST_PORT = 65535
_PACKET = 1000
"""Bytes of a packet where flows are counted in packets, as that simulator has them without PACKET_PAYLOAD_SIZE."""
_MANY_PORTS = 5
_SHORT = 15
"""Digits up to which a number is surely in range; most are read without looking closer."""


def recognises(lines: Sequence[str]) -> bool:
    """Whether one number stands in the first line, and a flow in the second."""
    first, *others = [line for line in lines[:8] if line.strip()] or [""]
    return first.strip().isdigit() and (bool(_FLOW.fullmatch(others[0])) if others else len(lines) == 1)


def read(path: Path, draft: Draft) -> None:
    """Reads all flows once, and keeps how many there are and their classes. Raises InputError."""
    network = draft.network_for(path, "flows between hosts")
    reader = _Reader(path, network.numbers, network.numbers_are)
    for _ in reader.rows():
        pass
    place = Place(path.name, reader.first)
    draft.settle_unless_told(hpcc_settings.settle)
    draft.found.append(Found(str(path), NAME, counted(reader.count, "flow")))
    if not reader.count:
        draft.leave(place, "no flow", "a scenario has some; unless other files bring them, they are yours to choose")
        return
    if reader.in_packets:
        reason = f"of {_PACKET:,} B each; a flow goes on until all are there, whatever its end"
        draft.leave(place, "packets, and ends of flows", reason)
    elif reader.ports:
        told = ", ".join(sorted(reader.ports, key=int)[:3]) + (", ..." if len(reader.ports) > 3 else "")
        draft.leave(place, f"destination ports {told}", "flows have none; `xoff export --format fct` writes 100 or 200")
    if reader.beyond:
        announced = f"lines beyond the {counted(reader.count, 'flow')} that line {reader.header} announces"
        draft.leave(f"{path.name}:{reader.beyond}", announced, "not read, as ns-3 does not read them")
    lines = (reader.first, reader.last)
    flows = Flows(path, "trace", COLUMNS, reader.rows, reader.count, lines, reader.priorities, reader.start_ns)
    draft.flows.append(flows)


class _Reader:
    """Rows of a file, read as often as they are wanted."""

    def __init__(self, path: Path, names: Mapping[int, Sequence[str]], names_are: str) -> None:
        self.path = path
        self.names = names
        self.by_text = {str(number): name for number, name in names.items()}
        self.names_are = names_are
        self.count = 0
        self.header = self.first = self.last = 1
        self.beyond = self.columns = self.latest = self.start_ns = 0
        self.priorities: set[int] = set()
        self.ports: set[str] = set()
        self.in_packets = False
        """Whether flows have packets, a start and an end."""

    def rows(self) -> Iterator[str]:
        """Yields each flow as a row of a trace."""
        lines = ((number, fields) for number, line in numbered(self.path) if (fields := line.split()))
        self.header, first = next(lines, (1, [""]))
        announced = whole(self.path, self.header, "the number of flows", first[0], 0, _MOST_FLOWS)
        self.first = self.last = self.header
        self.count = self.beyond = self.columns = self.latest = 0
        for number, fields in lines:
            if self.count == announced:
                self.beyond = number
                break
            if not self.columns:
                self.first, self.columns = number, len(fields)
                is_older = "." in fields[-2] or (fields[-3].isdigit() and len(fields[-3]) > 5)
                self.in_packets = self.columns == _WITH_PORT and is_older
            row = self._row(number, fields)
            if not self.count:
                self.start_ns = self.latest
            yield row
            self.count += 1
            self.last = number
        if self.count < announced:
            problem = f"the file ends after {self.count} of {announced} flows"
            raise refusal(self.path, self.last, problem, f"expected as many as line {self.header} announces")

    def _row(self, number: int, fields: list[str]) -> str:
        path = self.path
        if len(fields) != self.columns or self.columns not in (5, 6):
            raise refusal(path, number, f"has {len(fields)} fields", _FLOW_HAS)
        sources, destinations = self.by_text.get(fields[0]), self.by_text.get(fields[1])
        if sources is None or destinations is None or sources is destinations:
            raise self._no_ends(number, fields)
        source, destination = one_of(sources, self.count, 0), one_of(destinations, self.count, 1)
        if fields[2] not in _PRIORITIES:
            raise refusal(path, number, f"the priority is {quoted(fields[2])}", "expected 0 to 7")
        size = fields[-2]
        if self.in_packets:
            packets = whole(path, number, "the number of packets", fields[3], 1, MOST_BYTES // _PACKET)
            size, fields = str(packets * _PACKET), fields[:-1]
        if not (size.isdigit() and size.isascii() and len(size) < _SHORT and size[0] != "0"):
            size = str(whole(path, number, "the size", size, 1, MOST_BYTES))
        start = self._start_ns(number, fields[-1])
        if start < self.latest:
            raise refusal(path, number, "starts before the flow above", "expected flows in order of their start")
        self.latest = start
        self.priorities.add(int(fields[2]))
        if self.columns == _WITH_PORT and not self.in_packets and len(self.ports) < _MANY_PORTS:
            self.ports.add(str(whole(path, number, "the port", fields[3], 0, 10**9)))
        return f"{source},{destination},{size},{start},{fields[2]}\n"

    def _start_ns(self, line: int, text: str) -> int:
        seconds, _, fraction = text.partition(".")
        if (
            len(text) < _SHORT
            and text.isascii()
            and seconds.isdigit()
            and len(seconds) < 6
            and f"{fraction}0".isdigit()
        ):
            return int(seconds) * 10**9 + int(f"{fraction:0<9}"[:9])
        return int(decimal(self.path, line, "the start", text, 0, MOST_NS / 1e9) * 10**9)

    def _no_ends(self, line: int, fields: list[str]) -> InputError:
        for text in fields[:2]:
            if whole(self.path, line, "a host", text) not in self.names:
                return refusal(self.path, line, f"there is no host {text}", f"{self.names_are} in the topology")
        problem = f"host {int(fields[0])} would send to itself" if int(fields[0]) == int(fields[1]) else ""
        return refusal(self.path, line, problem or "a host has leading zeros", "expected two different hosts")


_PRIORITIES = frozenset("01234567")
