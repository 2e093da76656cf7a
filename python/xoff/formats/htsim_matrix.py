"""`.cm` connection matrices of htsim and uet-htsim: flows that start at a time, or when a trigger fires.

A line is `SOURCE->DESTINATION id N start PICOSECONDS size BYTES`, with `trigger N` in place of `start` for a flow that
waits, and `send_done_trigger N` or `recv_done_trigger N` for one that others wait for. Lines of `trigger id N` say
whether it fires once (`oneshot`), for one waiting flow after another (`multishot`), or when a number of flows have
activated it (`barrier`).
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import InputError
from xoff.formats import htsim_settings, htsim_topology, job_rows
from xoff.formats.draft import Draft, Flows, Found, one_of
from xoff.formats.job_rows import Ranks
from xoff.formats.lines import MOST_BYTES, MOST_NS, decimal, numbered, refusal, whole
from xoff.text.line import quoted
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME = "htsim connections"
ABOUT = ".cm of htsim or uet-htsim"

TRACE = "source,destination,size_bytes,start_ns,priority\n"
_COUNTS = ("nodes", "connections", "triggers", "failures")
_NUMBERS = ("id", "trigger", "send_done_trigger", "recv_done_trigger", "size", "prio")
_MAY_BE_0 = ("prio", "size")
_KINDS = ("oneshot", "multishot", "barrier")
_HOSTS = re.compile(r"(\d{1,9})->(\d{1,9})")
_PRIORITY = 0


class _Flow(NamedTuple):
    """One line of a flow."""

    line: int
    source: int
    destination: int
    start_ps: int
    keys: dict[str, int]
    is_message: bool


class _Trigger(NamedTuple):
    """One line of a trigger."""

    line: int
    kind: str
    needed: int
    """Flows that activate a barrier before it fires."""


def recognises(lines: Sequence[str]) -> bool:
    """Whether nodes and connections are counted."""
    words = {line.split()[0].lower() for line in lines[:50] if line.strip()}
    return {"nodes", "connections"} <= words


def read(path: Path, draft: Draft) -> None:
    """Reads all flows once, and resolves their triggers. Raises InputError."""
    matrix = _Matrix(path)
    matrix.scan()
    if draft.network is None:
        htsim_topology.add_default(path, draft, matrix.counts["nodes"][0])
    network = draft.network_for(path, "flows between hosts")
    hosts = [*network.numbers.values()]
    if matrix.most_node >= len(hosts):
        problem = f"there is no host {matrix.most_node}"
        raise refusal(path, matrix.most_line, problem, f"expected 0 to {len(hosts) - 1}, as the topology has hosts")
    if matrix.waits:
        after = matrix.waiting()
        ranks = Ranks(network, _PRIORITY)
        kind, columns, rows = "job", job_rows.COLUMNS, partial(_job, matrix, ranks, after)
    else:
        kind, columns, rows = "trace", TRACE, partial(_trace, matrix, hosts)
    for note, (told, reason) in _REASONS.items():
        if note in matrix.notes:
            count, line = matrix.notes[note]
            draft.leave(f"{path.name}:{line}", f"{told} ({counted(count, 'line')})", reason)
    lines = (matrix.first, matrix.last)
    draft.flows.append(Flows(path, kind, columns, rows, matrix.count, lines, {_PRIORITY}))
    waiting = f", {matrix.waits:,} of them by triggers" if matrix.waits else ""
    draft.found.append(Found(str(path), NAME, f"{counted(matrix.count, 'flow')}{waiting}"))
    draft.settle_unless_told(htsim_settings.settle)


def _trace(matrix: _Matrix, hosts: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yields the rows of a trace."""
    for flow in matrix.flows():
        ends = _ends(hosts, flow)
        yield f"{ends},{flow.keys['size']},{flow.start_ps // 1000},{_PRIORITY}\n"


def _job(matrix: _Matrix, ranks: Ranks, after: Mapping[int, Sequence[int]]) -> Iterator[str]:
    """Yields the rows of a job; a flow is named by its line."""
    for flow in matrix.flows():
        before = [f"line{line}" for line in after.get(flow.line, ())]
        name, size, start_ns = f"line{flow.line}", flow.keys["size"], flow.start_ps // 1000
        yield from ranks.rows(name, flow.source, flow.destination, size, before, start_ns)


