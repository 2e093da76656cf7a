"""Scenarios compared: values, ratios, names, what is written."""

import dataclasses
import json
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import xoff
from conftest import PERMUTATION, SMALL
from xoff.errors import OutputError
from xoff.plot.workloads import Workloads
from xoff.results import intervals
from xoff.runs import batch
from xoff.runs.store import KeptRuns
from xoff.studies import grids
from xoff.studies.comparison import MEASURES, WantedComparison, prepare

BASE = xoff.Scenario(SMALL, "base.toml", ("observe={}",))
OTHER = xoff.Scenario(SMALL, "other.toml", ("observe={}", "switch.marking.queue.threshold=5kB"))


@pytest.fixture(scope="module")
def comparison() -> xoff.Comparison:
    return xoff.compare([BASE, OTHER], seeds=2)


def test_values_are_means_of_the_runs_and_ratios_are_paired(comparison: xoff.Comparison) -> None:
    measure = "flows.small.fct_mean_us"
    base, other = (
        [run.run(seed=seed).summary["flows"]["small"]["fct_mean_us"] for seed in (3, 4)] for run in (BASE, OTHER)
    )
    first, second = (row for row in comparison.rows if row.measure == measure)
    assert (first.scenario, second.scenario) == ("base", "other")
    assert first.value.value == pytest.approx(sum(base) / 2)
    assert first.ratio == (1, 1, 1)
    assert second.ratio is not None
    assert second.ratio.value == pytest.approx((other[0] / base[0] * other[1] / base[1]) ** 0.5)


def test_measures_of_classes_without_flows_are_left_out(comparison: xoff.Comparison) -> None:
    measures = {row.measure for row in comparison.rows}
    left_out = ("medium", "large", "pfc", "unfinished", "long_lived")
    assert measures == {measure for measure in MEASURES if not any(part in measure for part in left_out)}


def test_workloads_are_compared_where_there_are_several() -> None:
    one, two = (xoff.Scenario(scenario.text + PERMUTATION, None, scenario.overrides) for scenario in (BASE, OTHER))
    comparison = xoff.compare({"one": one, "two": two})
    first, second_row = (row for row in comparison.rows if row.measure == "workloads[1].fct_mean_us")
    assert first.value.value == one.run().summary["workloads"][1]["fct_mean_us"]
    assert second_row.ratio is not None
    told = comparison._repr_html_()
    assert "workload[0], incast" in told
    assert "workload[1], permutation" in told
    comparison.plot.fct_ratios(Figure().subplots())


def test_values_without_a_ratio_say_why() -> None:
    unmarked = BASE.with_value("switch.marking.queue.threshold", "400kB")
    told = xoff.compare({"late": unmarked, "early": OTHER}, measures=["packets.marked", "loss_rate"])._repr_html_()
    assert "  -</td>" in told
    assert "<td>0 %</td><td>0 %</td>" in told
    assert told.endswith("x: how many times late; -: no ratio, late has 0.</small>")


def test_the_table_speaks_arrow(comparison: xoff.Comparison) -> None:
    table = comparison.table
    assert table.num_rows == len(comparison.rows)
    assert table.column_names == [
        "measure", "scenario", "value", "value_low", "value_high", "ratio", "ratio_low", "ratio_high"
    ]  # fmt: skip


def test_its_columns_are_there_and_of_one_type_whatever_is_in_them(comparison: xoff.Comparison) -> None:
    nothing = xoff.compare({1: BASE}, measures=["flows.large.fct_mean_us"])  # type: ignore[dict-item] # a number is a name
    assert (nothing.names, nothing.table.num_rows) == (("1",), 0)
    assert nothing.table.schema == comparison.table.schema
    of_none = dataclasses.replace(
        nothing, flows=tuple(tuple(run.slice(0, 0) for run in runs) for runs in nothing.flows)
    )
    assert of_none.slowdown_by_size.num_rows == 0
    assert of_none.slowdown_by_size.schema == comparison.slowdown_by_size.schema
    assert set(comparison.slowdown_by_size.schema.types[3:]) == {pa.float64()}


def test_values_of_what_is_no_measure_are_refused(comparison: xoff.Comparison) -> None:
    assert comparison.values("loss_rate") == [[0, 0], [0, 0]]
    with pytest.raises(
        xoff.ScenarioError, match=r"^measure: `nope` is no number of summary\.json; expected a key such as"
    ):
        comparison.values("nope")


