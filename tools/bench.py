"""Measures the simulator against its goals: `make bench`, or `python tools/bench.py [--runs N] [--json]`.

Runs scenarios/bench/ and the hotspot of a published figure without Python, through crates/xoff/examples/run.
Verdicts are printed and never fail, because time depends on the machine. So times of a packet-hop are also told as
multiples of what the machine needs to move packets and do nothing else (docs/speed.md). `--table` measures only these,
and writes them into the table of docs/speed.md. `--gate` (`make gate`) counts instructions only, which hardly depend on
the machine, and fails above the ceiling in tools/gate.toml.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parent.parent
FABRIC = "scenarios/bench/fabric_128.toml"
ROCE = "scenarios/bench/roce_64.toml"
DSH = "scenarios/bench/dsh_256.toml"
RENO = "scenarios/bench/reno_8192.toml"
DUEL = "scenarios/bench/duel_8192.toml"
SEARCH = "scenarios/bench/web_search_1024.toml"
RINGS = "scenarios/bench/all_reduce_64.toml"
RINGS_OF_1024 = "scenarios/bench/all_reduce_1024.toml"
CHASSIS = ("cioq_64", "cioq_64_steady")
HOTSPOT = "figures/qcn_os/fig4/scenario.toml"
GATE = ROOT / "tools" / "gate.toml"

# Set-up and everything else that does not grow with the run cancels in the difference of a long and a short one.
LONG, SHORT = "5ms", "500us"
# Arrivals of many small flows: 1.5 million and 380,000.
MANY_FLOWS_FOR = ("40ms", "10ms")
# The congestion point of the figure, and ten times as long.
ARRIVAL_SAMPLING = (
    'switch.input.congestion_point={ sampling = "arrival", set_point = "60kB", weight = 2, interval = "150kB" }'
)
ONE_SECOND = "stop.at=1s"
# Of 165 ms: all of it has two thousand million packet-hops.
START_OF_RINGS = "stop.at=5ms"
PAGE = ROOT / "docs" / "speed.md"
ROW_OF_TIMES = re.compile(r"^(\| `(scenarios/\S+)` \| [^|]+ \|) .*$", re.MULTILINE)
# Most runs of a scenario that takes ten seconds or more.
MOST_LONG_RUNS = 3

# Threads that wait spin, so two of them use two cores all the time, if nobody else does.
IDLE_CORES = 1.8

BYTES_PER_FLOW = 100
MOST_BYTES_PER_FLOW = 110
MB = 1e6


@dataclass(frozen=True)
class Floor:
    """CPU times of a packet-hop in ns, run by run: of the run, and of the replays of its record right after it."""

    runs: list[float]
    in_cache: list[float]
    own: list[float]
    bytes: int
    """Memory that the replay outside the cache touches, without the record."""

    @property
    def of_floor(self) -> float:
        """Median multiple of the scenario's own floor."""
        return median(run / floor for run, floor in zip(self.runs, self.own, strict=True))

    @property
    def of_cache(self) -> float:
        """Median multiple of the floor in cache."""
        return median(run / floor for run, floor in zip(self.runs, self.in_cache, strict=True))


class Run(NamedTuple):
    """Numbers that the example prints of one run."""

    packet_hops: int
    events: int
    flows: int
    dropped: int
    cpu_seconds: float
    wall_seconds: float
    added_bytes: int
    digest: str
    floor: dict[str, Any] | None = None

    @property
    def ns_per_hop(self) -> float:
        """CPU time of a packet crossing a link."""
        return self.cpu_seconds * 1e9 / self.packet_hops


@dataclass(frozen=True)
class Figure:
    """One measured number and its goal."""

    benchmark: str
    name: str
    value: float
    text: str
    goal: str = ""
    met: bool | None = None
    floor: Floor | None = None


class BenchError(Exception):
    """Something that keeps the benchmarks from running, in one line."""


