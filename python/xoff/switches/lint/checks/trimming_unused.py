"""Trimming that no queue asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.trimming import settings, trimmed_queues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def trimming_unused(tables: Tables) -> Iterator[Fault]:
    """SWITCH_TRIMMING|GLOBAL, and no queue with a profile whose packet_discard_action is trim: nothing is trimmed."""
    if settings(tables) and tables.queues and not trimmed_queues(tables):
        yield Fault(
            Severity.WARNING,
            tables.place("SWITCH_TRIMMING", "GLOBAL"),
            "no profile of a queue has packet_discard_action trim: nothing is trimmed, and packets without room are "
            "dropped whole",
            "packet_discard_action trim in the profiles of lossy queues with data",
        )
