"""How much of a run is done."""

from dataclasses import dataclass

import pytest

import xoff
from conftest import SMALL
from xoff.cli.progress import share_done


@dataclass
class State:
    """A report of progress."""

    now_ns: float
    flows_finished: int
    flows_started: int
    end_ns: float | None = None


@pytest.mark.parametrize(
    ("stop", "state", "share"),
    [
        ({}, State(5, 30, 40), 0.75),
        ({"arrivals_end": "10us"}, State(4_000, 30, 40), 0.4),
        ({"arrivals_end": "10us"}, State(12_000, 30, 40), 0.75),
        ({"after_flows": 100}, State(12_000, 30, 40), 0.3),
        ({"after_flows": 100, "at": "20us"}, State(12_000, 30, 40, end_ns=20_000), 0.6),
        ({}, State(0, 0, 0), 0),
    ],
)
def test_the_nearest_end_counts(stop: dict[str, object], state: State, share: float) -> None:
    scenario = xoff.Scenario.from_text(SMALL)
    for key, value in stop.items():
        scenario = scenario.with_value(f"stop.{key}", value)
    assert share_done(scenario, state) == pytest.approx(share)  # type: ignore[arg-type]
