"""Headers of trimmed packets behind pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.trimming import lossless_queues, place_of_queue, ports_by_queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def headers_paused(tables: Tables) -> Iterator[Fault]:
    """Headers of trimmed packets that go into a lossless queue: pauses hold them up, and nothing keeps them."""
    for index, ports in ports_by_queue(tables).items():
        found = {port: its[index] for port in ports if index in (its := lossless_queues(tables, port))}
        if found:
            first = next(iter(found))
            yield Fault(
                Severity.WARNING,
                place_of_queue(tables),
                f"queue {index} of {several(found)} is of lossless priority {found[first]}: a pause holds headers up, "
                "and their sender hears of the loss after that; nobody pauses for them",
                "queue_index of a lossy queue that goes before data",
            )
