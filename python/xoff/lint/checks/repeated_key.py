"""Keys that stand twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Place, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def repeated_key(tables: Tables) -> Iterator[Fault]:
    """Tables, rows or fields that stand twice in one object: JSON keeps the last, and says nothing of the others."""
    for source in tables.sources:
        for lost in source.overwritten:
            yield Fault(
                Severity.ERROR,
                Place(source.name, lost.line, "|".join(lost.path), lost.value),
                f"{lost.path[-1]} stands again in line {source.line(lost.path)}, and only that counts; this is lost",
                "one of them, with what both say",
            )
