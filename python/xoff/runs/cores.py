"""The processor cores of this machine."""

from __future__ import annotations

import os


def usable() -> int:
    """How many this process may use, which where a batch system or a container limits it are fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
