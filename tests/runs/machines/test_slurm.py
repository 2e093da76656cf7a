"""Runs on a real Slurm cluster of this machine."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from clusters import has_slurm, slurm, wait_until

import xoff
from conftest import NIGHTLY, SMALL
from xoff.errors import InputError, RunsFailedError
from xoff.runs import batch
from xoff.runs.machines.opening import SlurmTable
from xoff.runs.machines.slurm import Slurm, _minutes
from xoff.runs.store import KeptRuns

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not has_slurm(), reason="no Slurm is installed (Debian: slurm-wlm), or this is not root"
)

ENDLESS = "workload.groups=10_000_000"


@pytest.fixture(scope="module", autouse=True)
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cluster of one node with two cores, whose commands are those of this process."""
    before = dict(os.environ)
    with slurm(tmp_path_factory.mktemp("slurm")) as variables:
        os.environ.update(variables)
        yield
    os.environ.clear()
    os.environ.update(before)


def scenarios(*seeds: int) -> list[xoff.Scenario]:
    return [xoff.Scenario(SMALL, overrides=(f"seed={seed}",)) for seed in seeds]


def queue() -> str:
    """Returns the states of all tasks that Slurm has."""
    command = ["squeue", "--noheader", "--array", "--format=%T"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def test_an_array_of_tasks_keeps_the_results_of_this_machine(tmp_path: Path) -> None:
    kept, chosen = KeptRuns(tmp_path), scenarios(*range(6))
    batch.run(chosen, kept, on="slurm:partition=short,time=5,cpus=2")
    digests = [xoff.Result.open(kept.place(run)).digest for run in chosen]
    assert digests == [run.run().digest for run in chosen]
    assert names(tmp_path) == {".slurm", *(kept.place(run).name for run in chosen)}
    assert names(tmp_path / ".slurm") == set()


def test_slurms_own_words_say_what_is_wrong(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^--on slurm: .*[Ii]nvalid partition.*expected what sbatch takes here$"):
        batch.run(scenarios(1), KeptRuns(tmp_path), on="slurm:partition=nowhere")
    assert names(tmp_path / ".slurm") == set()


def running(store: Path) -> list[int]:
    """Returns the process numbers of the tasks that run for a store."""
    command = ["pgrep", "-f", f"submitit.core._submit {store}"]
    found = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    return list(map(int, found.split()))


def test_a_task_that_is_killed_is_begun_again_and_then_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("xoff.runs.machines.slurm._LATE_S", 1)  # files are seen at once here
    kept, quick = KeptRuns(tmp_path), scenarios(1, 2)
    endless = xoff.Scenario(SMALL, overrides=(ENDLESS,))
    table = SlurmTable(time=1)  # of so short a time, each of which runs is a task
    killed: list[int] = []
    with Slurm(kept, table) as machines:
        several = batch.Batch(kept, machines)
        several.add(quick)
        for _ in several.finished():
            pass
        several.add([endless])
        while not several.has_ended(endless):
            wait_until(lambda: bool(running(tmp_path)) or not queue().strip())
            for process in running(tmp_path):
                os.kill(process, signal.SIGKILL)
                killed.append(process)
            list(several.wait())
    with pytest.raises(RunsFailedError, match=r"job \d+\w*: failed \(log: .*") as error:
        several.check([*quick, endless])
    assert list(error.value.failures) == [kept.place(endless)]
    assert len(killed) >= 2
    assert all(map(kept.has, quick))


def started(folder: Path, *changes: str) -> subprocess.Popen[str]:
    """Starts a sweep over seeds on Slurm, as a user does."""
    (folder / "small.toml").write_text(SMALL, encoding="utf-8")
    command = [sys.executable, "-m", "xoff", "sweep", "small.toml", "--sweep", "workload.fan_in=1,2", "--on", "slurm"]
    command += [argument for change in changes for argument in ("--set", change)]
    return subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_cancels_and_keeps_what_is_finished(tmp_path: Path) -> None:
    process = started(tmp_path, ENDLESS)
    wait_until(lambda: "RUNNING" in queue(), process)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert told.endswith("interrupted: 0 of 2 combinations are finished; the same command goes on\n")
    wait_until(lambda: not queue().strip())
    assert names(tmp_path / "results" / "runs" / ".slurm") == set()


def test_what_was_left_in_the_queue_is_waited_for_and_not_submitted_again(tmp_path: Path) -> None:
    long = "workload.groups=100_000"
    left = started(tmp_path, long)
    wait_until(lambda: "RUNNING" in queue(), left)
    left.send_signal(signal.SIGHUP)
    left.communicate(timeout=60)
    assert left.returncode == 130
    assert "RUNNING" in queue()
    submitted = names(tmp_path / "results" / "runs" / ".slurm")
    again = started(tmp_path, long)
    printed, told = again.communicate(timeout=120)
    assert (again.returncode, told) == (0, "")
    assert "fan_in" in printed
    assert len(submitted) >= 2
    assert names(tmp_path / "results" / "runs" / ".slurm") == set()


@pytest.mark.parametrize(
    ("told", "minutes"),
    [("30:00", 30), ("1:00:00", 60), ("2-12:00:00", 3600), ("infinite", 365 * 24 * 60)],
)
def test_limits_of_partitions_are_read(told: str, minutes: int) -> None:
    assert _minutes(told) == minutes


@pytest.mark.skipif(not NIGHTLY, reason="a time limit is a minute at the least")
def test_a_task_out_of_time_gets_twice_as_much(tmp_path: Path) -> None:
    kept, endless = KeptRuns(tmp_path), xoff.Scenario(SMALL, overrides=(ENDLESS,))
    with pytest.raises(RunsFailedError, match=r"after 2 min \(log: .*"):
        batch.run([endless], kept, on="slurm:time=1")
