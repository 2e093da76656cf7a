"""Keys that stand twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.lint.finding import Fault, Place, Severity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.lint.tables import Tables


def repeated_key(tables: Tables) -> Iterator[Fault]:
    """Tables, rows or fields that stand twice in one object: JSON keeps the last, and says nothing of the others.

    So does the switch with rows of its lookup table that have the same speed and cable.
    """
    yield from _rows_of_lookup(tables)
    for source in tables.sources:
        for lost in source.overwritten:
            yield Fault(
                Severity.ERROR,
                Place(source.name, lost.line, "|".join(lost.path), lost.value),
                f"{lost.path[-1]} stands again in line {source.line(lost.path)}, and only that counts; this is lost",
                "one of them, with what both say",
            )


def _rows_of_lookup(tables: Tables) -> Iterator[Fault]:
    lookup = tables.lookup
    for lost in lookup.overwritten if lookup else ():
        row, counts = lost[1], lookup.row(lost[1].speed, lost[1].cable) if lookup else None
        assert counts is not None, "that is why this one is lost"
        yield Fault(
            Severity.ERROR,
            tables.place_of_row(lost, "xoff"),
            f"{row.speed} {row.cable}m stands again in line {counts[0]}, with xoff = {counts[1].xoff}, and only that "
            "counts; this is lost",
            "one of them",
        )
