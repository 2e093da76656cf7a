"""Queues of which nothing says whether they are this switch's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def queue_unjudged(tables: Tables) -> Iterator[Fault]:
    """Queues by line card and chip (`host|asic|port|queue`), where DEVICE_METADATA does not say which these are."""
    for table in ("BUFFER_QUEUE", "QUEUE"):
        keys = tables.unplaced(table)
        if keys:
            others = f" and {len(keys) - 1} more" if keys[1:] else ""
            yield Fault(
                Severity.NOTE,
                tables.place(table, keys[0]),
                f"no queue of a line card is judged, {keys[0]}{others}: no hostname and asic_name say which this is",
                "DEVICE_METADATA|localhost with hostname and asic_name, here or in a file named beside this one",
            )
