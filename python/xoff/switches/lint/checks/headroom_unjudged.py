"""Headroom of which nothing is known, or not for which link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.headrooms import set_by_switch, without_cable, without_link
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def headroom_unjudged(tables: Tables) -> Iterator[Fault]:
    """Headroom that is held against no cable: no table says speed or length, or the switch sets the headroom itself."""
    yield from _without_link(tables)
    yield from _without_cable(tables)
    yield from _set_by_switch(tables)


def _without_link(tables: Tables) -> Iterator[Fault]:
    groups = without_link(tables)
    if not groups:
        return
    first = groups[0]
    port = tables.config.port.get(first.port)
    lacking = [] if port else ["the speed (PORT)"]
    lacking += [] if tables.cable_m(first.port) is not None else ["the cable's length (CABLE_LENGTH)"]
    yield Fault(
        Severity.NOTE,
        tables.place_of_profile(first.profile_name, "xoff"),
        f"held against no cable: nothing says {listed(lacking)} of {first.port}; not judged is the headroom of "
        f"{several(group.port for group in groups)}, by {several(group.profile_name for group in groups)}",
        "PORT with the speed and CABLE_LENGTH with the length, here or in a file named beside this one",
    )


def _without_cable(tables: Tables) -> Iterator[Fault]:
    found = without_cable(tables)
    if found:
        port, cable_m = next(iter(found.items()))
        name = next(iter(tables.config.cable_length))
        yield Fault(
            Severity.NOTE,
            tables.place("CABLE_LENGTH", name, port),
            f"other ports have a length, and {several(found)} has none: held against the {cable_m} m that its profile "
            "is named for, and the switch itself would make none for it",
            f"{port} with the length of its cable",
        )


def _set_by_switch(tables: Tables) -> Iterator[Fault]:
    groups = set_by_switch(tables)
    if groups:
        first, others = groups[0], len(groups) - 1
        whose = f"priority group {first.index} of {first.port}{f' and {others} more' if others else ''}"
        yield Fault(
            Severity.NOTE,
            tables.place("BUFFER_PG", first.row, "profile"),
            f"{_by_whom(tables)}: not judged are headroom and pauses of {whose}, nor whether marks come before them",
            "a BUFFER_PROFILE with xoff and threshold as the switch has them (show buffer information)",
        )


def _by_whom(tables: Tables) -> str:
    if tables.computes:
        return "the switch computes it (buffer_model dynamic)"
    if tables.lookup is not None:
        return f"the switch takes it from {tables.lookup.name}, which has no row for it"
    return "the switch takes it from its pg_profile_lookup.ini, which is not named beside these tables"
