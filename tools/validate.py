"""Holds xoff's TCP against the Linux kernel's, row by row: `make validation`.

Rows of reference are in validation/linux/, each a measurement of Linux 6.1. Each is run in xoff with several seeds, and
the mean of every measure is judged by validation/linux/tolerances.toml.

```sh
    tools/validate.py                            # prints the rows and their verdicts
    tools/validate.py --rows 'A50*' --seeds 1    # of some rows, quickly
    tools/validate.py --set KEY=VALUE            # with a key of the scenario changed in every run
    tools/validate.py --json FILE                # writes all measures and verdicts to a file, `-` for the terminal
    tools/validate.py --commands                 # prints the `xoff run` command of each row
    tools/validate.py --write                    # writes the tables of docs/validation.md
```
"""

from __future__ import annotations

import argparse
import csv
import json
import multiprocessing
import re
import shlex
import sys
import tomllib
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import pyarrow.compute as pc

import xoff
from xoff.reproduce.tolerance import Tolerance
from xoff.results.summary import quantile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import pyarrow as pa

    from xoff.results.result import Result

Measures: TypeAlias = "dict[str, float | None]"
Observed: TypeAlias = "dict[str, list[float]]"
"""Values that one run gives, by what they are of."""

ROOT = Path(__file__).parent.parent
LINUX = ROOT / "validation" / "linux"
PAGE = ROOT / "docs" / "validation.md"

SEEDS = 10
"""Runs of each row of long flows."""
ROUNDS = 4
"""Rounds of an incast for each seed: whether a flow times out varies from round to round."""
PACKET = 1514
"""Bytes of a full packet in the queue."""
LEFT_OUT = 0.3
"""Share of a run of long flows that is left out at its begin."""

KINDS = {
    "dctcp": "DCTCP",
    "ecn": "Reno and CUBIC with ECN",
    "drop_tail": "Reno with drop tail",
    "incast": "Incast",
}
"""Kinds of rows, which `tolerances.toml` judges differently, with their titles."""
TITLES = {
    "utilization": "utilization",
    "queue_mean": "mean queue",
    "queue_sd": "queue, standard deviation",
    "queue_p99": "queue, 99th percentile",
    "alpha_mean": "mean alpha",
    "mark_fraction": "share marked",
    "jain_index": "Jain's index",
    "retransmissions": "retransmissions",
    "timeouts": "timeouts",
    "fct_mean_ms": "FCT mean (ms)",
    "fct_p50_ms": "FCT p50 (ms)",
    "fct_p95_ms": "FCT p95 (ms)",
    "fct_max_ms": "FCT max (ms)",
    "makespan_mean_ms": "makespan mean (ms)",
    "makespan_max_ms": "makespan max (ms)",
    "retransmissions_per_flow": "retransmissions per flow",
    "timeouts_per_flow": "timeouts per flow",
}
"""Measures with their titles in tables; queues are counted in packets."""


