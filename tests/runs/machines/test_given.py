"""Executors of the caller, and text that names machines."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest
from clusters import wait_until

import xoff
from conftest import ROOT, SMALL
from xoff.errors import InputError, OutOfMemoryError, RunsFailedError
from xoff.runs import batch
from xoff.runs.machines.opening import site
from xoff.runs.store import KeptRuns
from xoff.runs.tasks import cut

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from xoff.runs.machines.given import Executor


def scenarios(*seeds: int) -> list[xoff.Scenario]:
    return [xoff.Scenario(SMALL, overrides=(f"seed={seed}",)) for seed in seeds]


class Polled:
    """An executor whose jobs must be asked for their end, as those of submitit."""

    class Job:
        """A call that is made when it is asked for."""

        def __init__(self, call: Callable[[], Any]) -> None:
            self._call = call

        def done(self) -> bool:
            return True

        def result(self) -> Any:  # noqa: ANN401 of the call
            return self._call()

        def cancel(self) -> None:
            pass

    def submit(self, fn: Callable[..., Any], /, *args: Any) -> Polled.Job:  # noqa: ANN401 as of any executor
        return Polled.Job(lambda: fn(*args))


def test_any_executor_makes_the_results_of_this_process(tmp_path: Path) -> None:
    chosen = scenarios(*range(3))
    digests = [run.run().digest for run in chosen]
    with ThreadPoolExecutor(2) as threads, ProcessPoolExecutor(2) as processes:
        executors: tuple[Executor, ...] = (threads, processes, Polled())
        for number, executor in enumerate(executors):
            kept = KeptRuns(tmp_path / str(number))
            batch.run(chosen, kept, on=executor)
            assert [xoff.Result.open(kept.place(run)).digest for run in chosen] == digests
            assert len(list(kept.root.iterdir())) == len(chosen)


def test_an_executor_that_takes_nothing_is_a_line(tmp_path: Path) -> None:
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(InputError, match=r"^on: takes no tasks: RuntimeError: cannot schedule new .*; expected "):
        batch.run(scenarios(1), KeptRuns(tmp_path), on=executor)
    with pytest.raises(TypeError, match="on: is a object; expected a number, text such as 'slurm', or an executor"):
        batch.run(scenarios(1), KeptRuns(tmp_path), on=object())  # type: ignore[arg-type]


class Short(ThreadPoolExecutor):
    """An executor that takes two calls, of which one can run."""

    def __init__(self) -> None:
        super().__init__(1)
        self.taken: list[Future[Any]] = []

    def submit(self, *call: Any, **options: Any) -> Future[Any]:  # noqa: ANN401 as of any executor
        if len(self.taken) == 2:
            raise RuntimeError("takes no more")
        self.taken.append(super().submit(*call, **options))
        return self.taken[-1]


def test_what_an_executor_has_taken_is_cancelled_if_it_takes_no_more(tmp_path: Path) -> None:
    chosen = [xoff.Scenario(SMALL, overrides=("workload.groups=20_000", f"seed={seed}")) for seed in range(3)]
    with Short() as executor:
        held = threading.Event()
        executor.submit(held.wait)
        with pytest.raises(InputError, match="on: takes no tasks: RuntimeError: takes no more"):
            batch.run(chosen, KeptRuns(tmp_path), on=executor)
        held.set()
    assert executor.taken[-1].cancelled()


class Cancelling(ThreadPoolExecutor):
    """An executor whose calls someone cancels."""

    def submit(self, *_: Any, **__: Any) -> Future[Any]:  # noqa: ANN401 as of any executor
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future


def test_what_someone_else_has_cancelled_is_not_begun_again(tmp_path: Path) -> None:
    [run] = scenarios(1)
    with Cancelling() as executor, pytest.raises(RunsFailedError, match="was cancelled, not by xoff") as error:
        batch.run([run], KeptRuns(tmp_path), on=executor)
    assert [*error.value.failures.values()] == ["was cancelled, not by xoff"]


def test_runs_that_are_all_kept_need_no_machines(tmp_path: Path) -> None:
    kept = KeptRuns(tmp_path)
    batch.run(scenarios(1), kept)
    batch.run(scenarios(1), kept, on="dask:tcp://127.0.0.1:9")


def test_a_run_without_memory_is_tried_again_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[int] = []

    def run(scenario: xoff.Scenario, **options: Any) -> xoff.Result:  # noqa: ANN401 as a scenario's
        if scenario.seed == 1:
            tried.append(scenario.seed)
            raise OutOfMemoryError("the run has taken 1 GB")
        return ran(scenario, **options)

    ran = xoff.Scenario.run
    monkeypatch.setattr(xoff.Scenario, "run", run)
    kept, chosen = KeptRuns(tmp_path), scenarios(0, 1, 2)
    with pytest.raises(RunsFailedError, match="out of memory: the run has taken 1 GB") as error:
        batch.run(chosen, kept)
    assert list(error.value.failures) == [kept.place(chosen[1])]
    assert len(tried) == 2
    assert [kept.has(run) for run in chosen] == [True, False, True]


@pytest.mark.parametrize(
    ("on", "told"),
    [
        ("slrum", "--on slrum: there is none of this name; did you mean slurm?"),
        ("local:none", "--on local:none: is no number of processes; expected local:8, "),
        ("local:0", "--on local:0: is no number of processes; expected local:8, "),
        ("dask", "--on dask: has no address of a scheduler; expected dask:tcp://host:8786, or address in [dask] of "),
        ("slurm:partitoin=short", "--on: slurm.partitoin: there is no such key; expected partition"),
        ("slurm:time=soon", "--on: slurm.time: "),
        ("slurm:short", "--on slurm:short: `short` has no `=`; expected local:8, slurm, slurm:partition=short,"),
        ("slurm:options={mem=3}", "--on: slurm.options: `mem` has a key of its own; expected memory in [slurm]"),
        ("slurm:options={array=3}", "--on: slurm.options: `array` is what xoff itself tells sbatch; expected other"),
        ("slurm:options={nice=[3]}", "--on: slurm.options.nice: a list is not allowed; expected text in quotes"),
        ("dask:foo", "--on dask:foo: is no address: missing port number in address 'foo'; expected what `dask "),
    ],
)
def test_text_that_names_no_machines_is_a_line(
    tmp_path: Path, on: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if on.startswith("dask:"):
        pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as error:
        batch.run(scenarios(1, 2), KeptRuns(tmp_path), on=on)
    assert str(error.value).startswith(told)
    assert "\n" not in str(error.value)


def test_a_table_of_the_site_is_read_and_refused_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "inside").mkdir()
    monkeypatch.chdir(tmp_path / "inside")
    (tmp_path / "xoff.toml").write_text("[slurm]\npartitions = 'short'\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"xoff.toml: slurm.partitions: there is no such key; expected partition$"):
        batch.run(scenarios(1, 2), KeptRuns(tmp_path), on="slurm")


def test_the_guide_shows_a_table_that_can_be_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "guide" / "clusters.md").read_text(encoding="utf-8")
    (tmp_path / "xoff.toml").write_text(guide.partition("```toml\n")[2].partition("```")[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    table = site(["slurm.partition=long"]).slurm
    assert (table.partition, table.cpus, table.setup) == ("long", 4, ("module load python",))


def test_two_ways_to_say_where_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="workers, on: expected one of them, such as on='local:2'"):
        xoff.compare(scenarios(1), workers=2, on="slurm", keep=tmp_path)


def test_tasks_are_of_about_one_size_with_the_longest_runs_first() -> None:
    short, long = scenarios(*range(40)), [xoff.Scenario(SMALL, overrides=("workload.groups=100_000",))]
    tasks = cut([*short, *long], 2, 0.1, 60)
    assert tasks[0].runs == tuple(long)
    assert tasks[1].runs == tuple(short)
    assert {len(task.runs) for task in cut(short, 2, 0.01, 60)} <= {4, 5, 6}
    assert [run for task in cut(short, 2, 0.01, 60) for run in task.runs] == short
    assert [len(task.runs) for task in cut(short, 1, 0, 0)] == [1] * 40


@pytest.mark.skipif(not hasattr(signal, "SIGHUP"), reason="this system has no SIGHUP")
def test_a_closed_terminal_ends_all_processes_with_a_line(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(SMALL, encoding="utf-8")
    command = [sys.executable, "-m", "xoff", "sweep", "small.toml", "--on", "local:2"]
    command += ["--sweep", "workload.groups=1,10_000_000"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True, start_new_session=True) as sweep:
        try:
            wait_until(lambda: any(tmp_path.glob("results/runs/small-*/summary.json")), sweep)
        finally:
            os.killpg(sweep.pid, signal.SIGHUP)
        _, told = sweep.communicate()
    assert sweep.returncode == 130
    *_, last = told.splitlines()
    assert last == "interrupted: 1 of 2 combinations are finished; the same command goes on"
