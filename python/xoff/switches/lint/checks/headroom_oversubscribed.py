"""A headroom pool smaller than all headroom that may be used of it."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def headroom_oversubscribed(tables: Tables) -> Iterator[Fault]:
    """A headroom pool below the headroom of all its priority groups: what is lost if all are paused at once.

    A pool is shared because few are: a note. A warning where two do not fit together, unless it is within the tables'
    own `over_subscribe_ratio`; beyond that it is none, as SONiC goes by a size that is set (sonic-swss,
    cfgmgr/buffermgrdyn.cpp). An error where not one of them fits, in what one MMU of the chip has of the pool.
    """
    headroom: dict[str, list[int]] = defaultdict(list)
    for group in tables.priority_groups:
        if group.profile and group.profile.xoff and group.pool and group.pool.xoff:
            headroom[group.profile.pool].append(group.profile.xoff)
    for name, parts in headroom.items():
        pool = tables.config.buffer_pool[name].xoff or 0
        if max(parts) > (tables.part(pool) or 0):
            yield _overfilled_by_one(tables, name, parts)
        elif sum(parts) > pool:
            yield _overfilled_by_several(tables, name, parts)


def _overfilled_by_one(tables: Tables, name: str, parts: list[int]) -> Fault:
    largest, total, at_least = max(parts), sum(parts), max(parts) * tables.mmus
    of_mmu = tables.part(tables.config.buffer_pool[name].xoff) or 0
    return Fault(
        Severity.ERROR,
        tables.place("BUFFER_POOL", name, "xoff"),
        f"{len(parts)} lossless priority groups may put {bytes_text(total)} into it, and one of them alone "
        f"{bytes_text(largest)}, {bytes_text(largest - of_mmu)} more than it holds{_of_one(tables)}: these are lost "
        "whenever that one is paused",
        f"xoff of at least {at_least}{f'; {total} holds all' if total > at_least else ''}",
    )


def _overfilled_by_several(tables: Tables, name: str, parts: list[int]) -> Fault:
    total, pool = sum(parts), tables.config.buffer_pool[name].xoff or 0
    survivors = sum(1 for _ in _fitting(parts, tables.part(pool) or 0))
    ratios = [row.over_subscribe_ratio for row in tables.config.default_lossless_buffer_parameter.values()]
    stated = max((ratio for ratio in ratios if ratio), default=None)
    is_within = stated is not None and total <= stated * pool
    more = "" if stated is None or is_within else f", and over_subscribe_ratio, which gives way to it, is {stated}"
    return Fault(
        Severity.NOTE if survivors > 1 or is_within else Severity.WARNING,
        tables.place("BUFFER_POOL", name, "xoff"),
        f"{len(parts)} lossless priority groups may put {bytes_text(total)} into it, {total / pool:.2f} times "
        f"its size{more}; {survivors + 1} paused at once{_of_one(tables)} may overfill it, and all lose "
        f"{bytes_text(total - pool)}",
        f"xoff of {total} holds all; less is safe while no more than {survivors} are paused at once",
    )


def _of_one(tables: Tables) -> str:
    return f" in one of {tables.mmus} MMUs" if tables.mmus > 1 else ""


def _fitting(parts: list[int], pool: int) -> Iterator[int]:
    """The largest parts that fit together."""
    for part in sorted(parts, reverse=True):
        pool -= part
        if pool < 0:
            return
        yield part
