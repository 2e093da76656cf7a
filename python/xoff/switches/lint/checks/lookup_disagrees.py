"""A row of the lookup table that is passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables

_COLUMNS = {name: name for name in ("size", "xon", "xoff", "xon_offset")}
"""Fields of a profile, and what they are in the lookup table."""


def lookup_disagrees(tables: Tables) -> Iterator[Fault]:
    """A profile of the name that the switch would give to a row of the lookup table, with other numbers.

    The profile holds, and the row is passed over. A warning where that leaves less headroom than the row has.
    """
    for line, row in tables.lookup.rows if tables.lookup else ():
        profile = tables.config.buffer_profile.get(row.name)
        if profile is None:
            continue
        threshold = tables.threshold_field(row)
        columns = _COLUMNS | ({threshold: "threshold"} if threshold else {})
        pairs = {field: (getattr(profile, field), getattr(row, column)) for field, column in columns.items()}
        other = [
            field for field, (own, looked_up) in pairs.items() if None not in (own, looked_up) and own != looked_up
        ]
        if not other:
            continue
        less = "xoff" in other and (profile.xoff or 0) < row.xoff
        field = "xoff" if "xoff" in other else other[0]
        yield Fault(
            Severity.WARNING if less else Severity.NOTE,
            tables.place("BUFFER_PROFILE", row.name, field),
            f"{tables.place_of_row((line, row), columns[field]).file}:{line} has {pairs[field][1]} for {row.speed} "
            f"{row.cable}m; the switch makes no profile of that row, since there is one of its name",
            f"{pairs[field][1]}, or no such profile, so that the switch makes it of the row",
        )
