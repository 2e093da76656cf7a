"""What a priority group or a queue may hold at the most."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from xoff.lint.physics import alpha, dynamic_limit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.lint.tables import Buffer


class Limit(NamedTuple):
    """The most it may hold before it is paused or drops, in bytes."""

    size: int
    formula: str
    profile: str
    first: int
    """Where it is paused or drops while its pool is empty."""


def limit_of(buffer: Buffer, beside: Sequence[Fraction] = ()) -> Limit | None:
    """Of one beside busy others of its pool, which have these alphas; None where tables do not say."""
    profile, pool, name = buffer.profile, buffer.pool, buffer.profile_name
    if profile is None:
        return None
    if profile.static_th is not None:
        return Limit(profile.static_th, f"static_th of {name}", name, profile.static_th)
    if profile.dynamic_th is None or pool is None or pool.size is None:
        return None
    share, others = alpha(profile.dynamic_th), sum(beside, Fraction(0))
    reserve = f"{profile.size} reserved + " if profile.size else ""
    of_others, queues = (f" + {others}", f" beside {len(beside)} busy queues") if beside else ("", "")
    formula = (
        f"{reserve}alpha/(1 + alpha{of_others}) of the pool's {pool.size} B with alpha = {share}{queues}, by {name}"
    )
    size = profile.size + dynamic_limit(profile.dynamic_th, pool.size, others)
    return Limit(size, formula, name, profile.size + int(share * pool.size))
