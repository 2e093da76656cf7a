"""Datasets of runs: what other programs read, what extends them, and what is refused."""

import json
import re
import signal
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.dataset as pads
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import xoff
from conftest import SMALL, Outcome, examples, ring
from xoff.errors import InputError, OutputError, ResultWarning
from xoff.runs import batch, dataset_rows
from xoff.runs.dataset import Dataset
from xoff.runs.store import KeptRuns
from xoff.studies.axes import Axis
from xoff.studies.sweep import Sweep
from xoff.text.line import is_line

Command = Callable[..., Outcome]

BASE = xoff.Scenario(SMALL, "base.toml", ("observe={}", "workload.groups=2"))
FAN_IN, MARKING = "workload.fan_in", "switch.marking.queue.threshold"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def read(path: str | Path) -> pa.Table:
    return pads.dataset(path, partitioning="hive").to_table()


def files(path: str) -> dict[Path, int]:
    """Returns the files of a dataset, and when they were written."""
    return {file: file.stat().st_mtime_ns for file in Path(path).rglob("*") if file.is_file()}


def test_other_programs_read_one_row_a_run_and_all_flows() -> None:
    swept = xoff.sweep(BASE, {FAN_IN: [1, 2], "marking": {"late": {}, "early": {MARKING: "5kB"}}}, seeds=2, dataset="d")
    runs, flows = read("d/runs"), read("d/flows")
    assert runs.num_rows == 8
    assert flows.num_rows == sum(runs["flows.all.count"].to_pylist()) == 2 * 2 * (2 + 4)
    for row in swept.rows:
        chosen = [
            each for each in runs.to_pylist() if each[FAN_IN] == row.at[FAN_IN] and each["marking"] == row.at["marking"]
        ]
        assert sorted(each["seed"] for each in chosen) == [3, 4]
        mean = sum(each["flows.all.fct_mean_us"] for each in chosen) / 2
        assert mean == pytest.approx(row.measured["flows.all.fct_mean_us"].value)
    assert set(runs[f"{FAN_IN}.value"].to_pylist()) == {1.0, 2.0}
    assert runs["marking.value"].null_count == 8, "names are no numbers"
    assert set(runs["provenance.scenario_file"].to_pylist()) == {"base.toml"}
    assert runs.schema.field("provenance.created").type == pa.timestamp("ms", "UTC")


def numbers(summary: Any, path: str = "") -> dict[str, Any]:  # noqa: ANN401 as JSON has it
    """Returns the values of a summary by their columns, tables in lists as they are."""
    if not isinstance(summary, dict):
        return {path: summary}
    inner = (numbers(value, f"{path}.{key}" if path else key) for key, value in summary.items())
    return {key: value for each in inner for key, value in each.items()}


@pytest.mark.parametrize("text", [SMALL, ring()])
def test_a_row_has_all_of_the_summary_in_the_same_columns(text: str) -> None:
    result = xoff.Scenario.from_text(text).run()
    [row] = dataset_rows.row(result.summary, result.provenance, "build").to_pylist()
    for column, value in numbers(result.summary).items():
        if column != "seed":  # which is a folder's name
            assert row[column] == value or (value == [] and not row[column])


def test_another_sweep_extends_a_dataset_and_leaves_what_is_there() -> None:
    xoff.sweep(BASE, {FAN_IN: [1, 2], MARKING: ["5kB"]}, keep="runs", dataset="d")
    before = files("d")
    xoff.sweep(
        BASE.with_value(FAN_IN, 3),
        {MARKING: ["5kB", "30kB"], FAN_IN: {"2.0": {FAN_IN: 2}, "3": {FAN_IN: 3}}},
        seeds=2,
        keep="runs",
        dataset="d",
    )
    after = files("d")
    assert {file: after[file] for file in before} == before
    found = read("d/runs").select([FAN_IN, MARKING, "seed"]).to_pylist()
    places = {(row[FAN_IN], row[MARKING], row["seed"]) for row in found}
    second = {(fan_in, marking, seed) for fan_in in (2, 3) for marking in ("5kB", "30kB") for seed in (3, 4)}
    assert places == second | {(1, "5kB", 3)}
    assert len(found) == len(places)


