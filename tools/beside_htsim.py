"""Times xoff beside htsim on connection matrices: `python tools/beside_htsim.py HTSIM_UEC MATRIX...`.

HTSIM_UEC is the binary of a built [uet-htsim](https://github.com/ultraethernet/uet-htsim), and matrices are those in
`htsim/sim/datacenter/connection_matrices` there. Each is imported, so that xoff has htsim's network, flows and
settings. Both then run in turn on one core. Times are of CPU: of htsim's process, and of xoff from reading the scenario
to the result, without the start of Python.

```sh
    tools/beside_htsim.py build/datacenter/htsim_uec connection_matrices/perm_128n_128c_2MB.cm
    tools/beside_htsim.py ... --topology topologies/leaf_spine_1024_oversub.topo    # instead of htsim's own fat tree
    tools/beside_htsim.py ... --runs 11 --option=-paths --option=128                # with options for htsim
```
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from xoff import formats

FINISHED = re.compile(r"^Flow .* finished at ([0-9.]+)", re.MULTILINE)
"""Line of a flow in htsim's output, with its end in us."""
END_US = 1_000_000
"""End of a simulation, far behind its last flow: an idle htsim has nothing to do."""


class Run(NamedTuple):
    """A run of either simulator."""

    cpu_s: float
    flows: int
    last_us: float
    """End of the last flow."""


def htsim(binary: Path, matrix: Path, options: list[str]) -> Run:
    """Runs htsim in a folder of its own, for it leaves files behind."""
    command = [str(binary.resolve()), "-tm", str(matrix.resolve()), "-end", str(END_US), *options]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: status {done.returncode}\n{done.stdout[-500:]}{done.stderr[-500:]}")
    ends = [float(end) for end in FINISHED.findall(done.stdout)]
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Run(cpu_s, len(ends), max(ends, default=0))


def own(files: list[Path]) -> Run:
    """Runs what xoff imports."""
    imported = formats.read(files)
    before = time.process_time()
    flows = imported.scenario().run().flows
    cpu_s = time.process_time() - before
    ends = flows["start_ns"].to_numpy() + flows["fct_ns"].to_numpy()
    return Run(cpu_s, len(ends), float(ends.max(initial=0)) / 1000)


def main() -> None:
    """Prints a line for each matrix."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, metavar="HTSIM_UEC")
    parser.add_argument("matrices", type=Path, nargs="+", metavar="MATRIX")
    parser.add_argument("--topology", type=Path, metavar="TOPO")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--option", dest="options", action="append", default=[])
    chosen = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    options = [*chosen.options, *(["-topo", str(chosen.topology.resolve())] if chosen.topology else [])]
    for matrix in chosen.matrices:
        files = [*([chosen.topology] if chosen.topology else []), matrix]
        own(files)  # imports what the first run needs
        pairs = [(htsim(chosen.binary, matrix, options), own(files)) for _ in range(chosen.runs)]
        ratios = [theirs.cpu_s / ours.cpu_s for theirs, ours in pairs]
        theirs, ours = pairs[0]
        print(
            f"{matrix.stem}: {theirs.flows} and {ours.flows} flows, the last at {theirs.last_us:.1f} and"
            f" {ours.last_us:.1f} us; htsim {median(pair[0].cpu_s for pair in pairs):.2f} s, xoff"
            f" {median(pair[1].cpu_s for pair in pairs):.3f} s, {median(ratios):.1f} times"
            f" ({min(ratios):.1f} to {max(ratios):.1f} in {chosen.runs} runs)",
            flush=True,
        )


if __name__ == "__main__":
    main()
