"""Reserves that their pool has no room for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Buffer, Tables


def reserves_exceed_pool(tables: Tables) -> Iterator[Fault]:
    """Reserves of all priority groups or queues that do not fit into their pool: what it shares is not judged.

    A note: with some vendors the size of a pool is without them, or `size` of a group holds its headroom.
    """
    for name, pool in tables.config.buffer_pool.items():
        reserved, headroom = tables.reserves[name], tables.headroom_within(name)
        if pool.size is None or reserved + headroom <= pool.size:
            continue
        buffers = [one for one in (*tables.priority_groups, *tables.queues) if one.pool is pool]
        largest = max(buffers, key=lambda buffer: buffer.reserve)
        beside = f", beside {bytes_text(headroom)} of headroom," if headroom else ""
        yield Fault(
            Severity.NOTE,
            tables.place("BUFFER_POOL", name, "size"),
            f"{len(buffers)} priority groups and queues reserve {bytes_text(reserved)} of it{beside} and do not fit"
            f"{_holds_headroom(largest) if pool.xoff else ''}: nothing is judged by what it shares",
            f"size of at least {reserved + headroom}, or smaller reserves, unless this vendor's pools are without them",
        )


def _holds_headroom(group: Buffer) -> str:
    profile = group.profile
    if profile is None or not profile.xon or not profile.xoff or profile.size < profile.xon + profile.xoff:
        return ""
    return f"; size = {profile.size} of {group.profile_name} holds xon and xoff, and xoff of the pool is headroom, too"
