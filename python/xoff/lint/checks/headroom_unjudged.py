"""Headroom for a link that nothing is known of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Severity
from xoff.lint.headrooms import without_link
from xoff.lint.tables import several
from xoff.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def headroom_unjudged(tables: Tables) -> Iterator[Fault]:
    """Headroom that is held against no cable, since no table says a port's speed or the length of its cable."""
    groups = without_link(tables)
    if not groups:
        return
    first = groups[0]
    port = tables.config.port.get(first.port)
    lacking = [] if port and port.speed is not None else ["the speed (PORT)"]
    lacking += [] if tables.cable_m(first.port) is not None else ["the cable's length (CABLE_LENGTH)"]
    yield Fault(
        Severity.NOTE,
        tables.place_of_profile(first.profile_name, "xoff"),
        f"held against no cable: nothing says {listed(lacking)} of {first.port}; not judged is the headroom of "
        f"{several(group.port for group in groups)}, by {several(group.profile_name for group in groups)}",
        "PORT with the speed and CABLE_LENGTH with the length, here or in a file named beside this one",
    )
