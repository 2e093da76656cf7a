"""Pauses that end before they begin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.limits import limit_of
from xoff.lint.wording import bytes_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def xon_above_xoff(tables: Tables) -> Iterator[Fault]:
    """A sender that may resume above the occupancy at which it is paused, or, by its xon_offset, never.

    It resumes at xon, or xon_offset below the pause if that is more.
    """
    seen = set()
    for group in tables.priority_groups:
        profile, name, limit = group.profile, group.profile_name, limit_of(group)
        if not group.lossless or profile is None or limit is None or name in seen:
            continue
        seen.add(name)
        if profile.xon is not None and profile.xon >= limit.size:
            yield Fault(
                Severity.ERROR,
                tables.place_of_profile(name, "xon"),
                f"senders into {group.port} are paused from {bytes_text(limit.size)} on at the latest: "
                f"{limit.formula}; they may resume at {bytes_text(profile.xon)}, so that no pause lasts",
                f"xon below {limit.size}",
            )
        elif not profile.xon and (profile.xon_offset or 0) > limit.first:
            yield Fault(
                Severity.ERROR,
                tables.place_of_profile(name, "xon_offset"),
                f"senders into {group.port} may resume {bytes_text(profile.xon_offset or 0)} below where they are "
                f"paused, which is at {bytes_text(limit.first)} in an empty pool: a pause does not end",
                f"xon_offset of at most {limit.first}, or xon above 0",
            )
