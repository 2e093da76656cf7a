"""A headroom pool smaller than all headroom that may be used of it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def headroom_oversubscribed(tables: Tables) -> Iterator[Fault]:
    """A headroom pool below the headroom of all its priority groups: what is lost if all are paused at once.

    Within `over_subscribe_ratio`, if the tables have one, it is meant so: a note.
    """
    parameters = tables.config.default_lossless_buffer_parameter.values()
    allowed = max((row.over_subscribe_ratio or 1 for row in parameters), default=1)
    headroom: dict[str, list[int]] = defaultdict(list)
    for group in tables.priority_groups:
        if group.profile and group.profile.xoff and group.pool and group.pool.xoff:
            headroom[group.profile.pool].append(group.profile.xoff)
    for name, parts in headroom.items():
        total, pool = sum(parts), tables.config.buffer_pool[name].xoff or 0
        if total > pool:
            survivors = sum(1 for _ in _fitting(parts, pool))
            yield Fault(
                Severity.NOTE if total <= allowed * pool else Severity.WARNING,
                tables.place("BUFFER_POOL", name, "xoff"),
                f"{len(parts)} lossless priority groups may put {bytes_text(total)} into it, {total / pool:.2f} times "
                f"its size; {survivors + 1} paused at once may overfill it, and all lose {bytes_text(total - pool)}",
                f"xoff of {total} holds all; less is safe while no more than {survivors} are paused at once",
            )


def _fitting(parts: list[int], pool: int) -> Iterator[int]:
    """The largest parts that fit together."""
    for part in sorted(parts, reverse=True):
        pool -= part
        if pool < 0:
            return
        yield part
