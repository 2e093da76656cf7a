"""`--watch`: results of many runs as they come."""

import io
import itertools
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import xoff
from conftest import SMALL, Outcome
from xoff.cli.watch import Watch
from xoff.runs import batch
from xoff.runs.store import KeptRuns
from xoff.studies import grids
from xoff.studies.axes import Axis
from xoff.studies.sweep import Sweep

Command = Callable[..., Outcome]

FAN_IN = "workload.fan_in"


def test_a_log_has_a_line_for_each_combination_and_at_once_for_those_kept(command: Command, small_file: Path) -> None:
    sweep = ("sweep", small_file, "--workers", 1, "--seeds", 2, "--measure", "flows.all.count", "--watch", "--json")
    lines = [f"sweep: {FAN_IN} = {fan_in}: all flows {10 * fan_in} ±0 %\n" for fan_in in (1, 2, 3)]
    assert command(*sweep, "--sweep", f"{FAN_IN}=1,2").err == "".join(lines[:2])
    kept = "4 of 6 runs are kept from before\n"
    assert command(*sweep, "--sweep", f"{FAN_IN}=1,2,3").err == kept + "".join(lines)


def test_a_log_of_a_comparison_has_a_line_for_each_seed(command: Command, small_file: Path) -> None:
    other = small_file.with_name("other.toml")
    other.write_text(small_file.read_text().replace('"30kB"', '"5kB"'), encoding="utf-8")
    outcome = command(
        "compare", small_file, other, "--seeds", 2, "--measure", "packets.marked", "--watch", "--workers", 1
    )
    lines = re.findall(r"compare: seed (\d): .*packets marked: small (\d+), other (\d+) .*\n", outcome.err)
    assert (outcome.status, [seed for seed, *_ in lines]) == (0, ["3", "4"])
    assert outcome.err.count("\n") == 2


def test_results_that_are_there_have_nothing_to_watch(command: Command, small_file: Path) -> None:
    for number in (1, 2):
        command("run", small_file, "--out", f"r{number}")
    says = "--watch: nothing runs where results are compared; expected scenario files with it\n"
    assert command("compare", "r1", "r2", "--watch") == Outcome(2, "", says)
    assert command("run", small_file, "--watch").err == "--watch: is for several runs; expected --seeds, too\n"


def test_a_terminal_has_a_table_above_the_bar(command: Command, small_file: Path) -> None:
    command("sweep", small_file, "--sweep", f"{FAN_IN}=1,2", "--workers", 1)
    terminal, stderr = pty.openpty()
    sweep = ["sweep", str(small_file), "--sweep", f"{FAN_IN}=1,2,3", "--workers", "1", "--watch"]
    size = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    with subprocess.Popen(
        [sys.executable, "-m", "xoff", *sweep],
        cwd=small_file.parent,
        env=os.environ | size,
        stdout=subprocess.DEVNULL,
        stderr=stderr,
    ):
        os.close(stderr)
        shown = b""
        try:
            while more := os.read(terminal, 65536):
                shown += more
        except OSError:  # the command has ended
            pass
    os.close(terminal)
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    *_, last = text.split("fan_in")
    assert re.search(r"\n\W*1 .*[\s\S]*\n\W*2 .*[\s\S]*sweep .* 3 of 3 runs", last), "those kept are there at once"
    assert max(map(len, re.split(r"[\r\n]+", text))) <= 80


class Terminal(io.StringIO):
    """Terminal that keeps what is written to it."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def kept_sweep(tmp_path: Path) -> tuple[Sweep, KeptRuns]:
    """A sweep over 40 values that mean one scenario, which has run."""
    base = xoff.Scenario(SMALL, "base.toml", ("workload.groups=1",))
    sweep = Sweep.of(base, {"of": Axis.given("of", {f"p{number}": {} for number in range(40)})})
    kept = KeptRuns(tmp_path / "runs")
    batch.run(sweep.all_runs[:1], kept)
    return sweep, kept


def watched(monkeypatch: pytest.MonkeyPatch, sweep: Sweep, kept: KeptRuns) -> Watch[xoff.Swept]:
    """A watch in a terminal of 80 columns and 24 lines, whose clock ticks once when it is looked at."""
    monkeypatch.setattr(sys, "stderr", Terminal())
    for name, value in (("COLUMNS", "80"), ("LINES", "24"), ("TERM", "xterm")):
        monkeypatch.setenv(name, value)
    ticks = itertools.count()
    return Watch("sweep", sweep, kept, grids.of_sweep, clock=lambda: next(ticks))


def test_a_table_is_as_long_as_the_terminal_allows(
    monkeypatch: pytest.MonkeyPatch, kept_sweep: tuple[Sweep, KeptRuns]
) -> None:
    watch = watched(monkeypatch, *kept_sweep)
    watch.begin(kept_sweep[0].all_runs)
    [table] = watch.above
    lines = ["".join(segment.text for segment in line) for line in table.lines]  # type: ignore[union-attr]
    assert len(lines) <= 21
    assert lines[-2].split()[1] == "p39", "the last that ended"


def test_drawing_takes_a_tenth_of_the_time_at_the_most(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    base = xoff.Scenario(SMALL, "base.toml", ("workload.groups=1", "observe={}"))
    delays = [f"{number}us" for number in range(1, 31)]
    sweep, kept = Sweep.of(base, {"host.delay": Axis.given("host.delay", delays)}), KeptRuns(tmp_path / "runs")
    batch.run(sweep.all_runs, kept)
    watch = watched(monkeypatch, sweep, kept)
    watch.begin([])
    drawn = []
    for run in sweep.all_runs:  # each takes a tick
        watch.add(run)
        drawn += [each for each in watch.above if each not in drawn]
    assert 2 <= len(drawn) <= 30 / 10 + 1
