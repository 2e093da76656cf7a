"""Pauses as they follow from one another: whose pause was the reason for whose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    import pyarrow as pa


class Queue(NamedTuple):
    """One class of a port."""

    port: str
    priority: int

    def __str__(self) -> str:
        return self.port if self.priority == 0 else f"{self.port} priority {self.priority}"


class Cycle(NamedTuple):
    """Paused queues each of which waits for the next, and the last for the first (cyclic buffer dependency)."""

    queues: tuple[Queue, ...]
    since_ns: int
    """When the last of them was paused."""
    until_ns: int | None
    """When the first of them resumed; None if that never came: a deadlock, if the run would have gone on."""


class Pauses:
    """The rows of `pauses.parquet` in order of start, and the pauses that each of them follows from."""

    def __init__(self, table: pa.Table, end_ns: int) -> None:
        """Takes the table, and the end of the run, at which pauses that are not over are cut off."""
        column = {name: table[name].to_numpy() for name in ("priority", "xoff_ns", "start_ns")}
        self.xoff_ns, self.start_ns = column["xoff_ns"], column["start_ns"]
        self.is_over: npt.NDArray[np.bool_] = table["end_ns"].is_valid().to_numpy()
        end_of_run = max(end_ns, self.start_ns.max(initial=0))
        self.end_ns: npt.NDArray[np.int64] = table["end_ns"].fill_null(end_of_run).to_numpy()
        priorities = column["priority"].tolist()
        self.paused = [Queue(*pair) for pair in zip(table["paused_port"].to_pylist(), priorities, strict=True)]
        self.cause = [Queue(*pair) for pair in zip(table["egress_port"].to_pylist(), priorities, strict=True)]
        self.device: list[str] = table["device"].to_pylist()
        self._of: dict[Queue, list[int]] = {}
        self._before = np.zeros(len(self.paused), np.int64)
        for row, queue in enumerate(self.paused):
            earlier = self._of.setdefault(queue, [])
            self._before[row] = self.end_ns[earlier[-1]] if earlier else 0
            earlier.append(row)

    def of(self, queue: Queue) -> list[int]:
        """The pauses of a queue, in order of start."""
        return self._of.get(queue, [])

    def queues(self) -> list[Queue]:
        """All queues that were ever paused."""
        return list(self._of)

    def within(self, row: int, start_ns: float, end_ns: float) -> float:
        """Nanoseconds of a pause that lie between two instants."""
        return max(0.0, min(float(self.end_ns[row]), end_ns) - max(float(self.start_ns[row]), start_ns))

    def reasons(self, row: int) -> dict[int, float]:
        """The earlier pauses that one follows from, each with its share; none where it began by itself.

        A switch pauses a sender because one of its queues has grown. If that queue was itself paused at some time
        since the sender last resumed, that is the reason, and of several each by the time it took.
        """
        since, decided = float(self._before[row]), float(self.xoff_ns[row])
        rows = self.of(self.cause[row])
        last = int(np.searchsorted(self.start_ns[rows], decided))
        first = last
        while first > 0 and self.end_ns[rows[first - 1]] > since:
            first -= 1
        shares = {earlier: self.within(earlier, since, decided) for earlier in rows[first:last]}
        whole = sum(shares.values())
        return {earlier: share / whole for earlier, share in shares.items() if share > 0}

    def cycles(self) -> Iterator[Cycle]:
        """Every time that paused queues have waited for one another in a circle, in order of their closing."""
        active: dict[Queue, int] = {}
        for row, start in enumerate(self.start_ns):
            active[self.paused[row]] = row
            rows = [row]
            while (ahead := active.get(self.cause[rows[-1]])) is not None and self.end_ns[ahead] > start:
                if ahead == row:
                    yield self._cycle(rows, int(start))
                    break
                if ahead in rows:
                    break  # a circle that was there before, and waits for nobody outside
                rows.append(ahead)

    def _cycle(self, rows: list[int], since: int) -> Cycle:
        over = [int(self.end_ns[row]) for row in rows if self.is_over[row]]
        lowest = min(range(len(rows)), key=lambda index: self.paused[rows[index]])
        ordered = rows[lowest:] + rows[:lowest]
        return Cycle(tuple(self.paused[row] for row in ordered), since, min(over, default=None))
