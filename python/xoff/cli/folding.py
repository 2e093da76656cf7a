"""Tables that fit a narrow terminal: headings in several lines, no vertical rules, then columns in blocks."""

from __future__ import annotations

from textwrap import fill
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.table import Table

from xoff.cli.terminal import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rich.table import Column

_READABLE = 24
"""Characters that a column of sentences has at least, where it is not shorter altogether."""


def folded(table: Table, width: int, least_width: Callable[[Table], int], names: int) -> list[Table]:
    """Returns a table, or one that is laid out closer, or blocks of its columns, each of which fits a width.

    Args:
        table: The table; its cells are text.
        width: Characters in a line of the terminal.
        least_width: Returns the characters that a table takes at least.
        names: Number of the first columns that say which row it is; every block has them.
    """
    for folds_headings, rules in ((False, table.box), (True, table.box), (True, box.SIMPLE_HEAD)):
        whole = laid_out(table, table.columns, rules, folds_headings=folds_headings)
        if (room := width - least_width(whole)) >= 0:
            return [_widened(whole, room)]
    return _blocks(table, width, least_width, names)


def _blocks(table: Table, width: int, least_width: Callable[[Table], int], number_of_names: int) -> list[Table]:
    """Splits the columns into tables that fit; each begins with those that name its rows."""
    names = [*table.columns[:number_of_names]]
    blocks: list[list[Column]] = []
    for column in table.columns[len(names) :]:
        if blocks and least_width(laid_out(table, [*names, *blocks[-1], column], box.SIMPLE_HEAD)) <= width:
            blocks[-1].append(column)
        else:
            blocks.append([column])
    found = [laid_out(table, [*names, *block], box.SIMPLE_HEAD) for block in blocks]
    found = [_widened(block, max(0, width - least_width(block))) for block in found]
    for later in found[1:]:
        later.title = None
    for earlier in found[:-1]:
        earlier.caption = None
    return found


def _widened(table: Table, room: int) -> Table:
    """Gives columns of sentences the room that is left, in proportion to what they lack."""
    lacking = {id(column): (column.max_width or 0) - (column.min_width or 0) for column in table.columns}
    total = sum(lacking.values())
    for column in table.columns if total else ():
        column.width = (column.min_width or 0) + min(lacking[id(column)], room * lacking[id(column)] // total)
    return table


def laid_out(table: Table, columns: Sequence[Column], rules: box.Box | None, *, folds_headings: bool = True) -> Table:
    """Returns a table of some columns of another, with other rules.

    No number is broken, nor is a word; sentences go on in the next line of their cell.
    """
    has_edges = rules is table.box
    made = Table(
        title=table.title,
        title_justify=table.title_justify,
        title_style=table.title_style,
        caption=table.caption,
        caption_justify=table.caption_justify,
        box=rules,
        padding=(0, 1) if has_edges else (0, 1, 0, 0),
        pad_edge=has_edges,
        show_edge=has_edges,
    )
    for column in columns:
        widest = max((cell_len(printable(str(cell))) for cell in column.cells), default=0)
        is_whole = column.no_wrap or column.justify == "right"
        heading = printable(str(column.header))
        if folds_headings:
            heading = fill(heading, max(widest, *map(cell_len, heading.split()), 1), break_long_words=False)
        least = max(widest, *map(cell_len, heading.split("\n")))
        made.add_column(
            heading,
            justify=column.justify,
            no_wrap=is_whole,
            min_width=least if is_whole else min(least, max(_READABLE, column.min_width or 0)),
            max_width=least,
        )
    for row, cells in zip(table.rows, zip(*(column.cells for column in columns), strict=True), strict=True):
        made.add_row(*cells, end_section=row.end_section)
    return made
