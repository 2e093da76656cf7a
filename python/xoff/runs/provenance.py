"""Provenance of a result: enough to make it again, and to see why another machine took longer."""

from __future__ import annotations

import hashlib
import platform
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xoff.scenario.scenario import Scenario

_PACKAGES = ("xoff", "numpy", "pyarrow", "matplotlib")
_version = cache(version)  # which reads a file each time, as long as a small run takes


def collect(scenario: Scenario, files: Mapping[str, str], threads: int) -> dict[str, Any]:
    """Returns the content of `provenance.json`: versions, machine, command, digests of input files.

    Args:
        scenario: The scenario that has run.
        files: Text of the files that the scenario names, by path.
        threads: Number of threads that shared the work.
    """
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": sys.argv,
        "scenario_file": scenario.file,
        "overrides": list(scenario.overrides),
        "seed": scenario.seed,
        "threads": threads,
        "input_files": {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()},
        "versions": {"python": platform.python_version(), **{name: _version(name) for name in _PACKAGES}},
        "machine": {
            "system": platform.platform(),
            "processor": _processor(),
        },
    }


@cache
def _processor() -> str:
    try:
        with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
            return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()
