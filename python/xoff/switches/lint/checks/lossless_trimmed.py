"""Trimming of packets that PFC is to keep whole."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.trimming import lossless_queues, trimmed_queues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def lossless_trimmed(tables: Tables) -> Iterator[Fault]:
    """packet_discard_action trim in the profile of a lossless queue: what PFC keeps loses its payload there."""
    found: dict[str, list[str]] = defaultdict(list)
    for queue in trimmed_queues(tables):
        priority = lossless_queues(tables, queue.port).get(queue.index)
        if priority is not None:
            found[queue.profile_name].append(f"queue {queue.index} of {queue.port}, of lossless priority {priority}")
    for name, queues in found.items():
        yield Fault(
            Severity.WARNING,
            tables.place("BUFFER_PROFILE", name, "packet_discard_action"),
            f"{several(queues)}: packets that PFC has kept so far lose their payload where the queue is full",
            "drop, with static_th of all its pool, so that it never does; trim in a profile of lossy queues",
        )
