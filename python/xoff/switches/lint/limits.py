"""Most that a priority group or a queue may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.switches.lint.physics import alpha, dynamic_limit

if TYPE_CHECKING:
    from xoff.switches.lint.tables import Buffer, Tables


class Limit(NamedTuple):
    """The most it may hold before it is paused or drops, in bytes."""

    size: int
    formula: str
    more: str
    """Setting that would have to be larger."""
    first: int
    """Bytes at which it pauses or drops while its pool is empty."""
    is_pool: bool = False
    """Whether it may hold all of its pool."""


def limit_of(tables: Tables, buffer: Buffer, beside: int = 0) -> Limit | None:
    """Returns the limit of a buffer whose pool holds bytes of others besides; None where tables do not say.

    A threshold is of what a pool shares, to which come its own reserves. A pool is what one MMU has of it; static_th is
    that of an MMU already. A static_th of 0 says nothing: to SAI it is no limit (saibuffer.h), and to some chips all.
    """
    profile, name, reserve = buffer.profile, buffer.profile_name, buffer.reserve
    if profile is None or profile.static_th == 0:
        return None
    pool, larger = tables.shared(profile.pool), f"a larger threshold in {name}"
    own = f"{reserve} reserved + " if reserve else ""
    if profile.static_th is not None:
        if pool is not None and pool <= profile.static_th:
            formula = f"{own}{_of_pool(tables, profile.pool)}, no more than static_th of {name}"
            return Limit(reserve + pool, formula, f"a larger {profile.pool}", reserve + pool, is_pool=True)
        fixed = reserve + profile.static_th
        return Limit(fixed, f"{own}static_th of {name}", larger, fixed)
    if profile.dynamic_th is None or pool is None:
        return None
    share = alpha(profile.dynamic_th)
    ratio = f"alpha/(1 + alpha) of {_of_pool(tables, profile.pool, beside)} with alpha = {share}"
    size = reserve + dynamic_limit(profile.dynamic_th, max(0, pool - beside))
    return Limit(size, f"{own}{ratio}, by {name}", larger, reserve + int(share * pool))


def _of_pool(tables: Tables, name: str, beside: int = 0) -> str:
    """Says how many bytes of a pool are shared, and how they follow from its size."""
    size, reserves = tables.part(tables.config.buffer_pool[name].size), tables.reserves_within(name) // tables.mmus
    headroom = tables.headroom_within(name) // tables.mmus
    parts = [f"{reserves} B of reserves"] if reserves else []
    parts += [f"{headroom} B of headroom, which it must hold to fit the memory"] if headroom else []
    parts += [f"{beside} B in lossy queues"] if beside else []
    less = f" less {' and '.join(parts)}" if parts else ""
    return f"the pool's {size} B{less}{f' in one of {tables.mmus} MMUs' if tables.mmus > 1 else ''}"
