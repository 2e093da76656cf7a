"""Files that an option names: written over only if that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path


def check_free(path: Path, option: str, *, force: bool) -> None:
    """Raises OutputError if there is a file of this name already, unless `force` says that it is replaced."""
    if path.is_file() and not force:
        expected = f"choose another file with {option}, or replace it with --force"
        message = f"{path}: {option}: exists already; {expected}"
        raise OutputError(message)