def _ends(hosts: Sequence[Sequence[str]], flow: _Flow) -> str:
    source, destination = hosts[flow.source], hosts[flow.destination]
    return f"{one_of(source, flow.line, 0)},{one_of(destination, flow.line, 1)}"


_REASONS = {
    "prio": ("prio", "all flows are of one class"),
    "msg": ("msg", "every message is a flow with a queue pair of its own, unless connections are persistent"),
    "start": ("start", "rounded down to nanoseconds"),
    "failure": ("failure", "links that have failed are topology.failed_links"),
    "other": (
        "send_done or recv_done",
        "a source knows of its own flow's end by the last ACK, of another's by the data",
    ),
    "order": ("multishot", "flows that wait are started in the order of the lines that start them, not of their ends"),
}
"""Things that the scenario does not have: their words in the file, and the reason."""


class _Matrix:
    """One file, read as often as it is wanted; triggers alone stay in memory."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.counts: dict[str, tuple[int, int]] = {}
        self.count = self.waits = 0
        self.first = self.last = 1
        self.most_node, self.most_line = -1, 1
        self.triggers: dict[int, _Trigger] = {}
        self.notes: dict[str, tuple[int, int]] = {}
        self.activators: dict[int, list[_Flow]] = defaultdict(list)
        self.targets: dict[int, list[_Flow]] = defaultdict(list)

    def scan(self) -> None:
        """Reads the whole file: counts, triggers, and every flow that takes part in one. Raises InputError."""
        for flow in self.flows():
            self.first = self.first if self.count else flow.line
            self.count, self.last = self.count + 1, flow.line
            most = max(flow.source, flow.destination)
            if most > self.most_node:
                self.most_node, self.most_line = most, flow.line
            if "trigger" in flow.keys:
                self.waits += 1
                self.targets[flow.keys["trigger"]].append(flow)
            for key in ("send_done_trigger", "recv_done_trigger"):
                if key in flow.keys:
                    self.activators[flow.keys[key]].append(flow)
            for note, is_so in (
                ("prio", "prio" in flow.keys),
                ("msg", flow.is_message),
                ("start", flow.start_ps % 1000),
            ):
                if is_so:
                    self.note(note, flow.line)
        self._check_counts()

    def _check_counts(self) -> None:
        for name, there in (("connections", self.count), ("triggers", len(self.triggers))):
            announced, line = self.counts.get(name, (0, 0))
            if announced != there:
                problem = f"announces {counted(announced, name[:-1])}, and the file has {there:,}"
                raise refusal(self.path, line, problem, f"expected as many as {name.capitalize()} says")
        if not self.count:
            expected = "expected SOURCE->DESTINATION start PICOSECONDS size BYTES"
            raise InputError(str(self.path), "", "has no flow", expected)

    def note(self, what: str, line: int) -> None:
        """Counts a line with something that the scenario does not have."""
        count, first = self.notes.get(what, (0, line))
        self.notes[what] = (count + 1, first)

    def flows(self) -> Iterator[_Flow]:
        """Yields all flows, and keeps counts and triggers on the way. Raises InputError."""
        self.triggers.clear()
        self.notes.pop("failure", None)
        for number, line in numbered(self.path):
            fields = line.split()
            if not fields or fields[0].startswith("#"):
                continue
            word = fields[0].lower()
            if word in _COUNTS:
                value = fields[1] if len(fields) > 1 else ""
                self.counts[word] = (whole(self.path, number, fields[0], value, 0, 10**9), number)
            elif word == "trigger":
                self._add_trigger(number, fields)
            elif word == "failure":
                self.note("failure", number)
            else:
                yield self._flow(number, fields)

    def _flow(self, number: int, fields: list[str]) -> _Flow:
        path = self.path
        ends = _HOSTS.fullmatch(fields[0])
        if ends is None:
            expected = "expected a flow such as 0->13 start 0 size 2000000, or trigger or failure"
            raise refusal(path, number, f"begins with {quoted(fields[0])}", expected)
        source, destination = int(ends[1]), int(ends[2])
        if source == destination:
            raise refusal(path, number, f"host {source} would send to itself", "expected two different hosts")
        keys, start, is_message = self._words(number, fields)
        if "size" not in keys:
            raise refusal(path, number, "size is missing", "expected size BYTES")
        if not keys["size"]:
            expected = "expected bytes; a flow that never ends is a workload of kind long_lived"
            raise refusal(path, number, "size is 0, a flow without end", expected)
        if bool(start) == ("trigger" in keys):
            raise refusal(path, number, "has both start and trigger, or neither", "expected one of them")
        unit = 10**6 if is_message else 1  # messages start at microseconds (main_uec.cpp), connections at picoseconds
        time = decimal(path, number, "start", start or "0", 0, MOST_NS * 1000 // unit)
        return _Flow(number, source, destination, int(time * unit), keys, is_message)

    def _words(self, number: int, fields: list[str]) -> tuple[dict[str, int], str, bool]:
        """Returns the numbers of a flow's line, its start, and whether it is a message."""
        keys: dict[str, int] = {}
        start, is_message = "", False
        words = iter(fields[1:])
        for word in words:
            if word == "msg":
                is_message = True  # its number, where it has one, is skipped below
            elif word == "start":
                start = next(words, "")
            elif word in _NUMBERS:
                most = MOST_BYTES if word == "size" else 10**9
                keys[word] = whole(self.path, number, word, next(words, ""), 0 if word in _MAY_BE_0 else 1, most)
            elif not (is_message and word.isdigit()):
                expected = f"expected start, {', '.join(_NUMBERS)}"
                raise refusal(self.path, number, f"there is no key {quoted(word)}", expected)
        return keys, start, is_message

    def _add_trigger(self, number: int, fields: list[str]) -> None:
        path = self.path
        found = {"id": 0, "count": 0}
        kind = ""
        words = iter(fields[1:])
        for word in words:
            if word in found:
                found[word] = whole(path, number, word, next(words, ""), 1)
            elif word in _KINDS and not kind:
                kind = word
            else:
                raise refusal(
                    path, number, f"there is no {quoted(word)} of a trigger", f"expected id, {', '.join(_KINDS)}"
                )
        if not found["id"] or not kind or (kind == "barrier" and not found["count"]):
            raise refusal(path, number, "is no whole trigger", "expected trigger id N oneshot, or barrier count N")
        if found["id"] in self.triggers:
            other = self.triggers[found["id"]].line
            raise refusal(path, number, f"trigger {found['id']} is there already", f"expected one; line {other} is it")
        self.triggers[found["id"]] = _Trigger(number, kind, found["count"])

    def waiting(self) -> Mapping[int, list[int]]:
        """Returns for the line of each flow that waits the lines of those that it waits for. Raises InputError."""
        after: dict[int, list[int]] = {}
        for number, targets in self.targets.items():
            first = targets[0].line
            trigger = self.triggers.get(number)
            if trigger is None:
                raise refusal(
                    self.path, first, f"there is no trigger {number}", f"expected trigger id {number} oneshot"
                )
            activators = self.activators.get(number, [])
            self._check_fires(number, trigger, activators, targets)
            for at, flow in enumerate(targets):
                before = activators[at : at + 1] if trigger.kind == "multishot" else activators
                after[flow.line] = [self._checked(flow, each) for each in before]
        return after

    def _check_fires(
        self, number: int, trigger: _Trigger, activators: Sequence[_Flow], targets: Sequence[_Flow]
    ) -> None:
        """Raises InputError for a trigger that does not start all that wait for it."""
        if trigger.kind == "multishot":
            if len(activators) < len(targets):
                problem = f"waits for trigger {number}, which fires {counted(len(activators), 'time')}"
                raise refusal(
                    self.path, targets[len(activators)].line, problem, "expected as many as flows wait for it"
                )
            if len(activators) > 1:
                self.note("order", trigger.line)
            return
        needed = trigger.needed if trigger.kind == "barrier" else 1
        if len(activators) != needed:
            problem = f"trigger {number} is activated by {counted(len(activators), 'flow')}"
            raise refusal(self.path, trigger.line, problem, f"expected {needed}")

    def _checked(self, flow: _Flow, before: _Flow) -> int:
        """Returns the line of a flow that another waits for, if the other's source sees its end."""
        if flow.source not in (before.source, before.destination):
            problem = f"waits for line {before.line}, a flow between other hosts"
            expected = f"expected one from or to host {flow.source}: a job's flow waits for those that its source sees"
            raise refusal(self.path, flow.line, problem, expected)
        sees_ack = flow.source == before.source
        if ("send_done_trigger" if sees_ack else "recv_done_trigger") not in before.keys:
            self.note("other", before.line)
        return before.line
