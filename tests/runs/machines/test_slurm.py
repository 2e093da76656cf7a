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
from xoff.errors import InputError, MachinesWarning, RunsFailedError
from xoff.runs import batch
from xoff.runs.machines.opening import SlurmTable
from xoff.runs.machines.slurm import Slurm, _minutes
from xoff.runs.store import KeptRuns
from xoff.runs.tasks import Lack, Task

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


@pytest.mark.parametrize("asked", ["time=100", "cpus=64"])
def test_more_than_a_partition_ever_gives_is_told(tmp_path: Path, asked: str) -> None:
    with pytest.raises(InputError, match=r"^--on slurm: job \d+ would wait for ever: Partition\w+; expected what "):
        batch.run(scenarios(1), KeptRuns(tmp_path), on=f"slurm:{asked}")
    wait_until(lambda: not queue().strip())


def test_a_second_attempt_that_slurm_refuses_fails_alone(tmp_path: Path) -> None:
    kept, [run] = KeptRuns(tmp_path), scenarios(1)
    with Slurm(kept, SlurmTable(memory="3GB")) as machines:
        machines.begin([Task.again(run, Lack.MEMORY)])
        [(failed, outcome)] = machines.finished()
    assert failed == run
    assert outcome.error.startswith("had too little memory, and Slurm gives no more: Memory specification can not ")


def test_a_second_attempt_stays_below_the_limit_of_the_partition(tmp_path: Path) -> None:
    [run] = scenarios(1)
    with Slurm(KeptRuns(tmp_path), SlurmTable(time=40)) as machines:
        assert machines._asked(Task.again(run, Lack.TIME)).minutes == 60


def test_a_controller_that_does_not_answer_for_a_while_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, [run] = KeptRuns(tmp_path), scenarios(1)
    with Slurm(kept, SlurmTable()) as machines:
        several = batch.Batch(kept, machines)
        several.add([run])
        with monkeypatch.context() as gone:
            gone.setenv("SLURM_CONF", str(tmp_path / "gone.conf"))
            with pytest.warns(MachinesWarning, match=r"^--on slurm: .*; asked again for 10 min, while tasks go on$"):
                assert list(several.wait()) == []
        assert list(several.finished()) == [run]
    assert kept.has(run)


def test_a_folder_that_slurm_would_misread_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"50%: has a % in its path, .*; expected to run in another folder$"):
        batch.run(scenarios(1), KeptRuns(tmp_path / "50%"), on="slurm")


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


def arrays() -> set[str]:
    """Returns the numbers of all arrays that Slurm remembers, those that have ended as well."""
    command = ["squeue", "--states=all", "--noheader", "--format=%F"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split())


def test_what_was_left_in_the_queue_is_waited_for_and_not_submitted_again(tmp_path: Path) -> None:
    long = "workload.groups=100_000"
    left = started(tmp_path, long)
    wait_until(lambda: "RUNNING" in queue(), left)
    left.send_signal(signal.SIGHUP)
    left.communicate(timeout=60)
    assert left.returncode == 130
    assert "RUNNING" in queue()
    submitted = arrays()
    again = started(tmp_path, long)
    printed, told = again.communicate(timeout=120)
    assert again.returncode == 0, told
    assert "fan_in" in printed
    assert arrays() == submitted
    assert names(tmp_path / "results" / "runs" / ".slurm") == set()


@pytest.mark.parametrize(
    ("told", "minutes"),
    [("30:00", 30), ("1:00:00", 60), ("2-12:00:00", 3600), ("infinite", 365 * 24 * 60)],
)
def test_limits_of_partitions_are_read(told: str, minutes: int) -> None:
    assert _minutes(told) == minutes


@pytest.mark.skipif(not NIGHTLY, reason="a time limit is a minute at the least")
@pytest.mark.parametrize("cpus", [1, 2])
def test_a_task_out_of_time_gets_twice_as_much(tmp_path: Path, cpus: int) -> None:
    kept, quick, endless = KeptRuns(tmp_path), scenarios(1, 2), xoff.Scenario(SMALL, overrides=(ENDLESS,))
    with Slurm(kept, SlurmTable(time=1, cpus=cpus)) as machines:
        several = batch.Batch(kept, machines)
        several._under_way |= {kept.place(run) for run in (endless, *quick)}
        machines.begin([Task((endless, *quick), 0.1)])
        assert len(list(several.finished())) == 3
    with pytest.raises(RunsFailedError, match=r"timeout after 2 min \(log: .*") as error:
        several.check([endless, *quick])
    assert list(error.value.failures) == [kept.place(endless)]
    assert all(map(kept.has, quick))
