"""A table of text, for the terminal and the notebook."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from xoff.text import html


@dataclass(frozen=True)
class Grid:
    """A table of text: columns of words to the left, columns of numbers to the right."""

    words: tuple[str, ...]
    """Headings of the first columns, which hold words."""
    numbers: tuple[str, ...]
    """Headings of the columns of numbers."""
    sections: list[list[list[str]]]
    """Rows with a cell for each column, in groups."""
    note: str
    """Line below the table."""
    names: int = 1
    """Number of the first columns, of words or numbers, that say which row it is."""
    notes: tuple[str, ...] = ()
    """Further remarks on the table, a line each."""

    @property
    def first_row(self) -> str:
        """The first row as a line: each number after its heading, but for those that name the row."""
        row, words = self.sections[0][0], len(self.words)
        numbers = zip(self.numbers, row[words:], strict=True)
        told = ", ".join(" ".join(each) for each in list(numbers)[max(self.names - words, 0) :])
        return f"{' '.join(row[:words])}: {told}" if words else told

    def as_html(self) -> str:
        """Returns the table, and its notes below it, as HTML."""
        rows = [row for section in self.sections for row in section]
        notes = "<br>".join(map(escape, (self.note, *(f"Note: {note}" for note in self.notes))))
        return f"{html.table(self.words, self.numbers, rows)}<small>{notes}</small>"
