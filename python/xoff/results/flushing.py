"""Flushing to disk, so that not even a power cut leaves half of a file or folder under its name."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def flush(path: Path) -> None:
    """Flushes a file, or the names in a folder, to disk; Windows flushes no folders."""
    is_windows = sys.platform == "win32"
    if is_windows and path.is_dir():
        return
    opened = os.open(path, os.O_RDWR if is_windows else os.O_RDONLY)  # Windows flushes only what may be written
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
