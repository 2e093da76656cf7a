"""`xoff check`."""

from collections.abc import Callable
from pathlib import Path

from conftest import SCENARIOS, Outcome


def test_a_good_scenario_is_ok_and_nothing_is_written(command: Callable[..., Outcome]) -> None:
    path = SCENARIOS / "trace.toml"
    assert command("check", path) == Outcome(0, f"{path}: ok\n", "")
    assert list(Path().iterdir()) == []


def test_overrides_are_checked_too(command: Callable[..., Outcome]) -> None:
    outcome = command("check", SCENARIOS / "web_search.toml", "--set", "workload.load=2")
    assert outcome.status == 2
    assert "workload[0].load" in outcome.err
