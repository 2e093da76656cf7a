"""Verdicts as tables on the terminal: claims one by one, numbers counted by measure, and checks of the runs apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from xoff.cli.console import Console
from xoff.reproduce.expected import RowKind
from xoff.reproduce.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.reproduce.verdict import Row
    from xoff.studies.axes import Value


def print_verdicts(figures: Sequence[list[Row]]) -> None:
    """Prints a table of each figure's claims and of how many of its numbers are met, then one of checks of the runs."""
    console = Console(160)
    table = _table("claim")
    for rows in figures:
        table.add_section()
        for row in _of(RowKind.CLAIM, rows):
            table.add_row(*_cells(row))
        numbers = _of(RowKind.NUMBER, rows)
        for measure in dict.fromkeys(row.expected.measure for row in numbers):
            table.add_row(*_counted(measure, [row for row in numbers if row.expected.measure == measure]))
    console.print(table)
    checks = [row for rows in figures for row in _of(RowKind.CHECK, rows)]
    if checks:
        table = _table("check of the runs")
        for row in checks:
            table.add_row(*_cells(row))
        console.print(table)


def _table(what: str) -> Table:
    table = Table()
    table.add_column("figure", no_wrap=True)
    table.add_column(what, min_width=30)
    for heading in ("published", "measured", "tolerance"):
        table.add_column(heading, justify="right")
    table.add_column("verdict", no_wrap=True)
    table.add_column("note")
    return table


def _of(kind: RowKind, rows: list[Row]) -> list[Row]:
    return [row for row in rows if row.expected.kind is kind]


def _cells(row: Row) -> list[str]:
    measured = "-" if row.measured is None else f"{row.measured:.4g}"
    told = [row.id, row.expected.told, _told(row.expected.published), measured, row.expected.tolerance]
    return [*told, row.verdict, row.note]


def _counted(measure: str, rows: list[Row]) -> list[str]:
    met = sum(row.verdict.is_met for row in rows)
    tolerances = ", ".join(dict.fromkeys(row.expected.tolerance for row in rows))
    claim = f"{measure}: {len(rows)} numbers"
    word = Verdict.REPRODUCED if rows[0].of_paper_size else Verdict.EFFECT_SEEN
    return [rows[0].id, claim, "", "", tolerances, f"{met} of {len(rows)} {word}", ""]


def _told(published: Value) -> str:
    return published if isinstance(published, str) else f"{published:.4g}"
