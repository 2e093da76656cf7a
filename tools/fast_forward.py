"""Holds fast-forward against full runs: `tools/fast_forward.py`.

Each scenario runs twice, with every packet and with `[engine] fast_forward`. The table has the error of completion
times and queues, the share of the time that was skipped, and how many times faster the run was in CPU time.

```sh
    tools/fast_forward.py                     # prints the table
    tools/fast_forward.py --only 'ring*'      # of some scenarios
    tools/fast_forward.py --tolerance 0.02    # with another tolerance
    tools/fast_forward.py --write             # writes table and picture of docs/speed.md
```
"""

from __future__ import annotations

import argparse
import math
import re
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import xoff
from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from xoff.results.result import Result

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "speed.md"
PICTURE = ROOT / "docs" / "fast_forward.svg"
BLOCK = re.compile(r"(<!-- fast-forward -->\n).*?(<!-- end -->)", re.DOTALL)

LOSSLESS = """
[[class]]
priority = 3
lossless = true
[[class]]
priority = 7
[[switch]]
total = "32MB"
pfc = { xoff = { policy = "dynamic_threshold", alpha = 1 } }
marking.queue = { kind = "red", minimum = "100kB", maximum = "400kB", probability = 0.2 }
"""
DCQCN = """
[transport.x]
kind = "roce"
connections = "persistent"
congestion_control = { algorithm = "dcqcn", preset = "mellanox" }
"""
HPCC = """
[transport.x]
kind = "roce"
congestion_control = { algorithm = "hpcc" }
"""
DCTCP = """
[[switch]]
total = "16MB"
marking.queue = { kind = "threshold", threshold = "100kB" }
[transport.x]
kind = "tcp"
congestion_control = { algorithm = "dctcp" }
minimum_rto = "1ms"
"""


def leaf_spine(leaves: int, hosts: int, uplinks: str) -> str:
    """Returns the tables of a fabric of so many leaves with so many hosts each."""
    return f"""
[topology]
kind = "leaf_spine"
leaves = {leaves}
spines = 4
hosts_per_leaf = {hosts}
host_link = {{ rate = "100Gbps", delay = "1us" }}
fabric_link = {{ rate = "{uplinks}", delay = "1us" }}
"""


def collective(operation: str, algorithm: str, size: str, more: str = "") -> str:
    """Returns a workload of one collective, in class 3."""
    return f"""
[[workload]]
kind = "collective"
transport = "x"
operation = "{operation}"
algorithm = "{algorithm}"
size = "{size}"
priority = 3
{more}
"""


def workload(kind: str, keys: str) -> str:
    """Returns a workload of some kind."""
    return f'\n[[workload]]\nkind = "{kind}"\ntransport = "x"\n{keys}\n'


def observed(ports: str) -> str:
    """Returns the samples of queues at some ports."""
    return f'\n[observe]\nqueues = {{ every = "20ms", of = ["{ports}"] }}\n'


STAR = """
[topology]
kind = "star"
hosts = 9
host_link = { rate = "100Gbps", delay = "2us" }
"""
INTO_ONE = 'fan_in = 8\nreceivers = ["host0"]\nsize = "1GB"\ngroups = 1\npriority = 3'
LONG = 'pairs = [["host1", "host5"], ["host2", "host6"], ["host3", "host6"]]\nsize = "1GB"'
SHORT = 'fan_in = 8\nreceivers = ["host0"]\nsize = "20kB"\ngroups = 5\nstart = "5ms"\nevery = "5ms"'
ACROSS = 'pairs = [["host0", "host8"], ["host1", "host5"]]\nsize = "1GB"'
TWICE = 'iterations = 2\ncompute = "1ms"'
LEAVES = observed("leaf*")
BOTTLENECK = observed("switch0.port0")
FAILS = """
[[link_event]]
at = "3ms"
between = ["leaf0", "spine0"]
state = "down"
convergence = "100us"
[[link_event]]
at = "7ms"
between = ["leaf0", "spine0"]
state = "up"
convergence = "100us"
"""

RACKS = leaf_spine(4, 16, "400Gbps")
SMALL = leaf_spine(4, 4, "100Gbps")
SLOW = SMALL.replace("100Gbps", "25Gbps", 1)

SCENARIOS = {
    "ring, 64 hosts, 1 GB": (RACKS, LOSSLESS, DCQCN, collective("all_reduce", "ring", "1GB")),
    "all-to-all, direct, 64 hosts, 100 MB": (RACKS, LOSSLESS, DCQCN, collective("all_to_all", "direct", "100MB")),
    "all-to-all, pairwise, 64 hosts, 100 MB": (RACKS, LOSSLESS, DCQCN, collective("all_to_all", "pairwise", "100MB")),
    "ring, 16 hosts, two iterations": (SMALL, LOSSLESS, DCQCN, collective("all_reduce", "ring", "100MB", TWICE)),
    "permutation, DCQCN": (SMALL, LOSSLESS, DCQCN, workload("permutation", 'size = "100MB"\npriority = 3'), LEAVES),
    "permutation, DCTCP": (SMALL, DCTCP, workload("permutation", 'size = "1GB"'), LEAVES),
    "incast, DCQCN": (STAR, LOSSLESS, DCQCN, workload("incast", INTO_ONE), BOTTLENECK),
    "incast, HPCC": (STAR, LOSSLESS, HPCC, workload("incast", INTO_ONE), BOTTLENECK),
    "incast beside long flows, DCTCP": (SLOW, DCTCP, workload("long_lived", LONG), workload("incast", SHORT), LEAVES),
    "link failure, DCTCP": (SMALL, FAILS, DCTCP, workload("long_lived", ACROSS), LEAVES),
}


