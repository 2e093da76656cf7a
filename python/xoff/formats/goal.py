"""GOAL schedules of ATLAHS and LogGOPSim, as text and as `txt2bin` writes them: operations of ranks as a job.

The text says `num_ranks N`, and for each rank in braces lines of `LABEL: calc NANOSECONDS cpu N`,
`LABEL: send BYTESb to RANK tag N`, `LABEL: recv BYTESb from RANK tag N`, `LABEL requires LABEL` (which waits for the
other's end) and `LABEL irequires LABEL` (for its start). The binary form has the same in nodes of 39 bytes.
"""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from xoff.errors import InputError
from xoff.formats import hpcc_settings
from xoff.formats.draft import Draft, Flows, Found, star
from xoff.formats.job_rows import Ranks
from xoff.formats.lines import MOST_BYTES, MOST_NS, numbered, refusal, whole
from xoff.formats.operations import ANY, COLUMNS, COMPUTE, RECEIVE, SEND, Operations, Schedule
from xoff.text.line import quoted
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

NAME = "GOAL schedule"
ABOUT = "GOAL of ATLAHS or LogGOPSim, text or binary"

_PRIORITY = 3
_MOST_RANKS = 1 << 20
_COOKIE = (4223).to_bytes(8, "little")
_HEADER = 14
"""Bytes before the table of ranks."""
_NODE = np.dtype(
    [
        ("waits", "<u4"),
        ("kind", "u1"),
        ("peer", "<u4"),
        ("amount", "<u8"),
        ("tag", "<u4"),
        ("cpu", "u1"),
        ("nic", "u1"),
        ("ends", "<u4"),
        ("first_end", "<u4"),
        ("starts", "<u4"),
        ("first_start", "<u4"),
    ]
)
_WORDS = {"num_ranks", "rank"}
_KINDS = {"send": SEND, "recv": RECEIVE, "calc": COMPUTE}
_PREPOSITIONS = {SEND: "to", RECEIVE: "from"}
_MOST_KNOWN = 1 << 16
_LABEL = re.compile(r"[a-zA-Z][a-zA-Z0-9_]*")
_HAS = "expected LABEL: calc N, send Nb to RANK, recv Nb from RANK, or LABEL requires LABEL"


def recognises(lines: Sequence[str]) -> bool:
    """Whether the number of ranks is said first, comments aside."""
    told = next((line.split() for line in lines if line.strip() and not line.lstrip().startswith("/")), [])
    return len(told) == 2 and told[0] == "num_ranks"


def recognises_bytes(head: bytes) -> bool:
    """Whether a file begins as `txt2bin` begins it."""
    return head.startswith(_COOKIE)


def read(path: Path, draft: Draft) -> None:
    """Reads all operations, and finds the send of each receive. Raises InputError."""
    with path.open("rb") as file:
        is_binary = recognises_bytes(file.read(len(_COOKIE)))
    text = None if is_binary else _Text(path)
    operations = _Binary(path).operations() if text is None else text.read()
    count = len(operations.first) - 1
    network = draft.network or star(path, draft, count)
    ranks = Ranks(network, _PRIORITY)
    if len(ranks) < count:
        problem = f"has {count:,} ranks, and the topology {len(ranks):,} hosts"
        raise InputError(str(path), "", problem, "expected a topology with a host for each rank")
    place = _place_in(operations) if text is None else lambda at: f"line {operations.label[at]}"
    schedule = Schedule(path, operations, ranks, place, "" if text is None else "line")
    _leave_rest(path, draft, schedule)
    total = len(operations.kind)
    lines = (1, 1) if text is None else (int(operations.label[0]), int(operations.label[-1]))
    draft.flows.append(Flows(path, "job", COLUMNS, schedule.rows, total, lines, {_PRIORITY}))
    told = ", ".join(
        counted(int(np.count_nonzero(operations.kind == kind)), word)
        for word, kind in (("computation", COMPUTE), ("send", SEND), ("receive", RECEIVE))
    )
    draft.found.append(Found(str(path), NAME, f"{counted(count, 'rank')}, {told}"))
    draft.settle_unless_told(hpcc_settings.settle)