class Simulator:
    """The example, built."""

    def __init__(self) -> None:
        if shutil.which("cargo") is None:
            raise BenchError("cargo is not on the PATH; install Rust")
        # With the extension's package, so that the library which was built for it serves here too.
        packages = ["--package", "xoff", "--package", "xoff-py"]
        command = ["cargo", "build", "--release", "--locked", *packages, "--example", "run"]
        built = _output([*command, "--message-format", "json-render-diagnostics"])
        executables = (json.loads(line).get("executable") for line in built.splitlines())
        self.path = next(found for found in executables if found)

    def run(self, scenario: str, *overrides: str, threads: int = 1) -> Run:
        """One run."""
        return Run(**json.loads(_output(self._command(scenario, overrides, threads))))

    def beside_floor(self, scenario: str, *overrides: str, runs: int) -> tuple[Run, Floor]:
        """The first of some runs in one process, and the times of all of them and of the floor between them."""
        command = [*self._command(scenario, overrides, 1), "--floor", str(runs)]
        run = Run(**json.loads(_output(command)))
        return run, Floor(**run.floor or {})

    def instructions(self, scenario: str, *overrides: str) -> tuple[int, Run]:
        """One run under callgrind: the instructions of the whole process, and what it printed."""
        if shutil.which("valgrind") is None:
            raise BenchError("valgrind is not on the PATH; on Debian, apt install valgrind")
        callgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        done = _finish([*callgrind, *self._command(scenario, overrides, 1)])
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if collected is None:
            raise BenchError(f"callgrind counted nothing:\n{done.stderr}")
        return int(collected[1]), Run(**json.loads(done.stdout))

    def _command(self, scenario: str, overrides: tuple[str, ...], threads: int) -> list[str]:
        settings = [word for override in overrides for word in ("--set", override)]
        return [self.path, scenario, "--threads", str(threads), *settings]


def _output(command: list[str]) -> str:
    return _finish(command).stdout


def _finish(command: list[str]) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done


def instructions_per_hop(simulator: Simulator, scenario: str) -> float:
    """Instructions of a packet crossing a link: a long run less a short one, over the packet-hops between them."""
    (long, long_run), (short, short_run) = (
        simulator.instructions(scenario, f"stop.arrivals_end={length}") for length in (LONG, SHORT)
    )
    return (long - short) / (long_run.packet_hops - short_run.packet_hops)


def bytes_per_flow(simulator: Simulator) -> float:
    """Memory that a finished flow needs at the simulator's peak, its row of the result included."""
    long, short = (simulator.run(FABRIC, *many_flows(length)) for length in MANY_FLOWS_FOR)
    return (long.added_bytes - short.added_bytes) / (long.flows - short.flows)


def bytes_per_flow_of_command() -> float:
    """Returns the bytes of memory per flow of a whole `xoff run`: summary, Parquet and report included."""
    (long, more), (short, fewer) = (_peak_of_command(FABRIC, *many_flows(length)) for length in MANY_FLOWS_FOR)
    return (long - short) / (more - fewer)


def many_flows(length: str) -> tuple[str, ...]:
    """Many small flows, so that what is kept of each stands out from the packets in flight."""
    return 'workload.sizes={ fixed = "1000B" }', "workload.load=0.05", f"stop.arrivals_end={length}"


def _peak_of_command(scenario: str, *overrides: str) -> tuple[int, int]:
    """The most bytes that `xoff run` had resident, and how many flows finished."""
    settings = [word for override in overrides for word in ("--set", override)]
    with tempfile.TemporaryDirectory() as folder:
        command = [str(Path(sys.executable).with_name("xoff")), "run", scenario, *settings, "--json", "--out"]
        with subprocess.Popen([*command, f"{folder}/result"], cwd=ROOT, stdout=subprocess.PIPE) as running:
            printed = running.stdout.read() if running.stdout else b""
            _, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
    if running.returncode != 0:
        raise BenchError(f"{' '.join(command)}: exit {running.returncode}")
    return usage.ru_maxrss * 1024, json.loads(printed)["flows"]["all"]["count"]


