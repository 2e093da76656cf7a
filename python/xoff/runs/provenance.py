"""Provenance of a result: enough to make it again, and to see why another machine took longer."""

from __future__ import annotations

import hashlib
import platform
import sys
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from xoff._xoff import __version__

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xoff.scenario.scenario import Scenario


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
        "versions": {
            "python": platform.python_version(),
            "xoff": __version__,
            "numpy": np.__version__,
            "pyarrow": pa.__version__,
        },
        "machine": {
            "system": "-".join((platform.system(), platform.release(), platform.machine())),
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
