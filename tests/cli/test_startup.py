"""Commands that need little start at once."""

import subprocess
import sys

HEAVY = ["matplotlib", "numpy", "pyarrow", "pydantic", "scipy"]


def test_the_command_line_brings_nothing_heavy() -> None:
    says = f"import sys, xoff.cli; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", says], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
