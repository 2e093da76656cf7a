"""Profiles that let no packet in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def profile_admits_nothing(tables: Tables) -> Iterator[Fault]:
    """A buffer profile that reserves nothing and has a static_th of 0: chips drop every packet, or none.

    A note: to SAI 0 is no limit (saibuffer.h, SHARED_STATIC_TH), and profiles that switch a queue off have it, too.
    """
    for name, profile in tables.config.buffer_profile.items():
        if profile.size == 0 and profile.static_th == 0 and not profile.xoff:
            yield Fault(
                Severity.NOTE,
                tables.place("BUFFER_PROFILE", name, "static_th"),
                "0 B in reserve and a threshold of 0, which is no limit to SAI, and nothing to some chips: whatever "
                "has this profile may drop every packet",
                "a static_th in bytes, or dynamic_th, unless that is meant",
            )
