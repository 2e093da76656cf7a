"""Searches: which trials are made, which of them is best, and what fresh seeds say of it."""

import csv
import json
import re
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

import xoff
from conftest import SMALL
from xoff.errors import OutputError
from xoff.starters import starter
from xoff.studies.bounds import Bound
from xoff.studies.tuning.search import AT_ONCE
from xoff.studies.tuning.tuned import prepare

BASE = xoff.Scenario(SMALL, "base.toml", ("observe={}", "workload.groups=2"))
FCT = "flows.all.fct_mean_us"
DELAY = {"host.delay": "1us:30us"}


@pytest.fixture(scope="module")
def found() -> xoff.Tuned:
    """Completion times rise with the delay of hosts, so that the least one is best, and 10 us too much."""
    return xoff.tune(BASE.with_value("host.delay", "20us"), DELAY, minimize=FCT, trials=14, confirm=2)


def fct(delay: object) -> float:
    return float(BASE.with_value("host.delay", delay).run().summary["flows"]["all"]["fct_mean_us"])


def test_the_best_trial_is_near_what_is_known_to_be_best(found: xoff.Tuned) -> None:
    assert found.best is not None
    assert float(str(found.best.at["host.delay"]).removesuffix("us")) < 3
    assert found.best.measured[FCT].value == pytest.approx(fct(found.best.at["host.delay"]))
    assert found.scenario.run().summary["flows"]["all"]["fct_mean_us"] == found.best.measured[FCT].value
    assert all(before.measured[FCT].value <= after.measured[FCT].value for before, after in pairwise(found.ranked))


def test_it_is_confirmed_with_seeds_that_the_search_has_not_seen(found: xoff.Tuned) -> None:
    assert (found.tuning.seeds, found.tuning.fresh_seeds) == ((3,), (4, 5))
    assert found.confirmed is not None
    assert (found.confirmed.seeds, found.confirmed.names) == ((4, 5), ("as it stands", "tuned"))
    row = found.confirmed.rows_by_measure[FCT]["tuned"]
    assert row.ratio is not None
    assert row.ratio.value < 1
    assert not found.doubts


def test_the_same_search_makes_the_same_trials_whatever_shares_the_work(found: xoff.Tuned, tmp_path: Path) -> None:
    base, runs = BASE.with_value("host.delay", "20us"), []
    again = xoff.tune(
        base, DELAY, minimize=FCT, trials=14, confirm=2, workers=2, keep=tmp_path, on_finished=lambda: runs.append(1)
    )
    assert [trial.at for trial in again.trials] == [trial.at for trial in found.trials]
    assert len(list(tmp_path.iterdir())) <= len(runs) <= again.tuning.runs


def test_trials_learn_from_those_before(found: xoff.Tuned) -> None:
    """The first ten are drawn evenly; of those behind them more lie where it is best."""
    delays = [float(str(trial.at["host.delay"]).removesuffix("us")) for trial in found.trials]
    assert len(delays) == 14 > 10 + AT_ONCE - 1
    assert delays[-1] < sum(delays[:10]) / 10


