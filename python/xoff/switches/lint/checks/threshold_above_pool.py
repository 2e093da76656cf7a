"""Thresholds that a pool is too small for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def threshold_above_pool(tables: Tables) -> Iterator[Fault]:
    """A static_th above the size of its own pool, which is full first.

    A note: it is a common way to say that a queue never drops by a threshold of its own.
    """
    for name, profile in tables.config.buffer_profile.items():
        pool = tables.config.buffer_pool.get(profile.pool)
        if pool is None or pool.size is None or profile.static_th is None or profile.static_th <= pool.size:
            continue
        yield Fault(
            Severity.NOTE,
            tables.place("BUFFER_PROFILE", name, "static_th"),
            f"{profile.pool} has {bytes_text(pool.size)}, {bytes_text(profile.static_th - pool.size)} less: it is full "
            "before this is reached, which limits nothing",
            f"static_th of at most {pool.size}, or a larger {profile.pool}",
        )
