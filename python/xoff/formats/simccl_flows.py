"""`ncclFlowModel_detailed_flows.csv` of SimCCL: collectives as flows between GPUs, each with those that it waits for.

`parent_flow_ids` are flows that end at the source of this one. `prev_flow_ids` are ranks, not flows: those from which
the source receives. The file has neither the times of collectives nor the computation between them.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import InputError
from xoff.formats import hpcc_settings, job_rows
from xoff.formats.draft import Draft, Flows, Found, Network, Place
from xoff.formats.job_rows import FEW, Ranks
from xoff.formats.lines import MOST_BYTES, numbered, refusal, whole
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

NAME = "SimCCL flows"
ABOUT = "flow CSV of SimCCL"

_PRIORITY = 3
"""Priority group of all flows in SimAI's front end."""
_COLUMNS = ("collective", "channel_id", "flow_id", "src", "dest", "flow_size", "chunk_id", "parent_flow_ids")
_LATENCIES = {
    (0, 0): (7400, 11800),
    (0, 1): (15250, 22500),
    (0, 2): (12400, 22400),
    (1, 0): (7200, 9300),
    (1, 1): (15900, 18000),
    (1, 2): (11800, 22400),
    (4, 2): (25000, 18000),
    (5, 2): (25000, 20900),
    (6, 2): (12000, 22000),
}
"""Nanoseconds before a flow is sent, in servers and between them, by algorithm and protocol as NCCL numbers them."""
_LATENCY = 6000
"""Nanoseconds before all other flows are sent."""
_GPUS_PER_SERVER = 8
"""GPUs of a server where the topology does not say it."""


def recognises(lines: Sequence[str]) -> bool:
    """Whether the columns of a flow and of its collective are named first."""
    return bool(lines) and {"collective", "flow_size", "parent_flow_ids"} <= set(lines[0].split(","))


def read(path: Path, draft: Draft) -> None:
    """Reads all flows once, and checks what they wait for. Raises InputError."""
    network = draft.network_for(path, "flows between GPUs")
    reader = _Reader(path, network)
    for _ in reader.rows():
        pass
    if not reader.count:
        raise InputError(str(path), "", "has no flow", "expected a line for each flow below the names of the columns")
    told = ", ".join(f"{each / 1000:g}" for each in sorted(reader.latencies))
    reason = f"each flow waits {told} us before it is sent (delay_ns), as in SimAI's code without AS_SEND_LAT"
    draft.leave(Place(path.name, 1), "algorithm, protocol", reason)
    if reader.collectives > 1:
        reason = "the file has none; on each rank one begins when the one before is done"
        draft.leave(Place(path.name, 2), f"times of {reader.collectives} collectives", reason)
    if reader.empty:
        draft.leave(Place(path.name, reader.empty), "flows of 0 B", "of 1 B, as flows have bytes")
    lines = (reader.first, reader.last)
    draft.flows.append(Flows(path, "job", job_rows.ALL_COLUMNS, reader.rows, reader.count, lines, {_PRIORITY}))
    content = f"{counted(reader.count, 'flow')} of {counted(reader.collectives, 'collective')}"
    draft.found.append(Found(str(path), NAME, content))
    draft.settle_unless_told(hpcc_settings.settle)


class _Flow(NamedTuple):
    """One line."""

    line: int
    channel: int
    number: int
    source: int
    destination: int
    size: int
    chunk: int
    parents: tuple[int, ...]
    latency: int

    @property
    def name(self) -> str:
        """Name of its row: its line, since numbers are of one collective alone."""
        return f"line{self.line}"


