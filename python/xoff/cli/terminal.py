"""What users have written goes to the terminal as it is written: no markup, and no control character by itself."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import rich.console
import typer

if TYPE_CHECKING:
    from rich.text import Text

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(text: str) -> str:
    """The text with its control characters, except ends of lines and tabs, as Python escapes them."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def say(text: str, *, err: bool = False) -> None:
    """Prints a line."""
    typer.echo(printable(text), err=err)


class Console(rich.console.Console):
    """Prints text and tables. What is no terminal has a width of its own."""

    def __init__(self, width: int | None = None, *, stderr: bool = False) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, stderr=stderr)
        if width is not None and not self.is_terminal:
            self.width = width

    def render_str(self, text: str, **options: Any) -> Text:  # noqa: ANN401 as it comes
        """All that is not a `Text` already comes by here: lines, cells, headings and titles of tables."""
        return super().render_str(printable(text), **options)
