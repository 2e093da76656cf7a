"""Many runs: the same results however they are run, each only once."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import pytest

import xoff
from conftest import SMALL
from xoff.errors import OutputError, RunsFailedError
from xoff.runs import batch
from xoff.runs.store import KeptRuns
from xoff.runs.tasks import Task, work


def scenarios(*fan_ins: int) -> list[xoff.Scenario]:
    return [xoff.Scenario(SMALL, overrides=(f"workload.fan_in={fan_in}",)) for fan_in in fan_ins]


def digest(kept: KeptRuns, scenario: xoff.Scenario) -> str:
    return xoff.Result.open(kept.place(scenario)).digest


def test_processes_change_no_result(tmp_path: Path) -> None:
    chosen = scenarios(1, 2, 3)
    here, elsewhere = KeptRuns(tmp_path / "here"), KeptRuns(tmp_path / "elsewhere")
    batch.run(chosen, here)
    batch.run(chosen, elsewhere, on=2)
    digests = [digest(here, scenario) for scenario in chosen]
    assert digests == [digest(elsewhere, scenario) for scenario in chosen]
    assert digests[0] == chosen[0].run().digest
    assert len(set(digests)) == 3


def test_what_is_kept_does_not_run_again(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    first, second = scenarios(1, 2)
    batch.run([first, first], kept)
    written = (kept.place(first) / "summary.json").stat().st_mtime_ns
    finished = []
    batch.run([first, second], kept, on_finished=lambda _: finished.append(kept.has(second)))
    assert finished == [False, True]
    assert (kept.place(first) / "summary.json").stat().st_mtime_ns == written


def test_what_another_build_kept_does_not_count(tmp_path: Path) -> None:
    [scenario] = scenarios(1)
    batch.run([scenario], KeptRuns(tmp_path, build="another"))
    assert not KeptRuns(tmp_path).has(scenario)


def test_a_wrong_scenario_is_refused_before_any_has_run(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    right, wrong = scenarios(1, 9)
    with pytest.raises(xoff.ScenarioError, match="fan_in"):
        batch.run([right, wrong], kept)
    assert not kept.has(right)


@dataclass(frozen=True, repr=False)
class Deadly(xoff.Scenario):
    """A scenario whose run kills its process, as often as its title says."""

    def run(self, **_: object) -> NoReturn:
        with Path(self.title).open("a", encoding="utf-8") as deaths:
            deaths.write("x")
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    def __reduce__(self) -> tuple[type[Deadly], tuple[object, ...]]:
        return Deadly, (self.text, self.file, self.overrides)


@dataclass(frozen=True, repr=False)
class DeadlyOnce(Deadly):
    """A scenario whose run kills its process the first time."""

    def run(self, **options: Any) -> Any:  # noqa: ANN401 as a scenario's
        return xoff.Scenario.run(self, **options) if Path(self.title).exists() else super().run()

    def __reduce__(self) -> tuple[type[DeadlyOnce], tuple[object, ...]]:
        return DeadlyOnce, (self.text, self.file, self.overrides)


def test_a_run_that_kills_its_process_twice_fails_alone(tmp_path: Path) -> None:
    kept, deaths = KeptRuns(tmp_path / "runs"), tmp_path / "deaths"
    deadly = Deadly(SMALL, overrides=(f"title={str(deaths)!r}",))
    others = scenarios(1, 2, 3)
    with pytest.raises(RunsFailedError, match="its process was killed, perhaps for lack of memory") as error:
        batch.run([*others[:2], deadly, *others[2:]], kept, on=2)
    assert list(error.value.failures) == [kept.place(deadly)]
    assert all(map(kept.has, others))
    assert deaths.read_text(encoding="utf-8") == "xx"


def test_a_run_whose_process_is_killed_once_runs_again(tmp_path: Path) -> None:
    kept, deaths = KeptRuns(tmp_path / "runs"), tmp_path / "deaths"
    chosen = [*scenarios(1, 2), DeadlyOnce(SMALL, overrides=(f"title={str(deaths)!r}",))]
    batch.run(chosen, kept, on=2)
    assert all(map(kept.has, chosen))
    assert deaths.read_text(encoding="utf-8") == "x"


def test_a_script_that_calls_outside_of_main_is_told_so(tmp_path: Path) -> None:
    call = f"xoff.compare([xoff.Scenario({SMALL!r})], seeds=2, on=2)"
    script = tmp_path / "script.py"
    script.write_text(f"import xoff\n{call}\n", encoding="utf-8")
    for arguments, text in (([str(script)], ""), (["-"], script.read_text(encoding="utf-8"))):
        outcome = subprocess.run([sys.executable, *arguments], input=text, capture_output=True, text=True, check=False)
        assert 'must stand below `if __name__ == "__main__":`' in outcome.stderr  # among what its processes say


@pytest.mark.parametrize("workers", [1, 2])
def test_interrupted_it_keeps_what_is_finished(tmp_path: Path, workers: int) -> None:
    kept = KeptRuns(tmp_path)
    quick, endless = scenarios(1)[0], xoff.Scenario(SMALL, overrides=("workload.groups=10_000_000",))

    def interrupt(_: xoff.Scenario) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        batch.run([quick, endless], kept, on=workers, on_finished=interrupt)
    assert kept.has(quick)
    assert not kept.has(endless)
    assert [path.name for path in tmp_path.iterdir()] == [kept.place(quick).name]


@pytest.mark.parametrize("workers", [1, 2])
def test_runs_that_are_gone_are_told(tmp_path: Path, workers: int) -> None:
    kept = KeptRuns(tmp_path / "runs")
    chosen = scenarios(1, 2)
    with pytest.raises(OutputError, match="runs: runs that were kept here are gone; doing the same again goes on"):
        batch.run(chosen, kept, on=workers, on_finished=lambda _: shutil.rmtree(kept.root, ignore_errors=True))


def test_processes_are_waited_for_whoever_presses_ctrl_c_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutdown = ProcessPoolExecutor.shutdown
    waited_for = []

    def interrupted(pool: ProcessPoolExecutor, *, wait: bool = True, cancel_futures: bool = False) -> None:
        if cancel_futures:
            signal.raise_signal(signal.SIGINT)
        shutdown(pool, wait=wait, cancel_futures=cancel_futures)
        waited_for.append(cancel_futures)

    def interrupt(_: xoff.Scenario) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", interrupted)
    with pytest.raises(KeyboardInterrupt):
        batch.run(scenarios(1, 2, 3), KeptRuns(tmp_path), on=2, on_finished=interrupt)
    assert waited_for == [True, False]


def test_a_finished_run_is_kept_before_ctrl_c_takes_effect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept, keep = KeptRuns(tmp_path), KeptRuns.keep
    first, second = scenarios(1, 2)

    def interrupted(*arguments: Any) -> None:  # noqa: ANN401 as they come
        signal.raise_signal(signal.SIGINT)
        keep(*arguments)

    monkeypatch.setattr(KeptRuns, "keep", interrupted)
    with pytest.raises(KeyboardInterrupt):
        batch.run([first, second], kept)
    assert (kept.has(first), kept.has(second)) == (True, False)


def test_no_run_of_a_task_begins_once_it_is_cancelled(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    task = Task(tuple(scenarios(1, 2, 3)), seconds=1.0)
    outcomes = work(task, kept, goes_on=lambda: not kept.has(task.runs[0]))
    assert [outcome.error for outcome in outcomes] == ["", "was interrupted", "was interrupted"]
    assert [kept.has(run) for run in task.runs] == [True, False, False]
