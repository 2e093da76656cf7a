"""Packets that nobody has marked in a class that pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.lossless import leading
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def default_lossless(tables: Tables) -> Iterator[Fault]:
    """DSCP 0, which packets have that nobody has marked, with a traffic class that is lossless."""
    for place, priority, ports in leading(tables, 0):
        yield Fault(
            Severity.NOTE,
            place,
            f"DSCP 0, that of packets which nobody has marked, has lossless priority {priority} at {several(ports)}: "
            "these share its queue, pause its senders and are paused with them",
            "a traffic class without PFC for DSCP 0, if that is not meant",
        )
