"""Chakra execution traces, as protobuf (`et`) or JSON, one file for each rank: nodes of a training job as operations.

A file in protobuf is a message of metadata and one for each node, each after its length. JSON is the form of Chakra's
feeder, an object with a `workload_graph`, or of its jsonizer, which writes each message right behind the one before. A
collective is carried out by rings, an all-to-all by a flow to every other rank, as ASTRA-sim's `ring` and `direct` do
with one chunk; a system of ASTRA-sim may choose `direct` for others.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from array import array
from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from xoff.errors import InputError
from xoff.formats import hpcc_settings
from xoff.formats.draft import Draft, Flows, Found, star
from xoff.formats.job_rows import Ranks
from xoff.formats.lines import MOST_BYTES, MOST_NS
from xoff.formats.operations import COLUMNS, COMPUTE, JOIN, RECEIVE, SEND, Operations, Schedule
from xoff.formats.protobuf import MORE, MalformedError, delimited, fields, number_at
from xoff.text.line import quoted
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

NAME = "Chakra trace"
ABOUT = "execution traces of Chakra or ASTRA-sim, one for each rank"

_PRIORITY = 3
_MOST_OPERATIONS = 20_000_000
_MOST_RANKS = 1 << 20
_AT_ONCE = 1 << 12
"""Nodes after which their operations go into columns."""
_RANK = re.compile(r"\.(\d{1,7})\.(?:et|json)(?:\.gz)?$")
_VERSION = re.compile(rb"\d+\.\d+")
_GZIP = b"\x1f\x8b"
_METADATA, _COMP, _SEND, _RECEIVE, _COLLECTIVE = 1, 4, 5, 6, 7
_MEMORY = (2, 3)
_KINDS = range(8)
_COLLECTIVES = {
    0: "all_reduce",
    1: "reduce",
    2: "all_gather",
    3: "gather",
    4: "scatter",
    5: "broadcast",
    6: "all_to_all",
    7: "reduce_scatter",
    8: "reduce_scatter",
    9: "barrier",
}
_CARRIED = ("all_reduce", "all_gather", "all_to_all", "reduce_scatter", "barrier")
_TAGS = 1 << 31
"""First tag of flows of collectives; those of sends are below."""
_WANTED = {b"is_cpu_op", b"comm_type", b"comm_size", b"comm_src", b"comm_dst", b"comm_tag", b"pg_name"}
_OF_ID, _OF_TYPE, _OF_ONE_WAITING, _OF_DURATION = 1 << 3, 3 << 3, 5 << 3, 7 << 3
_OF_WAITING, _OF_INPUTS, _OF_ATTRIBUTE = 5 << 3 | 2, 8 << 3 | 2, 10 << 3 | 2
"""First bytes of a node's fields.