def test_it_shows_itself_in_a_notebook() -> None:
    html = xoff.compare({"<b>": BASE, "late": OTHER})._repr_html_()
    assert "<th>&lt;b&gt;</th><th>late</th>" in html
    assert "<td style='text-align:left'>FCT p99</td>" in html
    assert html.endswith("<small>Seed 3; x: how many times &lt;b&gt;.</small>")


@pytest.mark.parametrize(
    ("scenarios", "seeds", "workers", "says"),
    [
        ([], 1, 1, "scenarios: 0 run nothing; expected at least 1"),
        ([BASE], 0, 1, "seeds: 0 run nothing; expected at least 1"),
        ([BASE], 1, 0, "workers: 0 run nothing; expected at least 1"),
        ([BASE], 2, -3, "workers: -3 run nothing; expected at least 1"),
    ],
)
def test_nothing_is_no_comparison(scenarios: list[xoff.Scenario], seeds: int, workers: int, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says}$"):
        xoff.compare(scenarios, seeds=seeds, workers=workers)


def test_names_tell_scenarios_apart() -> None:
    def names(*files: str) -> tuple[str, ...]:
        return WantedComparison.of([xoff.Scenario(SMALL, file) for file in files], 1).names

    assert names("a.toml", "b.toml") == ("a", "b")
    assert names("a/x.toml", "b/x.toml") == ("a/x.toml", "b/x.toml")
    assert names("x.toml", "x.toml") == ("x.toml (1)", "x.toml (2)")
    assert xoff.compare({"one": BASE, "two": BASE}).names == ("one", "two")


def test_it_is_written_whole_and_replaces_nothing_unasked(comparison: xoff.Comparison, tmp_path: Path) -> None:
    path = comparison.save(tmp_path / "out")
    assert sorted(file.name for file in path.iterdir()) == ["comparison.json", "fct_ratios.svg"]
    assert json.loads((path / "comparison.json").read_text()) == comparison.as_dict()
    with pytest.raises(xoff.OutputError, match="exists already"):
        comparison.save(path)
    comparison.save(path, force=True)


def test_an_interrupted_one_is_replaced_by_itself(comparison: xoff.Comparison, tmp_path: Path) -> None:
    cut_short = dataclasses.replace(comparison, interrupted=True)
    path = cut_short.save(tmp_path / "out")
    assert json.loads((path / "comparison.json").read_text())["interrupted"] is True
    comparison.save(path)
    assert json.loads((path / "comparison.json").read_text())["interrupted"] is False
    with pytest.raises(xoff.OutputError, match="exists already"):
        comparison.save(path)


def test_what_lacks_seeds_is_interrupted(tmp_path: Path) -> None:
    wanted = WantedComparison.of([BASE, OTHER], 2)
    kept = KeptRuns(tmp_path)
    batch.run(wanted.all_runs[:1], kept)
    assert wanted.finished(kept) is None
    for count, interrupted in ((3, True), (4, False)):
        batch.run(wanted.all_runs[:count], kept)
        found = wanted.finished(kept)
        assert found is not None
        assert found.interrupted is interrupted


def test_ratios_are_drawn_with_their_intervals(comparison: xoff.Comparison) -> None:
    ax = Figure().subplots()
    comparison.plot.fct_ratios(ax)
    assert ax.get_ylabel() == "completion time over base's"
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "all\nmean",
        "all\np99",
        "small\nmean",
        "small\np99",
    ]
    legend = ax.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == ["other"]


@pytest.fixture(scope="module")
def of_sizes() -> xoff.Comparison:
    """Incasts of 50 kB beside flows of 1 MB."""
    texts = {name: SMALL.replace('"30kB"', f'"{name}kB"') + PERMUTATION for name in ("30", "5")}
    return xoff.compare({name: xoff.Scenario.from_text(text) for name, text in texts.items()}, seeds=2)


def test_slowdowns_are_of_the_flows_of_all_seeds_with_an_interval_of_what_each_seed_has(
    of_sizes: xoff.Comparison,
) -> None:
    assert [(row.largest_bytes, row.scenario) for row in of_sizes.by_size] == [
        (50_000, "30"), (50_000, "5"), (1_000_000, "30"), (1_000_000, "5")
    ]  # fmt: skip
    assert [row.flows for row in of_sizes.by_size] == [40, 40, 8, 8]
    runs = [xoff.Scenario.from_text(SMALL + PERMUTATION).run(seed=seed) for seed in (3, 4)]
    p99 = [run.summary["workloads"][1]["slowdown_p99"] for run in runs]
    estimate = of_sizes.by_size[2].quantiles[-1]
    assert estimate.value == max(p99), "the 99th percentile of eight flows"
    assert estimate == intervals.around(max(p99), p99, intervals.SLOWDOWNS)
    assert of_sizes.slowdown_by_size["slowdown_p99"].to_pylist()[2] == max(p99)


