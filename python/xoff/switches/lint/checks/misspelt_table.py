"""Tables that SONiC passes over."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Place, Severity
from xoff.switches.sonic.config_file import TABLES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables

_OTHERS = frozenset({"BFD_PROFILE"})
"""Tables of SONiC that no check looks at, and whose names come near one that is looked at."""
_NEAR = 0.8


def misspelt_table(tables: Tables) -> Iterator[Fault]:
    """Tables whose names come near one that SONiC has, and are none: nothing in them is applied, or looked at here."""
    for source in tables.sources:
        for name in source.tables:
            near = get_close_matches(name.upper(), TABLES, 1, _NEAR)
            if near and name not in TABLES | _OTHERS:
                place = Place(source.name, source.line((name,)), name, "")
                problem = "SONiC has no such table, so that nothing in it is applied, and nothing in it was checked"
                yield Fault(Severity.WARNING, place, problem, f"did you mean {near[0]}?")
