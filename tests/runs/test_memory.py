"""Memory that a run may take."""

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

from xoff.errors import OutOfMemoryError
from xoff.runs.memory import left_bytes

CASES = Path(__file__).parent / "cases"
LIMITED = """
import resource, sys
import pyarrow.parquet
from xoff.cli.application import main
from xoff.runs.cost import status
sys.argv = ["xoff", *sys.argv[1:]]
resource.setrlimit(resource.RLIMIT_AS, (status("VmSize") * 1024 + 400_000_000,) * 2)
main()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say how much a process has")
def test_a_run_that_needs_more_memory_than_there_is_says_so_in_a_line(tmp_path: Path) -> None:
    command = [sys.executable, "-c", LIMITED, "run", str(CASES / "telemetry_over_long_links.toml"), "--out", "out"]
    outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert (outcome.returncode, outcome.stdout) == (1, "")
    assert outcome.stderr.startswith("out of memory: ")
    assert outcome.stderr.endswith("find a machine with more memory\n")
    assert outcome.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not say how much is left")
def test_some_memory_is_left() -> None:
    left = left_bytes()
    assert left is not None
    assert left > 0


def test_a_worker_tells_its_parent_that_memory_is_out() -> None:
    for error, told in (
        (OutOfMemoryError(), "out of memory; let fewer"),
        (OutOfMemoryError("2 GB"), "out of memory: 2 GB; let fewer"),
    ):
        assert str(pickle.loads(pickle.dumps(error))).startswith(told)
