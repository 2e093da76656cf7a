"""Congestion controls in Python: keys, digests, and all ways to run them."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import xoff
from conftest import ROOT, SMALL, Outcome
from xoff.runs.store import KeptRuns
from xoff.schemes import CongestionControl, Flow, loading, parameter
from xoff.schemes.source import file_of

DCTCP = ROOT / "examples" / "schemes" / "dctcp.py"
KEY = "transport.dctcp.congestion_control"
LESS = ("observe={}", "workload.groups=2")


@pytest.fixture
def small(tmp_path: Path) -> xoff.Scenario:
    """The small scenario under DCTCP in Python, in a folder with its file."""
    shutil.copy(DCTCP, tmp_path / "dctcp.py")
    (tmp_path / "small.toml").write_text(SMALL.replace('"dctcp" }', '"dctcp.py:Dctcp" }'), encoding="utf-8")
    return xoff.Scenario.load(tmp_path / "small.toml", LESS)


@pytest.mark.parametrize(
    "changes",
    [
        {"switch.total": "30kB"},  # losses
        {"transport.dctcp.f_rto": True, "transport.dctcp.minimum_rto": "10us"},  # timeouts that are taken back
        {"transport.dctcp.connections": "persistent", "workload.every": "6ms"},  # rests
        {"transport.dctcp.handshake": True, "transport.dctcp.reduction": "proportionally"},
        {f"{KEY}.gain": 0.25},
    ],
    ids=["losses", "timeouts", "connections", "handshake", "gain"],
)
def test_dctcp_in_python_gives_the_digest_of_the_built_in_one(small: xoff.Scenario, changes: dict[str, object]) -> None:
    built_in = xoff.Scenario.from_text(SMALL).with_values({"observe": {}, "workload.groups": 2, **changes})
    in_python = small.with_values(changes)
    digest = built_in.run().summary["digest"]
    assert in_python.run().summary["digest"] == digest
    assert in_python.run(threads=2).summary["digest"] == digest
    assert in_python.run(seed=9).summary["digest"] == built_in.run(seed=9).summary["digest"]


@pytest.mark.parametrize(
    ("key", "value", "error"),
    [
        ("gian", 1, "gian: unknown key `gian`; did you mean `gain`? known keys: `algorithm`, `gain`"),
        ("gain", 3, "gain: 3 is too large; expected a value above 0 and at most 1"),
        ("gain", "high", 'gain: "high" does not fit; expected a number, above 0 and at most 1'),
        (
            "algorithm",
            "dctcp.py:Dctpc",
            "algorithm: dctcp.py: there is no scheme `Dctpc`; did you mean `Dctcp`? expected Dctcp",
        ),
        ("algorithm", "other.py:Dctcp", "other.py: no such file or directory"),
    ],
)
def test_a_wrong_key_is_answered_as_one_of_a_built_in_scheme(
    small: xoff.Scenario, key: str, value: object, error: str
) -> None:
    with pytest.raises(xoff.ScenarioError) as caught:
        small.with_value(f"{KEY}.{key}", value)
    assert error in str(caught.value)
    assert str(caught.value).startswith(f"{small.file}: {KEY}.{key}: ")


def test_a_scenario_is_written_with_the_parameters_of_its_scheme(small: xoff.Scenario) -> None:
    assert 'algorithm = "dctcp.py:Dctcp"\ngain = 0.0625\n' in small.to_toml()


def test_the_source_is_in_the_digest_of_a_run(small: xoff.Scenario, tmp_path: Path) -> None:
    before = small.digest()
    text = DCTCP.read_text(encoding="utf-8")
    (tmp_path / "dctcp.py").write_text(text.replace("1 / 16", "0.0625"), encoding="utf-8")
    assert small.digest() == before, "it was read when the scenario was checked"
    again = xoff.Scenario.load(tmp_path / "small.toml", LESS)
    assert again.digest() != before
    kept = KeptRuns(tmp_path / "kept")
    assert kept.place(again) != kept.place(small)


def test_a_result_has_the_source_and_runs_again_from_its_folder(
    small: xoff.Scenario, command: Callable[..., Outcome], tmp_path: Path
) -> None:
    small.run().save(tmp_path / "result")
    (tmp_path / "dctcp.py").unlink()
    summary = json.loads((tmp_path / "result" / "summary.json").read_text(encoding="utf-8"))
    assert (tmp_path / "result" / "inputs" / "dctcp.py").read_text(encoding="utf-8") == DCTCP.read_text(
        encoding="utf-8"
    )
    assert xoff.Result.open(tmp_path / "result").topology.hosts
    ran = command("run", tmp_path / "result" / "scenario.toml", "--json", "--out", tmp_path / "again")
    assert ran.status == 0
    again = json.loads((tmp_path / "again" / "summary.json").read_text(encoding="utf-8"))
    assert again["digest"] == summary["digest"]
    assert again["scenario_digest"] == summary["scenario_digest"]


def test_opening_a_result_runs_nothing_of_its_scheme(
    small: xoff.Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small.run().save(tmp_path / "result")
    monkeypatch.delattr(loading, "load")
    result = xoff.Result.open(tmp_path / "result")
    assert result.topology.hosts
    assert result._settings["transport"]["dctcp"]["congestion_control"]["gain"] == 0.0625


def test_sweeps_comparisons_and_searches_take_it(
    small: xoff.Scenario, command: Callable[..., Outcome], tmp_path: Path
) -> None:
    gains = (0.0625, 0.5)
    changed = {"switch.marking.queue.threshold": "5kB", "workload.size": "400kB"}  # so that the gain matters
    small = small.with_values(changed)
    swept = xoff.sweep(small, {f"{KEY}.gain": gains}, workers=2, keep=tmp_path / "kept")
    values = [row.measured["flows.all.fct_mean_us"].value for row in swept.rows]
    expected = [small.with_value(f"{KEY}.gain", gain).run().summary["flows"]["all"]["fct_mean_us"] for gain in gains]
    assert values == expected
    assert len(set(values)) == 2
    built_in = xoff.Scenario.from_text(SMALL).with_values({"observe": {}, "workload.groups": 2, **changed})
    compared = xoff.compare({"built in": built_in, "python": small}, seeds=2)
    assert {
        row.ratio.value for of_name in compared.rows_by_measure.values() for row in of_name.values() if row.ratio
    } <= {1.0}
    tuned = xoff.tune(small, {f"{KEY}.gain": "0.01:1"}, minimize="flows.all.fct_mean_us", trials=2, confirm=1)
    assert len(tuned.ranked) == 2
    ran = command("sweep", tmp_path / "small.toml", "--sweep", f"{KEY}.gain=0.1,0.2", "--set", "workload.groups=1")
    assert (ran.status, ran.err) == (0, "") or "2 runs" in ran.err + ran.out


STEP = 2


def twice(segment: int) -> int:
    """Returns two segments."""
    return STEP * segment


class Steady(CongestionControl):
    """A window that never changes."""

    @dataclass
    class Parameters:
        """Keys of the scenario."""

        segments: int = parameter(10, "Segments in flight.", at_least=1)

    def __init__(self, parameters: Parameters, flow: Flow) -> None:
        self.size = parameters.segments * twice(flow.segment) // STEP

    def window(self) -> int:
        return self.size


def test_a_class_of_a_module_replaces_what_a_scenario_has() -> None:
    scenario = xoff.Scenario.from_text(SMALL)
    result = scenario.run(schemes=[Steady])
    assert result.summary["digest"] == scenario.with_scheme(Steady, segments=10).run().summary["digest"]
    assert result.summary["digest"] != scenario.with_scheme(Steady, segments=2).run().summary["digest"]
    assert "inputs/Steady.py:Steady" in result.scenario


def test_a_class_of_a_notebook_becomes_a_file_with_all_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Steady, "__module__", "__main__")
    monkeypatch.setattr(twice, "__module__", "__main__")
    names = globals() | {"__name__": "__main__"}
    monkeypatch.setitem(__import__("sys").modules, "__main__", type("Notebook", (), names))
    file, text = file_of(Steady)
    assert file == "Steady.py"
    for line in (
        "STEP = 2",
        "def twice(",
        "from xoff.schemes import CongestionControl",
        "class Steady",
    ):
        assert line in text
    xoff.Scenario.from_text(SMALL).with_scheme(Steady, segments=3).check()


def test_random_numbers_are_the_flows_own() -> None:
    text = """
from xoff.schemes import CongestionControl


class Dice(CongestionControl):
    '''A window of some segments, drawn anew with each acknowledgement.'''

    def on_ack(self):
        self.segments = self.flow.random.randint(1, 20)

    def window(self):
        return getattr(self, "segments", 10) * self.flow.segment
"""
    scenario = xoff.Scenario.from_text(SMALL)
    dice = xoff.Scenario(SMALL, None, (f"{KEY}.algorithm=dice.py:Dice",), {"dice.py": text})
    digest = dice.run().summary["digest"]
    assert dice.run(threads=2).summary["digest"] == digest
    assert dice.run(seed=4).summary["digest"] != digest != scenario.run().summary["digest"]
