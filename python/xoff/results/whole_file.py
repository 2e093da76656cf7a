"""Files that appear under their name only when they are complete."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import interrupts_delayed
from xoff.results import leftovers
from xoff.results.flushing import flush

if TYPE_CHECKING:
    from collections.abc import Iterator

_SYSTEM = (Path("/dev"), Path("/proc"))
"""Folders whose links lead to what a process has open, such as `/dev/stdout`."""


@contextmanager
def written_whole(path: Path, *, replaces: bool = True, inside: Path | None = None) -> Iterator[Path]:
    """Yields a path beside a file's name, or in another folder, `inside`; the file gets its name once it is complete.

    A link stays, and the file that it leads to is written. A pipe or a device is no file of its own, and is written
    itself. The next file written in the folder removes what a killed process left there.

    Raises FileExistsError if the name is taken and `replaces` is false, OSError if the file cannot be written.
    """
    if path.is_symlink() and not any(folder in path.absolute().parents for folder in _SYSTEM):
        path = Path(os.path.realpath(path))
    if path.is_symlink() or (path.exists() and not path.is_file()):
        yield path
        return
    if not replaces and path.exists():
        raise _taken(path)
    beside, lock = _begun(path, inside or path.parent)
    try:
        yield beside
        with interrupts_delayed():
            if path.exists():
                shutil.copymode(path, beside)
            flush(beside)
            _give_name(beside, path, replaces=replaces)
    finally:
        beside.unlink(missing_ok=True)
        if lock is not None:
            os.close(lock)


def _begun(path: Path, inside: Path) -> tuple[Path, int | None]:
    """Returns a new file in a folder, with its lock; its ending says in which format a figure is drawn."""
    begin = f".xoff-{leftovers.host()}-"
    for left in leftovers.abandoned(inside, rf"\.xoff-{leftovers.host()}-\w+\.partial(\..*)?"):
        with suppress(OSError):
            left.unlink()
    name = f"{begin}{secrets.token_hex(4)}"
    beside = inside / f"{name}.unlocked{path.suffix}"  # which no other process takes for abandoned
    os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    lock = leftovers.lock(beside)
    return beside if lock is None else beside.rename(inside / f"{name}.partial{path.suffix}"), lock


def _give_name(beside: Path, path: Path, *, replaces: bool) -> None:
    if replaces:
        beside.replace(path)
        return
    try:
        path.hardlink_to(beside)  # which never replaces
    except FileExistsError:
        raise
    except OSError:  # a file system without such links
        if path.exists():
            raise _taken(path) from None
        beside.rename(path)


def _taken(path: Path) -> FileExistsError:
    return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