class _Reader:
    """Rows of a file, read as often as they are wanted; one collective at a time is in memory."""

    def __init__(self, path: Path, network: Network) -> None:
        self.path = path
        self.ranks = Ranks(network, _PRIORITY)
        self.columns: dict[str, int] = {}
        self.width = 0
        of_servers = (key.value for table in network.tables for key in table.keys if key.name == "hosts_per_server")
        hosts_per_server = next(of_servers, _GPUS_PER_SERVER * self.ranks.links)
        self.per_server = int(str(hosts_per_server)) // self.ranks.links
        self.count = self.collectives = self.empty = 0
        self.first = self.last = 1
        self.latencies: set[int] = set()

    def rows(self) -> Iterator[str]:
        """Yields each flow as rows of a job. Raises InputError."""
        self.count = self.collectives = 0
        ends: dict[int, list[str]] = {}
        for collective in self._collectives():
            self.collectives += 1
            yield from self._of_collective(collective, ends)

    def _collectives(self) -> Iterator[list[_Flow]]:
        """Yields the flows of one collective after another. Raises InputError."""
        name, flows = "", list[_Flow]()
        for number, line in numbered(self.path):
            fields = line.rstrip("\n").split(",")
            if number == 1:
                self._read_columns(fields)
            elif line.strip():
                if len(fields) != self.width:
                    problem = f"has {len(fields)} fields"
                    raise refusal(self.path, number, problem, f"expected {self.width}, as line 1 has columns")
                collective = fields[self.columns["collective"]]
                if collective != name and flows:
                    yield flows
                    flows = []
                name = collective
                flows.append(self._flow(number, fields))
        if flows:
            yield flows

    def _read_columns(self, fields: list[str]) -> None:
        self.width = len(fields)
        self.columns = {name.strip(): at for at, name in enumerate(fields)}
        missing = next((name for name in _COLUMNS if name not in self.columns), None)
        if missing:
            raise refusal(self.path, 1, f"there is no column {missing}", f"expected {', '.join(_COLUMNS)}")

    def _flow(self, number: int, fields: list[str]) -> _Flow:
        def value(name: str, most: int = 10**9) -> int:
            return whole(self.path, number, name, fields[self.columns[name]].strip(), 0, most)

        source, destination = value("src"), value("dest")
        for rank in (source, destination):
            if rank >= len(self.ranks):
                expected = f"expected ranks 0 to {len(self.ranks) - 1}; NVSwitches do not reduce: AS_NVLS_ENABLE=0"
                raise refusal(self.path, number, f"there is no GPU {rank} in the topology", expected)
        if source == destination:
            raise refusal(self.path, number, f"GPU {source} would send to itself", "expected two different GPUs")
        size = value("flow_size", MOST_BYTES)
        self.empty = self.empty or (number if not size else 0)
        parents = fields[self.columns["parent_flow_ids"]].replace(";", " ").split()
        waits_for = tuple(whole(self.path, number, "a parent flow", each) for each in parents)
        latency = self._latency(number, fields, is_inside=source // self.per_server == destination // self.per_server)
        self.latencies.add(latency)
        flow_id, channel, chunk = value("flow_id"), value("channel_id"), value("chunk_id")
        return _Flow(number, channel, flow_id, source, destination, max(size, 1), chunk, waits_for, latency)

    def _latency(self, number: int, fields: list[str], *, is_inside: bool) -> int:
        """Returns the nanoseconds before a flow is sent. Files of version 2.20 do not have protocols."""
        if not {"algorithm", "protocol"} <= self.columns.keys():
            return _LATENCY
        algorithm, protocol = (fields[self.columns[name]].strip() for name in ("algorithm", "protocol"))
        if "-1" in (algorithm, protocol):
            return _LATENCY
        key = whole(self.path, number, "algorithm", algorithm), whole(self.path, number, "protocol", protocol)
        inside, between = _LATENCIES.get(key, (_LATENCY, _LATENCY))
        return inside if is_inside else between

    def _of_collective(self, flows: Sequence[_Flow], ends: dict[int, list[str]]) -> Iterator[str]:
        """Yields the rows of one collective, and replaces in `ends` the flows that end a rank's part in it."""
        by_number: dict[int, _Flow] = {}
        for flow in flows:
            other = by_number.setdefault(flow.number, flow)
            if other is not flow:
                problem = f"flow {flow.number} of this collective is there already"
                raise refusal(self.path, flow.line, problem, f"expected one; line {other.line} is it")
        for rank in sorted({flow.source for flow in flows if not flow.parents}):
            if len(ends.get(rank, [])) > FEW:
                name = f"line{flows[0].line}.{rank}.before"
                yield from self.ranks.joins(name, rank, ends[rank])
                ends[rank] = [name]
        followed: set[int] = set()
        sent: dict[tuple[int, int, int], _Flow] = {}
        for flow in flows:
            before = [self._parent(flow, number, by_number).name for number in flow.parents]
            followed.update(flow.parents)
            if not flow.parents:
                way = flow.channel, flow.source, flow.destination
                earlier = sent.get(way) if flow.chunk else None
                before = [earlier.name] if earlier else ends.get(flow.source, [])
                if earlier:
                    followed.add(earlier.number)
                sent[way] = flow
            self.first = self.first if self.count else flow.line
            self.count, self.last = self.count + 1, flow.line
            yield from self.ranks.flows(flow.name, flow.source, flow.destination, flow.size, before, flow.latency)
        last: dict[int, list[str]] = defaultdict(list)
        for flow in flows:
            if flow.number not in followed:
                last[flow.source].append(flow.name)
                last[flow.destination].append(flow.name)
        ends |= last

    def _parent(self, flow: _Flow, number: int, by_number: dict[int, _Flow]) -> _Flow:
        """Returns a flow that another one waits for, if the other's source sees its end. Raises InputError."""
        parent = by_number.get(number)
        if parent is None:
            problem = f"there is no flow {number} in this collective"
            raise refusal(self.path, flow.line, problem, "expected parent_flow_ids of one collective")
        if flow.source not in (parent.source, parent.destination):
            problem = f"waits for flow {number}, which is between other GPUs"
            raise refusal(
                self.path, flow.line, problem, f"expected parent_flow_ids of flows that end at GPU {flow.source}"
            )
        return parent
