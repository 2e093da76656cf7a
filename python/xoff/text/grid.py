"""A table of text, for the terminal and the notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from xoff.text import html


@dataclass(frozen=True)
class Grid:
    """A table of text, what of it is numbers to the right."""

    words: tuple[str, ...]
    """Headings of the first columns, which hold words."""
    numbers: tuple[str, ...]
    """Headings of the others."""
    sections: list[list[list[str]]]
    """Rows with a cell for each column, in groups."""
    note: str
    """What stands below."""
    notes: tuple[str, ...] = ()
    """What is worth knowing of it, a line each."""

    def as_html(self) -> str:
        """The table with its notes below."""
        rows = [row for section in self.sections for row in section]
        notes = "<br>".join(map(escape, (self.note, *(f"Note: {note}" for note in self.notes))))
        return f"{html.table(self.words, self.numbers, rows)}<small>{notes}</small>"
