"""`xoff check`."""

from collections.abc import Callable
from pathlib import Path

from conftest import SCENARIOS, Outcome


def test_a_good_scenario_is_ok_and_nothing_is_written(command: Callable[..., Outcome]) -> None:
    path = SCENARIOS / "trace.toml"
    assert command("check", path) == Outcome(0, f"{path}: ok\n", "")
    assert list(Path().iterdir()) == []


def test_computed_thresholds_are_noted(command: Callable[..., Outcome]) -> None:
    path = SCENARIOS / "web_search.toml"
    outcome = command("check", path, "--set", 'switch.marking.pool={ kind = "bcc", round_trip = "80us" }')
    # 16 MB less 1.72 MB that a queue needs, less the ramp of 12 ports of a leaf and of 4 of a spine.
    assert outcome.out.splitlines() == [
        f"{path}: ok",
        "leaf0 and 3 more: bcc computes minimum = 13080000B and maximum = 14280000B",
        "spine0 and 3 more: bcc computes minimum = 13880000B and maximum = 14280000B",
    ]


def test_overrides_are_checked_too(command: Callable[..., Outcome]) -> None:
    outcome = command("check", SCENARIOS / "web_search.toml", "--set", "workload.load=2")
    assert outcome.status == 2
    assert "workload[0].load" in outcome.err