def fabric(simulator: Simulator, runs: int) -> list[Figure]:
    """The engine's benchmark."""
    pairs = [(simulator.run(FABRIC), simulator.run(FABRIC, threads=2)) for _ in range(runs)]
    alone, floor = simulator.beside_floor(FABRIC, runs=runs)
    if {run.digest for pair in pairs for run in pair} != {alone.digest}:
        raise BenchError(f"{FABRIC}: digests differ between runs")
    added, least = alone.added_bytes, min(floor.runs)
    beyond = (added - BYTES_PER_FLOW * alone.flows) / MB
    instructions = instructions_per_hop(simulator, FABRIC)
    figure = partial(Figure, "fabric_128")
    return [
        figure("packet-hops", alone.packet_hops, f"{alone.packet_hops:,}"),
        per_hop("fabric_128", floor, "at most 45 ns", 45),
        figure("CPU per packet-hop, least", least, f"{least:.1f} ns"),
        figure("instructions per packet-hop", instructions, f"{instructions:.0f}", "at most 300", instructions <= 300),
        figure("memory added", added / MB, f"{added / MB:.1f} MB"),
        figure("memory added beyond 100 B a flow", beyond, f"{beyond:.1f} MB", "at most 40 MB", beyond <= 40),
        per_flow("memory of a finished flow, simulator", bytes_per_flow(simulator)),
        per_flow("memory of a finished flow, `xoff run`", bytes_per_flow_of_command()),
        two_threads(pairs),
    ]


def per_hop(benchmark: str, floor: Floor, goal: str = "", most: float | None = None) -> Figure:
    """CPU time of a packet-hop, beside its floor."""
    time = median(floor.runs)
    met = None if most is None else time <= most
    return Figure(benchmark, "CPU per packet-hop, median", time, f"{time:.1f} ns", goal, met, floor)


def per_flow(name: str, value: float) -> Figure:
    """Bytes of a finished flow, held against "about 100"."""
    goal = f"at most {MOST_BYTES_PER_FLOW} B"
    return Figure("fabric_128", name, value, f"{value:.0f} B", goal, value <= MOST_BYTES_PER_FLOW)


def two_threads(pairs: list[tuple[Run, Run]]) -> Figure:
    """The speed-up of a second thread, pair by pair; it says nothing unless the machine had a second core to give."""
    speedup = median(alone.wall_seconds / both.wall_seconds for alone, both in pairs)
    cores = median(both.cpu_seconds / both.wall_seconds for _, both in pairs)
    idle = cores >= IDLE_CORES
    text = f"{speedup:.2f} times" if idle else f"{speedup:.2f} times, on {cores:.1f} cores"
    met = speedup >= 1.6 if idle else None
    return Figure("fabric_128", "two threads, wall time", speedup, text, "at least 1.6 times, idle", met)


def roce(simulator: Simulator, runs: int) -> list[Figure]:
    """Lossless classes, queue pairs and DCQCN."""
    run, floor = simulator.beside_floor(ROCE, runs=runs)
    instructions = instructions_per_hop(simulator, ROCE)
    beyond = (run.added_bytes - BYTES_PER_FLOW * run.flows) / MB
    figure = partial(Figure, "roce_64")
    return [
        figure("packet-hops", run.packet_hops, f"{run.packet_hops:,}"),
        per_hop("roce_64", floor, "at most 60 ns", 60),
        figure("instructions per packet-hop", instructions, f"{instructions:.0f}", "at most 600", instructions <= 600),
        figure("memory added beyond 100 B a flow", beyond, f"{beyond:.1f} MB"),
    ]


