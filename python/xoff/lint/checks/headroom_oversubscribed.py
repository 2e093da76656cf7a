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

    Within `over_subscribe_ratio`, if the tables have one, it is meant so: a note. An error where not one of them fits,
    in what one MMU of the chip has of the pool.
    """
    parameters = tables.config.default_lossless_buffer_parameter.values()
    allowed = max((row.over_subscribe_ratio or 1 for row in parameters), default=1)
    headroom: dict[str, list[int]] = defaultdict(list)
    for group in tables.priority_groups:
        if group.profile and group.profile.xoff and group.pool and group.pool.xoff:
            headroom[group.profile.pool].append(group.profile.xoff)
    for name, parts in headroom.items():
        total, pool = sum(parts), tables.config.buffer_pool[name].xoff or 0
        place, of_mmu = tables.place("BUFFER_POOL", name, "xoff"), tables.part(pool) or 0
        of_one = f" in one of {tables.mmus} MMUs" if tables.mmus > 1 else ""
        largest, at_least = max(parts), max(parts) * tables.mmus
        if largest > of_mmu:
            yield Fault(
                Severity.ERROR,
                place,
                f"{len(parts)} lossless priority groups may put {bytes_text(total)} into it, and one of them alone "
                f"{bytes_text(largest)}, {bytes_text(largest - of_mmu)} more than it holds{of_one}: these are lost "
                "whenever that one is paused",
                f"xoff of at least {at_least}{f'; {total} holds all' if total > at_least else ''}",
            )
        elif total > pool:
            survivors = sum(1 for _ in _fitting(parts, of_mmu))
            yield Fault(
                Severity.NOTE if total <= allowed * pool else Severity.WARNING,
                place,
                f"{len(parts)} lossless priority groups may put {bytes_text(total)} into it, {total / pool:.2f} times "
                f"its size; {survivors + 1} paused at once{of_one} may overfill it, and all lose "
                f"{bytes_text(total - pool)}",
                f"xoff of {total} holds all; less is safe while no more than {survivors} are paused at once",
            )


def _fitting(parts: list[int], pool: int) -> Iterator[int]:
    """The largest parts that fit together."""
    for part in sorted(parts, reverse=True):
        pool -= part
        if pool < 0:
            return
        yield part
