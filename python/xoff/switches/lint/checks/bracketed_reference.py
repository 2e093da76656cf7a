"""Names of rows in the form before 2021."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Severity
from xoff.switches.lint.references import references

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def bracketed_reference(tables: Tables) -> Iterator[Fault]:
    """Names of rows in brackets and with their table, the form before 2021, which SONiC refuses since (orch.cpp).

    It is told once; other checks read them as the names alone. A note in tables of a version before 3_0_3, which SONiC
    changes itself (sonic-utilities, db_migrator.py).
    """
    found = [(tables.place(table, key, field), target, name) for table, key, field, target, name in references(tables)]
    bracketed = [(place, name) for place, target, name in found if f"[{target}|{name}]" in place.value.split(",")]
    if bracketed:
        place, name = bracketed[0]
        others = f", and {len(bracketed) - 1} more like it" if bracketed[1:] else ""
        physics = f"the form before 2021, a name in brackets with its table{others}: SONiC refuses it since"
        severity = Severity.NOTE if tables.is_before(3, 0, 3) else Severity.ERROR
        yield Fault(severity, place, physics, f"the name alone, {name}; other findings are as if it were so")
