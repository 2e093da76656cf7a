"""Measures how the time of a packet-hop grows with the network: `make growth`, or `python tools/growth.py [--draw]`.

Fat trees of 16 to 8192 hosts, with `--largest` also of 65536, carry a permutation and web search. Each runs beside its
floor (docs/speed.md). Results are kept in docs/growth.csv, drawn into docs/growth.svg and written into the table of
docs/speed.md. `--draw` measures nothing, and draws what is kept.
"""

from __future__ import annotations

import argparse
import csv
import math
import re
import sys
from statistics import median
from typing import TYPE_CHECKING

from matplotlib.ticker import NullLocator

from bench import RENO, ROOT, SEARCH, BenchError, Simulator
from xoff.plot import style

if TYPE_CHECKING:
    from collections.abc import Iterable

    from matplotlib.axes import Axes

SIZES = (4, 6, 8, 12, 16, 20, 26, 32)
"""Numbers of ports of the switches of fat trees, which have a quarter of their cube of hosts."""
LARGEST = 64
WORKLOADS = {
    "permutation": (RENO,),
    "web search": (SEARCH, "stop.arrivals_end=500us"),
}
LEAST_HOPS, LEAST_RUNS, MOST_RUNS = 30_000_000, 3, 40
"""Packet-hops of all runs of one network together, and how many runs these may be. The largest network runs once."""
KEPT = ROOT / "docs" / "growth.csv"
PICTURE = ROOT / "docs" / "growth.svg"
PAGE = ROOT / "docs" / "speed.md"
TABLE = re.compile(r"\| hosts \| .*\n(\|.*\n)+")

Row = dict[str, str]


def measure(sizes: Iterable[int]) -> list[Row]:
    """Measures all workloads on networks of all sizes, the workloads of each size in turn."""
    simulator, rows = Simulator(), []
    for ports in sizes:
        for workload, (scenario, *overrides) in WORKLOADS.items():
            changes = (f"topology.k={ports}", *overrides)
            runs = 1
            run, floor = simulator.beside_floor(scenario, *changes, runs=runs)
            if ports != LARGEST:
                runs = min(MOST_RUNS, max(LEAST_RUNS, math.ceil(LEAST_HOPS / run.packet_hops)))
                run, floor = simulator.beside_floor(scenario, *changes, runs=runs)
            row = {
                "workload": workload,
                "hosts": str(ports**3 // 4),
                "packet_hops": str(run.packet_hops),
                "runs": str(runs),
                "ns": f"{median(floor.runs):.1f}",
                "floor_ns": f"{median(floor.own):.1f}",
                "in_cache_ns": f"{median(floor.in_cache):.2f}",
                "of_floor": f"{floor.of_floor:.2f}",
                "of_cache": f"{floor.of_cache:.2f}",
                "floor_mb": f"{floor.bytes / 1e6:.1f}",
                "added_mb": f"{run.added_bytes / 1e6:.0f}",
            }
            print(", ".join(row.values()), file=sys.stderr, flush=True)
            rows.append(row)
    return rows


def keep(rows: list[Row]) -> None:
    """Writes the results."""
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, rows[0], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def put_table(rows: list[Row]) -> None:
    """Writes the results into the table of the page."""
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(rows), page), encoding="utf-8")


def table(rows: list[Row]) -> str:
    """The table of the page: a line for each size, with all workloads."""
    heads = [f"{workload}, {what}" for workload in WORKLOADS for what in ("ns", "floor, ns", "x floor", "x in cache")]
    lines = [["hosts", *heads], ["---:"] * (len(heads) + 1)]
    for hosts in dict.fromkeys(row["hosts"] for row in rows):
        found = {row["workload"]: row for row in rows if row["hosts"] == hosts}
        cells = [
            found[workload][column] if workload in found else ""
            for workload in WORKLOADS
            for column in ("ns", "floor_ns", "of_floor", "of_cache")
        ]
        lines.append([f"{int(hosts):,}", *cells])
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def draw(rows: list[Row]) -> None:
    """Draws times and floors on the left, and multiples on the right."""
    with style.context():
        figure = style.figure((10, 3.8))
        times, multiples = figure.subplots(1, 2)
        for workload, colour, marker in zip(WORKLOADS, style.COLOURS, "os", strict=False):
            mine = [row for row in rows if row["workload"] == workload]
            hosts = [int(row["hosts"]) for row in mine]

            def along(column: str, mine: list[Row] = mine) -> list[float]:
                return [float(row[column]) for row in mine]

            look = {"color": colour, "marker": marker}
            times.plot(hosts, along("ns"), label=workload, **look)
            times.plot(hosts, along("floor_ns"), "--", markerfacecolor="white", label=f"{workload}, floor", **look)
            multiples.plot(hosts, along("of_floor"), label=f"{workload}, own", **look)
            multiples.plot(hosts, along("of_cache"), ":", label=f"{workload}, in cache", **look)
        every = [int(row["hosts"]) for row in rows if row["workload"] == next(iter(WORKLOADS))]
        in_cache = median(float(row["in_cache_ns"]) for row in rows)
        times.axhline(in_cache, color=style.COLOURS[6], linestyle=":", label="floor in cache")
        for axes, label in ((times, "CPU time of a packet-hop (ns)"), (multiples, "multiple of the floor")):
            _finish(axes, label, every)
        figure.savefig(PICTURE, facecolor="white")


def _finish(axes: Axes, label: str, hosts: list[int]) -> None:
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("hosts")
    axes.set_ylabel(label)
    shown = [number for number in hosts if number.bit_count() == 1]
    axes.set_xticks(shown, [f"{number:,}" for number in shown])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.legend()


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Measures the time of a packet-hop by the size of the network.")
    parser.add_argument("--draw", action="store_true", help="draw what docs/growth.csv has, and measure nothing")
    parser.add_argument("--largest", action="store_true", help="also 65536 hosts: 4 GB or more, and minutes")
    options = parser.parse_args()
    try:
        if not options.draw:
            keep(measure([*SIZES, *([LARGEST] if options.largest else [])]))
    except BenchError as error:
        print(error, file=sys.stderr)
        return 2
    with KEPT.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    put_table(rows)
    draw(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
