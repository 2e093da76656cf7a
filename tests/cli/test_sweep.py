"""`xoff sweep`: what is printed, kept and refused."""

import csv
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Outcome, interrupted, wait_until

Command = Callable[..., Outcome]

SWEEP = """\
title = "Marks"
scenario = "small.toml"
seeds = 2
set = { "workload.groups" = 3 }
measures = ["flows.small.fct_mean_us", "packets.marked"]

[axes.threshold]
key = "switch.marking.queue.threshold"
values = [5, 30]
unit = "kB"
"""


@pytest.fixture
def sweep_file(small_file: Path) -> Path:
    path = small_file.with_name("marks.toml")
    path.write_text(SWEEP, encoding="utf-8")
    return path


def test_a_scenario_is_run_for_every_combination(command: Command, small_file: Path) -> None:
    axes = ("--sweep", "workload.fan_in=1,2", "--sweep", "switch.marking.queue.threshold=5kB,30kB")
    outcome = command("sweep", small_file, *axes, "--workers", 1)
    assert (outcome.status, outcome.err) == (0, "")
    assert re.search(r"fan_in ┃ threshold ┃ +all FCT mean ┃", outcome.out)
    assert re.findall(r"│ +(\d) │ +(\w+) │", outcome.out) == [("1", "5kB"), ("1", "30kB"), ("2", "5kB"), ("2", "30kB")]
    assert outcome.out.endswith("Small, seed 3.\nResults: results/sweep-001\n")


def test_what_is_worth_knowing_of_some_scenarios_is_told_below_the_table(command: Command, small_file: Path) -> None:
    axis = "transport.dctcp.congestion_control.algorithm=dctcp,reno"
    outcome = command("sweep", small_file, "--sweep", axis, "--workers", 1)
    note = "Note: transport.dctcp: its packets are not ECN-capable, and switches drop them where they would mark"
    assert f"{note} (1 of 2 scenarios)\nResults: " in outcome.out


def test_a_sweep_file_names_scenario_axes_seeds_and_measures(command: Command, sweep_file: Path) -> None:
    outcome = command("sweep", sweep_file, "--workers", 1)
    assert (outcome.status, outcome.err) == (0, "")
    assert re.search(r"threshold ┃ +small FCT mean ┃ +packets marked ┃", outcome.out)
    note = "±: half of the 95 % confidence interval, or from where to where if it is wide."
    assert f"Marks, means over seeds 3, 4; {note}" in outcome.out
    data = json.loads(Path("results/sweep-001/sweep.json").read_text())
    assert (data["axes"], data["units"]) == ({"threshold": [5, 30]}, {"threshold": "kB"})
    assert data["rows"][1]["measured"]["packets.marked"]["value"] > 0


def test_ratios_are_to_the_first_value(command: Command, sweep_file: Path) -> None:
    out = command("sweep", sweep_file, "--ratios", "--workers", 1).out
    assert "x: how many times threshold 5kB; in brackets 95 % confidence." in out
    assert "x1.00 (1.00-1.00)" in out


def test_other_traffic_is_told_below_the_table(command: Command, small_file: Path) -> None:
    text = small_file.read_text().replace('every = "100us"', 'load = 0.1\nof = "receivers"')
    small_file.write_text(text, encoding="utf-8")
    sweep = ("sweep", small_file, "--sweep", "transport.dctcp.payload=1460B,1048B", "--workers", 1)
    note = "Note: with payload 1048B the traffic is another: transport.dctcp.payload is 1048B, but 1460B with payload 1"
    assert note in command(*sweep, "--ratios").out
    assert note in command(*sweep).out
    assert "Note" not in command(*sweep, "--set", "workload.load_counts=payload").out


def test_what_only_some_seeds_have_is_told_below_the_table(command: Command, small_file: Path) -> None:
    sweep = ("sweep", small_file, "--sweep", "workload.size=60kB,200kB", "--workers", 1)
    out = command(*sweep, "--measure", "flows.medium.fct_p99_us", "--measure", "loss_rate").out
    assert "; -: nothing to count with some seed." in out
    assert "nothing to count" not in command(*sweep, "--measure", "loss_rate").out


def test_the_command_line_goes_over_the_file(command: Command, sweep_file: Path) -> None:
    changed = ("--sweep", "switch.marking.queue.threshold=7kB", "--measure", "loss_rate", "--seeds", 1)
    out = command("sweep", sweep_file, *changed, "--set", "workload.groups=2", "--json", "--workers", 1).out
    data = json.loads(out)
    assert data["axes"] == {"switch.marking.queue.threshold": ["7kB"]}
    assert (data["seeds"], list(data["rows"][0]["measured"])) == ([3], ["loss_rate"])