@settings(max_examples=examples(8))
@given(st.lists(st.text(min_size=1, max_size=30).filter(is_line), min_size=1, max_size=4, unique_by=str.strip))
def test_any_name_of_a_position_is_read_as_it_is(names: list[str]) -> None:
    names = [f"x{name}x" for name in names]  # none that reads as a number
    folder = Path(tempfile.mkdtemp(dir="."))
    xoff.sweep(BASE, {"of[0]": {name: {} for name in names}}, keep="runs", dataset=folder)  # all mean one scenario
    assert sorted(read(folder / "runs")["of[0]"].to_pylist()) == sorted(names)


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "an axis less": ({"axes": {FAN_IN: [3]}}, f"axes: {MARKING} is not varied here; expected its position, such as"),
    "an axis more": (
        {"axes": {FAN_IN: [3], MARKING: ["5kB"], "host.delay": ["1us"]}},
        f"axes: host.delay is not among those of the dataset, {FAN_IN}, {MARKING}; expected the same axes",
    ),
    "another scenario": (
        {"scenario": BASE.with_value("workload.groups", 3), "axes": {FAN_IN: [3], MARKING: ["5kB"]}},
        "scenario.workload[0].groups: is 2, and here 3; expected the same, or another folder for them, with an axis",
    ),
    "no scenario for it": (
        {
            "scenario": BASE.with_value("workload", [{"kind": "permutation", "transport": "dctcp", "size": "1kB"}]),
            "axes": {FAN_IN: {"3": {}}, MARKING: ["5kB"]},
        },
        "scenario: is another: this one cannot take its first position, since workload",
    ),
    "other changes for a name": (
        {"axes": {FAN_IN: {"1": {FAN_IN: 2}}, MARKING: ["5kB"]}},
        f"{FAN_IN}=1, {MARKING}=5kB, seed=3: another scenario has this place in the dataset; expected another name",
    ),
    "a column": ({"axes": {"title": {"a": {}}}}, "title: is a column of every dataset; expected another name"),
    "the seed": ({"axes": {"seed": {"a": {}}}}, "seed: is a column of every dataset; expected another name"),
    "a number's column": (
        {"axes": {"a": {"b": {}}, "a.value": {"b": {}}}},
        "a.value: is a column of every dataset; expected another name",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_one_dataset_is_refused_before_it_runs(case: str) -> None:
    xoff.sweep(BASE, {FAN_IN: [1], MARKING: ["5kB"]}, dataset="d")
    before, (given, says) = files("d"), REFUSED[case]
    with pytest.raises(InputError, match=f"^d(/dataset.json)?: {re.escape(says)}"):
        xoff.sweep(given.get("scenario", BASE), given["axes"], keep="runs", dataset="d")
    assert files("d") == before
    assert not list(Path("runs").glob("*"))


def test_a_position_that_no_folder_can_be_called_by_is_refused() -> None:
    with pytest.raises(
        InputError, match=r"^d: of: x{40}\.\.\. makes a folder's name of 303 bytes; expected at most 255: "
    ):
        xoff.sweep(BASE, {"of": {"x" * 300: {}}}, dataset="d")


def test_units_are_those_of_the_dataset(command: Command, small_file: Path) -> None:
    sweep = 'scenario = "small.toml"\n[axes.delay]\nkey = "host.delay"\nvalues = [1]\nunit = "{}"\n'
    for unit, status in (("us", 0), ("us", 0), ("ns", 2)):
        Path("sweep.toml").write_text(sweep.format(unit), encoding="utf-8")
        outcome = command("sweep", "sweep.toml", "--dataset", "d", "--workers", 1)
        assert outcome.status == status
    says = "d/dataset.json: units.delay: is us, and here ns; expected the same unit, or another folder for them\n"
    assert outcome.err == says


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "d/dataset.json: is damaged: "),
        ("[]", "d/dataset.json: is no table; "),
        ("{}", "d/dataset.json: is no description of a dataset; expected another folder for them"),
    ],
)
def test_a_damaged_description_is_named(content: str, says: str) -> None:
    xoff.sweep(BASE, {FAN_IN: [1]}, dataset="d")
    Path("d/dataset.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=f"^{says}"):
        xoff.sweep(BASE, {FAN_IN: [2]}, dataset="d")


def test_measures_of_another_version_are_told_apart() -> None:
    xoff.sweep(BASE, {FAN_IN: [1]}, dataset="d")
    description = json.loads(Path("d/dataset.json").read_text(encoding="utf-8"))
    del description["columns"]["loss_rate"]
    Path("d/dataset.json").write_text(json.dumps(description), encoding="utf-8")
    says = "^d/dataset.json: columns: are those of another version of xoff; expected another folder for them$"
    with pytest.raises(InputError, match=says):
        xoff.sweep(BASE, {FAN_IN: [2]}, dataset="d")


def test_a_folder_of_other_files_is_left_alone() -> None:
    Path("d").mkdir()
    Path("d/thesis.tex").touch()
    with pytest.raises(
        OutputError, match=r"^d: has files, such as thesis.tex, but no dataset.json; expected a new fol"
    ):
        xoff.sweep(BASE, {FAN_IN: [1]}, dataset="d")
    with pytest.raises(OutputError, match=r"^d/thesis.tex: cannot write the dataset: file exists; expected a folder"):
        xoff.sweep(BASE, {FAN_IN: [1]}, dataset="d/thesis.tex")
    assert list(files("d")) == [Path("d/thesis.tex")]


def test_a_kept_run_that_was_edited_is_run_again_for_it() -> None:
    xoff.sweep(BASE, {FAN_IN: [1]}, keep="runs")
    [summary] = Path("runs").glob("*/summary.json")
    text = summary.read_text(encoding="utf-8")
    summary.write_text(text.replace('"sent": ', '"sent": 1'), encoding="utf-8")
    with pytest.warns(ResultWarning, match="1 kept run is no longer as xoff wrote it"):
        xoff.sweep(BASE, {FAN_IN: [1]}, keep="runs", dataset="d")
    assert read("d/runs")["packets.sent"].to_pylist() == [json.loads(text)["packets"]["sent"]]
    assert KeptRuns(Path("runs")).has(xoff.Scenario(BASE.text, BASE.file, (*BASE.overrides, f"{FAN_IN}=1", "seed=3")))


def test_several_that_extend_one_dataset_at_a_time_lose_nothing() -> None:
    keys = (
        {FAN_IN: Axis.given(FAN_IN, [1, 2])},
        {FAN_IN: Axis.given(FAN_IN, [2, 3, 1])},
        {FAN_IN: Axis.given(FAN_IN, [3])},
    )
    sweeps = [Sweep.of(BASE, axes, seeds=2) for axes in keys]
    kept = KeptRuns(Path("runs"))
    batch.run([run for sweep in sweeps for run in sweep.all_runs], kept)

    def extend(sweep: Sweep) -> None:
        dataset = Dataset.of("d", sweep.varied, sweep.all_runs, kept)
        for run in sweep.all_runs:
            dataset.add(run)

    with ThreadPoolExecutor() as threads:
        list(threads.map(extend, sweeps * 2))
    assert sorted(read("d/runs")[FAN_IN].to_pylist()) == [1, 1, 2, 2, 3, 3]
    assert sorted(path.name for path in Path("d").iterdir()) == ["dataset.json", "flows", "runs"]


def test_ctrl_c_leaves_what_is_kept(command: Command, small_file: Path) -> None:
    keep = KeptRuns.keep

    def and_ctrl_c(*arguments: Any) -> None:  # noqa: ANN401 of any method
        keep(*arguments)
        signal.raise_signal(signal.SIGINT)

    sweep = ("sweep", small_file, "--sweep", f"{FAN_IN}=1,2", "--workers", 1, "--dataset", "d")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(KeptRuns, "keep", and_ctrl_c)
        outcome = command(*sweep)
    assert (outcome.status, outcome.err) == (
        130,
        "interrupted: 1 of 2 combinations are finished; the same command goes on\n",
    )
    assert read("d/runs")[FAN_IN].to_pylist() == [1]
    assert command(*sweep).status == 0
    assert sorted(read("d/runs")[FAN_IN].to_pylist()) == [1, 2]


def test_comparisons_and_seeds_make_datasets_too(command: Command, small_file: Path) -> None:
    other = small_file.with_name("other.toml")
    other.write_text(small_file.read_text().replace('"30kB"', '"5kB"'), encoding="utf-8")
    assert command("compare", small_file, other, "--seeds", 2, "--workers", 1, "--dataset", "c").status == 0
    rows = read("c/runs").select(["scenario", "seed"]).to_pylist()
    expected = [("other", 3), ("other", 4), ("small", 3), ("small", 4)]
    assert sorted((row["scenario"], row["seed"]) for row in rows) == expected
    assert command("run", small_file, "--seeds", 2, "--dataset", "r").status == 0
    assert sorted(read("r/runs")["seed"].to_pylist()) == [3, 4]
    says = "--dataset: is for several runs; expected --seeds, too\n"
    assert command("run", small_file, "--dataset", "r") == Outcome(2, "", says)
