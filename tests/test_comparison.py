"""Scenarios compared: values, ratios, names, what is written."""

import dataclasses
import json
from pathlib import Path

import pytest
from matplotlib.figure import Figure

import xoff
from conftest import PERMUTATION, SMALL
from xoff import batch
from xoff.comparison import MEASURES, Plan
from xoff.kept import KeptRuns

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
        return Plan.of([xoff.Scenario(SMALL, file) for file in files], 1).names

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
    plan = Plan.of([BASE, OTHER], 2)
    kept = KeptRuns(tmp_path)
    batch.run(plan.all_runs[:1], kept)
    assert plan.finished(kept) is None
    for count, interrupted in ((3, True), (4, False)):
        batch.run(plan.all_runs[:count], kept)
        found = plan.finished(kept)
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


def test_slowdowns_are_means_over_seeds_of_the_same_groups_of_flows(of_sizes: xoff.Comparison) -> None:
    assert [(row.largest_bytes, row.scenario) for row in of_sizes.by_size] == [
        (50_000, "30"), (50_000, "5"), (1_000_000, "30"), (1_000_000, "5")
    ]  # fmt: skip
    assert [row.flows for row in of_sizes.by_size] == [40, 40, 8, 8]
    runs = [xoff.Scenario.from_text(SMALL + PERMUTATION).run(seed=seed) for seed in (3, 4)]
    p99 = [run.summary["workloads"][1]["slowdown_p99"] for run in runs]
    assert of_sizes.by_size[2].quantiles[-1].value == pytest.approx(sum(p99) / 2)
    assert of_sizes.slowdown_by_size["slowdown_p99"].to_pylist()[2] == pytest.approx(sum(p99) / 2)


def test_slowdowns_have_a_line_for_each_scenario_over_the_same_sizes(of_sizes: xoff.Comparison, tmp_path: Path) -> None:
    axes = Figure().subplots(1, 2).tolist()
    of_sizes.plot.slowdown_by_size(axes)
    assert [ax.get_title("left") for ax in axes] == ["p50", "p99"]
    assert axes[0].get_ylabel() == "FCT slowdown"
    for ax in axes:
        assert [line.get_label() for line in ax.get_lines()] == ["30", "5"]
        assert [label.get_text() for label in ax.get_xticklabels()] == ["50 kB", "1 MB"]
        assert len(ax.collections) == 2, "intervals over seeds"
    path = of_sizes.save(tmp_path / "out")
    assert "largest of each group" in (path / "slowdown_by_size.svg").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match="percents: 90 was not computed; expected some of 50, 95, 99"):
        of_sizes.plot.slowdown_by_size(axes[:1], percents=[90])


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
    return scenario.run().save(path, report=False)


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
    half = cut_short.save(tmp_path / "half", report=False)
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