@dataclass(frozen=True)
class Row:
    """Effect of fast-forward on one scenario: relative errors, share of time skipped, and speed-up."""

    name: str
    mean: float
    p99: float
    queue: float
    skipped: float
    seconds: float
    speed_up: float
    because: str | None
    completions: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]


def main() -> None:
    """Runs all scenarios twice, and prints or writes the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="*", metavar="PATTERN", help="names of the scenarios to run")
    parser.add_argument("--tolerance", type=float, default=0.01)
    parser.add_argument("--write", action="store_true", help="write table and picture of docs/speed.md")
    arguments = parser.parse_args()
    rows = []
    for name, text in SCENARIOS.items():
        if fnmatch(name, arguments.only):
            rows.append(compare(name, "".join(text), arguments.tolerance))
            print(line(rows[-1]), flush=True)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        written = BLOCK.sub(lambda found: f"{found[1]}\n{table(rows)}\n\n{found[2]}", page)
        PAGE.write_text(written, encoding="utf-8")
        draw(rows)


def compare(name: str, text: str, tolerance: float) -> Row:
    """Runs a scenario with every packet and with fast-forward."""
    forward = f"engine = {{ fast_forward = {{ tolerance = {tolerance} }} }}\n"
    full, skipping = (xoff.Scenario.from_text(head + text).run() for head in ("", forward))
    flows = [result.summary["flows"]["all"] for result in (full, skipping)]
    means, p99s = ([of[measure] for of in flows] for measure in ("fct_mean_us", "fct_p99_us"))
    told = skipping.summary["fast_forward"]
    seconds = [result.summary["engine"]["cpu_seconds"] for result in (full, skipping)]
    queues = [mean_queue(result) for result in (full, skipping)]
    return Row(
        name=name,
        mean=means[1] / means[0] - 1,
        p99=p99s[1] / p99s[0] - 1,
        queue=queues[1] / queues[0] - 1 if queues[0] else math.nan,
        skipped=told["skipped_ns"] / skipping.summary["end_ns"],
        seconds=seconds[0],
        speed_up=seconds[0] / seconds[1],
        because=told["because"],
        completions=(completion_times(full), completion_times(skipping)),
    )


def completion_times(result: Result) -> npt.NDArray[np.float64]:
    """Returns the completion times of all flows in the order of source and number, in microseconds."""
    sources, numbers = (result.flows[column].to_pylist() for column in ("source", "number"))
    order = sorted(range(len(sources)), key=lambda row: (sources[row], numbers[row]))
    return np.asarray(result.flows["fct_ns"].to_numpy()[order], np.float64) / 1000


def mean_queue(result: Result) -> float:
    """Returns the mean of all samples of queues, or 0 without samples."""
    return 0.0 if result.series is None else result.recorded("queue").mean()


def line(row: Row) -> str:
    """Writes a row of the table."""
    queue = "" if math.isnan(row.queue) else f"{row.queue:+.1%}"
    skipped = f"{row.skipped:.1%}" if row.because is None else f"none: {row.because}"
    cells = (
        row.name,
        f"{row.mean:+.2%}",
        f"{row.p99:+.2%}",
        queue,
        skipped,
        f"{row.seconds:.1f}",
        f"{row.speed_up:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def table(rows: Sequence[Row]) -> str:
    """Writes the table."""
    heads = ("scenario", "mean FCT", "p99 FCT", "queues", "skipped", "full run (s)", "times faster")
    head = f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n"
    return head + "\n".join(map(line, rows))


def draw(rows: Sequence[Row]) -> None:
    """Draws the errors of flows, scenario by scenario; of equal ones, to a hundredth of a percent, one bar."""
    with style.context():
        figure = style.figure((8, 0.45 * len(rows) + 1.2))
        axes = figure.subplots()
        for place, row in enumerate(reversed(rows)):
            full, skipping = row.completions
            errors = np.unique((100 * (skipping / full - 1)).round(2))
            axes.plot(errors, np.full(len(errors), place), "|", alpha=0.4, markersize=9, color=style.COLOURS[0])
            axes.plot(100 * row.mean, place, "o", color="black", markersize=4)
        axes.axvspan(-1, 1, color="0.92", zorder=0)
        axes.set_xscale("symlog", linthresh=0.1)
        axes.set_xticks([-100, -10, -1, -0.1, 0.1, 1, 10, 100], ["-100", "-10", "-1", "-0.1", "0.1", "1", "10", "100"])
        axes.set_yticks(range(len(rows)), [f"{row.name} ({row.speed_up:.1f}x)" for row in reversed(rows)])
        axes.set_xlabel("error of completion times (%): flows (bars) and their mean (dot)")
        figure.savefig(PICTURE, facecolor="white")


if __name__ == "__main__":
    main()
