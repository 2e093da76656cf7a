"""Checksums of a result folder, which tell whether its files still are as xoff wrote them."""

from __future__ import annotations

import hashlib
import stat
from typing import TYPE_CHECKING, NamedTuple

from xoff.errors import ResultError
from xoff.results import folder_files
from xoff.text import json_text

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILE = "checksums.json"


class _Stamp(NamedTuple):
    """State of a file that tells without reading it that nobody has written it since.

    Any write, and any copy, sets `changed_ns`; on Windows, where it stays, a write sets `modified_ns`.
    """

    bytes: int
    modified_ns: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> _Stamp:
        """Returns the stamp of a file. Raises OSError if there is none."""
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise FileNotFoundError(path)
        return cls(found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def write(folder: Path, names: Iterable[str]) -> None:
    """Writes the checksums of some files of a folder into it."""
    files = {name: _Stamp.of(folder / name)._asdict() | {"sha256": _sha256(folder / name)} for name in names}
    json_text.write(folder / FILE, {"files": files})


def are_there(folder: Path) -> bool:
    """Whether a folder has checksums, as any has that this version wrote."""
    return (folder / FILE).exists()


def changed(folder: Path, known: Iterable[str]) -> list[str]:
    """Returns the names of files that are not as they were written, are missing, or are known and were not written.

    A file whose stamp has changed is read, so that a copy of the folder is found unchanged. If the checksums themselves
    are missing or damaged, their file is the one that is named.
    """
    try:
        _Stamp.of(folder / FILE)  # nobody writes into a pipe of this name
        files = folder_files.document(folder / FILE)["files"]
        found = [name for name, written in files.items() if not _is_as(folder / name, **written)]
        return found + [name for name in known if name not in files and (folder / name).exists()]
    except (ResultError, OSError, AttributeError, TypeError):
        return [FILE]


def _is_as(path: Path, *, sha256: str, **stamp: int) -> bool:
    """Whether a file is as it was when it had a stamp and a checksum."""
    written = _Stamp(**stamp)
    try:
        found = _Stamp.of(path)
        return found == written or (found.bytes == written.bytes and _sha256(path) == sha256)
    except OSError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
