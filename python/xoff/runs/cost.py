"""Cost of a run to this process: CPU seconds of all threads, seconds by the clock, added memory."""

from __future__ import annotations

import time
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR_PEAK = Path("/proc/self/clear_refs")
_TRIM_THRESHOLD = -1  # M_TRIM_THRESHOLD in malloc.h


class Cost:
    """Measures CPU time, clock time and memory from when it is made until `stop`."""

    def __init__(self) -> None:
        _forget_peak()
        self._resident_kib = status("VmRSS")
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        self.cpu_seconds = self.wall_seconds = 0.0
        self.added_rss_mb: float | None = None

    def stop(self) -> Cost:
        """Takes all readings; memory is the peak since the start less the resident memory at the start (10^6 bytes)."""
        self.cpu_seconds = time.process_time() - self._cpu
        self.wall_seconds = time.perf_counter() - self._wall
        peak = status("VmHWM")
        if peak is not None and self._resident_kib is not None:
            self.added_rss_mb = max(0, peak - self._resident_kib) * 1024 / 1e6
        return self


def give_back_freed_memory() -> None:
    """Makes glibc give large blocks back to the system whenever they are freed.

    By default, glibc keeps blocks as large as any freed before, up to 32 MB: tens of megabytes after a run.
    """
    import ctypes

    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        return  # not glibc
    mallopt(_TRIM_THRESHOLD, 128 << 10)  # its default, which no longer grows once it is set


def _forget_peak() -> None:
    """Resets the peak of resident memory (VmHWM to VmRSS), so that an earlier, larger run does not count."""
    try:
        _CLEAR_PEAK.write_text("5")
    except OSError:
        return  # then the peak is that of the whole process, which can only be more


def status(key: str, file: Path = _STATUS) -> int | None:
    """Returns the number beside a key of a system's file, of this process by default; None off Linux."""
    try:
        lines = file.read_text().splitlines()
    except OSError:
        return None
    numbers = (line.split()[1] for line in lines if line.replace(":", " ").split(maxsplit=1)[0] == key)
    return next((int(number) for number in numbers), None)
