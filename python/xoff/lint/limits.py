"""What a priority group or a queue may hold at the most."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from xoff.lint.physics import alpha, dynamic_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.lint.tables import Buffer, Tables


class Limit(NamedTuple):
    """The most it may hold before it is paused or drops, in bytes."""

    size: int
    formula: str
    more: str
    """What would have to be larger."""
    first: int
    """Where it is paused or drops while its pool is empty."""
    is_pool: bool = False
    """Whether it may hold all of its pool."""


def limit_of(tables: Tables, buffer: Buffer, beside: Sequence[Fraction] = ()) -> Limit | None:
    """Of one beside busy others of its pool, which have these alphas; None where tables do not say.

    A pool is what one MMU has of it; static_th is that of an MMU already.
    """
    profile, name = buffer.profile, buffer.profile_name
    if profile is None:
        return None
    pool = tables.part(buffer.pool.size if buffer.pool else None)
    of_pool = f"the pool's {pool} B{f' in one of {tables.mmus} MMUs' if tables.mmus > 1 else ''}"
    if profile.static_th is not None:
        if pool is not None and pool <= profile.static_th:
            formula = f"{of_pool}, no more than static_th of {name}"
            return Limit(pool, formula, f"a larger {profile.pool}", pool, is_pool=True)
        return Limit(profile.static_th, f"static_th of {name}", f"a larger threshold in {name}", profile.static_th)
    if profile.dynamic_th is None or pool is None:
        return None
    share, others = alpha(profile.dynamic_th), sum(beside, Fraction(0))
    reserve = f"{profile.size} reserved + " if profile.size else ""
    of_others, queues = (f" + {others}", f" beside {len(beside)} busy queues") if beside else ("", "")
    formula = f"{reserve}alpha/(1 + alpha{of_others}) of {of_pool} with alpha = {share}{queues}, by {name}"
    size = profile.size + dynamic_limit(profile.dynamic_th, pool, others)
    return Limit(size, formula, f"a larger threshold in {name}", profile.size + int(share * pool))