def test_slowdowns_have_a_line_for_each_scenario_over_the_same_sizes(of_sizes: xoff.Comparison, tmp_path: Path) -> None:
    axes = Figure().subplots(1, 2).tolist()
    of_sizes.plot.slowdown_by_size(axes)
    assert [ax.get_title("left") for ax in axes] == ["p50", "p99"]
    assert axes[0].get_ylabel() == "FCT slowdown"
    for ax in axes:
        assert [line.get_label() for line in ax.get_lines()] == ["30", "5"]
        assert [label.get_text() for label in ax.get_xticklabels()] == ["50 kB", "1 MB"]
        assert len(ax.collections) == 2, "intervals over seeds"
    assert [ax.get_xlabel().partition("\n")[2] for ax in axes] == ["", "p99 of 100 flows or fewer is their slowest"]
    path = of_sizes.save(tmp_path / "out")
    assert "largest of each group" in (path / "slowdown_by_size.svg").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="percents: 90 was not computed; expected some of 50, 95, 99"):
        of_sizes.plot.slowdown_by_size(axes[:1], percents=[90])


@pytest.mark.parametrize("workloads", [1, "permutation", [1], ["permutation", 1]])
def test_slowdowns_are_drawn_of_some_workloads(of_sizes: xoff.Comparison, workloads: Workloads) -> None:
    ax = Figure().subplots()
    of_sizes.plot.slowdown_by_size([ax], percents=[50], workloads=workloads)
    assert [label.get_text() for label in ax.get_xticklabels()] == ["1 MB"]


def test_a_workload_that_is_not_there_is_answered_with_those_that_are(of_sizes: xoff.Comparison) -> None:
    says = r"^workloads: there is no query; expected positions or kinds of workload\[0\], incast; workload\[1\], permu"
    with pytest.raises(ValueError, match=says):
        of_sizes.plot.slowdown_by_size(workloads="query")
    plt.close()


