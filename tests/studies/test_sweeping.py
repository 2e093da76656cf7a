"""Sweeps: what is measured at each combination, and what is written and drawn."""

import copy
import csv
import dataclasses
import json
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from matplotlib.figure import Figure

import xoff
from conftest import PERMUTATION, ROOT, SMALL
from xoff.errors import OutputError
from xoff.results.intervals import Estimate
from xoff.runs import batch
from xoff.runs.store import KeptRuns
from xoff.studies import grids, sweep
from xoff.studies.axes import Axis
from xoff.studies.plot import swept_slowdown_by_size
from xoff.studies.sweep import MEASURES, Sweep
from xoff.studies.sweep_file import load

BASE = xoff.Scenario(SMALL, "base.toml", ("observe={}",))
MEAN = "flows.small.fct_mean_us"
AXES: dict[str, Any] = {
    "workload.fan_in": [1, 2],
    "marking": {"late": {}, "early": {"switch.marking.queue.threshold": "5kB"}},
}


@pytest.fixture(scope="module")
def swept() -> xoff.Swept:
    return xoff.sweep(BASE, AXES, seeds=2, measures=[MEAN, "loss_rate", "flows.large.fct_mean_us", "pfc.off_us"])


def run(fan_in: int, threshold: str, seed: int) -> float:
    changed = BASE.with_values({"workload.fan_in": fan_in, "switch.marking.queue.threshold": threshold})
    return float(changed.run(seed=seed).summary["flows"]["small"]["fct_mean_us"])


def test_values_are_means_and_ratios_are_paired_with_the_first_position(swept: xoff.Swept) -> None:
    assert [tuple(row.at.values()) for row in swept.rows] == [(1, "late"), (1, "early"), (2, "late"), (2, "early")]
    one, two = ([run(fan_in, "5kB", seed) for seed in (3, 4)] for fan_in in (1, 2))
    early = swept.rows[3]
    assert early.measured[MEAN].value == pytest.approx(sum(two) / 2)
    assert early.ratios[MEAN].value == pytest.approx((two[0] / one[0] * two[1] / one[1]) ** 0.5)
    assert swept.rows[1].ratios[MEAN] == (1, 1, 1)


def test_measures_of_nothing_are_left_out_unless_asked_for(swept: xoff.Swept, tmp_path: Path) -> None:
    told = xoff.sweep(BASE, {"workload.fan_in": [1]}).told
    left_out = ("large", "pfc", "collectives", "jobs", "unfinished", "long_lived")
    assert told == tuple(name for name in MEASURES if not any(part in name for part in left_out))
    asked_for = xoff.sweep(BASE, {"workload.fan_in": [1]}, measures=["flows.large.fct_mean_us"])
    assert asked_for.told == ("flows.large.fct_mean_us",)
    asked_for.save(tmp_path / "out")
    assert swept.table["loss_rate"].to_pylist() == [0, 0, 0, 0]
    assert swept.table["loss_rate_ratio"].null_count == 4
    assert swept.table["flows.large.fct_mean_us"].null_count == 4


def test_fractions_and_numbers_are_positions_of_one_axis() -> None:
    swept = xoff.sweep(BASE, {"switch.buffer.alpha": ["1/8", 1]}, measures=["loss_rate"])
    assert swept.table["switch.buffer.alpha"].to_pylist() == ["1/8", "1"]


def test_columns_are_of_one_type_whatever_is_in_them(swept: xoff.Swept) -> None:
    once = xoff.sweep(BASE, AXES, measures=swept.sweep.measures)
    assert once.table.schema == swept.table.schema
    assert set(once.table.schema.types[2:-2]) == {pa.float64()}
    assert once.table.column_names[2:8] == [
        f"{MEAN}{of}{end}" for of in ("", "_ratio") for end in ("", "_low", "_high")
    ]


