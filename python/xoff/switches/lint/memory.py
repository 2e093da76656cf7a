"""Memory of a chip that pools and headroom take."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from xoff.switches.lint.physics import rounded_up

if TYPE_CHECKING:
    from xoff.switches.lint.tables import Buffer, Tables


def most_of(tables: Tables) -> int | None:
    """Returns the chip's largest possible memory, since published sizes are rounded; None for an unknown chip."""
    chip = tables.chip_of_memory
    return None if chip is None else rounded_up(chip["memory_bytes"])


def ingress_pools(tables: Tables) -> dict[str, int]:
    """Sizes of pools that packets are counted in as they come in, by name."""
    pools = tables.config.buffer_pool
    return {key: pool.size for key, pool in pools.items() if pool.type == "ingress" and pool.size}


def own_headroom(group: Buffer) -> int:
    """Returns the headroom of a group whose pool has no headroom for all groups together."""
    shared = group.pool is not None and group.pool.xoff
    return 0 if group.profile is None or shared else group.profile.xoff or 0


def shared_headroom(tables: Tables) -> int:
    """Returns the headroom of all pools that have headroom for all their groups together."""
    return sum(pool.xoff or 0 for pool in tables.config.buffer_pool.values())


def all_headroom(tables: Tables) -> int:
    """Returns all headroom: that of pools for all their groups, and that of groups by themselves."""
    return shared_headroom(tables) + sum(own_headroom(group) for group in tables.priority_groups)


MMUS = (2, 4)
"""Of chips that have several (`xoff list chips`)."""


def allowed_to_one(tables: Tables) -> int | None:
    """Returns the bytes that a queue may hold which never drops, by its `static_th`; None without such a queue.

    That is a queue which may take all of its egress pool, or the part of one of several MMUs. It may hold as much as
    ports can let in, so that tables say by it how much that is.
    """
    found = []
    for profile in tables.config.buffer_profile.values():
        pool = tables.config.buffer_pool.get(profile.pool)
        if profile.static_th and pool and pool.type != "ingress" and pool.size:
            if profile.static_th >= pool.size:
                found.append(profile.static_th)
            elif mmus_of(profile.static_th, pool.size):
                found.append(pool.size)
    return max(found, default=None)


def mmus_of(part: int, whole: int) -> int | None:
    """Returns how many MMUs a chip has if a number of bytes is what one has of another, to 2 % of rounding."""
    return next((mmus for mmus in MMUS if abs(whole - part * mmus) <= rounded_up(whole) - whole), None)


def holds_headroom(tables: Tables) -> bool | None:
    """Whether the size of pools must hold their headroom, too, for both to fit; None where that is not known.

    It differs by vendor. Both must fit into what a queue that never drops may hold, if tables have one; else into the
    chip.
    """
    allowed = allowed_to_one(tables)
    by_tables = None if allowed is None else _holds_headroom(tables, rounded_up(allowed))
    return _holds_headroom(tables, most_of(tables)) if by_tables is None else by_tables


def _holds_headroom(tables: Tables, most: int | None) -> bool | None:
    """Whether pools and headroom fit into so many bytes only with one in the other; None where neither fits."""
    total, headroom = sum(ingress_pools(tables).values()), all_headroom(tables)
    if most is None or not total or max(total, headroom) > most:
        return None
    return total + headroom > most


def readings(tables: Tables) -> list[Tables]:
    """Returns tables by every way in which vendors read the size of a pool, as far as they leave it open.

    The first is SAI's for reserves, which are within; of headroom, on top. Left out are those by which a pool is too
    small for its headroom.
    """
    is_known = tables.holds_headroom is not None or not all_headroom(tables)
    inside = [tables.holds_headroom] if is_known else [False, True]
    found = [replace(tables, reserves_apart=apart, headroom_inside=one) for one in inside for apart in (False, True)]
    return [one for one in found if not one.headroom_inside or is_known or _fits(one)]


def _fits(tables: Tables) -> bool:
    return all(tables.shared(name) is not None for name in ingress_pools(tables))


def headroom_within(tables: Tables, pool: str) -> int:
    """Returns the bytes of a pool's size that are headroom."""
    row = tables.config.buffer_pool[pool]
    inside = tables.holds_headroom if tables.headroom_inside is None else tables.headroom_inside
    if row.type != "ingress" or not inside:
        return 0
    return row.xoff or sum(own_headroom(group) for group in tables.priority_groups if group.pool is row)
