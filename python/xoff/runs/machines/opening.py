"""Places where runs are done, as callers and `--on` say it, and the table for it in `xoff.toml`."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

from pydantic import BeforeValidator, Field, StrictInt, field_validator

from xoff.errors import InputError, check_at_least_one, known, unfit
from xoff.runs import cores
from xoff.runs.machines.given import Executor, Given
from xoff.text.model_file import Kind, Line, Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from xoff.runs.machines.machines import Machines
    from xoff.runs.store import KeptRuns

On: TypeAlias = int | str | Executor
"""Place where runs are done: so many processes of this machine, text as `--on` takes it, or an executor."""

FILE = "xoff.toml"
"""File with a table for each kind of machines, in the working directory or above it."""


_Value: TypeAlias = Annotated[Line, BeforeValidator(lambda value: f"{value}" if type(value) is int else value)]
_KEYS = {key: key for key in ("partition", "account", "qos", "constraint", "time")} | {
    "cpus-per-task": "cpus",
    "mem": "memory",
}
"""Keys of the table by the option of sbatch that each is."""
_OWN = ("array", "error", "job-name", "nodes", "ntasks", "ntasks-per-node", "open-mode", "output", "signal", "wrap")


class SlurmTable(Table):
    """Demands on Slurm; what is left out is as the site has it."""

    partition: Line | None = None
    """Partition."""
    account: Line | None = None
    """Account that is charged."""
    qos: Line | None = None
    """Quality of service."""
    constraint: Line | None = None
    """Features that nodes must have."""
    time: Annotated[StrictInt, Field(ge=1)] | None = None
    """Minutes that a task may take; left out, by what its runs are predicted to take."""
    cpus: Annotated[StrictInt, Field(ge=1)] = 1
    """Cores of a task, which does as many runs at a time."""
    memory: Line | None = None
    """Memory of a task, such as 4GB."""
    tasks: Annotated[StrictInt, Field(ge=1)] | None = None
    """Most tasks at a time; left out, as many as Slurm lets run."""
    setup: tuple[Line, ...] = ()
    """Lines of shell before a task, such as `module load python`."""
    options: dict[Line, _Value] = Field(default_factory=dict)
    """Other options of sbatch, by their name without dashes."""

    @field_validator("options")
    @classmethod
    def _of_others(cls, options: dict[str, str]) -> dict[str, str]:
        for option in options:
            name = option.replace("_", "-")
            if name in _KEYS:
                raise unfit(f"`{option}` has a key of its own", f"expected {_KEYS[name]} in [slurm]")
            if name in _OWN:
                raise unfit(f"`{option}` is what xoff itself tells sbatch", "expected other options")
        return options


class DaskTable(Table):
    """Place of a Dask cluster."""

    address: Line | None = None
    """Address of its scheduler, such as tcp://host:8786."""


class MachinesFile(Table):
    """The content of `xoff.toml`."""

    slurm: SlurmTable = SlurmTable()
    """Demands on Slurm."""
    dask: DaskTable = DaskTable()
    """Place of a Dask cluster."""


_MACHINES = Kind(MachinesFile, InputError, "the guide On your cluster has one to start from")
_KINDS = ("local", "slurm", "dask")
_EXPECTED = "expected local:8, slurm, slurm:partition=short,time=30, or dask:tcp://host:8786"


def chosen(workers: int, on: str | Executor | None) -> On:
    """Returns where runs are done, of two arguments of which one says it. Raises ValueError if both do."""
    if on is None:
        return workers
    if workers != 1:
        message = f"workers, on: expected one of them, such as on='local:{workers}'"
        raise ValueError(message)
    return on


def opened(on: On, kept: KeptRuns, missing: int | None = None) -> Machines:
    """Returns the machines, to be used as a context manager.

    Args:
        on: Where runs are done.
        kept: The store of finished runs.
        missing: Number of runs, if that is known; no more processes begin than there are runs.

    Raises:
        ValueError: There are no workers.
        InputError: The text names no machines, they do not answer, or what reaches them is not installed.
        TypeError: It is neither a number nor text nor an executor.
    """
    on = as_number(on) if isinstance(on, str) else on
    if isinstance(on, int):
        return _here(on, kept, missing)
    if isinstance(on, str):
        return _named(on, kept)
    if hasattr(on, "nthreads") and hasattr(on, "scheduler_info"):
        from xoff.runs.machines.dask import Dask

        return Dask(kept, cast("Any", on))
    if not hasattr(on, "submit"):
        message = f"on: is a {type(on).__name__}; expected a number, text such as 'slurm', or an executor with submit()"
        raise TypeError(message)
    return Given(kept, on)


@contextmanager
def functions_on(on: int | str) -> Iterator[tuple[int, Executor | None]]:
    """Yields a number of threads, or an executor, for functions that take milliseconds and keep nothing.

    `on` is what `as_number` returns.

    Raises InputError if the text names no machines, or machines that begin a task in seconds.
    """
    if isinstance(on, int):
        yield on, None
        return
    kind, _, told = on.partition(":")
    if known("--on", kind, _KINDS) == "slurm":
        problem = "takes seconds to begin what is done in milliseconds"
        raise InputError(None, "--on slurm", problem, "expected this machine, or --on dask:tcp://host:8786")
    from xoff.runs.machines.dask import connected

    with connected(_address(told)) as client:
        yield 1, client


def _here(workers: int, kept: KeptRuns, missing: int | None) -> Machines:
    from xoff.runs.machines.here import Here
    from xoff.runs.machines.processes import Processes

    check_at_least_one("workers", workers)
    workers = workers if missing is None else min(workers, missing)
    return Processes(kept, workers) if workers > 1 else Here(kept)


def _named(on: str, kept: KeptRuns) -> Machines:
    kind, _, told = on.partition(":")
    if known("--on", kind, _KINDS) == "slurm":
        from xoff.runs.machines.slurm import Slurm

        parts = [each.strip() for each in told.split(",") if each.strip()]
        if wrong := [each for each in parts if "=" not in each]:
            raise InputError(None, f"--on {on}", f"`{wrong[0]}` has no `=`", _EXPECTED)
        changes = [f"slurm.{each}" for each in parts]
        return Slurm(kept, site(changes).slurm)
    from xoff.runs.machines.dask import DaskAt

    return DaskAt(kept, _address(told))


def _address(told: str) -> str:
    address = told or site().dask.address
    if address is None:
        expected = f"expected dask:tcp://host:8786, or address in [dask] of {FILE}"
        raise InputError(None, "--on dask", "has no address of a scheduler", expected)
    return address


def as_number(on: str) -> int | str:
    """Returns the number of processes of this machine that text means, or text that means others as it is."""
    kind, _, told = on.partition(":")
    if kind != "local":
        return on
    if told and not (told.isdecimal() and int(told)):
        raise InputError(None, f"--on {on}", "is no number of processes", _EXPECTED)
    return int(told) if told else cores.usable()


def site(changes: Sequence[str] = ()) -> MachinesFile:
    """Reads the nearest `xoff.toml`, if there is one, and changes it by what the command line says."""
    here = Path.cwd()
    path = next((folder / FILE for folder in (here, *here.parents) if (folder / FILE).is_file()), None)
    if path is not None:
        return _MACHINES.load(path, changes)
    return _MACHINES.parse("", "--on", changes)
