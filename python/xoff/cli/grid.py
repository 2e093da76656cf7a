"""Comparisons and sweeps on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from xoff.cli.console import Console
from xoff.cli.terminal import say

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from xoff.text.grid import Grid


def print_grid(grid: Grid, path: Path | None = None, notes: Iterable[str] = ()) -> None:
    """Prints the table, its note, those of its scenarios, and where the figures are, if told."""
    console = Console(140)
    console.print(table_of(grid), names=grid.names)
    console.print(grid.note)
    for note in (*grid.notes, *notes):
        say(f"Note: {note}")
    if path:
        say(f"Results: {path}")


def table_of(grid: Grid) -> Table:
    """Returns the table without its notes."""
    table = Table()
    for heading in grid.words:
        table.add_column(heading, no_wrap=True)
    for heading in grid.numbers:
        table.add_column(heading, justify="right")
    for section in grid.sections:
        table.add_section()
        for row in section:
            table.add_row(*row)
    return table