def test_distributions_have_a_line_for_each_scenario_of_the_flows_of_all_seeds(of_sizes: xoff.Comparison) -> None:
    ax = Figure().subplots()
    of_sizes.plot.fct_cdf(ax)
    assert [line.get_label() for line in ax.get_lines()] == ["30: 48", "5: 48"]
    of_runs = [run.run(seed=seed) for seed in (3, 4) for run in [xoff.Scenario.from_text(SMALL + PERMUTATION)]]
    slowest_us = max(run.summary["flows"]["all"]["fct_p999_us"] for run in of_runs)
    assert max(np.asarray(ax.get_lines()[0].get_xdata())) == pytest.approx(slowest_us)
    ax.clear()
    of_sizes.plot.slowdown_cdf(ax, size_class="medium")
    assert [line.get_label() for line in ax.get_lines()] == ["30: 8", "5: 8"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("FCT slowdown", "share of flows (medium, below 10 MiB)")
    with pytest.raises(ValueError, match=r"^size_class: there is no tiny; expected one of all, small, medium, large$"):
        of_sizes.plot.fct_cdf(ax, size_class="tiny")


def test_distributions_of_many_scenarios_have_a_panel_each_over_the_same_scale(of_sizes: xoff.Comparison) -> None:
    some, none = of_sizes.flows[0], tuple(run.slice(0, 0) for run in of_sizes.flows[0])
    many = dataclasses.replace(
        of_sizes,
        names=tuple(f"K = {number}" for number in range(10)),
        summaries=of_sizes.summaries[:1] * 10,
        flows=(*[some] * 9, none),
    )
    first = many.plot.fct_cdf()
    panels = first.figure.axes
    assert panels[0] is first
    assert [ax.get_title("left") for ax in panels] == [*(f"K = {number}: 48" for number in range(1, 9)), "K = 9: 0"]
    assert [len(ax.get_lines()) for ax in panels] == [2] * 8 + [1]
    assert [text.get_text().replace("\n", " ") for ax in panels for text in ax.texts] == ["no flow finished"]
    assert len({ax.get_xlim() for ax in panels}) == 1
    plt.close()
    ax = Figure().subplots()
    assert many.plot.fct_cdf(ax) is ax
    assert len(ax.get_lines()) == 9


def colours_of(ax: Axes) -> dict[str, str]:
    """The colour of each scenario in the legend."""
    handles = dict(zip(*reversed(ax.get_legend_handles_labels()), strict=True))
    lines = {name: getattr(handle, "lines", (handle,))[0] for name, handle in handles.items()}
    return {name.partition(":")[0]: line.get_color() for name, line in lines.items()}


def test_a_scenario_has_one_colour_in_all_figures(of_sizes: xoff.Comparison) -> None:
    ratios, cdf, *by_size = Figure().subplots(1, 4).tolist()
    of_sizes.plot.fct_ratios(ratios)
    of_sizes.plot.fct_cdf(cdf)
    of_sizes.plot.slowdown_by_size(by_size)
    assert colours_of(cdf) == colours_of(by_size[0])
    assert colours_of(ratios)["5"] == colours_of(cdf)["5"]


def test_twelve_scenarios_with_long_names_are_told_apart_beside_their_figure(of_sizes: xoff.Comparison) -> None:
    names = tuple(f"a scenario with a name that is rather long, number {number}" for number in range(12))
    halves = zip(of_sizes.summaries * 6, of_sizes.flows * 6, strict=True)
    summaries, flows = zip(*halves, strict=True)
    many = dataclasses.replace(of_sizes, names=names, summaries=summaries, flows=flows)
    few = dataclasses.replace(of_sizes, names=names[:2])
    heights = []
    for comparison in (few, many):
        ax = comparison.plot.fct_ratios()
        ax.figure.canvas.draw()
        heights.append(ax.get_window_extent().height)
        if comparison is many:
            looks = [(str(line[0].get_color()), str(line[0].get_marker())) for line in ax.containers]
            assert len(set(looks)) == 11
        plt.close()
    assert heights[1] > 0.9 * heights[0]


def test_the_same_comparison_leaves_the_same_figures(of_sizes: xoff.Comparison, tmp_path: Path) -> None:
    one, other = (of_sizes.save(tmp_path / name) for name in ("one", "other"))
    for name in ("fct_ratios.svg", "slowdown_by_size.svg"):
        drawn = (one / name).read_bytes()
        assert drawn == (other / name).read_bytes()
        assert b"<dc:date>" not in drawn


def test_what_is_measured_can_be_asked_for() -> None:
    found = xoff.compare([BASE, OTHER], measures=["flows.small.slowdown_p999", "packets.marked"])
    assert [(row.measure, row.scenario) for row in found.rows] == [
        ("flows.small.slowdown_p999", "base"),
        ("flows.small.slowdown_p999", "other"),
        ("packets.marked", "base"),
        ("packets.marked", "other"),
    ]
    with pytest.raises(xoff.ScenarioError, match=r"measures: `flows\.small\.slowdown_p98` is no number of"):
        xoff.compare([BASE], measures=["flows.small.slowdown_p98"])
    with pytest.raises(xoff.ScenarioError, match=r"base\.toml: workload: there are 1, of which none is that of"):
        xoff.compare([BASE], measures=["workloads[1].count"])


def saved(scenario: xoff.Scenario, path: Path) -> Path:
    """The folder of a run."""
    return scenario.run().save(path)


def test_results_that_are_there_are_compared_like_their_scenarios(tmp_path: Path) -> None:
    folders = [saved(one, tmp_path / one.name) for one in (BASE, OTHER)]
    assert xoff.Comparison.open(folders).as_dict() == xoff.compare([BASE, OTHER]).as_dict()
    named = xoff.Comparison.open({"K = 30 kB": folders[0], "K = 5 kB": folders[1]}, measures=["loss_rate"])
    assert (named.names, [row.measure for row in named.rows]) == (("K = 30 kB", "K = 5 kB"), ["loss_rate"] * 2)
    alike = saved(OTHER, tmp_path / "again" / "base")
    assert xoff.Comparison.open([folders[0], alike]).names == (str(folders[0]), str(alike))


def test_results_of_other_traffic_or_of_half_a_run_are_not_compared(tmp_path: Path) -> None:
    base = saved(BASE, tmp_path / "base")
    with pytest.raises(xoff.ScenarioError, match=r"scenario\.toml: seed: is 4, but 3 in .*base/scenario\.toml"):
        xoff.Comparison.open([base, saved(BASE.with_value("seed", 4), tmp_path / "seed")])
    whole = BASE.run()
    cut_short = dataclasses.replace(whole, summary=whole.summary | {"interrupted": True})
    half = cut_short.save(tmp_path / "half")
    with pytest.raises(ValueError, match=r"half/summary\.json: interrupted: the run was cut short; expected one that"):
        xoff.Comparison.open([base, half])


def test_names_of_files_are_no_formulas(tmp_path: Path) -> None:
    files = [tmp_path / name for name in (r"a$\frac$.toml", "_b$x$.toml")]
    for file in files:
        file.write_text(SMALL)
    compared = xoff.compare(files, keep=tmp_path / "runs")
    compared.save(tmp_path / "out")
    drawn = (tmp_path / "out" / "fct_ratios.svg").read_text(encoding="utf-8")
    assert r"completion time over a$\frac$'s" in drawn
    assert "_b$x$" in drawn


COLLECTIVE = """
topology = { kind = "star", hosts = 4, host_link = { rate = "10Gbps", delay = "1us" } }
transport.dctcp = { kind = "tcp", congestion_control = { algorithm = "dctcp" } }
switch = [{ total = "1MB" }]
workload = [
    { kind = "collective", transport = "dctcp", operation = "all_reduce", algorithm = "ring", size = "400kB" },
]
"""


def test_collectives_are_compared_over_links_of_other_rates() -> None:
    one = xoff.Scenario(COLLECTIVE, "one.toml")
    found = xoff.compare([one, one.with_value("topology.host_link.rate", "100Gbps")])
    base, other = (row for row in found.rows if row.measure == "collectives[0].bus_bandwidth_mean_gbps")
    assert base.value.value == one.run().summary["collectives"][0]["bus_bandwidth_mean_gbps"]
    assert other.ratio is not None
    assert 5 < other.ratio.value < 10
    assert "workload[0], collective" in found._repr_html_()
    assert "bus bandwidth" in found._repr_html_()


@pytest.mark.parametrize("single", [BASE, "base.toml", Path("base.toml")])
def test_a_single_scenario_is_no_list(single: object) -> None:
    says = rf"^scenarios: is a {type(single).__name__}; expected a list of scenarios, or a dictionary that names them$"
    with pytest.raises(TypeError, match=says):
        xoff.compare(single)  # type: ignore[arg-type] # that is the point


def test_scenarios_of_one_file_are_told_apart_where_their_traffic_differs() -> None:
    more = BASE.with_value("workload.fan_in", 3)
    with pytest.raises(xoff.ScenarioError, match=r"^many: workload\[0\]\.fan_in: is 3, but 2 in few; expected"):
        xoff.compare({"few": BASE, "many": more})
    with pytest.raises(xoff.ScenarioError, match=r"^base\.toml \(2\): workload.* is 3, but 2 in base\.toml \(1\); "):
        xoff.compare([BASE, more])


def test_a_folder_that_is_gone_is_told_in_a_line(comparison: xoff.Comparison, tmp_path: Path) -> None:
    with prepare(tmp_path / "out", "compare") as staging:
        shutil.rmtree(staging.path)
        with pytest.raises(OutputError, match="out: cannot write here: no such file or directory; choose another"):
            comparison.commit(staging)


def test_ideal_times_that_differ_are_told() -> None:
    base = xoff.Scenario.from_text(SMALL)
    slower = base.with_value("topology.host_link.rate", "5Gbps")
    notes = grids.of_comparison(xoff.compare({"fast": base, "slow": slower})).notes
    [note] = [note for note in notes if note.startswith("slowdowns are over the times of flows that are alone")]
    assert note.endswith("those of slow are x1.92 those of fast (by other links, or other ways over them)")
    assert grids.of_comparison(xoff.compare({"one": base, "other": base})).notes == ()


def test_many_scenarios_have_rows_and_panels_with_their_names(tmp_path: Path) -> None:
    base = xoff.Scenario.from_text(SMALL + PERMUTATION).with_value("observe", {})
    names = [f"{'a' * number}, a scenario" for number in range(1, 13)]
    found = xoff.compare(dict.fromkeys(names, base))
    axes = found.plot.slowdown_by_size()
    assert [ax.get_title("left").replace("\n", " ") for ax in axes] == names[1:]
    found.plot.save(tmp_path / "ratios.svg")
    drawn = (tmp_path / "ratios.svg").read_text(encoding="utf-8")
    assert [name in drawn for name in names] == [True] * 12
