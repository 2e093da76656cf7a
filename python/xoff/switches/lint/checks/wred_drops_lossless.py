"""WRED that drops packets of a class that must not lose any."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import ramps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def wred_drops_lossless(tables: Tables) -> Iterator[Fault]:
    """WRED without ECN on the queue of a lossless class: it drops what PFC is there to keep."""
    seen = set()
    for port, priority in tables.qos.pausing:
        name, wred = tables.wred.get((port, tables.qos.queue_of(port, priority)), ("", None))
        if wred is None or name in seen:
            continue
        seen.add(name)
        dropping = [ramp for ramp in ramps(wred) if not ramp.marks and ramp.probability]
        if dropping:
            colour = dropping[0].colour
            yield Fault(
                Severity.ERROR,
                tables.place("WRED_PROFILE", name, "ecn"),
                f"priority {priority} of {port} is lossless, and {colour} packets of its queue are dropped "
                f"instead of marked, from {dropping[0].minimum:,} B on",
                f"ecn_all, or wred_{colour}_enable false",
            )
