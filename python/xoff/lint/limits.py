"""What a priority group or a queue may hold at the most."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from xoff.lint.physics import alpha, dynamic_limit
from xoff.lint.wording import alpha_text

if TYPE_CHECKING:
    from xoff.lint.tables import Buffer


class Limit(NamedTuple):
    """The most it may hold before it is paused or drops, in bytes."""

    size: int
    formula: str
    profile: str


def highest_threshold(buffer: Buffer) -> int | None:
    """Where it is paused or drops while its pool is empty, in bytes; None where tables do not say."""
    profile, pool = buffer.profile, buffer.pool
    if profile is None:
        return None
    if profile.static_th is not None:
        return profile.static_th
    if profile.dynamic_th is None or pool is None or pool.size is None:
        return None
    return profile.size + int(alpha(profile.dynamic_th) * pool.size)


def limit_of(buffer: Buffer) -> Limit | None:
    """Of one that is alone in its pool; None where tables do not say."""
    profile, pool, name = buffer.profile, buffer.pool, buffer.profile_name
    if profile is None:
        return None
    if profile.static_th is not None:
        return Limit(profile.static_th, f"static_th of {name}", name)
    if profile.dynamic_th is None or pool is None or pool.size is None:
        return None
    share = alpha_text(profile.dynamic_th)
    reserve = f"{profile.size} reserved + " if profile.size else ""
    formula = f"{reserve}alpha/(1 + alpha) of the pool's {pool.size} B with alpha = {share}, by {name}"
    return Limit(profile.size + dynamic_limit(profile.dynamic_th, pool.size), formula, name)