@dataclass(frozen=True)
class Row:
    """One measurement of Linux, and the run of xoff that repeats it."""

    name: str
    setting: dict[str, str]
    """Columns that say what was run, as text."""
    reference: dict[str, float]
    """Measures of Linux, by their names in `TITLES`."""

    @property
    def is_incast(self) -> bool:
        """Whether flows are short and start together."""
        return "rounds" in self.setting

    @property
    def marks(self) -> bool:
        """Whether the switch marks packets."""
        return bool(self.setting["marking_packets"])

    @property
    def kind(self) -> str:
        """Kind of the row, one of `KINDS`."""
        if self.is_incast:
            return "incast"
        return "drop_tail" if not self.marks else "dctcp" if self.setting["control"] == "dctcp" else "ecn"

    @property
    def file(self) -> Path:
        """Scenario file whose keys the row sets."""
        return LINUX / ("incast.toml" if self.is_incast else "long_flow.toml")

    @property
    def changes(self) -> tuple[str, ...]:
        """Keys of the scenario that the row sets, each as `--set` takes it."""
        own = self._of_incast() if self.is_incast else self._of_long_flows()
        return tuple(f"{key}={value}" for key, value in (self._of_all() | own).items())

    def seeds(self, number: int) -> range:
        """Seeds of the runs with which the row is judged, if rows of long flows have so many."""
        return range(1, number * (ROUNDS if self.is_incast else 1) + 1)

    @property
    def command(self) -> str:
        """Command that runs the row by hand."""
        sets = " ".join(f"--set {shlex.quote(change)}" for change in self.changes)
        return f"xoff run {self.file.relative_to(ROOT)} {sets}"

    def _number(self, column: str) -> float:
        return float(self.setting[column])

    @property
    def _flows(self) -> int:
        return int(self.setting["flows"])

    def _of_all(self) -> dict[str, str]:
        """Keys of the path, the queue and the congestion control."""
        keys = {
            "topology.left": str(self._flows),
            "topology.middle_link.delay": f"{self._number('rtt_ms') / 2:g}ms",
            "switch.shapers.right.rate": f"{self._number('rate_mbps'):g}Mbps",
            "switch.buffer.threshold": f"{(int(self.setting['limit_packets']) - 1) * PACKET + 1}B",
            "switch.marking.queue": "",
            "transport.linux.congestion_control": self._congestion_control(),
        }
        if self.marks:
            threshold = round(self._number("marking_packets") * PACKET) - 1
            keys["switch.marking.queue"] = f'{{ kind = "threshold", threshold = "{threshold}B" }}'
        return keys

    def _congestion_control(self) -> str:
        control = self.setting["control"]
        if self.marks and control == "reno":
            return '{ algorithm = "ecn_star" }'
        ecn = ", ecn = true" if self.marks and control == "cubic" else ""
        return f'{{ algorithm = "{control}"{ecn} }}'

    def _of_long_flows(self) -> dict[str, str]:
        duration_ms = self._number("duration_s") * 1e3
        port = f"left.port{self._flows}"
        return {
            "workload.pairs": self._pairs(),
            "stop.at": f"{duration_ms:g}ms",
            "measure.start": f"{duration_ms * LEFT_OUT:g}ms",
            **{f"observe.{what}.of": f'["{port}"]' for what in ("queues", "throughput", "marks", "drops")},
        }

    def _of_incast(self) -> dict[str, str]:
        return {
            "workload.pairs": self._pairs(),
            "transport.linux.minimum_rto": self.setting["minimum_rto"],
        }

    def _pairs(self) -> str:
        """Sender and receiver of each flow."""
        pairs = ", ".join(f'["host{sender}", "host{self._flows}"]' for sender in range(self._flows))
        return f"[{pairs}]"

    def run(self, changes: Sequence[str], seed: int) -> Observed:
        """Runs the row with more keys changed, and returns what is seen of it; of incasts, a round."""
        own = (*self.changes, f"workload.start={begin_us(seed)}us") if self.is_incast else self.changes
        result = xoff.Scenario.load(self.file, (*own, *changes)).run(seed=seed)
        return of_round(result) if self.is_incast else of_long_flows(result, self._number("rate_mbps"))

    def measures(self, runs: Sequence[Observed]) -> Measures:
        """Returns the measures of some runs: means of long flows, and statistics of all flows and rounds of incasts."""
        pooled = {key: [value for run in runs for value in run[key]] for key in runs[0]}
        if self.is_incast:
            return of_incast(pooled)
        return {measure: fmean(values) if values else None for measure, values in pooled.items()}


def begin_us(seed: int) -> int:
    """Returns the time at which a round of incast begins, so that rounds are spread evenly between ticks of 1 ms."""
    return seed * 618 % 1000


SETTINGS = (
    "control flows rate_mbps rtt_ms marking_packets limit_packets duration_s rounds minimum_rto".split()  # noqa: SIM905
)
"""Columns of the files that say what was run; the others are measures."""


def rows(pattern: str = "*") -> list[Row]:
    """Reads all rows of reference whose name matches a pattern."""
    found = []
    for name in ("long_flows.csv", "incast.csv"):
        with (LINUX / name).open(encoding="utf-8", newline="") as file:
            for line in csv.DictReader(file):
                setting = {key: line[key] for key in SETTINGS if key in line}
                reference = {key: float(line[key]) for key in TITLES if line.get(key)}
                found.append(Row(line["row"], setting, reference))
    return [row for row in found if fnmatch(row.name, pattern)]