def _place_in(operations: Operations) -> Callable[[int], str]:
    def place(at: int) -> str:
        rank = int(np.searchsorted(operations.first, at, side="right")) - 1
        return f"rank {rank}, operation {at - int(operations.first[rank])}"

    return place


def _leave_rest(path: Path, draft: Draft, schedule: Schedule) -> None:
    """Notes what a job has in another way."""
    columns = schedule.operations
    empty = int(np.count_nonzero((columns.kind == SEND) & (columns.amount == 0)))
    if empty:
        draft.leave(path.name, f"0 bytes ({counted(empty, 'send')})", "a flow has at least 1 byte")
    if schedule.any_source:
        told = f"any source or tag ({counted(schedule.any_source, 'receive')})"
        draft.leave(path.name, told, "each takes the first send in the file that no other receive takes")
    if schedule.unreceived:
        draft.leave(path.name, f"no receive ({counted(schedule.unreceived, 'send')})", "sent all the same")
    by_start = columns.awaited[columns.by_start]
    computed = int(np.count_nonzero(columns.kind[by_start] == COMPUTE))
    if computed:
        told = f"irequires ({counted(computed, 'computation')})"
        draft.leave(path.name, told, "they wait until it is ready, not until its stream is free")


class _Numbers(dict[str, int]):
    """Small numbers that have been read, by their text."""

    def __missing__(self, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            raise KeyError(text)
        if len(self) > _MOST_KNOWN:
            self.clear()
        number = self[text] = int(text)
        return number


class _Text:
    """A schedule as text, read a line at a time."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kind, self.peer, self.amount = array("B"), array("I"), array("Q")
        self.tag, self.stream, self.label = array("I"), array("I"), array("I")
        self.waiting, self.awaited, self.by_start = array("I"), array("I"), array("B")
        self.ranks = 0
        self.rank = -1
        self.labels: dict[str, int] = {}
        self.known = _Numbers()
        self.names: list[str] = []
        """Words of the rank's dependencies, three for each, whose labels may stand further down."""
        self.places: list[int] = []
        """Lines of the dependencies."""
        self.begins: dict[int, tuple[int, int]] = {}
        """First and last position of each rank's operations."""

    def read(self) -> Operations:
        """Reads the whole file. Raises InputError."""
        number, is_comment = 1, False
        names, places = self.names, self.places
        for number, line in numbered(self.path):
            if "/" in line or is_comment:
                line, is_comment = _without_comments(line, is_comment=is_comment)
            fields = line.split()
            if len(fields) == 3 and fields[1] in ("requires", "irequires"):
                names += fields
                places.append(number)
            elif fields and not self._usual(number, fields):
                self._operation(number, fields)
        if self.rank >= 0:
            raise refusal(self.path, number, f"rank {self.rank} does not end", "expected a }")
        return self._operations(number)

    def _usual(self, number: int, fields: list[str]) -> bool:
        """Takes an operation in the form that generators write, which is most lines. Returns whether it is one."""
        try:
            label, word, amount, *rest = fields
            kind = _KINDS[word]
            if kind == COMPUTE:
                peer, tag, cpu = "0", "0", rest[1] if rest else "0"
                is_usual = not rest or (rest[0] == "cpu" and len(rest) == 2)
            else:
                preposition, peer, key, tag = rest
                is_usual = preposition == _PREPOSITIONS[kind] and key == "tag" and amount[-1] == "b"
                cpu, amount = "0", amount[:-1]
            if not is_usual or label[-1] != ":" or label[:-1] in self.labels or self.rank < 0:
                return False
            known = self.known
            columns = known[amount], known[peer], known[tag], known[cpu]
        except (LookupError, ValueError):
            return False
        self.labels[label[:-1]] = len(self.kind)
        self.kind.append(kind)
        self.label.append(number)
        self.amount.append(columns[0])
        self.peer.append(columns[1])
        self.tag.append(columns[2])
        self.stream.append(columns[3])
        return True

    def _operation(self, number: int, fields: list[str]) -> None:
        label, *rest = fields
        if label[-1] != ":":
            rest = fields
            if label in ("rank", "num_ranks", "}"):
                self._rank(number, fields)
                return
            if ":" in label:  # without a space behind it
                label, _, first = label.partition(":")
                rest = [first, *fields[1:]]
            elif rest and len(fields) > 1 and fields[1][0] == ":":
                rest = [fields[1][1:], *fields[2:]] if len(fields[1]) > 1 else fields[2:]
            else:
                label = ""
        else:
            label = label[:-1]
        if self.rank < 0:
            raise refusal(self.path, number, f"{quoted(fields[0])} is of no rank", "expected rank N {")
        position = len(self.kind)
        if label:
            if label in self.labels or not _LABEL.fullmatch(label):
                problem = f"{quoted(label)} is no label, or there twice in rank {self.rank}"
                raise refusal(self.path, number, problem, "expected another")
            self.labels[label] = position
        kind = _KINDS.get(rest[0], 0) if rest else 0
        if kind == COMPUTE:
            self._computation(number, rest)
        elif kind:
            self._message(number, kind, rest)
        else:
            self._refuse(number)
        self.kind.append(kind)
        self.label.append(number)

    def _refuse(self, number: int) -> NoReturn:
        raise refusal(self.path, number, "is no operation of a schedule", _HAS)

    def _computation(self, number: int, fields: list[str]) -> None:
        if len(fields) not in (2, 4) or (len(fields) == 4 and fields[2] != "cpu"):
            self._refuse(number)
        self.amount.append(whole(self.path, number, "calc", fields[1], 0, MOST_NS))
        self.stream.append(whole(self.path, number, "cpu", fields[3], 0, 255) if len(fields) == 4 else 0)
        self.peer.append(0)
        self.tag.append(0)

    def _message(self, number: int, kind: int, fields: list[str]) -> None:
        if len(fields) > 2 and fields[2] == "b":  # with a space before it
            fields[1:3] = [f"{fields[1]}b"]
        if len(fields) < 4 or len(fields) % 2 or fields[2] != ("to" if kind == SEND else "from"):
            self._refuse(number)
        word, size, _, peer, *others = fields
        if size[-1:] != "b":
            raise refusal(self.path, number, f"{word} {quoted(size)}", f"expected bytes, as in {word} 1000b")
        tag = "0"
        for key, value in zip(others[::2], others[1::2], strict=True):
            if key == "tag":
                tag = value
            elif key in ("cpu", "nic"):
                whole(self.path, number, key, value, 0, 255)
            else:
                self._refuse(number)
        is_receive = kind == RECEIVE
        self.amount.append(whole(self.path, number, word, size[:-1], 0, MOST_BYTES))
        any_peer = is_receive and peer == "-1"
        self.peer.append(ANY if any_peer else whole(self.path, number, "the rank", peer, 0, _MOST_RANKS))
        self.tag.append(ANY if is_receive and tag == "-1" else whole(self.path, number, "tag", tag, 0, ANY - 1))
        self.stream.append(0)

    def _rank(self, number: int, fields: list[str]) -> None:
        """Opens or closes a rank, or takes their number."""
        match fields:
            case ["num_ranks", count] if not self.ranks:
                self.ranks = whole(self.path, number, "num_ranks", count, 1, _MOST_RANKS)
            case ["}"] if self.rank >= 0:
                self._resolve()
                self.begins[self.rank] = (self.begins[self.rank][0], len(self.kind))
                self.labels, self.rank = {}, -1
                self.names.clear()
                self.places.clear()
            case ["rank", rank, "{"] if self.rank < 0:
                self._open(number, rank)
            case ["rank", rank] if self.rank < 0 and rank[-1] == "{":
                self._open(number, rank[:-1])
            case _:
                problem = f"{' '.join(fields[:3])} is out of place"
                raise refusal(self.path, number, problem, "expected num_ranks once, and rank N { and } in turn")

    def _open(self, number: int, rank: str) -> None:
        self.rank = whole(self.path, number, "rank", rank, 0, max(self.ranks - 1, 0))
        if self.places:
            raise refusal(self.path, self.places[0], "a dependency is of no rank", "expected rank N { before it")
        if self.rank in self.begins or not self.ranks:
            raise refusal(self.path, number, f"rank {self.rank} is there twice", "expected each rank once")
        self.begins[self.rank] = (len(self.kind), len(self.kind))

    def _resolve(self) -> None:
        """Finds the operations of a rank's dependencies."""
        labels, names = self.labels, self.names
        if not labels.keys() >= {*names[::3], *names[2::3]}:
            unknown = next(at for at, name in enumerate(names) if at % 3 != 1 and name not in labels)
            problem = f"there is no operation {quoted(names[unknown])} in rank {self.rank}"
            raise refusal(self.path, self.places[unknown // 3], problem, "expected the label of one")
        self.waiting.extend(map(labels.__getitem__, names[::3]))
        self.awaited.extend(map(labels.__getitem__, names[2::3]))
        self.by_start.extend([word == "irequires" for word in names[1::3]])

    def _operations(self, number: int) -> Operations:
        if not len(self.kind):
            raise refusal(self.path, number, "there is no operation", "expected some")
        columns = [np.asarray(each) for each in (self.kind, self.peer, self.amount, self.tag, self.stream, self.label)]
        waiting, awaited = np.asarray(self.waiting), np.asarray(self.awaited)
        by_start = np.asarray(self.by_start).astype(np.bool_)
        ranges = [self.begins.get(rank, (0, 0)) for rank in range(self.ranks)]
        first = np.concatenate(([0], np.cumsum([end - begin for begin, end in ranges])))
        if [*self.begins] != sorted(self.begins):  # ranks in another order in the file
            order = np.concatenate([np.arange(begin, end) for begin, end in ranges])
            moved = np.empty_like(order)
            moved[order] = np.arange(len(order))
            columns = [column[order] for column in columns]
            waiting, awaited = moved[waiting], moved[awaited]
        kind, peer, amount, tag, stream, label = columns
        _check_peers(self.path, kind, peer, self.ranks, lambda at: f"line {label[at]}")
        return Operations(first, kind, peer, amount, tag, stream, label, waiting, awaited, by_start)


def _without_comments(line: str, *, is_comment: bool) -> tuple[str, bool]:
    """Returns a line without comments, and whether the next one begins in one."""
    kept = ""
    while line:
        if is_comment:
            _, end, line = line.partition("*/")
            is_comment = not end
            continue
        opens, closes = line.find("/*"), line.find("//")
        if opens < 0 or 0 <= closes < opens:
            return kept + (line if closes < 0 else line[:closes]), False
        kept, line, is_comment = f"{kept}{line[:opens]} ", line[opens + 2 :], True
    return kept, is_comment


def _check_peers(
    path: Path, kind: npt.NDArray[np.uint8], peer: npt.NDArray[np.uint32], ranks: int, place: Callable[[int], str]
) -> None:
    wrong = np.flatnonzero((kind != COMPUTE) & (peer >= ranks) & ~((kind == RECEIVE) & (peer == ANY)))
    if len(wrong):
        at = int(wrong[0])
        problem = f"there is no rank {peer[at]}"
        raise InputError(str(path), place(at), problem, f"expected 0 to {ranks - 1}, as num_ranks has it")


class _Binary:
    """A schedule as `txt2bin` writes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = np.memmap(path, dtype=np.uint8, mode="r")
        if len(self.data) < _HEADER:
            self._refuse("", "ends within its header")
        self.ranks = int(self._numbers(8, 1, "<u4", "")[0])
        if not 0 < self.ranks <= _MOST_RANKS:
            self._refuse("", f"counts {self.ranks:,} ranks")

    def _refuse(self, place: str, problem: str) -> NoReturn:
        raise InputError(str(self.path), place, problem, "expected a schedule of txt2bin")

    def _numbers(self, at: int, count: int, kind: str | np.dtype[Any], place: str) -> npt.NDArray[Any]:
        size = np.dtype(kind).itemsize * count
        if not 0 <= at <= at + size <= len(self.data):
            self._refuse(place, "points beyond the end of the file")
        return np.frombuffer(self.data[at : at + size], dtype=kind)

    def operations(self) -> Operations:
        """Reads all ranks. Raises InputError."""
        table = self._numbers(_HEADER, 2 * self.ranks, "<u8", "").reshape(-1, 2)
        if (table > len(self.data)).any():
            self._refuse("", "points beyond the end of the file")
        parts: list[tuple[npt.NDArray[Any], ...]] = []
        first = [0]
        for rank, (begin, _) in enumerate(table.tolist()):
            parts.append(self._rank(rank, begin + 8, first[-1]))
            first.append(first[-1] + len(parts[-1][0]))
        nodes, waiting, awaited, by_start = (np.concatenate([part[at] for part in parts]) for at in range(4))
        if not len(nodes):
            self._refuse("", "has no operation")
        label = np.concatenate([np.arange(len(part[0]), dtype=np.uint32) for part in parts])
        kind, peer, amount = nodes["kind"], nodes["peer"], nodes["amount"]
        operations = Operations(
            np.array(first),
            kind,
            peer,
            amount,
            nodes["tag"],
            nodes["cpu"].astype(np.uint32),
            label,
            waiting,
            awaited,
            by_start,
        )
        place = _place_in(operations)
        for wrong, problem in (
            ((kind < SEND) | (kind > COMPUTE), "is neither send, recv nor calc"),
            (amount > np.where(kind == COMPUTE, MOST_NS, MOST_BYTES), "is larger than any flow or computation"),
        ):
            if wrong.any():
                self._refuse(place(int(np.flatnonzero(wrong)[0])), problem)
        _check_peers(self.path, kind, peer, self.ranks, place)
        return operations

    def _rank(self, rank: int, begin: int, before: int) -> tuple[npt.NDArray[Any], ...]:
        place = f"rank {rank}"
        count, roots = self._numbers(begin, 2, "<u4", place).tolist()
        at = begin + 8 + 4 * roots
        nodes = self._numbers(at, count, _NODE, place)
        at += count * _NODE.itemsize
        ends, starts = nodes["ends"].astype(np.int64), nodes["starts"].astype(np.int64)
        appendix = self._numbers(at, int(ends.sum() + starts.sum()), "<u4", place)
        lists = []
        for lengths, firsts in ((ends, nodes["first_end"]), (starts, nodes["first_start"])):
            total = int(lengths.sum())
            behind = np.repeat(np.cumsum(lengths) - lengths, lengths)
            places = np.repeat(firsts.astype(np.int64), lengths) + np.arange(total) - behind
            if total and places.max() >= len(appendix):
                self._refuse(place, "points beyond its dependencies")
            waiting = appendix[places]
            if total and waiting.max() >= count:
                self._refuse(place, f"names operation {waiting.max()} of {count}")
            lists.append((waiting, np.repeat(np.arange(count, dtype=np.uint32), lengths)))
        waiting = np.concatenate([one[0] for one in lists]) + np.uint32(before)
        awaited = np.concatenate([one[1] for one in lists]) + np.uint32(before)
        by_start = np.repeat([False, True], [len(one[0]) for one in lists])
        return nodes, waiting, awaited, by_start
