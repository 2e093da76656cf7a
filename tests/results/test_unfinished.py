"""Flows that completion times leave out are told of wherever runs are held against one another."""

from pathlib import Path

import pytest

import xoff
from conftest import SMALL
from xoff.results import unfinished
from xoff.studies import grids

ENDLESS = """
[[workload]]
kind = "long_lived"
transport = "dctcp"
pairs = [["host3", "host1"]]
"""
BASE = xoff.Scenario(SMALL, "base.toml", ("observe={}", "stop.at=950us"))
SLOW = BASE.with_value("topology.host_link.rate", "1Gbps")
TOLD = "flows that started in the measured time, but are unfinished, count in no completion time: "


@pytest.mark.parametrize("more", ["", ENDLESS])
def test_flows_with_a_size_are_counted_and_endless_ones_are_not(more: str, tmp_path: Path) -> None:
    scenario = xoff.Scenario(SMALL + more, None, SLOW.overrides)
    result = scenario.run()
    assert result.unfinished is not None
    sized = [size for size in result.unfinished["size_bytes"].to_pylist() if size is not None]
    path = result.save(tmp_path / "out")
    found = unfinished.of_run(path, result.summary)
    assert found == unfinished.Unfinished(len(sized), len(sized) + result.summary["flows"]["all"]["count"])
    assert found.flows > 0
    assert result.summary["measured"]["unfinished"] == found.flows + bool(more)


def test_a_comparison_tells_how_many_of_how_many_each_has() -> None:
    compared = xoff.compare({"fast": BASE, "slow": SLOW}, seeds=2)
    fast, slow = compared.unfinished
    assert (fast.of, slow.of) == (40, 40)
    assert fast.flows < slow.flows
    assert compared.as_dict()["unfinished"][1] == {"scenario": "slow", "flows": slow.flows, "of": 40}
    of_slow = next(row for row in compared.rows if (row.measure, row.scenario) == (unfinished.MEASURE, "slow"))
    assert of_slow.value.value == slow.flows / 2
    grid = grids.of_comparison(compared)
    assert grid.notes == (f"{TOLD}{fast.flows} of 40 with fast, {slow.flows} of 40 with slow",)
    assert "unfinished" in [row[1] for row in grid.sections[-1]]


def test_results_that_are_there_tell_it_too(tmp_path: Path) -> None:
    folders = [one.run().save(tmp_path / name) for name, one in (("fast", BASE), ("slow", SLOW))]
    assert xoff.Comparison.open(folders).unfinished == xoff.compare([BASE, SLOW]).unfinished


def test_where_all_have_finished_nothing_is_told() -> None:
    compared = xoff.compare([BASE.with_value("stop.at", None)])
    assert compared.unfinished == ((0, 20),)
    assert unfinished.MEASURE not in {row.measure for row in compared.rows}
    assert grids.of_comparison(compared).notes == ()


@pytest.mark.parametrize("ratios", [False, True])
def test_a_sweep_tells_how_many_of_how_many_each_combination_has(*, ratios: bool) -> None:
    axis = {"topology.host_link.rate": ["10Gbps", "1Gbps"]}
    swept = xoff.sweep(BASE, axis, measures=["flows.all.fct_mean_us"])
    fast, slow = (row.unfinished for row in swept.rows)
    assert [row["unfinished"] for row in swept.as_dict()["rows"]] == [fast._asdict(), slow._asdict()]
    grid = grids.of_sweep(swept, ratios=ratios)
    assert grid.numbers[-1] == "unfinished"
    assert [row[-1] for row in grid.sections[0]] == [f"{fast.flows} of 20", f"{slow.flows} of 20"]
    assert grid.notes == (f"{TOLD}{fast.flows + slow.flows} of 40",)


def test_a_sweep_of_what_has_all_finished_has_no_such_column() -> None:
    drained = BASE.with_value("stop.at", None)
    swept = xoff.sweep(drained, {"workload.fan_in": [1, 2]}, measures=["flows.all.fct_mean_us"])
    assert grids.of_sweep(swept).numbers == ("fan_in", "all FCT mean")
