"""Buffer profiles without a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables

_FIELDS = {"dynamic": ("dynamic_th", "its share of what is free, -8 to 7"), "static": ("static_th", "bytes")}
"""By the mode of its pool, what limits a profile."""


def profile_without_threshold(tables: Tables) -> Iterator[Fault]:
    """A buffer profile with neither dynamic_th nor static_th: nothing says how much of its pool it may take.

    One of either kind may be in a pool of either mode: its own field decides (sonic-swss, orchagent/bufferorch.cpp).
    """
    for name, profile in tables.config.buffer_profile.items():
        if profile.dynamic_th is not None or profile.static_th is not None or profile.headroom_type == "dynamic":
            continue
        pool = tables.config.buffer_pool.get(profile.pool)
        field, meaning = _FIELDS[pool.mode if pool else "dynamic"]
        yield Fault(
            Severity.ERROR,
            tables.place("BUFFER_PROFILE", name),
            f"has neither dynamic_th nor static_th: nothing says how much of {profile.pool} it may take, and a chip "
            "refuses it",
            f"{field} ({meaning}){f', as the mode of {profile.pool} is {pool.mode}' if pool else ''}",
        )
