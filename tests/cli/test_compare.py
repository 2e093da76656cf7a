"""`xoff compare` and `xoff run --seeds`: what is printed, kept and refused."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import SMALL, Outcome, interrupted

Command = Callable[..., Outcome]


@pytest.fixture
def files(small_file: Path) -> tuple[Path, Path]:
    """The small scenario, and one that marks earlier."""
    other = small_file.with_name("early.toml")
    other.write_text(SMALL.replace('"30kB"', '"5kB"'), encoding="utf-8")
    return small_file, other


def test_the_table_shows_values_and_ratios(command: Command, files: tuple[Path, Path]) -> None:
    outcome = command("compare", *files, "--seeds", 2, "--workers", 1)
    assert (outcome.status, outcome.err) == (0, "")
    for part in ("small", "early", "FCT p99", "slowdown mean", "loss rate", "timeouts", "goodput", "-"):
        assert part in outcome.out
    assert "Means over seeds 3, 4; x: how many times small; in brackets 95 % confidence." in outcome.out
    assert outcome.out.endswith("Results: results/compare-001\n")


def test_json_is_what_is_written(command: Command, files: tuple[Path, Path]) -> None:
    outcome = command("compare", *files, "--json", "--out", "out", "--set", "workload.fan_in=3")
    found = json.loads(outcome.out)
    assert found == json.loads(Path("out/comparison.json").read_text())
    assert (found["scenarios"], found["seeds"]) == (["small", "early"], [3])


def test_slowdowns_by_size_are_of_the_workloads_that_are_chosen(command: Command, files: tuple[Path, Path]) -> None:
    more = '\n[[workload]]\nkind = "permutation"\ntransport = "dctcp"\nsize = "77kB"\n'
    for file in files:
        file.write_text(file.read_text(encoding="utf-8") + more, encoding="utf-8")
    drawn = {}
    for chosen in ((), ("--workload", "permutation"), ("--workload", "1")):
        assert command("compare", *files, *chosen, "--out", "out", "--force").status == 0
        drawn[chosen] = re.findall(r">([\d.]+ kB)<", Path("out/slowdown_by_size.svg").read_text(encoding="utf-8"))
    assert set(drawn["--workload", "1"]) == set(drawn["--workload", "permutation"]) == {"77 kB"} < set(drawn[()])
    outcome = command("compare", *files, "--workload", "2")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err.startswith("--workload: there is no workload 2; expected 0 to 1, or ")


def test_the_second_time_nothing_runs(command: Command, files: tuple[Path, Path]) -> None:
    command("compare", *files, "--seeds", 2)
    runs = {path: path.stat().st_mtime_ns for path in Path("results/runs").iterdir()}
    assert len(runs) == 4
    command("compare", *files, "--seeds", 2)
    assert runs == {path: path.stat().st_mtime_ns for path in Path("results/runs").iterdir()}


def test_other_traffic_is_refused(command: Command, files: tuple[Path, Path]) -> None:
    files[1].write_text(SMALL.replace("fan_in = 2", "fan_in = 3"), encoding="utf-8")
    outcome = command("compare", files[0].name, files[1].name)
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == (
        "early.toml: workload[0].fan_in: is 3, but 2 in small.toml; expected the same traffic in every scenario\n"
    )
    assert not Path("results").exists()


def test_results_that_are_there_are_compared(command: Command, files: tuple[Path, Path]) -> None:
    for file in files:
        command("run", file, "--out", file.stem)
    outcome = command("compare", "small", "early", "--measure", "flows.all.slowdown_p95")
    assert (outcome.status, outcome.err) == (0, "")
    assert "slowdown p95" in outcome.out
    assert outcome.out.endswith("Seed 3; x: how many times small.\nResults: results/compare-001\n")
    assert not Path("results/runs").exists()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("small.toml",), "small.toml: OTHER: is no result folder; expected one that xoff run has written, as the oth"),
        (("out", "--seeds", "2"), "--seeds: nothing runs where results are compared; expected scenario files with it"),
        (("out", "--set", "seed=2"), "--set: nothing runs where results are compared; expected scenario files with it"),
        (("out", "--measure", "flows"), "--measure: `flows` is no number of summary.json; expected a key such as"),
    ],
)
def test_results_are_compared_as_they_are(
    command: Command, small_file: Path, arguments: tuple[str, ...], says: str
) -> None:
    command("run", small_file, "--out", "out")
    outcome = command("compare", "out", *arguments)
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith(says)


def test_a_result_of_which_the_scenario_was_changed_is_refused(command: Command, small_file: Path) -> None:
    command("run", small_file, "--out", "out")
    scenario = Path("out/scenario.toml")
    scenario.write_text(scenario.read_text(encoding="utf-8").replace("30kB", "60kB"), encoding="utf-8")
    outcome = command("compare", "out", "out")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (2, "", 1)
    assert outcome.err.startswith("out/scenario.toml: is not the scenario that was run; expected what xoff run has wri")


def test_one_scenario_is_no_comparison(command: Command, small_file: Path) -> None:
    assert command("compare", small_file).status == 2


def test_a_run_with_several_seeds_prints_means(command: Command, small_file: Path) -> None:
    outcome = command("run", small_file, "--seeds", 2, "--seed", 7)
    assert outcome.status == 0
    assert "Means over seeds 7, 8; in brackets 95 % confidence." in outcome.out
    assert outcome.out.endswith("Results: results/small-001\n")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_interrupted_it_shows_the_seeds_that_are_finished(
    tmp_path: Path, files: tuple[Path, Path], workers: str
) -> None:
    outcome = interrupted(tmp_path, "compare", *files, "--seeds", "300", "--workers", workers)
    assert outcome.status == 130
    assert "Means over seeds 3, 4" in outcome.out
    assert re.fullmatch(r"interrupted: \d+ of 300 seeds are finished; the same command goes on\n", outcome.err)


def test_no_option_is_offered_where_none_would_help(command: Command, small_file: Path) -> None:
    Path("results").touch()
    outcome = command("compare", small_file, small_file, "--out", "out", "--workers", 1)
    says = "results/runs: cannot keep runs here: not a directory; expected a folder that can be written\n"
    assert outcome == Outcome(2, "", says)


def test_measures_that_count_nothing_have_a_row_and_a_reason(command: Command, files: tuple[Path, Path]) -> None:
    measures = ("flows.large.fct_mean_us", "observed.pool_p99_bytes", "queries.completion_mean_us", "loss_rate")
    outcome = command("compare", *files, "--workers", 1, *(part for one in measures for part in ("--measure", one)))
    assert (outcome.status, outcome.err) == (0, "")
    assert re.search(r"│ +FCT mean +│ +- │ +- │|│ FCT mean +│ +- │ +- │", outcome.out)
    assert re.search(r"observed pool p99 +│ +- │ +- │", outcome.out)
    for note in (
        "flows.large.fct_mean_us: in some run no such flow both started in the measured time and finished",
        "observed.pool_p99_bytes: observe.pools is left out, or took no samples in the measured time of some run",
        "queries.completion_mean_us: in some run there is nothing of it to count",
    ):
        assert f"Note: {note}\n" in outcome.out
    assert "Note: loss_rate" not in outcome.out


def test_a_measure_that_some_scenario_lacks_leaves_its_cell_empty(command: Command, files: tuple[Path, Path]) -> None:
    third = files[1].with_name("blind.toml")
    third.write_text(SMALL.partition("[observe]")[0], encoding="utf-8")
    outcome = command("compare", files[0], third, files[1], "--workers", 1, "--measure", "observed.queue_p99_bytes")
    assert re.search(r"observed queue p99 +│ +[\d.]+ kB │ +- │ +[\d.]+ kB  x[\d.]+ │", outcome.out)


def test_unfinished_flows_are_told_below_the_table(command: Command, small_file: Path) -> None:
    outcome = command("run", small_file, "--seeds", 2, "--set", "stop.at=910us")
    note = "Note: flows that started in the measured time, but are unfinished, count in no completion time: 4 of 40\n"
    assert note in outcome.out
    assert re.search(r"│ unfinished +│ +2 \(2 to 2\) │", outcome.out)