def test_what_an_axis_varies_is_not_set_besides(command: Command, sweep_file: Path, small_file: Path) -> None:
    change = "switch.marking.queue.threshold=7kB"
    said = f"--set {change}: the axis threshold varies it; expected another key\n"
    assert command("sweep", sweep_file, "--set", change) == Outcome(2, "", f"{sweep_file}: {said}")
    outcome = command("sweep", small_file, "--sweep", "seed=1,2", "--set", "seed=3")
    assert outcome == Outcome(2, "", "--set seed=3: the axis seed varies it; expected another key\n")
    of_one = command("sweep", small_file, "--sweep", "workload.groups=1,2", "--set", "workload[0].groups=3")
    assert of_one.err == "--set workload[0].groups=3: the axis workload.groups varies it; expected another key\n"
    assert not Path("results").exists()


def test_an_axis_of_the_file_is_varied_by_its_name(command: Command, sweep_file: Path) -> None:
    settings = ("--measure", "loss_rate", "--seeds", 1, "--set", "workload.groups=2", "--json", "--workers", 1)
    bare = json.loads(command("sweep", sweep_file, "--sweep", "threshold=7", *settings).out)
    assert (bare["axes"], bare["units"]) == ({"threshold": [7]}, {"threshold": "kB"})
    assert json.loads(command("sweep", sweep_file, "--sweep", "threshold=7kB", *settings).out)["axes"] == {
        "threshold": ["7kB"]
    }


def test_of_an_axis_of_names_some_are_varied(command: Command, sweep_file: Path) -> None:
    names = '[axes.marks.values]\nlow = { "switch.marking.queue.threshold" = "5kB" }\nscenario = {}\n'
    sweep_file.write_text(SWEEP.partition("[axes")[0] + names, encoding="utf-8")
    settings = ("--seeds", 1, "--json", "--workers", 1)
    assert json.loads(command("sweep", sweep_file, "--sweep", "marks=low", *settings).out)["axes"] == {"marks": ["low"]}
    outcome = command("sweep", sweep_file, "--sweep", "marks=high", *settings)
    assert outcome == Outcome(2, "", "--sweep marks: the axis marks has no high; expected one of low, scenario\n")


def test_a_file_that_is_not_there_is_named(command: Command) -> None:
    says = "cannot read: no such file or directory; expected a scenario, as `xoff init` writes, or a sweep file that "
    assert command("sweep", "none.toml").err == f"none.toml: {says}names one\n"


def test_one_more_value_costs_one_more_run(command: Command, small_file: Path) -> None:
    command("sweep", small_file, "--sweep", "workload.fan_in=1,2", "--workers", 1)
    outcome = command("sweep", small_file, "--sweep", "workload.fan_in=1,2,3", "--workers", 1)
    assert outcome.err == "2 of 3 runs are kept from before\n"
    assert len(list(Path("results/runs").iterdir())) == 3


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("small.toml", "big.toml", "marks.toml: scenario: cannot read big.toml: no such file or directory; expected a"),
        ("seeds = 2", 'seeds = "2"', 'marks.toml: seeds: "2" is not allowed; expected a whole number'),
        ("seeds = 2", "seeds = 0", "marks.toml: seeds: 0 is not allowed; expected a value greater than or equal to 1"),
        ("seeds", "seed", "marks.toml: seed: there is no such key; expected seeds"),
        (
            "values = [5, 30]",
            "",
            "marks.toml: axes.threshold.values: is missing; expected a value: values of the key; or n",
        ),
        ("[5, 30]", "[5, 5]", "marks.toml: axes.threshold: has a value twice; expected each once"),
        ("[5, 30]", '[5, "x"]', 'marks.toml: small.toml: switch[0].marking.queue.threshold: "xkB" has an unknown unit'),
        (
            "packets.marked",
            "packets.maked",
            "marks.toml: measures: `packets.maked` is no number of summary.json; expected a key",
        ),
        (
            "packets.marked",
            "title",
            "marks.toml: measures: `title` is no number of summary.json; expected a key such as",
        ),
        (
            "switch.marking",
            "switch.marknig",
            "marks.toml: small.toml: switch[0].marknig: unknown key `marknig` (with threshold = 5kB)",
        ),
        (
            'scenario = "small.toml"',
            "",
            "marks.toml: scenario: is missing; expected a value: the scenario file that is varied",
        ),
    ],
)
def test_wrong_input_is_refused_in_a_line(command: Command, sweep_file: Path, old: str, new: str, says: str) -> None:
    sweep_file.write_text(SWEEP.replace(old, new), encoding="utf-8")
    outcome = command("sweep", sweep_file.name)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith(says)
    assert outcome.err.count("\n") == 1
    assert not Path("results").exists()


def test_without_axes_nothing_runs(command: Command, small_file: Path) -> None:
    outcome = command("sweep", small_file.name)
    expected = "small.toml: nothing is varied; expected an axis: --sweep KEY=A,B,C, or {KEY: [A, B, C]}\n"
    assert outcome == Outcome(2, "", expected)


def test_measures_are_checked_before_anything_runs(command: Command, small_file: Path) -> None:
    outcome = command("sweep", small_file, "--sweep", "workload.fan_in=1", "--measure", "flows.smal")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("--measure: `flows.smal` is no number of summary.json; expected a key such as")
    assert not Path("results").exists()


