"""Memory that is left to a run, so that a run ends by itself, with a line, before the system ends its process."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from xoff.errors import OutOfMemoryError
from xoff.runs.cost import status
from xoff.text.units import duration

if TYPE_CHECKING:
    from collections.abc import Iterator

    from xoff._xoff import Progress

_LEAST_SHARE = 1 / 16
"""Share of what a run has taken that must be left: its tables double as they grow."""
_GROUPS = Path("/sys/fs/cgroup")


class MemoryWatch:
    """Watches what one run takes."""

    def __init__(self) -> None:
        self._before = status("VmRSS") or 0

    def check(self, state: Progress) -> None:
        """Raises OutOfMemoryError if little is left besides what the run has taken."""
        taken, left = ((status("VmRSS") or 0) - self._before) * 1024, left_bytes()
        if left is not None and left < taken * _LEAST_SHARE:
            when = f"by {duration(state.now_ns / 1000)} of simulated time"
            raise OutOfMemoryError(f"the run has taken {taken / 1e9:.2f} GB {when}, and {left / 1e9:.2f} GB are left")


def left_bytes() -> int | None:
    """Returns the bytes that this process may still take: by the system, its control group and its own limits.

    None where nothing says so.
    """
    return min((*_of_system(), *_of_groups(), *_of_limits()), default=None)


def _of_system() -> Iterator[int]:
    if (available := status("MemAvailable", Path("/proc/meminfo"))) is not None:
        yield available * 1024


def _of_groups() -> Iterator[int]:
    """Yields what each control group (version 2) above this process has left, its cache of files included."""
    try:
        name = Path("/proc/self/cgroup").read_text().strip().rpartition("::")[2]
    except OSError:
        return
    group = _GROUPS / name.lstrip("/")
    while group.is_relative_to(_GROUPS):
        try:
            most, held = ((group / f"memory.{key}").read_text() for key in ("max", "current"))
            if most.strip() != "max":
                cached = status("inactive_file", group / "memory.stat") or 0
                yield int(most) - int(held) + cached
        except OSError:
            pass  # the root has no limits
        group = group.parent


def _of_limits() -> Iterator[int]:
    """Yields what `ulimit -v` leaves."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:
        return  # not a Unix
    most, size = getrlimit(RLIMIT_AS)[0], status("VmSize")
    if most != RLIM_INFINITY and size is not None:
        yield most - size * 1024
