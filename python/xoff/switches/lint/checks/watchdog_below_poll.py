"""A watchdog that is asked more often than it looks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def watchdog_below_poll(tables: Tables) -> Iterator[Fault]:
    """Times of the PFC watchdog below the interval at which it looks."""
    rows = tables.config.pfc_wd
    poll = rows["GLOBAL"].poll_interval if "GLOBAL" in rows else None
    if poll is None:
        return
    ports: dict[tuple[str, int], list[str]] = defaultdict(list)
    for port, row in rows.items():
        for name in ("detection_time", "restoration_time"):
            time = getattr(row, name)
            if time is not None and time < poll:
                ports[name, time].append(port)
    for (name, time), its in ports.items():
        place = tables.place("PFC_WD", its[0], name)
        problem = f"{several(its)}: {time} ms are over before the watchdog looks again, every {poll} ms"
        yield Fault(Severity.WARNING, place, problem, f"at least {poll}, or a shorter POLL_INTERVAL")