def test_bounds_are_kept_to(tmp_path: Path) -> None:
    """The best that is allowed lies where the bound ends what would be better still."""
    base = BASE.with_value("host.delay", "20us")
    found = xoff.tune(base, DELAY, minimize=FCT, at_least={FCT: "x0.8"}, at_most={FCT: 1e9}, trials=16, confirm=1)
    least = 0.8 * fct("20us")
    assert found.best is not None
    assert least <= found.best.measured[FCT].value < 0.95 * fct("20us")
    assert any(not trial.is_allowed and trial.measured[FCT].value < least for trial in found.trials)
    assert [trial.is_allowed for trial in found.trials] == [
        trial.measured[FCT].value >= least for trial in found.trials
    ]
    found.save(tmp_path / "out")
    with (tmp_path / "out" / "tune.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["allowed"] for row in rows[1:]] == [str(trial.is_allowed) for trial in found.trials]


def test_what_cannot_be_simulated_is_a_trial_that_failed() -> None:
    red = {"kind": "red", "minimum": "20kB", "maximum": "40kB", "probability": 0.1}
    base = BASE.with_value("switch.marking.queue", red)
    found = xoff.tune(base, {"switch.marking.queue.minimum": "10kB:100kB"}, maximize="packets.marked", trials=8)
    refused = [trial for trial in found.trials if trial.problem]
    assert refused
    assert all(float(str(trial.at["switch.marking.queue.minimum"])[:-2]) > 40 for trial in refused)
    assert all(trial.problem.startswith("switch[0].marking.queue") for trial in refused)


def test_where_nothing_is_better_the_scenario_stays() -> None:
    found = xoff.tune(BASE.with_value("host.delay", "1us"), {"host.delay": "5us:30us"}, minimize=FCT, trials=4)
    assert (found.best, found.confirmed, found.scenario) == (None, None, found.tuning.base)
    assert found.is_whole


def test_a_scenario_that_breaks_a_bound_gives_way_to_one_that_does_not() -> None:
    base = BASE.with_value("host.delay", "1us")
    found = xoff.tune(base, {"host.delay": "5us:30us"}, minimize=FCT, at_least={FCT: fct("4us")}, trials=4, confirm=1)
    assert found.best is not None
    assert found.best.is_allowed
    assert not found.base.is_allowed
    assert found.best.measured[FCT].value > found.base.measured[FCT].value
    assert not found.doubts


def test_what_fresh_seeds_do_not_show_is_told(found: xoff.Tuned) -> None:
    base, tuned = found.tuning.base, found.scenario
    tuning = replace(found.tuning, bounds=(Bound.given("goodput_gbps", 1000, is_least=True, where=""),))
    worse = xoff.compare({"as it stands": tuned, "tuned": base}, seeds=2, measures=tuning.measures)
    not_better, broken = replace(found, tuning=tuning, confirmed=worse).doubts
    assert not_better == f"{FCT} is not better with fresh seeds: the search fitted its own"
    assert re.fullmatch(r"goodput_gbps is not at least 1000 with fresh seeds, by 100 % of that", broken)
    same = xoff.compare({"as it stands": base, "tuned": base.with_value("host.delay", "19.999us")}, seeds=1)
    [unsure] = replace(found, confirmed=same).doubts
    assert unsure == f"{FCT} has no interval with one fresh seed; several tell how sure it is"
    scattered = tuple(tuple({"flows": {"all": {"fct_mean_us": fct}}} for fct in of_it) for of_it in ((9, 9), (4, 10)))
    [wide] = replace(found, confirmed=replace(worse, summaries=scattered, measures=(FCT,))).doubts
    assert wide == f"{FCT} may be as it was: its interval holds x1; more fresh seeds tell more"


@pytest.mark.parametrize(
    ("limit", "value", "base", "excess"),
    [(10.0, 12.0, 99.0, 0.2), ("x2", 12.0, 4.0, 0.5), (0, 3.0, 0.0, 3.0), ("x1", 5.0, 5.0, 0.0)],
)
def test_a_bound_is_broken_by_a_share_of_its_limit(
    limit: float | str, value: float, base: float, excess: float
) -> None:
    most = Bound.given(FCT, limit, is_least=False, where=FCT)
    least = Bound.given(FCT, limit, is_least=True, where=FCT)
    assert most.excess(value, base) == pytest.approx(excess)
    assert least.excess(value, base) == pytest.approx(-excess)


@pytest.mark.parametrize(
    ("space", "says"),
    [
        ({}, "base.toml: nothing is tuned; expected a key and its range"),
        ({"seed": "1:9"}, "base.toml: seed: cannot be tuned"),
        ({"workload.size": "10kB:90kB"}, "with workload.size = 10kB: workload[0].size: is 10kB, but 50kB in as it sta"),
        ({"host.deley": "1us:2us"}, "base.toml: host.deley: unknown key"),
        ({"switch.total": "1us:2us"}, 'base.toml: switch[0].total: "1us"'),
    ],
)
def test_keys_that_cannot_be_tuned_are_refused(space: dict[str, Any], says: str) -> None:
    with pytest.raises(xoff.ScenarioError) as refused:
        xoff.tune(BASE, space, minimize=FCT)
    assert str(refused.value).startswith(says)


def test_what_cannot_be_measured_is_refused() -> None:
    with pytest.raises(xoff.ScenarioError, match=r"minimize: `fct` is no number of summary.json"):
        xoff.tune(BASE, DELAY, minimize="fct")
    with pytest.raises(xoff.ScenarioError, match=r"flows.large.fct_mean_us: in some run no such flow"):
        xoff.tune(BASE, DELAY, minimize="flows.large.fct_mean_us")
    with pytest.raises(xoff.InputError, match="`much` is no limit; expected a number"):
        xoff.tune(BASE, DELAY, minimize=FCT, at_most={"loss_rate": "much"})
    with pytest.raises(ValueError, match="expected one of them"):
        xoff.tune(BASE, DELAY)
    with pytest.raises(ValueError, match="trials: 0 run nothing"):
        xoff.tune(BASE, DELAY, minimize=FCT, trials=0)


def test_the_folder_holds_numbers_figure_and_the_best_scenario(found: xoff.Tuned, tmp_path: Path) -> None:
    path = found.save(tmp_path / "out", figures="png")
    assert {file.name for file in path.iterdir()} == {
        "tune.json",
        "tune.csv",
        "tune.png",
        "fct_ratios.png",
        "scenario.toml",
    }
    data = json.loads((path / "tune.json").read_text())
    assert found.best is not None
    assert (data["best"], data["interrupted"]) == (found.best.at, False)
    assert len(data["trials"]) == 14
    again = xoff.Scenario.load(path / "scenario.toml").run()
    assert again.summary["flows"]["all"]["fct_mean_us"] == found.best.measured[FCT].value


def test_its_figure_has_a_panel_for_each_key(found: xoff.Tuned) -> None:
    figure = found.plot.trials()
    assert isinstance(figure, Figure)
    assert [ax.get_xlabel() for ax in figure.axes] == ["trial", "delay (us)"]
    assert "host.delay" in found.tuning.space
    assert "<table" in found._repr_html_()


def test_its_figure_shows_as_much_of_the_measure_as_trials_differ_in(found: xoff.Tuned) -> None:
    near = xoff.tune(
        BASE.with_value("host.delay", "20us"), {"host.delay": "19us:21us"}, minimize=FCT, trials=2, confirm=1
    )
    low, high = near.plot.trials().axes[0].get_ylim()
    values = [trial.measured[FCT].value for trial in (near.base, *near.trials)]
    assert low < min(values) < max(values) < high
    assert high - low < 2 * (max(values) - min(values))
    assert found.plot.trials().axes[0].get_ylim()[0] == 0


def test_pauses_are_confirmed_by_the_measure_that_was_asked_for() -> None:
    paused = xoff.Scenario.from_text(starter(["roce", "star"]).text).with_value("observe", {})
    tuned = xoff.tune(
        paused,
        {"topology.host_link.delay": "5us:9us"},
        maximize=FCT,
        at_most={"pfc.paused_us": 1e9},
        trials=1,
        confirm=1,
    )
    assert tuned.base.measured["pfc.paused_us"].value > 0
    assert tuned.confirmed is not None
    assert "pfc.paused_us" in tuned.confirmed.measures
    assert "pfc.off_us" not in tuned.confirmed.measures


def test_a_key_of_several_tables_may_be_that_of_one() -> None:
    base = BASE.with_value(
        "switch", [{"total": "1MB", "marking": {"queue": {"kind": "threshold", "threshold": "30kB"}}}, {"nodes": "*"}]
    )
    key = "switch.marking.port.threshold"
    with pytest.raises(
        xoff.ScenarioError, match=r"; for one of 2 \[\[switch\]\] tables alone write switch\[0\]\.marking"
    ):
        xoff.tune(base, {key: "10kB:50kB"}, minimize=FCT)
    with pytest.raises(xoff.ScenarioError) as refused:
        xoff.tune(BASE, {key: "10kB:50kB"}, minimize=FCT)
    assert "alone write" not in str(refused.value)


def test_a_folder_that_is_gone_is_told_in_a_line(found: xoff.Tuned, tmp_path: Path) -> None:
    with prepare(tmp_path / "out") as staging:
        shutil.rmtree(staging.path)
        with pytest.raises(OutputError, match="out: cannot write here: no such file or directory; choose another"):
            found.commit(staging)
