"""Memory of a chip that pools and headroom take."""

from __future__ import annotations

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


def holds_headroom(tables: Tables) -> bool:
    """Whether the size of pools must hold their headroom, too, for both to fit the chip: that differs by vendor."""
    most, total, headroom = most_of(tables), sum(ingress_pools(tables).values()), all_headroom(tables)
    return most is not None and headroom <= most and total <= most < total + headroom


def headroom_within(tables: Tables, pool: str) -> int:
    """Returns the bytes of a pool's size that are headroom."""
    row = tables.config.buffer_pool[pool]
    if row.type != "ingress" or not tables.holds_headroom:
        return 0
    return row.xoff or sum(own_headroom(group) for group in tables.priority_groups if group.pool is row)
