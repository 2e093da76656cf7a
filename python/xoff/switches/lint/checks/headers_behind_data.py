"""Headers of trimmed packets that wait for the data which had no room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.trimming import place_of_queue, ports_by_queue, trimmed_queues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables
    from xoff.switches.sonic.config_db import Scheduler


def headers_behind_data(tables: Tables) -> Iterator[Fault]:
    """A queue of headers without a scheduler where data has one, or behind data that goes first (STRICT)."""
    data: dict[str, list[int]] = {}
    for queue in trimmed_queues(tables):
        data.setdefault(queue.port, []).append(queue.index)
    for index, ports in ports_by_queue(tables).items():
        unset, behind = [], []
        for port in ports:
            own = _scheduler(tables, port, index)
            others = {other: _scheduler(tables, port, other) for other in data[port] if other != index}
            if own is None and any(others.values()):
                unset.append(port)
            elif own and any(row and _goes_first(row, other, own, index) for other, row in others.items()):
                behind.append(port)
        if unset:
            yield Fault(
                Severity.WARNING,
                place_of_queue(tables),
                f"no row of QUEUE names a scheduler for queue {index} of {several(unset)}, and queues that trim have "
                "one: when headers are sent, the chip decides by itself",
                f"QUEUE|{unset[0]}|{index} with a scheduler of type STRICT",
            )
        if behind:
            yield Fault(
                Severity.WARNING,
                place_of_queue(tables),
                f"data goes before headers, in queue {index}, at {several(behind)}: by STRICT, of which a higher queue "
                "goes first; they wait until its queue is empty, and so does the sender for what it has lost",
                "a scheduler of type STRICT, and a queue above those of data",
            )


def _scheduler(tables: Tables, port: str, index: int) -> Scheduler | None:
    key = tables.row_of_queue(port, index)
    name = tables.config.queue[key].scheduler if key else None
    return tables.config.scheduler.get(name or "")


def _goes_first(row: Scheduler, index: int, other: Scheduler, of_other: int) -> bool:
    return row.type == "STRICT" and (other.type != "STRICT" or index > of_other)
