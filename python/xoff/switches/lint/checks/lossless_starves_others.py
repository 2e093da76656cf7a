"""Lossless queues that let no other send."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.sonic.fields import indices_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def lossless_starves_others(tables: Tables) -> Iterator[Fault]:
    """A queue of a lossless class on a STRICT scheduler, while others of its port take turns (DWRR, WRR).

    Not where its scheduler has a peak rate (pir), which leaves them the rest.
    """
    turns = _queues_in_turns(tables)
    found: dict[tuple[int, str, int], list[str]] = defaultdict(list)
    for port, priority in tables.qos.pausing:
        queue = tables.qos.queue_of(port, priority)
        key = tables.row_of_queue(port, queue)
        name = tables.config.queue[key].scheduler if key else None
        row = tables.config.scheduler.get(name or "")
        if name and row and row.type == "STRICT" and not row.pir and turns[port]:
            found[queue, name, turns[port][0]].append(port)
    for (queue, name, other), ports in found.items():
        yield Fault(
            Severity.NOTE,
            tables.place("QUEUE", tables.row_of_queue(ports[0], queue) or "", "scheduler"),
            f"queue {queue} of {several(ports)} is lossless and goes before all that take turns, such as queue {other} "
            f"({name} is STRICT): they send nothing while it is busy",
            f"DWRR with a weight, or a peak rate (pir) in {name}",
        )


def _queues_in_turns(tables: Tables) -> dict[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for key, row in tables.config.queue.items():
        scheduler = tables.config.scheduler.get(row.scheduler or "")
        if scheduler and scheduler.type != "STRICT":
            for port, index in product(tables.ports_of(key), indices_of(key)):
                found[port].append(index)
    return found
