"""Runs on a real Dask cluster of this machine: a scheduler and two workers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from clusters import DaskCluster, dask, wait_until

import xoff
from conftest import NIGHTLY, SMALL
from xoff.errors import BuildError, InputError, RunError, RunsFailedError
from xoff.runs import batch
from xoff.runs.store import KeptRuns

pytest.importorskip("distributed")

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    with dask(tmp_path_factory.mktemp("dask")) as started:
        yield started


def scenarios(*seeds: int) -> list[xoff.Scenario]:
    return [xoff.Scenario(SMALL, overrides=(f"seed={seed}",)) for seed in seeds]


def test_workers_keep_the_results_of_this_machine(cluster: DaskCluster, tmp_path: Path) -> None:
    kept, chosen = KeptRuns(tmp_path), scenarios(*range(8))
    ended: list[xoff.Scenario] = []
    batch.run(chosen, kept, on=f"dask:{cluster.address}", on_finished=ended.append)
    assert len(ended) == len(chosen)
    digests = [xoff.Result.open(kept.place(run)).digest for run in chosen]
    assert digests == [run.run().digest for run in chosen]
    assert {path.name for path in tmp_path.iterdir()} == {kept.place(run).name for run in chosen}


def test_a_client_of_the_caller_is_used_and_left_open(cluster: DaskCluster) -> None:
    from distributed import Client

    with Client(cluster.address, set_as_default=False) as client:
        found = xoff.sweep(xoff.Scenario(SMALL), {"workload.fan_in": [1, 2, 3]}, on=client)
        assert len(found.rows) == 3
        assert client.submit(int, "7").result() == 7


def test_results_come_back_where_workers_do_not_see_the_store(cluster: DaskCluster, tmp_path: Path) -> None:
    """The command has a file system of its own at `results`, and flows from a file there, which no worker sees."""
    hidden = tmp_path / "results"
    hidden.mkdir()
    (tmp_path / "sweep.sh").write_text(
        f"mount -t tmpfs none {hidden} && cd {hidden} && cp ../small.toml ../flows.csv . && "
        f"{sys.executable} -m xoff sweep small.toml --sweep host.delay=1us,2us --on dask:{cluster.address} --out out "
        "&& cat results/runs/*/summary.json > /dev/null && ls results/runs",
        encoding="utf-8",
    )
    flows = "source,destination,size_bytes,start_ns,priority\nhost0,host1,10000,0,0\nhost1,host2,20000,1000,0\n"
    (tmp_path / "flows.csv").write_text(flows, encoding="utf-8")
    workload = 'kind = "trace"\ntransport = "dctcp"\nfile = "flows.csv"'
    head, _, _ = SMALL.partition("[[workload]]")
    (tmp_path / "small.toml").write_text(f"{head}[[workload]]\n{workload}\n", encoding="utf-8")
    command = ["unshare", "--mount", "sh", "-e", str(tmp_path / "sweep.sh")]
    if shutil.which("unshare") is None or subprocess.run(["unshare", "--mount", "true"], check=False).returncode:
        pytest.skip("this user may not mount")
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("small-") == 2
    assert list(hidden.iterdir()) == []


def test_another_build_is_told_at_once(cluster: DaskCluster, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="has another build of xoff than this machine"):
        batch.run(scenarios(1, 2), KeptRuns(tmp_path, build="another"), on=f"dask:{cluster.address}")


def test_a_scheduler_that_does_not_answer_is_a_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("xoff.runs.machines.dask._TIMEOUT_S", 1)
    with pytest.raises(InputError, match=r"^--on dask:tcp://127.0.0.1:9: no scheduler answers in 1 s: .*; expected "):
        batch.run(scenarios(1, 2), KeptRuns(tmp_path), on="dask:tcp://127.0.0.1:9")


def test_runs_go_on_when_a_worker_is_killed(tmp_path: Path) -> None:
    kept, chosen = KeptRuns(tmp_path / "runs"), scenarios(*range(40))
    with dask(tmp_path) as own:
        ended: list[xoff.Scenario] = []

        def kill_one(run: xoff.Scenario) -> None:
            ended.append(run)
            if len(ended) == 1:
                own.workers[0].kill()

        batch.run(chosen, kept, on=f"dask:{own.address}", on_finished=kill_one)
        assert own.workers[1].poll() is None
    assert all(map(kept.has, chosen))


def test_a_run_that_kills_every_worker_fails_alone(tmp_path: Path) -> None:
    kept, quick = KeptRuns(tmp_path / "runs"), scenarios(1, 2)
    endless = xoff.Scenario(SMALL, overrides=("workload.groups=10_000_000",))
    with dask(tmp_path) as own, ThreadPoolExecutor(1) as other:
        task = other.submit(batch.run, [*quick, endless], kept, on=f"dask:{own.address}")
        wait_until(lambda: all(map(kept.has, quick)) or task.done())
        while not task.done():
            wait_until(lambda: own.is_working() or task.done())
            own.replace_workers()
        with pytest.raises(RunsFailedError, match="workers were lost while they did it"):
            task.result()
    assert all(map(kept.has, quick))


def test_a_worker_without_xoff_is_told(tmp_path: Path) -> None:
    (tmp_path / "xoff.py").write_text("raise ModuleNotFoundError('none here')", encoding="utf-8")
    with dask(tmp_path, workers=0) as own:
        worker = own.start_worker(tmp_path)
        wait_until(lambda: own.has_workers(1))
        told = r"^worker tcp://.*: cannot import xoff \(1 of 1 workers\): ModuleNotFoundError: none here; expected"
        with pytest.raises(InputError, match=told):
            batch.run(scenarios(1), KeptRuns(tmp_path / "runs"), on=f"dask:{own.address}")
        assert worker.poll() is None


@pytest.mark.skipif(not NIGHTLY, reason="Dask looks for a lost scheduler for 10 s")
def test_a_scheduler_that_goes_is_a_line(tmp_path: Path) -> None:
    endless = xoff.Scenario(SMALL, overrides=("workload.groups=10_000_000",))
    with dask(tmp_path, workers=0) as own, ThreadPoolExecutor(1) as other:
        task = other.submit(batch.run, [endless], KeptRuns(tmp_path / "runs"), on=f"dask:{own.address}")
        own.start_worker()
        wait_until(lambda: own.is_working() or task.done())
        own.scheduler.kill()
        with pytest.raises(RunError, match=f"^{own.address}: the Dask scheduler is gone; the same command goes on"):
            task.result()
