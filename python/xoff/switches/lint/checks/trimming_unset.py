"""Trimming of which nothing says where headers go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.trimming import says_queue, settings, trimmed_queues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def trimming_unset(tables: Tables) -> Iterator[Fault]:
    """Queues whose packets are trimmed, and no SWITCH_TRIMMING|GLOBAL that says into which queue their headers go."""
    queues = trimmed_queues(tables)
    if queues and not says_queue(tables):
        told = several(f"queue {queue.index} of {queue.port}" for queue in queues)
        profile = tables.place("BUFFER_PROFILE", queues[0].profile_name, "packet_discard_action")
        yield Fault(
            Severity.WARNING,
            tables.place("SWITCH_TRIMMING", "GLOBAL") if settings(tables) else profile,
            f"packets of {told} are trimmed, and nothing says where their headers go: as the chip has it by itself, by "
            "SAI with DSCP 0 into queue 0, to wait behind data",
            "SWITCH_TRIMMING|GLOBAL with queue_index and dscp_value of a lossy queue that goes before data, and size",
        )
