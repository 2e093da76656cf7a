"""Profiles that let no packet in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def profile_admits_nothing(tables: Tables) -> Iterator[Fault]:
    """A buffer profile that reserves nothing and may take nothing of its pool: every packet is dropped."""
    for name, profile in tables.config.buffer_profile.items():
        if profile.size == 0 and profile.static_th == 0 and not profile.xoff:
            yield Fault(
                Severity.ERROR,
                tables.place("BUFFER_PROFILE", name, "static_th"),
                "0 B of its pool and 0 B in reserve: whatever has this profile drops every packet",
                "a static_th in bytes, or dynamic_th",
            )
