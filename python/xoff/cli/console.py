"""Text and tables printed by Rich, without its markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import rich.console

from xoff.cli.terminal import printable

if TYPE_CHECKING:
    from rich.table import Column
    from rich.text import Text

_UNBOUNDED = 10_000


class Console(rich.console.Console):
    """Prints text and tables.

    Tables have at least the width that is given, and always what they need: in a terminal that is narrower their lines
    go on in the next, where Rich would leave out columns. Text is broken where the terminal ends. Where there is none,
    it is not broken, and neither is a number from its unit: what reads it goes by lines.
    """

    def __init__(self, width: int | None = None, *, stderr: bool = False) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, stderr=stderr)
        self.text_width = width if width is not None and not self.is_terminal else self.width
        if width is not None:
            self.width = max(width, self.text_width)

    def print(self, *objects: Any, **options: Any) -> None:  # noqa: ANN401 as they come
        """Prints text within the width of text, and tables whole."""
        from rich.table import Table

        for table in objects:
            if isinstance(table, Table):
                unbounded = self.options.update(width=_UNBOUNDED)
                for column in filter(self._is_whole, table.columns):
                    cells = (column.header, *column.cells)
                    column.min_width = max(self.measure(cell, options=unbounded).maximum for cell in cells)
                self.width = max(self.width, self.measure(table, options=unbounded).minimum)
        if not any(isinstance(given, Table) for given in objects):
            options.setdefault("width", self.text_width)
            options.setdefault("soft_wrap", not self.is_terminal)
        super().print(*objects, **options)

    def on_broken_pipe(self) -> NoReturn:
        """Leaves it to the command to end where nobody reads on; Rich would end it with the status of findings."""
        raise BrokenPipeError

    def _is_whole(self, column: Column) -> bool:
        """Whether no cell of a column may go on in another line; numbers stand on the right."""
        return column.no_wrap or (column.justify == "right" and not self.is_terminal)

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 as it comes
        """All that is not a `Text` already comes by here: lines, cells, headings and titles of tables."""
        return super().render_str(printable(text), **options)
