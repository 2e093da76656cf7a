"""Headers of trimmed packets that are to find room in full memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.trimming import place_of_queue, ports_by_queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def headers_without_room(tables: Tables) -> Iterator[Fault]:
    """A queue of headers of which no row of BUFFER_QUEUE says anything, or whose profile reserves nothing (a note)."""
    queues = {(queue.port, queue.index): queue for queue in tables.queues}
    for index, ports in ports_by_queue(tables).items():
        unset = [port for port in ports if (port, index) not in queues]
        if unset:
            yield Fault(
                Severity.WARNING,
                place_of_queue(tables),
                f"no row of BUFFER_QUEUE is about queue {index} of {several(unset)}: what the chip lets it hold by "
                "itself may be nothing when data has filled the memory, and then headers are dropped, too",
                f"BUFFER_QUEUE|{unset[0]}|{index} with a profile whose size reserves some for headers",
            )
        found = (queues[port, index] for port in ports if (port, index) in queues)
        bare = {queue.profile_name: queue for queue in found if queue.profile is not None and not queue.reserve}
        for name, queue in bare.items():
            yield Fault(
                Severity.NOTE,
                tables.place("BUFFER_PROFILE", name, "size"),
                f"nothing is reserved for headers, which go into queue {index} of {queue.port}: they have what data "
                "leaves of the pool",
                "size of some headers for each port that sends into the queue at once",
            )
