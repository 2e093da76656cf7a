"""Operations of a schedule of ranks, as rows of a job: computations, sends and receives that wait for one another.

A schedule has each operation once, in the order of ranks and of the operations of each. A send is a flow, and the
receive that it goes to is a join at its receiver. Ranks whose hosts have several links send an even part of each flow
over each, as in `job_rows.py`. All of it is held in arrays, 40 bytes for each operation.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from xoff.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy.typing as npt

    from xoff.formats.job_rows import Ranks

COLUMNS = "flow,source,destination,size_bytes,priority,after,delay_ns,compute_ns,stream\n"
SEND, RECEIVE, COMPUTE, JOIN = 1, 2, 3, 4
ANY = 2**32 - 1
"""Stands for any source or any tag of a receive."""


class Operations(NamedTuple):
    """Columns of all operations."""

    first: npt.NDArray[np.int64]
    """Position of each rank's first operation, and the number of all."""
    kind: npt.NDArray[np.uint8]
    peer: npt.NDArray[np.uint32]
    amount: npt.NDArray[np.uint64]
    """Bytes, or nanoseconds of computation."""
    tag: npt.NDArray[np.uint32]
    stream: npt.NDArray[np.uint32]
    label: npt.NDArray[np.uint32]
    """Number in the name of each operation."""
    waiting: npt.NDArray[np.uint32]
    """Operation that waits, for each dependency."""
    awaited: npt.NDArray[np.uint32]
    """Operation that it waits for."""
    by_start: npt.NDArray[np.bool_]
    """Whether it waits for that operation's start, and not for its end."""


