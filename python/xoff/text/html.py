"""Tables as HTML, for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def table(words: Sequence[str], numbers: Sequence[str], rows: list[list[str]]) -> str:
    """Returns a table as HTML; its first columns hold words and are aligned to the left."""
    headings = "".join(f"<th>{escape(heading)}</th>" for heading in (*words, *numbers))
    told = "".join(f"<tr>{_cells(row, len(words))}</tr>" for row in rows)
    return f"<table><thead><tr>{headings}</tr></thead><tbody>{told}</tbody></table>"


def _cells(row: list[str], words: int) -> str:
    left = "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row[:words])
    return left + "".join(f"<td>{escape(cell)}</td>" for cell in row[words:])
