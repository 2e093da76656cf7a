"""Lossless queues that are left out where others are marked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.ramps import ramps
from xoff.switches.lint.tables import several

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def lossless_without_ecn(tables: Tables) -> Iterator[Fault]:
    """A lossless class that nothing marks, on a switch that marks other queues: PFC alone slows its senders down."""
    marked = {queue for queue, (_, wred) in tables.wred.items() if any(ramp.marks for ramp in ramps(wred))}
    if not marked:
        return
    qos = tables.qos
    lossless = {port: {qos.queue_of(port, one) for one in qos.pfc_priorities(port)} for port in qos.pfc_ports}
    for queue in sorted(set().union(*lossless.values())):
        ports = [port for port, its in lossless.items() if queue in its and tables.wred_name(port, queue) is None]
        if not ports:
            continue
        beside = any((ports[0], other) in marked for other in lossless[ports[0]])
        other, key = min(marked), tables.row_of_queue(ports[0], queue) or f"{ports[0]}|{queue}"
        example = f"queue {other[1]} of {other[0]}"
        yield Fault(
            Severity.NOTE if beside else Severity.WARNING,
            tables.place("QUEUE", key, "wred_profile"),
            f"queue {queue} of {several(ports)} is lossless, and nothing marks it, as {example} is: its senders hear "
            "of congestion when they are paused, and so does who shares their links",
            f"the wred_profile of {example}, {tables.wred[other][0]}, or one of its own",
        )
