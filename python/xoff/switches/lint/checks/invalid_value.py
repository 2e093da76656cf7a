"""Values that SONiC's models refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def invalid_value(tables: Tables) -> Iterator[Fault]:
    """Values, keys and missing fields that SONiC's models refuse; other checks leave their row out."""
    for invalid in tables.invalid:
        place = tables.place(*invalid.path)._replace(value=invalid.value)
        yield Fault(Severity.ERROR, place, invalid.problem, invalid.expected)
