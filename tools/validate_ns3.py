"""Holds xoff's DCQCN against ns-3's on given flows: `make validation`.

Files of reference are in validation/ns3/. xoff runs them with several seeds of the hash that chooses paths.

```sh
    tools/validate_ns3.py                            # prints the table of flow sizes
    tools/validate_ns3.py --seeds 5 --set KEY=VALUE  # fewer seeds, and a key of the scenario changed
    tools/validate_ns3.py --write                    # writes the table into docs/validation.md
```
"""

from __future__ import annotations

import argparse
import csv
import itertools
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

import validate
import xoff
from xoff import formats

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    Times = npt.NDArray[np.float64]

ROOT = Path(__file__).parent.parent
NS3 = ROOT / "validation" / "ns3"

SEEDS = 40
"""Runs, each with another hash for paths."""
SET = {
    "switch.pfc.headroom.size": "37500B",
    "switch.pfc.reserved": "0B",
    "switch.pfc.xon_offset": "2496B",
    "pfc.reaction_quanta": 0,
}
"""Keys that say what the files cannot; validation/ns3/README.md says why."""
CLASSES = {"all": (0, 1 << 62), "below 100 kB": (0, 10**5), "100 kB to 1 MB": (10**5, 10**6), "above": (10**6, 1 << 62)}
"""Classes of flow sizes in bytes."""
MEASURES: dict[str, Callable[[Times], float]] = {
    "mean": lambda times: float(times.mean()),
    "median": lambda times: float(np.median(times)),
    "90th percentile": lambda times: float(np.percentile(times, 90)),
}


class Row(NamedTuple):
    """A measure of a class of flows, in us."""

    flows: str
    measure: str
    ns3: float
    xoff: Times
    """The measure with each hash seed."""

    @property
    def ratios(self) -> Times:
        """Ratio to ns-3 with each hash seed."""
        return self.xoff / self.ns3

    @property
    def deviations(self) -> float:
        """Standard deviations over hash seeds by which ns-3 lies above the mean of xoff."""
        return float((self.ns3 - self.xoff.mean()) / self.xoff.std(ddof=1))


@cache
def reference() -> tuple[Times, Times]:
    """Returns size in bytes and completion time in us of each flow."""
    with (NS3 / "fct.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    return np.array([float(row["size_bytes"]) for row in rows]), np.array([int(row["fct_ns"]) / 1e3 for row in rows])


def times(changes: Sequence[str], seed: int) -> Times:
    """Returns the completion time in us of each flow, in the order of the reference."""
    files = [NS3 / name for name in ("topology.txt", "config.txt", "flow.txt")]
    scenario = formats.read(files).scenario().with_values({**SET, "topology.hash_seed": seed})
    scenario = xoff.Scenario(scenario.text, scenario.file, (*scenario.overrides, *changes), scenario.inputs)
    flows = scenario.run().flows
    order = np.argsort(flows["start_ns"].to_numpy(), kind="stable")
    found: Times = flows["fct_ns"].to_numpy()[order] / 1e3
    assert np.array_equal(flows["size_bytes"].to_numpy()[order], reference()[0])
    return found


def rows(seeds: int = SEEDS, changes: Sequence[str] = ()) -> list[Row]:
    """Returns the measures of each class of flows, over hash seeds that are far enough apart for all switches."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        runs = [*pool.map(times, itertools.repeat(changes), range(0, 1000 * seeds, 1000))]
    sizes, ns3 = reference()
    found = []
    for name, (least, end) in CLASSES.items():
        those = (sizes >= least) & (sizes < end)
        for measure, function in MEASURES.items():
            own = np.array([function(run[those]) for run in runs])
            found.append(Row(f"{name} ({those.sum():,})", measure, function(ns3[those]), own))
    return found


def table(found: Sequence[Row]) -> str:
    """Returns the rows as a table of Markdown."""
    lines = [
        "| flows | FCT (us) | ns-3 | xoff | ratio | over hash seeds | ns-3 lies |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in found:
        low, high = np.percentile(row.ratios, [5, 95])
        cells = [row.flows, row.measure, f"{row.ns3:,.1f}", f"{row.xoff.mean():,.1f}", f"{row.ratios.mean():.2f}"]
        cells += [f"{low:.2f} to {high:.2f}", f"{row.deviations:+.1f} sd"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--set", dest="changes", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--write", action="store_true")
    chosen = parser.parse_args()
    found = table(rows(chosen.seeds, chosen.changes))
    if chosen.write:
        validate.put({"ns3": found})
    else:
        print(found)


if __name__ == "__main__":
    main()
