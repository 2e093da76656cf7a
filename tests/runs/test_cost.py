"""Time and memory that a run costs."""

import subprocess
import sys

import pytest

from xoff.runs.cost import Cost

ADDED = """
from xoff.runs.cost import Cost
cost = Cost()
block = bytearray(64_000_000)
sum(block[::4096])
cost.stop()
print(cost.cpu_seconds, cost.wall_seconds, cost.added_rss_mb)
"""


def test_cpu_time_and_added_memory_are_measured() -> None:
    """In a process of its own, since what a large one gives back meanwhile would count."""
    printed = subprocess.run([sys.executable, "-c", ADDED], capture_output=True, check=True, text=True).stdout
    cpu_seconds, wall_seconds, added_mb = map(float, printed.split())
    assert cpu_seconds > 0
    assert wall_seconds > 0
    assert 50 < added_mb < 200


def test_memory_of_an_earlier_run_does_not_count() -> None:
    block = bytearray(64_000_000)
    assert sum(block[::4096]) == 0
    del block
    cost = Cost().stop()
    assert cost.added_rss_mb is not None
    assert cost.added_rss_mb < 30


FREED = """
from xoff.runs.cost import Cost, give_back_freed_memory
give_back_freed_memory()
block = b"x" * 30_000_000
del block
block = b"x" * 20_000_000
del block
print(Cost()._resident_kib)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc keeps it")
def test_freed_memory_is_given_back() -> None:
    resident = [
        int(subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout)
        for script in (FREED, FREED.replace("\ngive_back_freed_memory()", ""))
    ]
    assert resident[0] < resident[1] - 15_000