def dsh(simulator: Simulator) -> list[Figure]:
    """Headroom, telemetry and freed flows, once in full because that takes a while."""
    run, floor = simulator.beside_floor(DSH, runs=1)
    added = run.added_bytes / MB
    figure = partial(Figure, "dsh_256")
    return [
        figure("packet-hops", run.packet_hops, f"{run.packet_hops:,}"),
        figure("packets dropped", run.dropped, f"{run.dropped:,}", "none", run.dropped == 0),
        per_hop("dsh_256", floor, "at most 80 ns", 80),
        figure("memory added", added, f"{added:.0f} MB", "under 300 MB", added < 300),
    ]


def crossbars(simulator: Simulator) -> list[Figure]:
    """Queues at inputs: a chassis in full under bursts and without, and the hotspot of a paper."""
    figures = []
    for name in CHASSIS:
        chassis, floor = simulator.beside_floor(f"scenarios/bench/{name}.toml", runs=1)
        figure, time = partial(Figure, name), chassis.cpu_seconds
        figures += [
            figure("packet-hops", chassis.packet_hops, f"{chassis.packet_hops:,}"),
            figure("packets dropped", chassis.dropped, f"{chassis.dropped:,}", "none", chassis.dropped == 0),
            figure("CPU", time, f"{time:.2f} s", "under 15 s", time < 15),
            per_hop(name, floor),
        ]
    time = simulator.run(HOTSPOT, ARRIVAL_SAMPLING, ONE_SECOND).cpu_seconds
    return [*figures, Figure("qcn_os/fig4", "CPU of 1 s", time, f"{time:.2f} s", "under 0.5 s", time < 0.5)]


def permutations(simulator: Simulator, runs: int) -> list[Figure]:
    """Large networks: a permutation of 8192 hosts without loss, and the public benchmark of another simulator."""
    run, floor = simulator.beside_floor(RENO, runs=runs)
    added, figure = run.added_bytes / MB, partial(Figure, "reno_8192")
    time = median(floor.runs) * run.packet_hops / 1e9
    figures = [
        figure("packet-hops", run.packet_hops, f"{run.packet_hops:,}"),
        figure("packets dropped", run.dropped, f"{run.dropped:,}", "none", run.dropped == 0),
        figure("CPU", time, f"{time:.2f} s", "under 5 s", time < 5),
        per_hop("reno_8192", floor),
        figure("memory added", added, f"{added:,.0f} MB", "under 2 GB", added < 2000),
    ]
    return [*figures, *large(simulator, DUEL, runs=runs)]


def large(simulator: Simulator, scenario: str, *overrides: str, runs: int) -> list[Figure]:
    """A large network or long flows, for which there is no goal of CPU time."""
    run, floor = simulator.beside_floor(scenario, *overrides, runs=runs)
    name, added = Path(scenario).stem, run.added_bytes / MB
    time, figure = median(floor.runs) * run.packet_hops / 1e9, partial(Figure, name)
    return [
        figure("packet-hops", run.packet_hops, f"{run.packet_hops:,}"),
        figure("packets dropped", run.dropped, f"{run.dropped:,}"),
        figure("CPU", time, f"{time:.2f} s"),
        per_hop(name, floor),
        figure("memory added", added, f"{added:,.0f} MB"),
    ]


