"""A figure's folder: what it runs, how it is judged, and what is wrong in it."""

import json
import shutil
from pathlib import Path

import pytest

import xoff
from xoff.reproduce import measures, panels
from xoff.reproduce.atlas import find
from xoff.reproduce.figure import Figure
from xoff.reproduce.points import Points
from xoff.reproduce.scale import Scale
from xoff.reproduce.verdict import Verdict
from xoff.results import intervals
from xoff.runs import batch
from xoff.runs.store import KeptRuns


@pytest.fixture
def atlas(tmp_path: Path) -> Path:
    """A copy of the folder of figures of nobody, one that is run and one that is computed."""
    return Path(shutil.copytree(Path(__file__).parent / "figures", tmp_path / "figures"))


def run(figure: Figure, scale: Scale, tmp_path: Path) -> Points:
    kept = KeptRuns(tmp_path / "runs")
    batch.run([point.scenario for point in figure.planned(scale)], kept)
    points = figure.points(scale, kept)
    assert points is not None
    return points


def test_every_combination_is_a_point(atlas: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    planned = figure.planned(Scale.PAPER)
    assert [tuple(point.at.values()) for point in planned] == [(1, "early"), (1, "late"), (2, "early"), (2, "late")]
    assert 'threshold = "5kB"' in planned[0].scenario.to_toml()
    assert 'threshold = "30kB"' in planned[1].scenario.to_toml()
    assert "fan_in = 2" in planned[2].scenario.to_toml()


def test_a_position_that_reads_as_a_number_is_one(atlas: Path) -> None:
    path = atlas / "nobody" / "fig1" / "figure.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("early =", '"0.5" ='), encoding="utf-8")
    [figure] = find(["nobody/fig1"], atlas)
    assert [point.at["marking"] for point in figure.planned(Scale.PAPER)] == [0.5, "late", 0.5, "late"]


def test_a_scale_changes_keys_positions_and_seeds(atlas: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    planned = figure.planned(Scale.QUICK)
    assert [(point.at["fan_in"], point.at["marking"], point.scenario.seed) for point in planned] == [
        (2, "early", 3), (2, "early", 4), (2, "late", 3), (2, "late", 4)
    ]  # fmt: skip
    assert "groups = 2" in planned[0].scenario.to_toml()


def test_changes_reach_every_scenario(atlas: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas, ("switch.total=2MB",))
    assert all('total = "2MB"' in point.scenario.to_toml() for point in figure.planned(Scale.PAPER))


def test_every_row_gets_its_verdict(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    rows = figure.rows(Scale.PAPER, run(figure, Scale.PAPER, tmp_path))
    assert [row.verdict for row in rows] == [
        Verdict.REPRODUCED,
        Verdict.REPRODUCED,
        Verdict.DIFFERS,
        Verdict.NOT_SIMULATED,
        Verdict.REPRODUCED,
        Verdict.REPRODUCED,
        Verdict.DIFFERS,
        Verdict.PASSED,
    ]
    assert rows[2].as_dict() == {
        "id": "nobody/fig1",
        "kind": "claim",
        "claim": "Many flows",
        "published": "many",
        "measured": 20,
        "tolerance": ">= 1000",
        "verdict": "differs",
        "scale": "paper",
        "note": "98.0% below the limit; many is not said",
    }
    assert rows[4].as_dict()["claim"] == "flows.all.count, fan_in 1, marking early"


def test_a_smaller_scale_judges_what_it_can(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    rows = figure.rows(Scale.QUICK, run(figure, Scale.QUICK, tmp_path))
    assert [(row.expected.claim, row.verdict) for row in rows] == [
        ("Early marks do not slow an incast", "effect seen"),
        ("Many flows", "effect missing"),
        ("Switches need less power", "not simulated"),
        ("Nothing times out", "passed"),
    ]
    assert rows[1].measured == 4  # two groups of two, in the mean over two seeds


def test_what_is_computed_runs_nothing(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/table1"], atlas)
    assert figure.planned(Scale.PAPER) == []
    rows = figure.rows(Scale.PAPER, run(figure, Scale.PAPER, tmp_path))
    assert [(row.measured, row.verdict) for row in rows] == [
        (pytest.approx(85.333, abs=1e-3), Verdict.REPRODUCED),
        (128, Verdict.DIFFERS),
    ]


def test_where_both_scales_run_alike_the_quick_one_is_of_the_papers_size(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/table1"], atlas)
    verdicts = [
        [row.verdict for row in figure.rows(scale, run(figure, scale, tmp_path))]
        for scale in (Scale.QUICK, Scale.PAPER)
    ]
    assert verdicts == [[Verdict.REPRODUCED, Verdict.DIFFERS]] * 2


def test_verdicts_and_plot_are_written(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    points = run(figure, Scale.QUICK, tmp_path)
    rows = figure.rows(Scale.QUICK, points)
    figure.save(tmp_path / "out", rows, points)
    assert json.loads((tmp_path / "out" / "verdicts.json").read_text()) == [row.as_dict() for row in rows]
    assert (tmp_path / "out" / "figure.svg").exists()


def test_ids_are_folders(atlas: Path) -> None:
    assert [figure.id for figure in find([], atlas)] == ["nobody/fig1", "nobody/table1"]
    assert [figure.id for figure in find(["nobody"], atlas)] == ["nobody/fig1", "nobody/table1"]
    with pytest.raises(xoff.ScenarioError, match=r"nobody/fig2: no such figure; did you mean nobody/fig1\?"):
        find(["nobody/fig2"], atlas)
    with pytest.raises(xoff.ScenarioError, match=r"did you mean nobody\?"):
        find(["nobdy"], atlas)
    with pytest.raises(xoff.ScenarioError, match=r"did you mean nobody/fig1\?"):
        find(["fig1"], atlas)


def test_completion_times_are_told_apart_by_transport(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    for point in run(figure, Scale.QUICK, tmp_path):
        mean = point.summary["flows"]["all"]["fct_mean_us"]
        assert point.fct_means_us() == {"dctcp": pytest.approx(mean)}


def test_samples_are_of_one_thing_within_a_time(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    point = next(iter(run(figure, Scale.QUICK, tmp_path)))
    some = point.samples("queue", "switch0.port0", after_ms=0.02, until_ms=0.05)
    assert some.time_ms == pytest.approx([0.03, 0.04, 0.05])
    every = point.samples("queue", "switch0.port0")
    highest = measures.quantile("queue", "switch0.port0", 1)(point)
    assert highest == every.value.max() > measures.quantile("queue", "switch0.port0", 0)(point)
    with pytest.raises(LookupError, match=r"observed no queue of switch0\.port9"):
        point.samples("queue", "switch0.port9")


def test_points_at_several_positions_have_no_mean(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    points = run(figure, Scale.PAPER, tmp_path)
    assert points.mean("flows.all.count", fan_in=1, marking="late") == 10
    with pytest.raises(LookupError, match="2 points at"):
        points.mean("flows.all.count", fan_in=1)


def test_ratios_are_paired_by_seed_position_by_position(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    points = run(figure, Scale.QUICK, tmp_path)
    measure = "flows.all.fct_mean_us"
    [ratio] = points.ratios(measure, marking=("early", "late"))
    early, late = (
        [point.summary["flows"]["all"]["fct_mean_us"] for point in points.where(marking=at)] for at in ("early", "late")
    )
    assert ratio == intervals.ratio(early, late)
    assert len(run(figure, Scale.PAPER, tmp_path).ratios(measure, marking=("early", "late"))) == 2
    with pytest.raises(LookupError, match="no points at"):
        points.ratios(measure, marking=("early", "never"))


def test_panels_show_what_has_run(atlas: Path, tmp_path: Path) -> None:
    [figure] = find(["nobody/fig1"], atlas)
    points = run(figure, Scale.PAPER, tmp_path)
    columns = {1: "one sender", 2: "two senders", 3: "three senders"}
    lines = {"never": "no marks", "late": "late marks", "early": "early marks"}
    layout = panels.Layout(along="fan_in", lines=("marking", lines), columns=("fan_in", columns))
    drawn = panels.ratios(points, {"mean": "flows.all.fct_mean_us"}, layout)
    assert [ax.get_title() for ax in drawn.axes] == ["one sender", "two senders"]
    assert drawn.axes[0].get_ylabel() == "mean\nover late marks"


@pytest.mark.parametrize(
    ("name", "old", "new", "says"),
    [
        ("expected.csv", "+-20 %", "twenty", r"expected.csv: line 2: tolerance 'twenty' is none; expected \+-20 %"),
        ("expected.csv", "measure,", "measures,", "expected.csv: line 1: lacks the column measure; expected measure,"),
        (
            "expected.csv",
            "flows.all.count,1,late",
            "flows.all.cuont,1,late",
            "line 3: flows.all.cuont cannot be measured",
        ),
        ("expected.csv", ",check", ",chekc", "expected.csv: line 9: kind 'chekc' is none; expected check, or nothing"),
        ("figure.toml", "title =", "name =", "figure.toml: title: is missing; expected a value: title of the figure"),
        (
            "figure.toml",
            "seeds = 2",
            "seed = 2",
            "figure.toml: scales.quick.seed: there is no such key; expected seeds",
        ),
        (
            "figure.toml",
            "[scales.quick]",
            "[scales.small]",
            "figure.toml: scales.small: \"small\" is not allowed; expected 'quick' or 'paper'",
        ),
        ("figure.toml", "values = [1, 2]", "values = 1", "figure.toml: axes.fan_in: has no values; expected a list"),
        ("figure.toml", "workload.fan_in", "workload.fan_on", "scenario.toml: workload.*fan_on"),
    ],
)
def test_what_is_wrong_is_named(atlas: Path, tmp_path: Path, name: str, old: str, new: str, says: str) -> None:
    path = atlas / "nobody" / "fig1" / name
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    [figure] = find(["nobody/fig1"], atlas)
    with pytest.raises(xoff.ScenarioError, match=says):
        figure.rows(Scale.PAPER, run(figure, Scale.PAPER, tmp_path))
