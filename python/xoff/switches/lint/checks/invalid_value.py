"""Values that SONiC's models refuse."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.tables import POOL_OF_LOOKUP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables

_EXPECTED = {"dynamic": "an exponent of two from -8 to 7", "static": "bytes"}
"""Thresholds by the mode of the pool."""


def invalid_value(tables: Tables) -> Iterator[Fault]:
    """Values, keys and missing fields that SONiC's models refuse; other checks leave their row out.

    So does the threshold of a lookup table's row that the mode of the pool does not allow.
    """
    for invalid in tables.invalid:
        place = tables.place(*invalid.path)._replace(value=invalid.value)
        yield Fault(Severity.ERROR, place, invalid.problem, invalid.expected)
    for looked_up in tables.lookup.rows if tables.lookup else ():
        if tables.threshold_field(looked_up[1]) is None:
            mode = tables.config.buffer_pool[POOL_OF_LOOKUP].mode
            problem = f"is no threshold of a {mode} pool, and {POOL_OF_LOOKUP} is one"
            place = tables.place_of_row(looked_up, "threshold")
            yield Fault(Severity.ERROR, place, problem, f"expected {_EXPECTED[mode]}")