def put_times(simulator: Simulator, runs: int) -> None:
    """Measures the scenarios of the table of the page beside their floors, and writes the times into it."""

    def measured(row: re.Match[str]) -> str:
        overrides = (START_OF_RINGS,) if row[2] == RINGS_OF_1024 else ()
        _, floor = simulator.beside_floor(row[2], *overrides, runs=runs)
        times = [f"{median(times):.1f}" for times in (floor.runs, floor.own)]
        line = f"{row[1]} {' | '.join([*times, f'{floor.of_floor:.1f}', f'{floor.of_cache:.1f}'])} |"
        print(line, flush=True)
        return line

    PAGE.write_text(ROW_OF_TIMES.sub(measured, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def machine() -> dict[str, Any]:
    """Describes the machine that times depend on; a load above zero means that others were using it."""
    try:
        found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"processor": found[1] if found else platform.processor(), "cores": os.cpu_count(), "load": load}


def show(figures: list[Figure], where: dict[str, Any], runs: int) -> None:
    """The table."""
    title = f"{where['processor']}, {where['cores']} cores, load {where['load']:.1f} before; {runs} runs"
    table = Table(title=title, title_justify="left", title_style="bold")
    for heading in ("benchmark", "figure"):
        table.add_column(heading, no_wrap=True)
    for heading in ("measured", "x floor", "x in cache"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("goal", no_wrap=True)
    table.add_column("verdict", no_wrap=True)
    for figure in figures:
        verdict = {None: "", True: "[green]met[/]", False: "[yellow]not met[/]"}[figure.met]
        floor = figure.floor
        multiples = [f"{floor.of_floor:.1f}", f"{floor.of_cache:.1f}"] if floor else ["", ""]
        table.add_row(figure.benchmark, figure.name, figure.text, *multiples, figure.goal, verdict)
    console = Console(highlight=False, width=None if Console().is_terminal else 150)
    console.print(table)
    floors = [figure.floor for figure in figures if figure.floor]
    least, most = (choose(median(floor.own) for floor in floors) for choose in (min, max))
    in_cache = median(median(floor.in_cache) for floor in floors)
    console.print(
        f"Floor: recorded hops replayed, {least:.1f} to {most:.1f} ns by scenario; in cache {in_cache:.1f} ns."
    )
    console.print(f"Instructions: callgrind, {LONG} of arrivals less {SHORT}, so that set-up cancels.")


def gate(simulator: Simulator) -> int:
    """1 if a packet-hop of a benchmark needs more instructions than it may."""
    ceilings = tomllib.loads(GATE.read_text(encoding="utf-8"))
    passed = [within_ceiling(simulator, name, gated["instructions_per_packet_hop"]) for name, gated in ceilings.items()]
    return 0 if all(passed) else 1


def within_ceiling(simulator: Simulator, name: str, ceiling: float) -> bool:
    """Whether a packet-hop of one benchmark needs no more instructions than it may, which is printed."""
    measured = instructions_per_hop(simulator, f"scenarios/bench/{name}.toml")
    passed = measured <= ceiling
    verdict = "passed" if passed else "failed: make it faster, or raise the ceiling in tools/gate.toml and say why"
    print(f"{name}: {measured:.1f} instructions per packet-hop, ceiling {ceiling}: {verdict}")
    return passed


def bench(simulator: Simulator, runs: int, *, as_json: bool) -> int:
    """All figures; 0 whatever they are."""
    where, few = machine(), min(runs, MOST_LONG_RUNS)
    figures = [
        *fabric(simulator, runs),
        *large(simulator, SEARCH, runs=few),
        *roce(simulator, runs),
        *large(simulator, RINGS, runs=few),
        *large(simulator, RINGS_OF_1024, START_OF_RINGS, runs=few),
        *dsh(simulator),
        *crossbars(simulator),
        *permutations(simulator, few),
    ]
    if as_json:
        print(json.dumps({"machine": where, "runs": runs, "figures": [asdict(figure) for figure in figures]}, indent=2))
    else:
        show(figures, where, runs)
    return 0


def main() -> int:
    """Returns the exit status."""
    parser = argparse.ArgumentParser(description="Measures the simulator against its goals.")
    parser.add_argument("--gate", action="store_true", help="only count instructions; fail above tools/gate.toml")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="runs of each; of long ones at most 3")
    parser.add_argument("--table", action="store_true", help="only time packet-hops, and write them into docs/speed.md")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    try:
        simulator = Simulator()
        if options.table:
            put_times(simulator, options.runs)
            return 0
        return gate(simulator) if options.gate else bench(simulator, options.runs, as_json=options.json)
    except BenchError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
