"""Builds what is written in C and C++ against the C interface, with sanitizers, and runs it: `make test-c`.

The ring of ASTRA-sim's front end, over a stand-in of ASTRA-sim's interface, must take as long as xoff's own collective.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import xoff

ROOT = Path(__file__).parent.parent
OUT = ROOT / "target" / "c"
HEADER = ROOT / "crates" / "xoff-c" / "include"
ASTRA = ROOT / "integrations" / "astra_sim"
RING = ASTRA / "ring.toml"
SANITIZED = ("-g", "-O1", "-Wall", "-Wextra", "-Werror", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
PART_BYTES, RANKS = 250_000, 8
"""Bytes of a part and ranks in test.cc."""


def built(name: str, compiler: str, *arguments: str | Path) -> Path:
    """Compiles a program against the shared library, and returns its path."""
    library = ROOT / "target" / "debug"
    linked = (f"-L{library}", "-lxoff_c", f"-Wl,-rpath,{library}")
    subprocess.run([compiler, *SANITIZED, f"-I{HEADER}", *arguments, *linked, "-o", OUT / name], check=True)
    return OUT / name


def printed(*command: str | Path) -> str:
    """Returns what a program prints. A leak or any undefined behaviour ends it with another status than 0."""
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout


def own_ring_ns() -> float:
    """Returns the time of xoff's own ring all-reduce of the same parts."""
    collective = {
        "kind": "collective",
        "transport": "roce",
        "operation": "all_reduce",
        "size": f"{PART_BYTES * RANKS}B",
        "start": "3us",
    }
    result = xoff.Scenario.load(RING).with_value("workload", [collective]).run()
    return float(result.summary["collectives"][0]["completion_max_us"]) * 1000


def main() -> None:
    """Builds and runs everything."""
    header = ("--manifest-path", "crates/xoff-c/header/Cargo.toml", "--target-dir", "target/header", "--", "--check")
    subprocess.run(["cargo", "run", "--quiet", "--locked", *header], check=True, cwd=ROOT)
    subprocess.run(["cargo", "build", "--quiet", "--package", "xoff-c", "--locked"], check=True, cwd=ROOT)
    OUT.mkdir(parents=True, exist_ok=True)
    c, cpp = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++")
    sys.stdout.write(printed(built("ring", c, "-std=c11", ROOT / "examples" / "c" / "ring.c")))
    sys.stdout.write(printed(built("misuse", c, "-std=c11", ROOT / "crates" / "xoff-c" / "tests" / "misuse.c")))
    stand_in = (f"-I{ASTRA / 'stand_in'}", ASTRA / "network.cc", ASTRA / "test.cc")
    ring_ns = float(printed(built("astra_ring", cpp, "-std=c++17", *stand_in), RING))
    own_ns = own_ring_ns()
    if abs(ring_ns - own_ns) > 1:
        sys.exit(f"the ring over ASTRA-sim's interface takes {ring_ns:.0f} ns, and xoff's own {own_ns:.0f} ns")
    sys.stdout.write(f"ASTRA-sim's interface: a ring of {ring_ns:.0f} ns, as xoff's own\n")


if __name__ == "__main__":
    main()
