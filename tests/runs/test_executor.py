"""Many runs: the same results however they are run, each only once."""

import multiprocessing
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import xoff
from conftest import SMALL
from xoff.errors import OutputError, WorkerLostError
from xoff.runs import executor
from xoff.runs.store import KeptRuns


def scenarios(*fan_ins: int) -> list[xoff.Scenario]:
    return [xoff.Scenario(SMALL, overrides=(f"workload.fan_in={fan_in}",)) for fan_in in fan_ins]


def digest(kept: KeptRuns, scenario: xoff.Scenario) -> str:
    return xoff.Result.open(kept.place(scenario)).digest


def test_processes_change_no_result(tmp_path: Path) -> None:
    chosen = scenarios(1, 2, 3)
    here, elsewhere = KeptRuns(tmp_path / "here"), KeptRuns(tmp_path / "elsewhere")
    executor.run(chosen, here)
    executor.run(chosen, elsewhere, workers=2)
    digests = [digest(here, scenario) for scenario in chosen]
    assert digests == [digest(elsewhere, scenario) for scenario in chosen]
    assert digests[0] == chosen[0].run().digest
    assert len(set(digests)) == 3


def test_what_is_kept_does_not_run_again(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    first, second = scenarios(1, 2)
    executor.run([first, first], kept)
    written = (kept.place(first) / "summary.json").stat().st_mtime_ns
    finished = []
    executor.run([first, second], kept, on_finished=lambda: finished.append(kept.has(second)))
    assert finished == [False, True]
    assert (kept.place(first) / "summary.json").stat().st_mtime_ns == written


def test_what_another_build_kept_does_not_count(tmp_path: Path) -> None:
    [scenario] = scenarios(1)
    executor.run([scenario], KeptRuns(tmp_path, build="another"))
    assert not KeptRuns(tmp_path).has(scenario)


def test_a_wrong_scenario_is_refused_before_any_has_run(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    right, wrong = scenarios(1, 9)
    with pytest.raises(xoff.ScenarioError, match="fan_in"):
        executor.run([right, wrong], kept)
    assert not kept.has(right)


def test_a_killed_worker_is_told_and_costs_nothing_that_is_finished(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    quick, endless = scenarios(1)[0], xoff.Scenario(SMALL, overrides=("workload.groups=10_000_000",))

    def kill() -> None:
        for worker in multiprocessing.active_children():
            worker.kill()

    with pytest.raises(WorkerLostError, match="doing the same again goes on"):
        executor.run([quick, endless], kept, workers=2, on_finished=kill)
    assert kept.has(quick)


def test_a_script_that_calls_outside_of_main_is_told_so(tmp_path: Path) -> None:
    call = f"xoff.compare([xoff.Scenario({SMALL!r})], seeds=2, workers=2)"
    script = tmp_path / "script.py"
    script.write_text(f"import xoff\n{call}\n", encoding="utf-8")
    for arguments, text in (([str(script)], ""), (["-"], script.read_text(encoding="utf-8"))):
        outcome = subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True, check=False)
        assert 'must stand below `if __name__ == "__main__":`' in outcome.stderr  # among what its processes say


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_it_keeps_what_is_finished(tmp_path: Path, workers: int) -> None:
    kept = KeptRuns(tmp_path)
    quick, endless = scenarios(1)[0], xoff.Scenario(SMALL, overrides=("workload.groups=10_000_000",))

    def interrupt() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        executor.run([quick, endless], kept, workers=workers, on_finished=interrupt)
    assert kept.has(quick)
    assert not kept.has(endless)
    assert [path.name for path in tmp_path.iterdir()] == [kept.place(quick).name]


@pytest.mark.parametrize("workers", [1, 2])
def test_runs_that_are_gone_are_told(tmp_path: Path, workers: int) -> None:
    kept = KeptRuns(tmp_path / "runs")
    chosen = scenarios(1, 2)
    with pytest.raises(OutputError, match="runs: runs that were kept here are gone; doing the same again goes on"):
        executor.run(chosen, kept, workers=workers, on_finished=lambda: shutil.rmtree(kept.root, ignore_errors=True))


def test_processes_are_waited_for_whoever_presses_ctrl_c_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutdown = ProcessPoolExecutor.shutdown
    waited_for = []

    def interrupted(pool: ProcessPoolExecutor, *, wait: bool = True, cancel_futures: bool = False) -> None:
        if cancel_futures:
            signal.raise_signal(signal.SIGINT)
        shutdown(pool, wait=wait, cancel_futures=cancel_futures)
        waited_for.append(cancel_futures)

    def interrupt() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", interrupted)
    with pytest.raises(KeyboardInterrupt):
        executor.run(scenarios(1, 2, 3), KeptRuns(tmp_path), workers=2, on_finished=interrupt)
    assert waited_for == [True, False]


def test_a_finished_run_is_kept_before_ctrl_c_takes_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, keep = KeptRuns(tmp_path), KeptRuns.keep
    first, second = scenarios(1, 2)

    def interrupted(*arguments: Any) -> None:  # noqa: ANN401 as they come
        signal.raise_signal(signal.SIGINT)
        keep(*arguments)

    monkeypatch.setattr(KeptRuns, "keep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        executor.run([first, second], kept)
    assert (kept.has(first), kept.has(second)) == (True, False)
