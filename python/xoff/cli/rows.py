"""Rows on the terminal, the first of many."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from xoff.cli.console import Console
from xoff.cli.terminal import say

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

MOST_ROWS = 40


def print_rows(
    title: str,
    headings: Iterable[str],
    rows: Iterable[Sequence[str]],
    *,
    of: int,
    words: Collection[str],
    rest: str,
    width: int = 120,
) -> None:
    """Prints the first rows as a table.

    Args:
        title: Above it.
        headings: Of the columns.
        rows: All of them, or at least the first `MOST_ROWS`.
        of: How many there are.
        words: Headings of columns that hold words, and no numbers.
        rest: What the others are, and where: `rows more; drops.parquet has all`.
        width: Of a terminal that nobody looks at, in characters.
    """
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in headings:
        table.add_column(heading, justify="left" if heading in words else "right", no_wrap=True)
    for row in islice(rows, MOST_ROWS):
        table.add_row(*row)
    Console(width).print(table)
    if of > MOST_ROWS:
        say(f"and {of - MOST_ROWS:,} {rest}")
