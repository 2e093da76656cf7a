"""Thresholds of a queue above what it may ever hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.limits import limit_of
from xoff.switches.lint.ramps import ramps
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.limits import Limit
    from xoff.switches.lint.ramps import Ramp
    from xoff.switches.lint.tables import Tables


def threshold_cannot_fire(tables: Tables) -> Iterator[Fault]:
    """K_min, or K_max, above what the buffer ever allows the queue: alpha/(1 + alpha) of its pool, or static_th.

    A note where both are the same and no pool is as large: that switches a ramp off.
    """
    seen = set()
    for queue in tables.queues:
        name, wred = tables.wred.get((queue.port, queue.index), ("", None))
        limit = limit_of(tables, queue)
        if wred is None or limit is None or (name, queue.profile_name) in seen:
            continue
        seen.add((name, queue.profile_name))
        for ramp in ramps(wred):
            pool = tables.part(queue.pool.size if queue.pool else None) or limit.size
            yield from _faults(tables, name, ramp, limit, pool, f"queue {queue.index} of {queue.port}")


def _faults(tables: Tables, name: str, ramp: Ramp, limit: Limit, pool: int, queue: str) -> Iterator[Fault]:
    holds = f"{queue} holds {bytes_text(limit.size)} at most, alone in its pool: {limit.formula}"
    if ramp.minimum >= limit.size:
        is_off = ramp.minimum == ramp.maximum and ramp.minimum >= pool
        yield Fault(
            Severity.NOTE if is_off else Severity.ERROR,
            tables.place("WRED_PROFILE", name, f"{ramp.colour}_min_threshold"),
            f"never reached: {holds}",
            f"{ramp.colour}_min_threshold below {limit.size}, or {limit.more}",
        )
    elif ramp.maximum > limit.size:
        reached = ramp.probability * (limit.size - ramp.minimum) / (ramp.maximum - ramp.minimum)
        yield Fault(
            Severity.WARNING,
            tables.place("WRED_PROFILE", name, f"{ramp.colour}_max_threshold"),
            f"never reached: {holds}; the probability comes to {reached:.2g} % of the {ramp.probability} % set",
            f"{ramp.colour}_max_threshold of at most {limit.size}, or {limit.more}",
        )
