"""Result folders as arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.results.result import Result


def opened(folder: Path) -> Result:
    """The result in a folder. Raises OutputError if there is none, InputError if it is damaged."""
    from xoff.results.result import Result

    try:
        return Result.open(folder)
    except (FileNotFoundError, NotADirectoryError):
        message = f"{folder}: RESULT: is no result folder; expected one that xoff run has written"
        raise OutputError(message) from None
