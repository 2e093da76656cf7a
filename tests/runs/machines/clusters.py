"""Real clusters of one machine: Slurm with its daemons, and Dask with a scheduler and workers."""

from __future__ import annotations

import getpass
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SLURM = ("munged", "slurmctld", "slurmd", "sbatch")
_SBIN = "/usr/sbin:/usr/local/sbin"
_READY_S = 60
_CONF = """\
ClusterName=xoff
SlurmctldHost={host}
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerParameters=sched_interval=1,sched_min_interval=0
ReturnToService=2
MailProg=/bin/true
MinJobAge=300
KillWait=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=4000 State=UNKNOWN
PartitionName=short Nodes={host} Default=YES MaxTime=60 DefMemPerCPU=500 State=UP
"""


def has_slurm() -> bool:
    """Whether Slurm can be started here: its daemons are installed, and this is root, whom munge's socket is for."""
    return os.geteuid() == 0 and all(shutil.which(name, path=f"{os.environ['PATH']}:{_SBIN}") for name in SLURM)


@contextmanager
def slurm(folder: Path) -> Iterator[dict[str, str]]:
    """Starts a Slurm cluster of one node with its files in a folder; yields variables for its commands."""
    host = socket.gethostname().partition(".")[0]
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    conf = folder / "slurm.conf"
    ports = {"controller": _free_port(), "node": _free_port()}
    cpus = min(os.cpu_count() or 1, 2)
    conf.write_text(_CONF.format(host=host, user=getpass.getuser(), folder=folder, cpus=cpus, **ports))
    env = os.environ | {"PATH": f"{os.environ['PATH']}:{_SBIN}", "SLURM_CONF": str(conf)}
    munged = ["munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={key}"]
    munged += [f"--{kind}-file={folder}/munge.{kind}" for kind in ("log", "pid", "seed")]
    with ExitStack() as daemons:
        for command in (munged, ["slurmctld", "-D"], ["slurmd", "-D", "-N", host]):
            daemons.enter_context(_daemon(command, env, folder))
        try:
            wait_until(lambda: "idle" in _output(["sinfo", "--noheader", "--format=%T"], env))
        except AssertionError:
            told = [file.read_text(errors="replace")[-500:] for file in folder.glob("*.log")]
            pytest.skip(f"Slurm does not start on this machine: {told}")
        yield {"SLURM_CONF": str(conf), "PATH": env["PATH"]}


@contextmanager
def _daemon(command: list[str], env: dict[str, str], folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    with (folder / f"{Path(command[0]).name}.out").open("ab") as out:
        process = subprocess.Popen(command, env=env, cwd=folder, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()


def _output(command: list[str], env: dict[str, str]) -> str:
    return subprocess.run(command, env=env, check=False, capture_output=True, text=True).stdout


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


def wait_until(is_so: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Waits for daemons, which tell nobody of what they have done; no longer than a minute."""
    ends = time.monotonic() + _READY_S
    while not is_so():
        assert time.monotonic() < ends
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.05)


class DaskCluster:
    """A Dask scheduler and its workers, each a process of this machine.

    Attributes:
        address: Address of the scheduler.
        scheduler: Process of the scheduler.
        workers: Processes of the workers, which nobody starts again.
    """

    def __init__(self, folder: Path, workers: int, daemons: ExitStack) -> None:
        """Starts them; their output goes into a folder."""
        self._folder, self._daemons = folder, daemons
        told = folder / f"{uuid.uuid4().hex}.json"
        self.scheduler = self._start(
            "scheduler", "--host=127.0.0.1", "--port=0", f"--scheduler-file={told}", "--no-dashboard"
        )
        wait_until(lambda: told.exists() and told.read_text(encoding="utf-8").endswith("}"))
        self.address: str = json.loads(told.read_text(encoding="utf-8"))["address"]
        self.workers = [self.start_worker() for _ in range(workers)]
        wait_until(lambda: self.has_workers(workers))

    def start_worker(self, modules: Path | None = None) -> subprocess.Popen[bytes]:
        """Starts a worker, whose working directory is not the one of the tests; it finds `modules` before others."""
        options = ("--no-nanny", "--nthreads=1", "--no-dashboard", f"--local-directory={self._folder}")
        env = {"PYTHONPATH": os.pathsep.join([str(modules), os.environ.get("PYTHONPATH", "")])} if modules else {}
        return self._start("worker", self.address, *options, env=env)

    def has_workers(self, count: int) -> bool:
        """Whether the scheduler knows so many workers."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            return len(client.nthreads()) == count

    def is_working(self) -> bool:
        """Whether a worker does a task."""
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            return any(client.processing().values())

    def replace_workers(self) -> None:
        """Kills all workers, and starts one."""
        for worker in self.workers:
            worker.kill()
        self.workers = [self.start_worker()]

    def _start(self, kind: str, *arguments: str, env: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.dask_{kind}", *arguments]
        return self._daemons.enter_context(_daemon(command, os.environ | (env or {}), self._folder))


@contextmanager
def dask(folder: Path, workers: int = 2) -> Iterator[DaskCluster]:
    """Starts a Dask cluster on this machine."""
    with ExitStack() as daemons:
        yield DaskCluster(folder, workers, daemons)
