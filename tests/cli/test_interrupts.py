"""Ctrl-C and its like: what is finished is written before they take effect."""

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import xoff
from conftest import SCENARIOS, Outcome
from xoff.cli import many
from xoff.results import folder

Command = Callable[..., Outcome]

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def names(path: Path) -> list[str]:
    return sorted(entry.name for entry in path.iterdir())


def after(monkeypatch: pytest.MonkeyPatch, of: object, name: str, number: signal.Signals) -> None:
    """Has a signal come whenever a function has done its work."""
    function = getattr(of, name)

    def and_then(*arguments: object, **options: object) -> object:
        found = function(*arguments, **options)
        signal.raise_signal(number)
        return found

    monkeypatch.setattr(of, name, and_then)


@pytest.mark.parametrize("number", SIGNALS)
def test_a_result_is_written_before_a_signal_takes_effect(
    command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    for of, name in ((xoff.Scenario, "run"), (folder, "add"), (folder, "commit")):  # again and again
        after(monkeypatch, of, name, number)
    outcome = command("run", small_file, "--out", "out", "--report")
    assert (outcome.status, outcome.err) == (130, "interrupted: 20 finished flows are kept in out\n")
    assert "Report:  out/report.html" in outcome.out
    assert names(Path()) == ["out", "small.toml"]
    assert not json.loads(Path("out/summary.json").read_text(encoding="utf-8"))["interrupted"]


def test_what_nohup_has_ignored_stays_so(command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    after(monkeypatch, xoff.Scenario, "run", signal.SIGHUP)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        outcome = command("run", small_file)
    finally:
        signal.signal(signal.SIGHUP, before)
    assert (outcome.status, outcome.err) == (0, "")


def test_a_terminal_that_is_closed_leaves_the_finished_flows(tmp_path: Path) -> None:
    terminal, stderr = pty.openpty()
    arguments = ["run", str(SCENARIOS / "web_search.toml"), "--set", "stop.arrivals_end=10s", "--out", "out"]
    with subprocess.Popen(
        [
            "sh",
            "-c",
            'exec "$0" -m xoff "$@" 2<>"$TERMINAL"',
            sys.executable,
            *arguments,
        ],  # opened so, it is that of the session
        cwd=tmp_path,
        env=os.environ | {"TERMINAL": os.ttyname(stderr)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    ):
        shown = b""
        while b"flows finished" not in shown:
            shown += os.read(terminal, 65536)
        os.close(stderr)
        os.close(terminal)
    assert names(tmp_path) == ["out"]
    assert json.loads((tmp_path / "out" / "summary.json").read_text(encoding="utf-8"))["interrupted"]


@pytest.mark.parametrize("number", SIGNALS)
def test_the_folder_of_a_sweep_is_written_before_a_signal_takes_effect(
    command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    after(monkeypatch, xoff.Swept, "as_dict", number)
    outcome = command("sweep", small_file, "--sweep", "workload.fan_in=1,2", "--workers", 1)
    said = "interrupted: 2 of 2 combinations are finished; the folder results/sweep-001 has them all\n"
    assert (outcome.status, outcome.err) == (130, said)
    assert names(Path("results/sweep-001")) == ["runs.csv", "sweep.csv", "sweep.json", "sweep.svg"]


def test_the_folder_of_a_search_is_written_before_ctrl_c_takes_effect(
    command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(monkeypatch, xoff.Tuned, "as_dict", signal.SIGINT)
    search = ("--tune", "host.delay=1us:30us", "--minimize", "flows.all.fct_mean_us", "--trials", 1, "--confirm", 1)
    outcome = command("tune", small_file, *search, "--workers", 1)
    said = "interrupted: 1 of 1 trials are finished; the folder results/tune-001 has them all\n"
    assert (outcome.status, outcome.err) == (130, said)
    assert "tune.json" in names(Path("results/tune-001"))


def test_where_nothing_is_kept_it_is_said_all_the_same(
    command: Command, small_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    after(monkeypatch, many, "print_grid", signal.SIGINT)
    outcome = command("sweep", small_file, "--sweep", "workload.fan_in=1,2", "--workers", 1)
    assert (outcome.status, outcome.err) == (130, "interrupted\n")