def test_combinations_that_lack_a_seed_are_left_out(tmp_path: Path) -> None:
    wanted = Sweep.of(BASE, {"workload.fan_in": Axis(key="workload.fan_in", values=[1, 2])}, 2, [MEAN])
    kept = KeptRuns(tmp_path)
    for run in wanted.all_runs[1:]:
        kept.keep(run, run.run())
    swept = wanted.finished(kept)
    assert swept is not None
    assert not swept.is_whole
    assert [dict(row.at) for row in swept.rows] == [{"workload.fan_in": 2}]
    assert swept.rows[0].ratios == {}, "what they are over has not run"


def test_it_is_written_whole_and_replaces_nothing_unasked(swept: xoff.Swept, tmp_path: Path) -> None:
    path = swept.save(tmp_path / "out")
    assert sorted(file.name for file in path.iterdir()) == ["sweep.csv", "sweep.json", "sweep.svg"]
    assert json.loads((path / "sweep.json").read_text()) == swept.as_dict()
    assert "dc:date" not in (path / "sweep.svg").read_text(encoding="utf-8")
    with (path / "sweep.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == swept.table.column_names
    assert float(rows[3][MEAN]) == swept.rows[3].measured[MEAN].value
    assert (rows[3]["unfinished.flows"], rows[3]["unfinished.of"]) == ("0", "40")
    with pytest.raises(xoff.OutputError, match="exists already"):
        swept.save(path)
    swept.save(path, force=True)


def test_lines_run_along_the_first_axis_of_numbers(swept: xoff.Swept) -> None:
    for drawn in (swept.plot.measures(), swept.plot.ratios()):
        [ax] = drawn.axes
        assert isinstance(drawn, Figure)
        assert (ax.get_title(loc="left"), ax.get_xlabel()) == ("small FCT mean", "fan_in")
        assert [line.get_label() for line in ax.containers] == ["late", "early"]
    assert drawn.axes[0].get_ylabel() == "over fan_in 1"
    nothing = "large FCT mean: nothing to count with some seed"
    assert swept.plot.measures().get_supxlabel() == f"loss rate, pause duration: 0 throughout\n{nothing}"


def test_bars_of_lines_stand_beside_one_another_over_the_same_limits(swept: xoff.Swept) -> None:
    figure = swept.plot.measures()
    [ax] = figure.axes
    figure.draw_without_rendering()
    starts = [bars.get_children()[0].get_transform().transform((1, 0))[0] for bars in ax.containers]
    assert starts[1] - starts[0] == pytest.approx(3 / 72 * figure.dpi)
    assert ax.get_xlim()[1] >= 2
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1", "2"]


SIZES = xoff.Scenario.from_text(SMALL + PERMUTATION).with_value("observe", {})
SCHEMES = {"late": {}, "early": {"switch.marking.queue.threshold": "5kB"}}


@pytest.fixture(scope="module")
def of_sizes() -> xoff.Swept:
    """Incasts of 50 kB beside flows of 1 MB."""
    return xoff.sweep(SIZES, {"marking": SCHEMES, "workload[0].fan_in": [1, 2]}, seeds=2, measures=[MEAN])


def test_slowdowns_by_size_are_those_of_a_comparison(of_sizes: xoff.Swept) -> None:
    told = ["marking = late, workload[0].fan_in = 2", "marking = early, workload[0].fan_in = 2"]
    scenarios = {
        name: SIZES.with_values({"workload[0].fan_in": 2, **changes})
        for name, changes in zip(told, SCHEMES.values(), strict=True)
    }
    expected = xoff.compare(scenarios, seeds=2).by_size
    assert [row for row in of_sizes.by_size if row.scenario in told] == list(expected)
    assert of_sizes.as_dict()["slowdown_by_size"][2]["scenario"] == told[0].replace("2", "1").replace("late", "early")


def test_slowdowns_by_size_have_a_line_for_each_position_on_the_first_axis(
    of_sizes: xoff.Swept, swept: xoff.Swept, tmp_path: Path
) -> None:
    figure = of_sizes.plot.slowdown_by_size()
    titles = [ax.get_title("left") for ax in figure.axes]
    assert titles == ["fan_in 1, p50", "fan_in 2, p50", "fan_in 1, p99", "fan_in 2, p99"]
    for ax in figure.axes:
        assert [line.get_label() for line in ax.get_lines()] == ["late", "early"]
        assert [label.get_text() for label in ax.get_xticklabels()] == ["50 kB", "1 MB"]
    assert [ax.get_xlabel() for ax in figure.axes] == ["", "", *["flow size (largest of each group)"] * 2]
    assert figure.axes[2].get_ylim() == figure.axes[3].get_ylim()
    assert figure.get_supxlabel() == "p99 of 100 flows or fewer is their slowest"
    assert (of_sizes.save(tmp_path / "out", figures="png") / "slowdown_by_size.png").exists()
    with pytest.raises(ValueError, match="slowdown_by_size: there are no flows of several sizes"):
        swept.plot.slowdown_by_size()


def test_many_positions_have_small_panels_of_both_percentiles(of_sizes: xoff.Swept) -> None:
    axes: dict[str, Any] = {"marking": SCHEMES, "workload[0].groups": range(1, 11)}
    swept = xoff.sweep(SIZES, axes, measures=[MEAN])
    figure = swept.plot.slowdown_by_size()
    assert [ax.get_title("left") for ax in figure.axes] == [f"groups {at}" for at in range(1, 11)]
    [legend] = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == ["late", "early", "p99", "p50"]
    assert len({ax.get_ylim() for ax in figure.axes}) == 1
    panels = {f"groups {at}": {"late": swept.by_size[:2]} for at in range(40)}
    figure = swept_slowdown_by_size.draw(panels, "", {}, None)
    assert len(figure.axes) == 16
    assert figure.legends[0].get_title().get_text() == "16 of 40, evenly from the first to the last"
    alone = xoff.sweep(SIZES, {"marking": SCHEMES}, measures=[MEAN]).plot.slowdown_by_size()
    assert [ax.get_title("left") for ax in alone.axes] == ["p50", "p99"]


MARKED = "packets.marked"
THRESHOLD = "switch.marking.queue.threshold"


def test_what_has_no_ratio_is_named_and_not_drawn() -> None:
    swept = xoff.sweep(BASE, {THRESHOLD: ["400kB", "5kB"]}, measures=[MARKED, MEAN])
    assert [row.ratios.keys() for row in swept.rows] == [{MEAN}, {MEAN}]
    grid = grids.of_sweep(swept, ratios=True)
    assert [row[1] for row in grid.sections[0]] == ["-", "-"]
    assert grid.note.endswith("x: how many times threshold 400kB; -: no ratio, threshold 400kB has 0.")
    figure = swept.plot.ratios()
    assert [ax.get_title("left") for ax in figure.axes] == ["small FCT mean"]
    assert figure.get_supxlabel() == "no ratio of packets marked: threshold 400kB has 0"


def test_where_some_have_a_ratio_their_panel_says_how_many_have_none() -> None:
    found = xoff.sweep(BASE, {THRESHOLD: ["60kB", "5kB"], "workload.fan_in": [2, 3]}, measures=[MARKED])
    assert [row.measured[MARKED].value > 0 for row in found.rows] == [False, True, True, True]
    assert [MARKED in row.ratios for row in found.rows] == [False, True, False, True]
    [ax] = found.plot.ratios().axes
    assert ax.get_xlabel() == "threshold (kB)\nno ratio of 2 of 4: threshold 60kB has 0"


def test_a_ratio_of_zero_stands_below_all_others() -> None:
    many = BASE.with_value("workload.fan_in", 3)
    swept = xoff.sweep(many, {THRESHOLD: ["5kB", "90kB", "400kB"]}, measures=[MARKED])
    assert swept.rows[2].ratios[MARKED].value == 0 < swept.rows[1].ratios[MARKED].value < 1 / 3
    [ax] = swept.plot.ratios().axes
    assert (ax.get_yscale(), ax.get_ylim()[0]) == ("symlog", 0)


def test_it_shows_itself_in_a_notebook(swept: xoff.Swept) -> None:
    html = swept._repr_html_()
    assert "<th>fan_in</th><th>marking</th><th>small FCT mean</th><th>loss rate</th>" in html
    assert "<tr><td>2</td><td>early</td>" in html


@pytest.mark.parametrize(
    ("estimate", "told"),
    [
        (Estimate(100, 62.1, 161), "100.0 us (62.1 us to 161.0 us)"),
        (Estimate(100, 85, 117), "100.0 us ±16 %"),
        (Estimate(100), "100.0 us"),
        (Estimate(100, 1e-9, 1e13), "100.0 us ±?"),
    ],
)
def test_only_narrow_intervals_are_told_as_if_they_were_symmetric(
    swept: xoff.Swept, estimate: Estimate, told: str
) -> None:
    rows = tuple(dataclasses.replace(row, measured={MEAN: estimate}) for row in swept.rows[:1])
    grid = grids.of_sweep(dataclasses.replace(swept, rows=rows))
    assert grid.sections[0][0][2] == told
    assert grid.note.count("; ±?: so few seeds tell nothing of the interval, more do") == estimate.is_vague


@pytest.mark.parametrize(
    ("ratio", "told"), [(Estimate(0.9, 0.8, 1.01), "x0.900 (0.800-1.01)"), (Estimate(0.9, 1e-9, 1e9), "x0.900 (?)")]
)
def test_ratios_of_which_the_seeds_tell_nothing_have_no_bounds(swept: xoff.Swept, ratio: Estimate, told: str) -> None:
    rows = tuple(dataclasses.replace(row, ratios={MEAN: ratio}) for row in swept.rows[:1])
    grid = grids.of_sweep(dataclasses.replace(swept, rows=rows), ratios=True)
    assert grid.sections[0][0][2] == told
    assert grid.note.count("; (?): so few seeds tell nothing of the interval, more do") == ratio.is_vague


def test_a_comparison_says_of_which_ratios_the_seeds_tell_nothing() -> None:
    same = xoff.compare({"base": BASE, "other": BASE}, seeds=2)
    other = copy.deepcopy(same.summaries)
    other[1][0]["flows"]["all"]["fct_mean_us"] *= 1000
    assert "(?)" not in grids.of_comparison(same).note
    grid = grids.of_comparison(dataclasses.replace(same, summaries=other))
    assert any(cell.endswith("  x31.6 (?)") for section in grid.sections for row in section for cell in row)
    assert grid.note.endswith("; in brackets 95 % confidence; (?): so few seeds tell nothing of the interval, more do.")


def test_positions_from_numpy_are_written_as_numbers(tmp_path: Path) -> None:
    path = xoff.sweep(BASE, {"workload.fan_in": np.arange(1, 3)}, measures=[MEAN]).save(tmp_path / "out")
    assert json.loads((path / "sweep.json").read_text())["axes"] == {"workload.fan_in": [1, 2]}


def test_what_is_no_axis_is_refused_by_its_name() -> None:
    with pytest.raises(xoff.ScenarioError, match=r"^switch\.total: has no values; expected"):
        xoff.sweep(BASE, {"switch.total": []})


@pytest.mark.parametrize("path", sorted((ROOT / "sweeps").glob("*.toml")), ids=lambda path: path.stem)
def test_every_shipped_sweep_can_run(path: Path) -> None:
    wanted = load(path, {})
    assert wanted.title
    wanted.combinations[0].runs[0].with_value("stop.arrivals_end", "50us").run()
    for run in wanted.all_runs:
        run.check()


def test_measures_are_a_list_of_some() -> None:
    wrong: tuple[Any, ...] = ([], "loss_rate", None, 3)
    for measures in wrong:
        with pytest.raises(xoff.ScenarioError, match="measures: is no list of measures; expected keys such as"):
            xoff.sweep(BASE, {"workload.fan_in": [1]}, measures=measures)
    with pytest.raises(
        xoff.ScenarioError, match=r"measures: `3` is no number of summary\.json; expected a key such as"
    ):
        xoff.sweep(BASE, {"workload.fan_in": [1]}, measures=[3])  # type: ignore[list-item] # that is the point


def test_a_sweep_says_what_it_is_in_few_words(swept: xoff.Swept) -> None:
    assert "topology" not in repr(swept)


def test_seeds_are_no_axis() -> None:
    with pytest.raises(xoff.ScenarioError, match=r"base\.toml: seed: cannot be varied; expected how many there are"):
        xoff.sweep(BASE, {"seed": [1, 2]})

    with pytest.raises(
        xoff.ScenarioError, match=r"base\.toml: seed: a table does not fit \(with seed\.x = 1\); expected"
    ):
        xoff.sweep(BASE, {"seed.x": [1, 2]})


@pytest.mark.parametrize("axes", [None, ["workload.load"]])
def test_axes_are_a_dictionary(axes: object) -> None:
    says = rf"^axes: is a {type(axes).__name__}; expected a dictionary of what is varied: {{KEY: \[A, B, C\]}}$"
    with pytest.raises(TypeError, match=says):
        xoff.sweep(BASE, axes)  # type: ignore[arg-type] # that is the point


@pytest.mark.parametrize("seeds", [[1, 2], 2.0, "2"])
def test_seeds_are_so_many(seeds: object) -> None:
    with pytest.raises(TypeError, match=rf"^seeds: is a {type(seeds).__name__}; expected a whole number, at least 1$"):
        xoff.sweep(BASE, {"workload.fan_in": [1]}, seeds=seeds)  # type: ignore[arg-type] # that is the point


def test_the_combination_that_cannot_run_is_named() -> None:
    axes: dict[str, Any] = {"workload.fan_in": [2, 9], "marking": {"late": {}, "early": {}}}
    with pytest.raises(xoff.ScenarioError, match=r"\(with workload\.fan_in = 9, marking = late\); expected"):
        xoff.sweep(BASE, axes)
    unit = Axis(key="switch.marking.queue.threshold", values=[5, "x"], unit="kB")
    with pytest.raises(xoff.ScenarioError, match=r'has an unknown unit "xkB" \(with threshold = xkB\); expected'):
        Sweep.of(BASE, {"threshold": unit})


def test_a_sweep_that_would_never_end_is_refused() -> None:
    axes = {"workload.fan_in": range(1, 102), "workload.groups": range(1, 101)}
    with pytest.raises(xoff.ScenarioError, match="10,100 combinations are to run; expected at most 10,000 in one"):
        xoff.sweep(BASE, axes)


def test_a_folder_that_is_gone_is_told_in_a_line(swept: xoff.Swept, tmp_path: Path) -> None:
    with sweep.prepare(tmp_path / "out") as staging:
        shutil.rmtree(staging.path)
        with pytest.raises(OutputError, match="out: cannot write here: no such file or directory; choose another"):
            swept.commit(staging)


def test_evaluating_a_sweep_keeps_little_of_each_run(tmp_path: Path) -> None:
    kept, peaks = KeptRuns(tmp_path), []
    for count in (70, 120):  # more than have slowdowns by size; all mean one scenario
        wanted = Sweep.of(BASE, {"of": Axis.given("of", {f"p{number}": {} for number in range(count)})})
        batch.run(wanted.all_runs[:1], kept)
        tracemalloc.start()
        assert wanted.finished(kept) is not None
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (peaks[1] - peaks[0]) / 50 < 10_000, "bytes; a summary takes twice as many"
