"""Text and tables printed by Rich, without its markup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import rich.console
from rich.table import Table

from xoff.cli.folding import folded, laid_out
from xoff.cli.terminal import printable

if TYPE_CHECKING:
    from rich.text import Text

_UNBOUNDED = 10_000


class Console(rich.console.Console):
    """Prints text and tables.

    In a terminal tables are folded until they fit its width, and text is broken where it ends. Where there is none,
    tables have the width that is given, or more if they need it, and no text is broken: what reads it goes by lines.
    """

    def __init__(self, width: int | None = None, *, stderr: bool = False) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, stderr=stderr)
        if width is not None and not self.is_terminal:
            self.width = width

    def print(self, *objects: Any, names: int = 1, **options: Any) -> None:  # noqa: ANN401 as they come
        """Prints text, or a table in as many parts as it takes, each with the `names` columns that name a row."""
        for table in objects:
            if not isinstance(table, Table):
                options.setdefault("soft_wrap", not self.is_terminal)
                super().print(table, **options)
            elif self.is_terminal:
                for part in self.folded(table, names):
                    super().print(part, **options)
            else:
                whole = laid_out(table, table.columns, table.box, folds_headings=False)
                self.width = max(self.width, self._least_width(whole))
                super().print(whole, **options)

    def folded(self, table: Table, names: int) -> list[Table]:
        """Returns a table in parts that fit the terminal, each with the `names` columns that name a row."""
        return folded(table, self.width, self._least_width, names)

    def _least_width(self, table: Table) -> int:
        """Returns the characters that a table takes at least."""
        return self.measure(table, options=self.options.update(width=_UNBOUNDED)).minimum

    def on_broken_pipe(self) -> NoReturn:
        """Leaves it to the command to end where nobody reads on; Rich would end it with the status of findings."""
        raise BrokenPipeError

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 as it comes
        """All that is not a `Text` already comes by here: lines, cells, headings and titles of tables."""
        return super().render_str(printable(text), **options)
