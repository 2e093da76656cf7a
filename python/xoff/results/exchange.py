"""Exchange of two names in one step, so that each of them leads to one thing or the other at any instant."""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_HERE = -100
"""`AT_FDCWD` of Linux: a relative path starts at the working directory."""
_EXCHANGE = 2
"""`RENAME_EXCHANGE` of Linux and `RENAME_SWAP` of macOS, which have one value."""


def exchange(one: Path, other: Path) -> bool:
    """Exchanges what two names of one file system lead to; links are exchanged themselves.

    Returns False, and leaves both, where it fails: older systems and some network file systems have no exchange.
    """
    call = _call()
    return call is not None and call(os.fsencode(one), os.fsencode(other)) == 0


@cache
def _call() -> Callable[[bytes, bytes], int] | None:
    """Returns the system's call; None if it has none."""
    try:
        if sys.platform.startswith("linux"):
            rename = ctypes.CDLL(None).renameat2
            return lambda one, other: int(rename(_HERE, one, _HERE, other, _EXCHANGE))
        if sys.platform == "darwin":
            rename = ctypes.CDLL(None).renamex_np
            return lambda one, other: int(rename(one, other, _EXCHANGE))
    except (AttributeError, OSError):  # a C library from before 2018
        pass
    return None
