"""The processor cores of this machine."""

from __future__ import annotations

import os


def usable() -> int:
    """Returns the number of cores that this process may use; a batch system or a container may allow only some."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
