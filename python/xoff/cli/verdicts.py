"""Verdicts as tables on the terminal: claims one by one, the numbers of a figure counted by measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from xoff.cli.console import Console
from xoff.reproduce.verdict import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.reproduce.verdict import Row
    from xoff.studies.axes import Value


def print_verdicts(figures: Sequence[list[Row]]) -> None:
    """Prints a table of the claims of each figure, then how many of its numbers are reproduced."""
    console = Console(160)
    table = Table()
    table.add_column("figure", no_wrap=True)
    table.add_column("claim", min_width=30)
    for heading in ("published", "measured", "tolerance"):
        table.add_column(heading, justify="right")
    table.add_column("verdict", no_wrap=True)
    table.add_column("note")
    for rows in figures:
        table.add_section()
        for row in rows:
            if row.expected.claim:
                table.add_row(*_cells(row))
        for measure in dict.fromkeys(row.expected.measure for row in rows if not row.expected.claim):
            numbers = [row for row in rows if row.expected.measure == measure and not row.expected.claim]
            table.add_row(*_counted(measure, numbers))
    console.print(table)


def _cells(row: Row) -> list[str]:
    measured = "-" if row.measured is None else f"{row.measured:.4g}"
    told = [row.id, row.expected.claim, _told(row.expected.published), measured, row.expected.tolerance]
    return [*told, row.verdict, row.note]


def _counted(measure: str, rows: list[Row]) -> list[str]:
    reproduced = sum(row.verdict is Verdict.REPRODUCED for row in rows)
    tolerances = ", ".join(dict.fromkeys(row.expected.tolerance for row in rows))
    claim = f"{measure}: {len(rows)} numbers"
    return [rows[0].id, claim, "", "", tolerances, f"{reproduced} of {len(rows)} {Verdict.REPRODUCED}", ""]


def _told(published: Value) -> str:
    return published if isinstance(published, str) else f"{published:.4g}"
