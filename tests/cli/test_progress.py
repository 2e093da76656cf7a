"""Share of a run that is done, and the places where that is written."""

import io
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest

import xoff
from conftest import SMALL
from xoff.cli.progress import share_done, shown_count, shown_progress


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


def terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> Callable[[], str]:
    """Has errors go to a terminal; what its last line shows."""
    screen = io.StringIO()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setattr(screen, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", str(columns))
    return lambda: re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", screen.getvalue()).strip())[-1]


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (80, r"All.*… \S+ 500\.0 us simulated, 12,185,632 flows finished"),
        (60, r".* 500\.0 us simulated, .*…"),
        (240, r"(All-reduce ){9} \S{40} 500\.0 us simulated, 12,185,632 flows finished"),
    ],
)
def test_a_narrow_terminal_shortens_the_title_and_not_the_times(
    monkeypatch: pytest.MonkeyPatch, columns: int, shown: str
) -> None:
    last_line = terminal(monkeypatch, columns)
    scenario = xoff.Scenario.from_text(SMALL).with_value("stop.at", "1ms").with_value("title", "All-reduce " * 9)
    with shown_progress(scenario) as progress:
        progress(State(500_000, 12_185_632, 13_000_000, end_ns=1e6))  # type: ignore[arg-type]
    assert re.fullmatch(shown + r" 0:00:00 remaining -:--:--", last_line())


def test_a_title_that_fits_is_not_shortened(monkeypatch: pytest.MonkeyPatch) -> None:
    last_line = terminal(monkeypatch, 80)
    with shown_count("buffer_policies", 620):
        pass
    assert re.fullmatch(r"buffer_policies \S+ 0 of 620 runs 0:00:00 remaining -:--:--", last_line())


class Clock:
    """Tells the seconds that it is set to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def told(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return capsys.readouterr().err.splitlines()


def test_a_log_has_a_line_of_a_run_every_thirty_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    scenario = xoff.Scenario.from_text(SMALL).with_value("stop.at", "1ms")
    with shown_progress(scenario, clock) as progress:
        for second in range(0, 95, 5):
            clock.now = 1000.0 + second
            progress(State(second * 4000, second * 100, second * 100, end_ns=1e6))  # type: ignore[arg-type]
    assert told(capsys) == [
        "Small: 120.0 us simulated, 3,000 flows finished, 12 % done, about 4 min remaining",
        "Small: 240.0 us simulated, 6,000 flows finished, 24 % done, about 3 min remaining",
        "Small: 360.0 us simulated, 9,000 flows finished, 36 % done, about 3 min remaining",
    ]


def test_a_log_has_a_line_of_many_runs_and_no_more_than_every_thirty_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock()
    with shown_count("sweep", 10, before=2, clock=clock) as finished:
        for second in (0, 0, 12, 24, 36, 100, 110, 5000):
            clock.now = 1000.0 + second
            finished()
    assert told(capsys) == [
        "sweep: 7 of 10 runs finished, about 22 s remaining",
        "sweep: 8 of 10 runs finished, about 33 s remaining",
        "sweep: 10 of 10 runs finished, about 0 s remaining",
    ]


def test_what_remains_goes_by_the_work_of_each_run(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with shown_count("sweep", 4, weight=100.0, clock=clock) as finished:
        for second, part in ((40, 80.0), (80, 10.0)):
            clock.now = 1000.0 + second
            finished(part)
    assert told(capsys) == [
        "sweep: 1 of 4 runs finished, about 10 s remaining",
        "sweep: 2 of 4 runs finished, about 9 s remaining",
    ]


def test_a_short_run_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress(xoff.Scenario.from_text(SMALL)) as progress:
        progress(State(0, 0, 0))  # type: ignore[arg-type]
    assert told(capsys) == []


def test_without_a_stream_for_errors_runs_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stderr", None)
    clock = Clock()
    with (
        shown_progress(xoff.Scenario.from_text(SMALL), clock) as progress,
        shown_count("sweep", 1, clock=clock) as finished,
    ):
        clock.now += 60
        progress(State(0, 0, 0))  # type: ignore[arg-type]
        finished()