def samples(result: Result, quantity: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Returns what was sampled in the measured time; throughputs, marks and drops are of the time before."""
    measured = result.summary["measured"]
    of_quantity = _series(result).filter(pc.equal(_series(result)["quantity"], quantity))
    time_ns = of_quantity["time_ns"].to_numpy()
    is_measured = (time_ns > measured["start_ns"]) & (time_ns <= measured["end_ns"])
    return np.asarray(of_quantity["value"].to_numpy()[is_measured], np.float64)


def _series(result: Result) -> pa.Table:
    assert result.series is not None, "the scenario observes the port"
    return result.series


def queue_statistics(result: Result) -> Observed:
    """Returns mean, standard deviation and 99th percentile of the queue in packets, weighted by time."""
    measured = result.summary["measured"]
    start, end = measured["start_ns"], measured["end_ns"]
    queue = _series(result).filter(pc.equal(_series(result)["quantity"], "queue"))
    time_ns = np.concatenate([[0], queue["time_ns"].to_numpy()])
    packets = np.concatenate([[0.0], queue["value"].to_numpy() / PACKET])
    lasted = np.diff(time_ns.clip(start, end), append=end)
    mean = float((packets * lasted).sum() / lasted.sum())
    variance = float((packets**2 * lasted).sum() / lasted.sum()) - mean**2
    order = np.argsort(packets, kind="stable")
    at_99 = np.searchsorted(np.cumsum(lasted[order]), 0.99 * lasted.sum(), side="right")
    return {
        "queue_mean": [mean],
        "queue_sd": [max(variance, 0.0) ** 0.5],
        "queue_p99": [float(packets[order][min(at_99, len(order) - 1)])],
    }


def of_long_flows(result: Result, rate_mbps: float) -> Observed:
    """Returns the measures of a run of long flows, those of its measured time."""
    measured = result.summary["measured"]
    throughput = samples(result, "throughput").mean()
    sent = throughput * (measured["end_ns"] - measured["start_ns"]) / 1e9 / 8 / PACKET
    alphas = samples(result, "alpha")
    return {
        "utilization": [float(throughput / (rate_mbps * 1e6))],
        **queue_statistics(result),
        "alpha_mean": [float(alphas.mean())] if len(alphas) else [],
        "mark_fraction": [float(samples(result, "marks").sum() / sent)],
        "jain_index": [result.summary["flows"]["long_lived_jain_index"] or 1.0],
        "retransmissions": [float(samples(result, "drops").sum())],
        "timeouts": [float(result.summary["flows"]["timeouts"])],
    }


def of_round(result: Result) -> Observed:
    """Returns what flows of a round took from their first byte sent to the last received, and how they lost."""
    flows = result.flow_rows.select(["start_ns", "received_ns", "base_rtt_ns", "timeouts"])
    first_sent_ns = flows["start_ns"].to_numpy() + flows["base_rtt_ns"].to_numpy()  # after the handshake
    received_ns = flows["received_ns"].to_numpy()
    return {
        "fct_ms": ((received_ns - first_sent_ns) / 1e6).tolist(),
        "makespan_ms": [float(received_ns.max() - first_sent_ns.min()) / 1e6],
        "retransmissions": [float(result.summary["packets"]["retransmitted"])],
        "timeouts": flows["timeouts"].to_pylist(),
    }


def of_incast(rounds: Observed) -> Measures:
    """Returns the measures of all rounds of an incast."""
    fct = np.sort(rounds["fct_ms"])
    return {
        "fct_mean_ms": float(fct.mean()),
        "fct_p50_ms": quantile(fct, 50),
        "fct_p95_ms": quantile(fct, 95),
        "fct_max_ms": float(fct[-1]),
        "makespan_mean_ms": fmean(rounds["makespan_ms"]),
        "makespan_max_ms": max(rounds["makespan_ms"]),
        "retransmissions_per_flow": sum(rounds["retransmissions"]) / len(fct),
        "timeouts_per_flow": sum(rounds["timeouts"]) / len(fct),
    }


@cache
def tolerances() -> dict[str, Any]:
    """Reads the file of tolerances."""
    return tomllib.loads((LINUX / "tolerances.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Judged:
    """A row with what xoff measured, judged."""

    row: Row
    measured: Measures
    """Measures over all seeds; None where there is nothing to measure."""

    @property
    def allowed(self) -> dict[str, str]:
        """Tolerance of each measure that is judged."""
        return dict(tolerances()[self.row.kind])

    @property
    def misses(self) -> list[str]:
        """Measures that are not within their tolerance, or could not be measured."""
        return [measure for measure in self.allowed if not self.is_within(measure)]

    @property
    def known_misses(self) -> list[str]:
        """Measures that are known not to be within, in the order of the tolerances."""
        known = tolerances()["known_misses"].get(self.row.name, [])
        return [measure for measure in self.allowed if measure in known]

    def is_within(self, measure: str) -> bool:
        """Whether a measure is as near to Linux as it must be."""
        value = self.measured.get(measure)
        allowed = Tolerance.parse(self.allowed[measure], self.row.reference[measure])
        return value is not None and allowed.holds(value)

    def difference(self, measure: str) -> str:
        """Returns in words how far xoff is from Linux: per cent, or the difference where Linux has none."""
        value, reference = self.measured.get(measure), self.row.reference[measure]
        if value is None:
            return "not measured"
        if not reference or "%" not in self.allowed.get(measure, "%"):
            return f"{value - reference:+.3g}"
        return f"{value / reference - 1:+.1%}".replace("%", " %")

    def as_dict(self) -> dict[str, Any]:
        """Returns the row as `--json` writes it."""
        return {
            "row": self.row.name,
            "kind": self.row.kind,
            "within": not self.misses,
            "misses": self.misses,
            "reference": self.row.reference,
            "measured": self.measured,
            "difference": {measure: self.difference(measure) for measure in self.row.reference},
            "command": self.row.command,
        }


def judge(wanted: Sequence[Row], changes: Sequence[str] = (), *, seeds: int = SEEDS, workers: int = 1) -> list[Judged]:
    """Runs rows with seeds 1 onwards, and judges what all runs of a row say."""
    tasks = [_Task(row, changes, seed) for row in wanted for seed in row.seeds(seeds)]
    found: dict[tuple[str, int], Observed] = {}
    for task, observed in _in_processes(tasks, workers) if workers > 1 else map(_run, tasks):
        found[task.row.name, task.seed] = observed
        _show(len(found), len(tasks))
    return [Judged(row, row.measures([found[row.name, seed] for seed in row.seeds(seeds)])) for row in wanted]


class _Task(NamedTuple):
    row: Row
    changes: Sequence[str]
    seed: int


def _run(task: _Task) -> tuple[_Task, Observed]:
    return task, task.row.run(task.changes, task.seed)


def _in_processes(tasks: Iterable[_Task], workers: int) -> Iterator[tuple[_Task, Observed]]:
    context = multiprocessing.get_context("spawn")  # Arrow's threads do not survive a fork
    with ProcessPoolExecutor(workers, context) as pool:
        for done in as_completed([pool.submit(_run, task) for task in tasks]):
            yield done.result()


def _show(done: int, of: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {of} runs", end="\n" if done == of else "", file=sys.stderr, flush=True)


def tables(judged: Sequence[Judged]) -> dict[str, str]:
    """Returns each table of the page as Markdown, by its name there."""
    found = {"summary": summary(judged)}
    for kind in KINDS:
        of_kind = [each for each in judged if each.row.kind == kind]
        found[kind] = table(of_kind, list(tolerances()[kind]), with_verdict=True) if of_kind else ""
        others = [measure for measure in TITLES if _tells(of_kind, measure) and measure not in tolerances()[kind]]
        found[f"{kind}_not_judged"] = table(of_kind, others, with_verdict=False) if of_kind else ""
    return found


def _tells(of_kind: Sequence[Judged], measure: str) -> bool:
    """Whether Linux or xoff has seen anything of a measure in any row."""
    return any(each.row.reference.get(measure) or each.measured.get(measure) for each in of_kind)


def summary(judged: Sequence[Judged]) -> str:
    """Returns the table of how many rows of each kind are within, and by what each measure must be."""
    lines = ["| rows | tolerance | within |", "|---|---|---|"]
    for kind, title in KINDS.items():
        of_kind = [each for each in judged if each.row.kind == kind]
        allowed = ", ".join(f"{TITLES[measure]} {text}" for measure, text in tolerances()[kind].items())
        within = sum(not each.misses for each in of_kind)
        lines.append(f"| {title} | {allowed} | {within} of {len(of_kind)} |")
    within = sum(not each.misses for each in judged)
    return "\n".join([*lines, f"| all | | **{within} of {len(judged)}** |"])


def table(judged: Sequence[Judged], measures: Sequence[str], *, with_verdict: bool) -> str:
    """Returns rows in which each measure is Linux's, xoff's and the difference, in bold where that is too much."""
    heading = ["row", *(TITLES[measure] for measure in measures), *["verdict"] * with_verdict]
    lines = [f"| {' | '.join(heading)} |", f"|{'---|' * len(heading)}"]
    for each in judged:
        cells = [f"`{each.row.name}`", *(_cell(each, measure) for measure in measures)]
        cells += ["outside" if each.misses else "within"] * with_verdict
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(each: Judged, measure: str) -> str:
    if measure not in each.row.reference:
        return "-"
    value, difference = each.measured.get(measure), each.difference(measure)
    if measure in each.allowed and not each.is_within(measure):
        difference = f"**{difference}**"
    return ", ".join([_number(each.row.reference[measure]), *([] if value is None else [_number(value)]), difference])


def _number(value: float) -> str:
    return f"{value:.4g}"


def put(contents: Mapping[str, str]) -> None:
    """Puts tables into the page, each between its two comments; all other text stays."""
    text = PAGE.read_text(encoding="utf-8")
    for name, content in contents.items():
        between = rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)"
        text, count = re.subn(between, rf"\1\n{content}\n\n\2", text, flags=re.DOTALL)
        assert count == 1, f"{PAGE}: a table is to stand between <!-- {name} --> and <!-- end of {name} -->"
    PAGE.write_text(text, encoding="utf-8")


def show(judged: Sequence[Judged]) -> None:
    """Prints each row with its differences, those that are too much with a star, and how many are within.

    Words behind a row tell where misses are not those that are known.
    """
    for each in judged:
        cells = [
            f"{TITLES[measure]} {_cell(each, measure).replace('**', '')}{'' if each.is_within(measure) else ' *'}"
            for measure in each.allowed
        ]
        new = [f"{TITLES[measure]} is a new miss" for measure in each.misses if measure not in each.known_misses]
        new += [f"{TITLES[measure]} misses no longer" for measure in each.known_misses if measure not in each.misses]
        print(f"{'OUTSIDE' if each.misses else 'within':8}{each.row.name:24}{'; '.join(cells + new)}")
    print(f"{sum(not each.misses for each in judged)} of {len(judged)} rows within")


def main() -> None:
    """Does what the command line says."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", default="*", metavar="PATTERN", help="rows to run, by name, with * and ?")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="key to change in every run")
    parser.add_argument("--seeds", type=int, default=SEEDS, help="runs of a row of long flows (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=2, help="runs at once (default: %(default)s)")
    parser.add_argument("--json", metavar="FILE", help="file for all measures; - for the terminal")
    parser.add_argument("--commands", action="store_true", help="print the command of each row, and run nothing")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/validation.md")
    chosen = parser.parse_args()
    wanted = rows(chosen.rows)
    if not wanted:
        parser.error(f"--rows: no row is called {chosen.rows}")
    if chosen.write and (chosen.rows != "*" or chosen.set or chosen.seeds != SEEDS):
        parser.error(f"--write: the page is of all rows with {SEEDS} seeds, and without --set")
    if chosen.commands:
        print("\n".join(row.command for row in wanted))
        return
    judged = judge(wanted, chosen.set, seeds=chosen.seeds, workers=chosen.workers)
    if chosen.write:
        put(tables(judged))
    if chosen.json:
        text = json.dumps([each.as_dict() for each in judged], indent=1)
        print(text) if chosen.json == "-" else Path(chosen.json).write_text(text, encoding="utf-8")
    if chosen.json != "-":
        show(judged)


if __name__ == "__main__":
    main()
