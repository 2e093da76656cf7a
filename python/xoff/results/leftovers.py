"""Leftovers of killed processes: known by their names, and by a lock that no process holds any more."""

from __future__ import annotations

import os
import platform
import re
import zlib
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def host() -> str:
    """Returns a word for this host; on some network file systems, locks hold on one host only."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def lock(path: Path) -> int | None:
    """Locks a file or folder and returns the open file that holds the lock; None if it is locked or cannot be."""
    try:
        import fcntl
    except ImportError:  # Windows, where a file that is open could not get its name
        return None
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)  # a pipe keeps nobody waiting
    except OSError:
        return None
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:  # another has it, or a network file system has no such locks
        os.close(opened)
        return None
    return opened


def named(parent: Path, pattern: str) -> list[Path]:
    """Returns the entries of a folder whose names match a pattern; none if it cannot be read."""
    matches = re.compile(pattern, re.DOTALL).fullmatch
    with suppress(OSError):
        return [path for path in parent.iterdir() if matches(path.name)]
    return []


def abandoned(parent: Path, pattern: str) -> Iterator[Path]:
    """Yields, locked, the entries of a folder whose names match a pattern and that no living process has locked."""
    for path in named(parent, pattern):
        opened = lock(path)
        if opened is not None:
            try:
                yield path
            finally:
                os.close(opened)