def test_a_workload_is_measured_by_its_position(command: Command, small_file: Path) -> None:
    sweep = ("sweep", small_file, "--sweep", "workload.size=20kB,50kB", "--measure")
    out = command(*sweep, "workloads[0].fct_p99_us").out
    assert "workloads[0] FCT p99" in out
    refusal = (
        "small.toml: workload: there are 1, of which none is that of workloads[1].count; expected a position below 1"
    )
    outcome = command(*sweep, "workloads[1].count")
    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert refusal in outcome.err
    outcome = command(*sweep, "workloads[0].size")
    assert (outcome.status, "`workloads[0].size` is no number of summary.json" in outcome.err) == (2, True)


def test_interrupted_it_shows_the_combinations_that_are_finished(tmp_path: Path, small_file: Path) -> None:
    values = ",".join(f"{size}B" for size in range(5000, 5300))
    axis = f"switch.marking.queue.threshold={values}"
    outcome = interrupted(tmp_path, "sweep", small_file, "--sweep", axis, "--workers", "1")
    assert outcome.status == 130
    assert "5000B" in outcome.out
    assert re.fullmatch(r"interrupted: \d+ of 300 combinations are finished; the same command goes on\n", outcome.err)


def test_a_scenario_with_a_long_name_is_swept(command: Command, small_file: Path) -> None:
    long = small_file.rename(small_file.with_name(f"{'n' * 245}.toml"))
    outcome = command("sweep", long, "--sweep", "workload.fan_in=1,2", "--json", "--workers", 1)
    assert (outcome.status, outcome.err) == (0, "")


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="nothing tells of processes that have begun")
def test_begun_processes_say_nothing_of_ctrl_c(tmp_path: Path, small_file: Path) -> None:
    values = ",".join(f"{size}B" for size in range(5000, 5300))
    axis = f"switch.marking.queue.threshold={values}"
    command = [sys.executable, "-m", "xoff", "sweep", str(small_file), "--sweep", axis, "--workers", "2"]
    with subprocess.Popen(
        command, cwd=tmp_path, text=True, stderr=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    ) as process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")

        def are_loading() -> bool:
            folders = [Path("/proc", child) for child in children.read_text(encoding="utf-8").split()]
            runs = [folder for folder in folders if b"spawn_main" in (folder / "cmdline").read_bytes()]
            return any(b"_xoff" in (folder / "maps").read_bytes() for folder in runs)

        wait_until(are_loading)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert re.fullmatch(r"interrupted: \d+ of 300 combinations are finished; the same command goes on\n", err)


def test_the_figure_has_the_format_that_is_asked_for(command: Command, sweep_file: Path) -> None:
    command("sweep", sweep_file, "--figures", "pdf", "--out", "out", "--workers", 1)
    assert sorted(path.name for path in Path("out").iterdir()) == ["runs.csv", "sweep.csv", "sweep.json", "sweep.pdf"]
    assert Path("out/sweep.pdf").read_bytes().startswith(b"%PDF")
    assert command("sweep", sweep_file, "--figures", "gif", "--workers", 1).status == 2


def test_a_sweep_says_where_the_results_of_its_runs_are(command: Command, small_file: Path) -> None:
    command("sweep", small_file, "--sweep", "workload.fan_in=1,2", "--out", "swept")
    refusal = command("why", "swept").err
    assert refusal.startswith("swept: RESULT: is of 2 runs; name one, such as results/runs/small-")
    assert refusal.endswith(" (workload.fan_in = 1, seed 3): swept/runs.csv lists them\n")
    with Path("swept/runs.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [(row["run"], row["seed"]) for row in rows] == [("workload.fan_in = 1", "3"), ("workload.fan_in = 2", "3")]
    for row in rows:
        assert command("ports", Path("swept") / row["result"]).status == 0
    command("sweep", small_file, "--sweep", "workload.fan_in=2", "--out", "one")
    assert command("ports", "one").status == 0, "its only run is meant"
    assert command("ports", "results/runs").err.startswith(
        "results/runs: RESULT: is no result folder; expected one in it"
    )


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ('title = "a\\nb"\n[axes.load.values]\na = {}\n', "title"),
        ('[axes."a\\u001b[31m".values]\na = {}\n', "axes.a\\x1b[31m"),
        ('[axes.load.values]\n"a\\u2028b" = {}\n', "axes.load"),
    ],
)
@pytest.mark.usefixtures("small_file")
def test_titles_and_names_of_a_sweep_are_of_one_line(command: Command, tmp_path: Path, text: str, key: str) -> None:
    (tmp_path / "sweep.toml").write_text(f'scenario = "small.toml"\n{text}', encoding="utf-8")
    outcome = command("sweep", "sweep.toml")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith(f"sweep.toml: {key}: ")
    assert " one line" in outcome.err


def test_letters_that_no_font_has_are_no_warning(command: Command, small_file: Path) -> None:
    small_file.with_name("sweep.toml").write_text(
        'scenario = "small.toml"\n[axes.name.values]\n"\ue000" = { "workload.fan_in" = 1 }\nb = {}\n', encoding="utf-8"
    )
    assert command("sweep", "sweep.toml", "--workers", "1").err == ""
