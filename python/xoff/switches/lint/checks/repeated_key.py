"""Keys that stand twice."""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from typing import TYPE_CHECKING

from xoff.switches.lint.finding import Fault, Place, Severity
from xoff.switches.lint.tables import several
from xoff.switches.lint.wording import listed
from xoff.switches.sonic.fields import indices_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff.switches.lint.tables import Tables


def repeated_key(tables: Tables) -> Iterator[Fault]:
    """Tables, rows or fields that stand twice in one object: JSON keeps the last, and says nothing of the others.

    So does the switch with rows of its lookup table that have the same speed and cable. A warning where rows of
    buffers overlap, and set the same priority group or queue by other profiles: which one counts, their order decides.
    """
    yield from _rows_of_lookup(tables)
    yield from _overlapping(tables, "BUFFER_PG", "priority group")
    yield from _overlapping(tables, "BUFFER_QUEUE", "queue")
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


def _overlapping(tables: Tables, table: str, what: str) -> Iterator[Fault]:
    rows = getattr(tables.config, table.lower())
    keys: dict[tuple[str, int], list[str]] = defaultdict(list)
    for key in rows:
        for port, index in product(tables.ports_of(key), indices_of(key)):
            keys[port, index].append(key)
    alike: dict[tuple[int, tuple[str, ...]], list[str]] = defaultdict(list)
    for (port, index), those in keys.items():
        alike[index, tuple(rows[key].profile for key in those)].append(port)
    for (index, profiles), ports in alike.items():
        if len(set(profiles)) > 1:
            those = keys[ports[0], index]
            yield Fault(
                Severity.WARNING,
                tables.place(table, those[-1]),
                f"rows overlap, {listed(those)}: {what} {index} of {several(ports)} is set by {listed([*profiles])}, "
                "and the order in which the switch takes them decides which counts",
                f"one row for {what} {index} of {ports[0]}",
            )
