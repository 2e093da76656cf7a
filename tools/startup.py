"""Measures what a user waits for beside the simulation: `make startup`, or `python tools/startup.py`.

Each command's CPU time is told as a multiple of that of `python -c "import numpy, pyarrow"`, which any machine shares:
the least of several trials of each. Fails if a command takes more than its ceiling, a third above what was measured.
"""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
DEMO = ROOT / "scenarios" / "web_search.toml"
SWEEP = ROOT / "tools" / "startup_sweep.toml"
TRIALS = 5
FLOOR = ("-c", "import numpy, pyarrow")


class Command(NamedTuple):
    """A command line of `xoff` and the most that it may take, in multiples of the floor."""

    arguments: tuple[str, ...]
    ceiling: float


COMMANDS = {
    "version": Command(("--version",), 0.6),
    "help": Command(("--help",), 0.6),
    "check of the demo": Command(("check", str(DEMO)), 0.95),
    "run of the demo, less the simulation": Command(("run", str(DEMO), "--out", "demo", "--force"), 2.9),
    "plot of the demo": Command(("plot", "demo", "fct_cdf"), 8.7),
    "report of the demo": Command(("report", "demo"), 12.5),
    "sweep of 200 kept runs": Command(("sweep", str(SWEEP), "--out", "sweep", "--force"), 19),
}


def main() -> None:
    """Prints a line per command; exits with 1 if one is above its ceiling."""
    above = []
    with tempfile.TemporaryDirectory() as folder:
        _cpu_s(("-m", "xoff", *COMMANDS["sweep of 200 kept runs"].arguments), folder)
        floor_s = min(_cpu_s(FLOOR, folder) for _ in range(TRIALS))
        print(f"import numpy, pyarrow: {floor_s:.2f} s of CPU")
        for name, (arguments, ceiling) in COMMANDS.items():
            ratio = min(_cpu_s(("-m", "xoff", *arguments), folder) for _ in range(TRIALS)) / floor_s
            print(f"{name}: {ratio:.2f} times that; at most {ceiling}")
            if ratio > ceiling:
                above.append(name)
    if above:
        sys.exit(f"above the ceiling: {', '.join(above)}")


def _cpu_s(arguments: tuple[str, ...], folder: str) -> float:
    """Returns the CPU seconds of a command of Python, less those that it says the simulation took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = re.search(r"in ([\d.]+) (ms|s) of CPU", done.stdout)
    simulated_s = float(told[1]) * (1e-3 if told[2] == "ms" else 1) if told else 0.0
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime - simulated_s


if __name__ == "__main__":
    main()