Nodes wait for data dependencies alone, as in Chakra's feeder: its converter makes such of control dependencies.
"""
_NAMES = sorted(name.decode() for name in _WANTED)
_TYPES = (
    "INVALID_NODE",
    "METADATA_NODE",
    "MEM_LOAD_NODE",
    "MEM_STORE_NODE",
    "COMP_NODE",
    "COMM_SEND_NODE",
    "COMM_RECV_NODE",
    "COMM_COLL_NODE",
)
"""Names of the types by number."""
_NEXT = re.compile(r"\}\s*\{\s*")
"""Line between two objects of Chakra's jsonizer."""
_LISTS = (_OF_WAITING, _OF_INPUTS)
_MOST_KNOWN = 1 << 16
_MOST_NUMBER = (1 << 63) - 1
_DAMAGE = (
    MalformedError,
    OSError,
    zlib.error,
    EOFError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""Errors of readers that a file has, and not the reader."""
_EXPECTED = "expected a trace of Chakra"


class Node(NamedTuple):
    """One node of a trace."""

    id: int
    kind: int
    duration_us: int
    after: list[int]
    attributes: dict[str, Any]
    groups: str
    """Process groups in JSON, of a node with metadata."""


class _Collective(NamedTuple):
    """Part of one rank in a collective."""

    rank: int
    id: int
    operation: str
    size: int
    position: int
    """Number of operations of its rank before it."""


def recognises(lines: Sequence[str]) -> bool:
    """Whether an object has a `workload_graph`, or metadata is followed by a node without anything between them."""
    text = "".join(lines[:50])
    is_one_of_many = any(_NEXT.fullmatch(line) for line in lines)
    return text.lstrip().startswith("{") and ('"workload_graph"' in text or is_one_of_many)


def recognises_bytes(head: bytes) -> bool:
    """Whether a message begins with the version of Chakra, or names its schema."""
    if head.startswith(_GZIP):
        return True
    at = next((at for at, byte in enumerate(head[:5]) if byte < 0x80), 5) + 1
    told = head[at:]
    is_version = told[:1] == b"\x0a" and len(told) > 2 and _VERSION.match(told[2:]) is not None
    return is_version or b"\x0a\x06schema" in told[:16]


def read(path: Path, draft: Draft) -> None:
    """Reads one trace, of a job of one rank. Raises InputError."""
    read_all([path], draft)


def read_all(paths: Sequence[Path], draft: Draft) -> None:
    """Reads the traces of all ranks. Raises InputError."""
    files = _ranked(paths)
    network = draft.network or star(files[0], draft, len(files))
    ranks = Ranks(network, _PRIORITY)
    if len(ranks) < len(files):
        problem = f"there are traces of {len(files):,} ranks, and the topology has {len(ranks):,} hosts"
        raise InputError(str(files[0]), "", problem, "expected a topology with a host for each rank")
    job = _Job(files, draft.implementations)
    for rank in range(len(files)):
        job.read(rank)
    operations = job.operations()
    schedule = Schedule(files[0], operations, ranks, job.place)
    for told, reason in job.notes():
        draft.leave(files[0].name, told, reason)
    total = len(operations.kind)
    draft.flows.append(Flows(files[0], "job", COLUMNS, schedule.rows, total, (1, 1), {_PRIORITY}))
    told = f"{counted(job.nodes, 'node')}, {counted(job.carried, 'collective')}"
    sends = counted(int(np.count_nonzero(operations.kind == SEND)), "flow")
    of = f"{files[0]} and {len(files) - 1:,} more" if len(files) > 1 else str(files[0])
    draft.found.append(Found(of, NAME, f"{counted(len(files), 'rank')}, {told}, {sends}"))
    draft.settle_unless_told(hpcc_settings.settle)


def _ranked(paths: Sequence[Path]) -> list[Path]:
    """Returns the traces in the order of their ranks, which are in their names. Raises InputError."""
    if len(paths) == 1:
        return [*paths]
    by_rank: dict[int, Path] = {}
    for path in paths:
        found = _RANK.search(path.name)
        if found is None or int(found[1]) in by_rank:
            problem = "names no rank, or that of another trace"
            raise InputError(str(path), "", problem, "expected NAME.RANK.et, each rank once")
        by_rank[int(found[1])] = path
    missing = next((rank for rank in range(len(by_rank)) if rank not in by_rank), None)
    if missing is not None:
        problem = f"there is no trace of rank {missing}, and {len(by_rank)} others"
        raise InputError(str(paths[0]), "", problem, "expected one for each rank from 0")
    return [by_rank[rank] for rank in range(len(by_rank))]


class _Columns:
    """Operations of all ranks, as far as they have been read."""

    def __init__(self) -> None:
        self.kind, self.amount, self.peer = array("B"), array("Q"), array("I")
        self.tag, self.stream = array("I"), array("I")
        self.waiting, self.awaited = array("I"), array("I")
        self._rows: list[tuple[int, int, int, int, int]] = []
        """Operations that are not in the columns yet, as one call for many takes less time."""
        self._kept = 0

    def __len__(self) -> int:
        return self._kept + len(self._rows)

    def add(self, kind: int, amount: int = 0, peer: int = 0, tag: int = 0, stream: int = 0) -> int:
        """Appends an operation. Returns its position."""
        self._rows.append((kind, amount, peer, tag, stream))
        return self._kept + len(self._rows) - 1

    def wait(self, waiting: int, awaited: int) -> None:
        """Has an operation wait for another."""
        self.waiting.append(waiting)
        self.awaited.append(awaited)

    def keep(self) -> None:
        """Moves operations into their columns."""
        columns = (self.kind, self.amount, self.peer, self.tag, self.stream)
        for column, values in zip(columns, zip(*self._rows, strict=True), strict=False):
            column.extend(values)
        self._kept += len(self._rows)
        self._rows.clear()


class _Job:
    """All nodes, read rank by rank; collectives become sends and receives of each rank."""

    def __init__(self, files: Sequence[Path], implementations: Mapping[str, str]) -> None:
        self.files = files
        self.implementations = {**implementations, "all_to_all": "direct"}
        self.columns = _Columns()
        self.known = _Known(_Attributes(), _Lists())
        self.first = [0]
        self.ids: list[array[int]] = []
        """Identity of each operation's node, by rank."""
        self.nodes = self.carried = 0
        self.groups: dict[str, list[int]] = {}
        self.turns: dict[tuple[int, ...], dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.tags: dict[tuple[tuple[int, ...], int], tuple[int, str, int, int, int]] = {}
        """Tag, operation, size, rank and node of each collective."""
        self.counts: dict[str, int] = defaultdict(int)

    def refuse(self, rank: int, node: int | None, problem: str, expected: str = _EXPECTED) -> InputError:
        """Returns the error for a node."""
        return InputError(str(self.files[rank]), "" if node is None else f"node {node}", problem, expected)

    def place(self, at: int) -> str:
        """Returns the node of an operation."""
        rank = int(np.searchsorted(self.first, at, side="right")) - 1
        return f"rank {rank}, node {self.ids[rank][at - self.first[rank]]}"

    def read(self, rank: int) -> None:
        """Reads the trace of a rank. Raises InputError."""
        ends: dict[int, int] = {}
        waits: list[tuple[int, int, list[int]]] = []
        ids = array("Q")
        self.ids.append(ids)
        first, columns = self.first[-1], self.columns
        for node in self._nodes(rank):
            number, after = node.id, node.after
            if number in ends:
                raise self.refuse(rank, number, "is there twice", "expected each node once")
            begins, end = self._add(rank, node)
            if end - first == len(ids):
                ids.append(number)
            else:
                ids.extend([number] * (end + 1 - first - len(ids)))
            ends[number] = end
            if after:
                waits += [(begin, number, after) for begin in begins]
            self.nodes += 1
            if not self.nodes % _AT_ONCE:
                columns.keep()
            if len(columns) > _MOST_OPERATIONS:
                problem = f"comes to more than {_MOST_OPERATIONS:,} operations up to here"
                raise self.refuse(rank, node.id, problem, "expected fewer, smaller collectives or fewer ranks")
        self._wait(rank, waits, ends)
        columns.keep()
        self.first.append(len(columns))

    def _wait(self, rank: int, waits: Sequence[tuple[int, int, list[int]]], ends: Mapping[int, int]) -> None:
        """Has the operations of nodes wait for those that end other nodes. Raises InputError."""
        waiting, awaited = self.columns.waiting, self.columns.awaited
        for begin, number, after in waits:
            for before in after if len(after) == 1 else dict.fromkeys(after):
                end = ends.get(before, -1)
                if end < 0:
                    self.counts["missing"] += 1
                elif end == begin:
                    raise self.refuse(rank, number, "waits for itself", "expected other nodes")
                else:
                    waiting.append(begin)
                    awaited.append(end)

    def _nodes(self, rank: int) -> Iterator[Node]:
        path = self.files[rank]
        try:
            data = path.read_bytes()
            if data.startswith(_GZIP):
                data = gzip.decompress(data)
                if data[:1] != b"{" and not recognises_bytes(data):
                    raise ValueError("packed is something else")
            if data.lstrip()[:1] == b"{":
                yield from _of_json(data)
            else:
                yield from _of_messages(data, self.known)
        except _DAMAGE as error:
            raise self.refuse(rank, None, f"is no trace, or damaged: {error}".splitlines()[0]) from None

    def _add(self, rank: int, node: Node) -> tuple[list[int], int]:
        """Adds the operations of a node. Returns those that wait for what it waits for, and the one that ends it."""
        columns, attributes = self.columns, node.attributes
        if node.kind in (_SEND, _RECEIVE):
            at = self._message(rank, node)
            return [at], at
        if node.kind == _COLLECTIVE:
            kind = _COLLECTIVES.get(attributes.get("comm_type", 0), "")
            if kind in _CARRIED:
                return self._collective(rank, node, kind)
            self.counts[kind or "unknown"] += 1
        elif node.kind == _COMP and not node.duration_us:
            self.counts["untimed"] += 1
        elif node.kind in _MEMORY:
            self.counts["memory"] += 1
        elif node.kind == _METADATA and node.groups:
            self._learn(rank, node)
        elif node.kind not in _KINDS:
            raise self.refuse(rank, node.id, f"has type {node.kind}", "expected 0 to 7")
        if node.duration_us * 1000 > MOST_NS:
            raise self.refuse(rank, node.id, f"takes {node.duration_us:,} us", "expected up to 100,000 s")
        if node.kind in (_METADATA, 0):
            at = columns.add(JOIN)
        else:
            stream = 2 if node.kind in _MEMORY else int(bool(attributes.get("is_cpu_op", False)))
            at = columns.add(COMPUTE, node.duration_us * 1000, stream=stream)
        return [at], at

    def _message(self, rank: int, node: Node) -> int:
        attributes, is_send = node.attributes, node.kind == _SEND
        peer = attributes.get("comm_dst" if is_send else "comm_src")
        if not isinstance(peer, int) or not 0 <= peer < len(self.files):
            problem = f"{'sends to' if is_send else 'receives from'} rank {peer}"
            raise self.refuse(rank, node.id, problem, f"expected 0 to {len(self.files) - 1}, as there are traces")
        tag = attributes.get("comm_tag", 0)
        if not isinstance(tag, int) or not 0 <= tag < _TAGS:
            raise self.refuse(rank, node.id, f"comm_tag is {quoted(str(tag))}", f"expected 0 to {_TAGS - 1}")
        return self.columns.add(SEND if is_send else RECEIVE, self._size(rank, node), peer, tag)

    def _size(self, rank: int, node: Node) -> int:
        size = node.attributes.get("comm_size", 0)
        if not isinstance(size, int) or not 0 <= size <= MOST_BYTES:
            raise self.refuse(rank, node.id, f"comm_size is {quoted(str(size))}", f"expected 0 to {MOST_BYTES:,}")
        return size

    def _learn(self, rank: int, node: Node) -> None:
        """Takes the process groups that PyTorch writes."""
        try:
            for group in json.loads(node.groups[2:-2]):
                self.groups[group["pg_name"]] = [*map(int, group["ranks"])] or [*range(len(self.files))]
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
            self.counts["groups"] += 1

    def _collective(self, rank: int, node: Node, operation: str) -> tuple[list[int], int]:
        name = str(node.attributes.get("pg_name", ""))
        group = self.groups.get(name, [*range(len(self.files))]) if name else [*range(len(self.files))]
        if name and name not in self.groups:
            self.counts["unnamed"] += 1
        is_whole = len({*group}) == len(group) and all(0 <= one < len(self.files) for one in group)
        if rank not in group or not is_whole:
            raise self.refuse(rank, node.id, f"group {quoted(name)} is not of this rank", "expected ranks of traces")
        size, members = self._size(rank, node), len(group)
        turn = self.turns[tuple(group)][rank]
        self.turns[tuple(group)][rank] += 1
        key = (tuple(group), turn)
        told = self.tags.setdefault(key, (_TAGS + len(self.tags), operation, size, rank, node.id))
        if told[1:3] != (operation, size):
            problem = (
                f"is {operation} of {size:,} B, where node {told[4]} of rank {told[3]} is {told[1]} of {told[2]:,} B"
            )
            raise self.refuse(rank, node.id, problem, "expected the same collectives in the same order on all ranks")
        self.carried += told[3] == rank
        place = group.index(rank)
        part = size if operation == "all_gather" else -(-size // members)
        others = [group[(place + away) % members] for away in range(1, members)]
        phases = 2 if operation in ("all_reduce", "barrier") else 1
        if self.implementations.get(operation) == "direct":
            steps = [[*zip(others, reversed(others), strict=True)]] * phases
        else:
            steps = [[(others[0], others[-1])]] * ((members - 1) * phases) if others else []
        return self._exchange(steps, max(part, 1), told[0])

    def _exchange(self, steps: Sequence[Sequence[tuple[int, int]]], size: int, tag: int) -> tuple[list[int], int]:
        """Adds a rank's sends and receives, each step behind all receives of the one before.

        Args:
            steps: Ranks to which the rank sends, and from which it receives at once.
            size: Bytes of each flow.
            tag: Tag of all flows.

        Returns:
            The operations that begin, and the one that ends them.
        """
        columns = self.columns
        begins: list[int] = []
        all_of_it: list[int] = []
        before: list[int] = []
        for step in steps:
            if len(before) > 1:
                joined = columns.add(JOIN)
                for each in before:
                    columns.wait(joined, each)
                before = [joined]
            here: list[int] = []
            for to, of in step:
                here += [columns.add(SEND, size, to, tag), columns.add(RECEIVE, 0, of, tag)]
            for one in here:
                for each in before:
                    columns.wait(one, each)
            begins = begins or here
            before = here[1::2]
            all_of_it += here
        end = columns.add(JOIN)
        for each in all_of_it:
            columns.wait(end, each)
        return begins or [end], end

    def operations(self) -> Operations:
        """Returns all operations. Raises InputError if collectives are missing on some rank."""
        for group, turns in self.turns.items():
            counts = {rank: turns.get(rank, 0) for rank in group}
            if len({*counts.values()}) > 1:
                least = min(counts, key=counts.__getitem__)
                problem = (
                    f"has {counts[least]} collectives of {len(group)} ranks, and another rank {max(counts.values())}"
                )
                raise self.refuse(least, None, problem, "expected as many on all ranks of a group")
        if not len(self.columns):
            raise self.refuse(0, None, "has no node")
        columns = self.columns
        kind, peer, amount, tag, stream, waiting, awaited = (
            np.asarray(each)
            for each in (
                columns.kind,
                columns.peer,
                columns.amount,
                columns.tag,
                columns.stream,
                columns.waiting,
                columns.awaited,
            )
        )
        first = np.array(self.first)
        label = np.concatenate([np.arange(end - begin, dtype=np.uint32) for begin, end in pairwise(self.first)])
        by_start = np.zeros(len(waiting), dtype=np.bool_)
        return Operations(first, kind, peer, amount, tag, stream, label, waiting, awaited, by_start)

    def notes(self) -> Iterator[tuple[str, str]]:
        """Yields what the job has in another way, and why."""
        for key, (told, reason) in _NOTES.items():
            if self.counts[key]:
                yield f"{told} ({counted(self.counts[key], 'node')})", reason
        for kind in ("reduce", "gather", "scatter", "broadcast", "unknown"):
            if self.counts[kind]:
                told = f"collective {kind} ({counted(self.counts[kind], 'node')})"
                yield told, "nothing is sent; it takes its duration, as in ASTRA-sim"


_NOTES = {
    "untimed": ("no duration", "computes for no time; a roofline of ASTRA-sim's system JSON is not carried over"),
    "memory": ("loads and stores", "take their duration on a stream of their own; remote memory is not carried over"),
    "missing": ("dependencies on nodes that are not there", "left out, as in Chakra's feeder"),
    "groups": ("metadata that is no list of process groups", "takes no time"),
    "unnamed": ("process groups that no metadata lists", "taken for all ranks"),
}


def _of_json(data: bytes) -> Iterator[Node]:
    objects = _objects(data.decode().lstrip())
    first = next(objects)
    if "workload_graph" in first:
        yield from map(_of_feeder, first["workload_graph"])
    else:
        yield from map(_of_jsonizer, objects)


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder, at = json.JSONDecoder(), 0
    while at < len(text):
        one, at = decoder.raw_decode(text, at)
        yield one
        while at < len(text) and text[at].isspace():
            at += 1


def _of_feeder(each: Mapping[str, Any]) -> Node:
    """Returns a node as Chakra's feeder has it in JSON."""
    attributes = {name: each[name] for name in _NAMES if name in each}
    after = [*map(int, each.get("data_deps", []))]
    return _checked(Node(int(each["Id"]), int(each["NodeType"]), int(each.get("runtime", 0)), after, attributes, ""))


def _of_jsonizer(each: Mapping[str, Any]) -> Node:
    """Returns a node as Chakra's jsonizer writes it: what protobuf has, zeros left out and large numbers as text."""
    attributes: dict[str, Any] = {}
    for attribute in each.get("attr", ()):
        name = attribute["name"]
        if name in _NAMES:
            [(kind, value)] = [told for told in attribute.items() if told[0] not in ("name", "docString")]
            attributes[name] = int(value) if isinstance(value, str) and kind != "stringVal" else value
    after = [*map(int, each.get("dataDeps", ()))]
    kind = _TYPES.index(each.get("type", _TYPES[0]))
    groups = str(each.get("inputs", {}).get("values", "")) if kind == _METADATA else ""
    return _checked(Node(int(each.get("id", 0)), kind, int(each.get("durationMicros", 0)), after, attributes, groups))


def _checked(node: Node) -> Node:
    if any(isinstance(value, (list, dict)) for value in node.attributes.values()):
        raise ValueError("an attribute is a list or an object")
    if not all(0 <= one <= _MOST_NUMBER for one in node[:3]):
        raise ValueError("Id, NodeType or runtime is negative, or has more than 63 bits")
    return node


def _of_messages(data: bytes, known: _Known) -> Iterator[Node]:
    messages = delimited(data)
    next(messages, None)  # metadata of the whole trace
    for begin, end in messages:
        attributes: dict[str, Any] = {}
        after: list[int] = []
        groups = ""
        try:
            numbers, spans = _of_node(data, begin, end, after, attributes, known.attributes)
        except IndexError:
            raise MalformedError(begin) from None
        kind = numbers.get(_OF_TYPE, 0)
        for key, span in spans:
            if key == _OF_WAITING:
                after += known.lists[span]
            elif kind == _METADATA:
                groups = next((_text(span, each) for of, each in fields(span, 0, len(span)) if of == 1), "")
        yield Node(numbers.get(_OF_ID, 0), kind, numbers.get(_OF_DURATION, 0), after, attributes, groups)


def _of_node(
    data: bytes, begin: int, end: int, after: list[int], attributes: dict[str, Any], known: _Attributes
) -> tuple[dict[int, int], list[tuple[int, bytes]]]:
    """Returns numbers and lists of a node by their keys. Walks fields as `fields` does, but without a call for each."""
    numbers: dict[int, int] = {}
    spans: list[tuple[int, bytes]] = []
    at = begin
    while at < end:
        key, value = data[at], data[at + 1]
        at += 2
        if value >= MORE or key >= MORE:
            if key < MORE and (high := data[at]) < MORE:  # of two bytes, as most that are not of one
                value += (high << 7) - MORE
                at += 1
            else:
                key, at = number_at(data, at - 2)
                value, at = number_at(data, at)
        if key == _OF_ATTRIBUTE:
            name, attributes[name] = known[data[at : at + value]]
            at += value
        elif key & 7 == 2:
            if key in _LISTS:
                spans.append((key, data[at : at + value]))
            at += value
        elif key & 7:
            raise MalformedError(at)
        elif key == _OF_ONE_WAITING:
            after.append(value)
        else:
            numbers[key] = value
    if at != end:
        raise MalformedError(begin)
    return numbers, spans


class _Attributes(dict[bytes, "tuple[str, Any]"]):
    """Names and values of attributes by their bytes, most of which many nodes share; no name for those not needed."""

    def __missing__(self, message: bytes) -> tuple[str, Any]:
        attributes: dict[str, Any] = {}
        _attribute(message, (0, len(message)), attributes)
        if len(self) > _MOST_KNOWN:
            self.clear()
        found = self[message] = next(iter(attributes.items()), ("", None))
        return found


class _Lists(dict[bytes, "tuple[int, ...]"]):
    """Numbers of lists by their bytes, as nodes of one rank wait for those that nodes of another wait for."""

    def __missing__(self, message: bytes) -> tuple[int, ...]:
        numbers = []
        at = 0
        while at < len(message):
            number, at = number_at(message, at)
            numbers.append(number)
        if len(self) > _MOST_KNOWN:
            self.clear()
        found = self[message] = tuple(numbers)
        return found


class _Known(NamedTuple):
    """Parts of messages that have been read before, in the trace of any rank."""

    attributes: _Attributes
    lists: _Lists


def _text(data: bytes, span: object) -> str:
    return data[span[0] : span[1]].decode("utf-8", "replace") if isinstance(span, tuple) else ""


def _attribute(data: bytes, span: tuple[int, int], attributes: dict[str, Any]) -> None:
    name = b""
    value: object = None
    for number, each in fields(data, *span):
        if number == 1 and isinstance(each, tuple):
            name = data[each[0] : each[1]]
            if name not in _WANTED:
                return
        elif number == 29:
            value = _text(data, each)
        elif number != 2 and isinstance(each, int):
            value = each - (1 << 64) if each >> 63 else each
    if name and value is not None:
        attributes[name.decode()] = value
