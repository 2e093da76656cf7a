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
