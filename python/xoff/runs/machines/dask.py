"""Dask: workers of a cluster whose scheduler has an address."""

from __future__ import annotations

import logging
import warnings
from functools import partial
from typing import TYPE_CHECKING

from xoff.errors import InputError, MachinesWarning, RunError, spelled
from xoff.runs.machines.given import Given
from xoff.runs.machines.machines import Lost
from xoff.runs.tasks import Lack, work_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from distributed import Client

    from xoff.runs.machines.given import Job
    from xoff.runs.store import KeptRuns
    from xoff.runs.tasks import Task

_TIMEOUT_S = 10
"""Seconds in which a scheduler must answer."""


class Dask(Given):
    """Workers of a Dask cluster.

    Dask itself begins a task again whose worker was lost, three times unless its configuration says otherwise.
    """

    def __init__(self, kept: KeptRuns, client: Client) -> None:
        _check_workers(client)
        super().__init__(kept, client)
        self._client = client

    @property
    def at_once(self) -> int:
        """Number of threads that all workers have together now."""
        threads: int = sum(self._client.nthreads().values())
        return max(1, threads)

    def _submitted(self, tasks: Sequence[Task]) -> Iterable[Job]:
        done = partial(work_elsewhere, kept=self.kept, sight=self._sight)
        found: Iterable[Job] = self._client.map(done, tasks, pure=False, key="xoff")
        return found

    def _lost_by(self, error: Exception) -> Lost:
        from distributed import KilledWorker

        if self._client.status != "running":
            address = self._client.scheduler.address if self._client.scheduler else ""
            raise RunError(f"{address}: the Dask scheduler is gone; the same command goes on once there is one")
        if isinstance(error, KilledWorker):
            workers, last = error.allowed_failures + 1, error.last_worker.address
            return Lost(Lack.WORKER, f"{workers} workers were lost while they did it, the last {last}", is_final=True)
        return super()._lost_by(error)

    def cancel(self) -> None:
        """Cancels what has not begun; what a worker does it ends by itself, and nobody hears of it."""
        self._client.cancel([job for job, _ in self._under_way.values()])


class DaskAt(Dask):
    """Workers of the Dask cluster at an address."""

    def __init__(self, kept: KeptRuns, address: str) -> None:
        super().__init__(kept, connected(address))

    def close(self) -> None:
        """Leaves the cluster."""
        super().close()
        self._client.close()


def connected(address: str) -> Client:
    """Returns a client of the scheduler at an address. Raises InputError if it does not answer."""
    try:
        from distributed import Client
        from distributed.comm.addressing import get_address_host_port
    except ImportError as error:
        expected = "expected it beside xoff: pip install 'xoff[dask]'"
        raise InputError(None, "--on dask", f"needs Dask, which is not here ({error})", expected) from None
    expected = "expected what `dask scheduler` says it listens on, such as dask:tcp://host:8786"
    try:
        get_address_host_port(address)  # a client that fails for this takes 20 s to go
    except ValueError as error:
        problem = f"is no address: {' '.join(f'{error}'.split())}"
        raise InputError(None, f"--on dask:{address}", problem, expected) from None
    logging.getLogger("distributed.client").setLevel(logging.CRITICAL)  # xoff says in a line what became of it
    try:
        return Client(address, timeout=_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError) as error:
        problem = f"no scheduler answers in {_TIMEOUT_S} s: {' '.join(f'{error}'.split())}"
        raise InputError(None, f"--on dask:{address}", problem, expected) from None


def _check_workers(client: Client) -> None:
    """Raises InputError if a worker has no xoff: one that gets a task would end, and the next, and nothing be said."""
    found = client.run(eval, "__import__('xoff').__name__", on_error="return")  # a function that all workers have
    failed = {worker: error for worker, error in found.items() if isinstance(error, Exception)}
    for worker, error in failed.items():
        problem = f"cannot import xoff ({len(failed)} of {len(found)} workers): {spelled(error)}"
        raise InputError(None, f"worker {worker}", problem, "expected the same build of xoff on every worker")
    if not found:
        address = client.scheduler.address if client.scheduler else ""
        warnings.warn(f"{address}: the cluster has no worker yet; runs wait for one", MachinesWarning, stacklevel=2)