class Schedule:
    """Operations whose sends and receives belong together, written as often as they are wanted.

    Raises:
        InputError: A receive has no send, or something waits for an operation of another rank.
    """

    def __init__(
        self, path: Path, operations: Operations, ranks: Ranks, place: Callable[[int], str], prefix: str = ""
    ) -> None:
        self.path, self.operations, self.ranks, self.place, self.prefix = path, operations, ranks, place, prefix
        positions = np.arange(len(operations.kind))
        rank_of = np.searchsorted(operations.first, positions, side="right") - 1
        self.rank_of = rank_of.astype(np.uint32)
        self.any_source = 0
        """Number of receives that take what comes from any source, or with any tag."""
        self.match = self._matched()
        order = np.argsort(operations.waiting, kind="stable")
        self.awaited = operations.awaited[order]
        self.by_start = operations.by_start[order]
        counted = np.bincount(operations.waiting, minlength=len(operations.kind))
        self.dependencies = np.concatenate(([0], np.cumsum(counted)))
        self.started = np.zeros(len(operations.kind), dtype=np.bool_)
        self.started[operations.awaited[operations.by_start]] = True
        """Operations for whose start another one waits."""

    def _matched(self) -> npt.NDArray[np.int64]:
        """Returns for each receive the position of its send: the first goes to the first, for each pair and tag."""
        columns = self.operations
        match = np.full(len(columns.kind), -1, dtype=np.int64)
        sends, receives = (np.flatnonzero(columns.kind == kind) for kind in (SEND, RECEIVE))
        is_open = (columns.peer[receives] == ANY) | (columns.tag[receives] == ANY)
        exact = receives[~is_open]
        keys = np.stack(
            [
                np.concatenate((self.rank_of[sends], columns.peer[exact])),
                np.concatenate((columns.peer[sends], self.rank_of[exact])),
                np.concatenate((columns.tag[sends], columns.tag[exact])),
            ]
        )
        sent, received = _turns(keys[:, : len(sends)]), _turns(keys[:, len(sends) :])
        both = np.concatenate((keys, np.concatenate((sent, received))[None]))
        order = np.lexsort(both[::-1])  # a send comes before its receive, as their keys are alike
        ordered = both[:, order]
        alike = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).all(axis=0))
        match[exact[order[alike + 1] - len(sends)]] = sends[order[alike]]
        taken = np.zeros(len(columns.kind), dtype=np.bool_)
        taken[match[match >= 0]] = True
        self._match_open(receives[is_open], sends[~taken[sends]], match)
        missing = receives[match[receives] < 0]
        if len(missing):
            raise InputError(
                str(self.path), self.place(int(missing[0])), "receives what no rank sends", "expected a send for it"
            )
        self.unreceived = len(sends) - len(receives)
        return match

    def _match_open(
        self, receives: npt.NDArray[np.int64], sends: npt.NDArray[np.int64], match: npt.NDArray[np.int64]
    ) -> None:
        """Gives receives from any source, or of any tag, the first sends that are left over."""
        columns = self.operations
        left: dict[int, list[int]] = defaultdict(list)
        for send in sends.tolist():
            left[int(columns.peer[send])].append(send)
        self.any_source = len(receives)
        for receive in receives.tolist():
            source, tag = int(columns.peer[receive]), int(columns.tag[receive])
            to_rank = left[int(self.rank_of[receive])]
            found = next(
                (
                    at
                    for at, send in enumerate(to_rank)
                    if source in (ANY, int(self.rank_of[send])) and tag in (ANY, int(columns.tag[send]))
                ),
                None,
            )
            if found is not None:
                match[receive] = to_rank.pop(found)

    def rows(self) -> Iterator[str]:
        """Yields the rows of all operations."""
        first = self.operations.first.tolist()
        for rank in range(len(first) - 1):
            yield from self._rows_of(rank, first[rank], first[rank + 1])

    def _rows_of(self, rank: int, begin: int, end: int) -> Iterator[str]:
        """Yields the rows of a rank's operations over each of its links."""
        columns, prefix, links = self.operations, self._prefix(rank), self.ranks.links
        own = slice(begin, end)
        labels = columns.label[own].tolist()
        dependencies = (self.dependencies[begin : end + 1]).tolist()
        low = dependencies[0]
        awaited = (self.awaited[low : dependencies[-1]].astype(np.int64) - begin).tolist()
        by_start = self.by_start[low : dependencies[-1]].tolist()
        has_starts = any(by_start)
        started = self.started[own].tolist()
        columns_of = [column[own].tolist() for column in (columns.kind, columns.peer, columns.amount, columns.stream)]
        priority = self.ranks.priority
        for link in range(links):
            suffix = f"_{link + 1}" if link else ""
            hosts = [host[link] for host in self.ranks.hosts]
            host = hosts[rank]
            names = [f"{prefix}{label}{suffix}" for label in labels]
            sent = self._names(self.match[own], suffix)
            rows = zip(names, *columns_of, sent, started, strict=True)
            for at, (name, kind, peer, amount, stream, received, is_started) in enumerate(rows):
                span = range(dependencies[at] - low, dependencies[at + 1] - low)
                if has_starts:
                    after = " ".join(
                        [f"{names[awaited[each]]}.start" if by_start[each] else names[awaited[each]] for each in span]
                    )
                else:
                    after = " ".join([names[awaited[each]] for each in span])
                if is_started:
                    yield f"{name}.start,{host},{host},0,,{after},0,,\n"
                    after = f"{name}.start"
                if kind == SEND:
                    size = -(-(amount or 1) // links)
                    where = f"{host},{size},," if peer == rank else f"{hosts[peer]},{size},{priority},"
                    yield f"{name},{host},{where}{after},0,,\n"
                elif kind == RECEIVE:
                    yield f"{name},{host},{host},0,,{received}{' ' if after else ''}{after},0,,\n"
                elif kind == COMPUTE:
                    yield f"{name},{host},,,,{after},0,{amount},{stream}\n"
                else:
                    yield f"{name},{host},{host},0,,{after},0,,\n"

    def _prefix(self, rank: int) -> str:
        return self.prefix or f"{rank}."

    def _names(self, positions: npt.NDArray[np.int64], suffix: str) -> Sequence[str]:
        """Returns the names of operations over a link; of none for -1."""
        labels = self.operations.label[positions].tolist()
        if self.prefix:
            return [f"{self.prefix}{label}{suffix}" for label in labels]
        ranks = self.rank_of[positions].tolist()
        return [f"{rank}.{label}{suffix}" for rank, label in zip(ranks, labels, strict=True)]


def _turns(keys: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Returns for each column of `keys` how many columns before it are alike."""
    count = keys.shape[1]
    turns = np.zeros(count, dtype=np.uint32)
    if not count:
        return turns
    order = np.lexsort(keys[::-1])
    ordered = keys[:, order]
    is_first = np.concatenate(([True], (ordered[:, 1:] != ordered[:, :-1]).any(axis=0)))
    begins = np.flatnonzero(is_first)
    turns[order] = (np.arange(count) - begins[np.cumsum(is_first) - 1]).astype(np.uint32)
    return turns
