"""Pauses and the pauses that caused them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

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
    """Time at which the last of the queues was paused."""
    until_ns: int | None
    """Time at which the first queue resumed; None if none did, which is a deadlock unless the run was too short."""


class Pauses:
    """The rows of `pauses.parquet` in order of start, and for each pause the pauses that caused it."""

    def __init__(self, table: pa.Table, end_ns: int) -> None:
        """Takes the table, and the end of the run, which cuts off pauses that are not over."""
        column = {name: table[name].to_numpy() for name in ("xoff_ns", "start_ns")}
        self.xoff_ns, self.start_ns = column["xoff_ns"], column["start_ns"]
        self.is_over: npt.NDArray[np.bool_] = table["end_ns"].is_valid().to_numpy()
        end_of_run = max(end_ns, self.start_ns.max(initial=0))
        self.end_ns: npt.NDArray[np.int64] = table["end_ns"].fill_null(end_of_run).to_numpy()
        self.paused = _queues(table, "paused_port", "priority")
        self.device: list[str] = table["device"].to_pylist()
        self.cause = list(map(_cause, table.select(_CAUSES).to_pylist()))
        self._of: dict[Queue, list[int]] = {}
        self._before = np.zeros(len(self.paused), np.int64)
        for row, queue in enumerate(self.paused):
            earlier = self._of.setdefault(queue, [])
            self._before[row] = self.end_ns[earlier[-1]] if earlier else 0
            earlier.append(row)

    def of(self, queue: Queue) -> list[int]:
        """Returns the rows of a queue's pauses, in order of start."""
        return self._of.get(queue, [])

    def under_way(self, queue: Queue, at_ns: float) -> list[int]:
        """Returns the rows of a queue's pauses that were under way at an instant."""
        begun = [row for row in self.of(queue) if self.start_ns[row] <= at_ns]
        return [row for row in begun if at_ns < self.end_ns[row] or not self.is_over[row]]

    def queues(self) -> list[Queue]:
        """Returns all queues that were ever paused."""
        return list(self._of)

    def within(self, row: int, start_ns: float, end_ns: float) -> float:
        """Returns nanoseconds of a pause that lie between two instants."""
        return max(0.0, min(float(self.end_ns[row]), end_ns) - max(float(self.start_ns[row]), start_ns))

    def reasons(self, row: int) -> dict[int, float]:
        """Returns the pauses that caused a pause, each with its share of it; the rest of 1 began with the queue itself.

        A switch pauses a sender from when one of its queues has grown until it has shrunk. While that queue was paused
        itself, its own pauses are the cause. They are the cause of the remaining time, too, if the queue had grown
        because of pauses between the sender's last resume and the decision to pause; each counts by its length.
        """
        start, end = float(self.start_ns[row]), float(self.end_ns[row])
        meanwhile = self._overlaps(self.cause[row], start, end)
        before = self._overlaps(self.cause[row], float(self._before[row]), float(self.xoff_ns[row]))
        whole, grown = end - start, sum(before.values())
        rest = max(0.0, whole - sum(meanwhile.values()))
        if whole <= 0:
            return {}
        shares = {other: time / whole for other, time in meanwhile.items()}
        for other, time in before.items():
            shares[other] = shares.get(other, 0.0) + rest / whole * time / grown
        return shares

    def _overlaps(self, queue: Queue, start_ns: float, end_ns: float) -> dict[int, float]:
        """Returns the pauses of a queue that overlap an interval, each with the overlap in nanoseconds."""
        rows = self.of(queue)
        last = bisect_left(rows, end_ns, key=lambda row: float(self.start_ns[row]))
        first = bisect_right(rows, start_ns, hi=last, key=lambda row: float(self.end_ns[row]))
        return {row: time for row in rows[first:last] if (time := self.within(row, start_ns, end_ns)) > 0}

    def cycles(self) -> Iterator[Cycle]:
        """Yields every circle in which paused queues waited for one another, in the order in which they closed."""
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


_CAUSES = ("egress_port", "cause_priority", "reason", "device", "stuck_behind_port", "stuck_behind_priority")


def _cause(row: dict[str, Any]) -> Queue:
    """Returns the queue that caused a pause; for a pause that never ends, the stuck queue that it waits for."""
    if row["stuck_behind_port"] is not None:
        return Queue(row["stuck_behind_port"], row["stuck_behind_priority"])
    port = row["egress_port"] if row["reason"] != "receiver" else f"{row['device']} (slow receiver)"
    return Queue(port, row["cause_priority"])


def _queues(table: pa.Table, port: str, priority: str) -> list[Queue]:
    return [Queue(*pair) for pair in zip(table[port].to_pylist(), table[priority].to_pylist(), strict=True)]
