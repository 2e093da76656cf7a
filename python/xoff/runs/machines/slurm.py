"""Slurm: job arrays whose tasks keep their results in a store that all nodes see."""

from __future__ import annotations

import io
import json
import math
import os
import re
import shutil
import signal
import subprocess
import time
import uuid
import warnings
from contextlib import contextmanager, redirect_stderr, suppress
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from xoff.errors import InputError, MachinesWarning
from xoff.results import leftovers
from xoff.runs.machines.given import sight_of
from xoff.runs.machines.machines import Lost, Machines
from xoff.runs.tasks import Lack, Outcome, Task, cut, seconds_of, work_elsewhere

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from submitit import Job, SlurmExecutor

    from xoff.runs.machines.opening import SlurmTable
    from xoff.runs.store import KeptRuns
    from xoff.runs.tasks import Sight
    from xoff.scenario.scenario import Scenario

_NAME = "xoff"
_FOLDER = ".slurm"
"""Folder in the store with a record of each task under way, and for each process one for what submitit writes."""
_FAILED = "failed"
"""File in such a folder that says that a log in it tells of a failure."""
_MOST_OF_ARRAY = 1000
"""Tasks of an array; Slurm takes 1,001 unless a site lets it take more."""
_AT_ONCE = 64
"""Tasks that are expected to run at a time where nothing limits them."""
_SHORTEST_S, _LONGEST_S = 60.0, 1800.0
_SLOWER = 6
"""Times that a run may take longer than predicted: by what it is made of, and on a slow node."""
_LEAST_MINUTES = 5
_A_YEAR = 365 * 24 * 60
"""Minutes of a task where a partition has no limit."""
_SIGNAL_BEFORE_END_S = 30
_LATE_S = 15
"""Seconds until a result is seen that another node wrote: file systems of clusters remember what was not there."""
_POLL_S, _MOST_POLL_S = 1.0, 15.0
_SILENT_S = 600
"""Seconds in which the controller must answer again, as after it is started anew."""
_USUAL = {"None", "Priority", "Resources", "JobArrayTaskLimit", "BeginTime", "Prolog", "Cleaning"}
"""Reasons for which squeue says that a job waits, of those that end by themselves."""
_FOR_EVER = re.compile(
    r"Partition(Config|NodeLimit|TimeLimit)|BadConstraints|Invalid(Account|QOS)|(Account|QOS)NotAllowed"
    r"|(Assoc|QOS)Max\w+PerJob\w*"
)
"""Reasons for which a job waits for ever, since it asks for what it may not have."""
_ENDED = {"BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "TIMEOUT"}
"""States, of those that squeue tells of, in which a job does no more; another may be requeued."""
_LACKS = {"TIMEOUT": Lack.TIME, "DEADLINE": Lack.TIME, "OUT_OF_MEMORY": Lack.MEMORY}


class _Asked(NamedTuple):
    """Resources of a task."""

    minutes: int
    memory: str
    """As Slurm spells it; empty for what the site gives."""


@dataclass
class _Submitted:
    """A task of an array that has not been heard of again."""

    job: Job[Any]
    task: Task
    asked: _Asked
    is_own: bool
    """Whether this process has submitted the array, all of it."""
    missed_since: float | None = None
    """Time in s, by a clock that only goes on, when the queue first had the job no more and no result was seen."""


class Slurm(Machines):
    """Job arrays of a Slurm cluster.

    What is submitted goes on if this process ends by the closing of its terminal, or by a kill. Whoever wants one of
    these runs from the same store waits for it, and does not submit it again.
    """

    def __init__(self, kept: KeptRuns, table: SlurmTable) -> None:
        """Raises InputError if there is no submitit, or no Slurm; OutputError if the store cannot be written."""
        super().__init__(kept)
        self._table = table
        self._records = kept.root.absolute() / _FOLDER
        self._folder = self._records / uuid.uuid4().hex
        self._executor = _executor(self._folder)
        self._sight = sight_of(kept, self._folder, is_demanded=True)
        self._lock = leftovers.lock(self._folder)
        self._under_way: dict[str, _Submitted] = {}
        self._poll_s = _POLL_S
        self._most_minutes = _most_minutes(table.partition)
        self._silent_since: float | None = None
        self._refused: list[tuple[Task, Lost]] = []
        self._told: set[str] = set()
        self._is_left = False
        limit_s = math.inf if table.time is None else table.time * 60 / 2
        self.shortest_s = min(_SHORTEST_S, limit_s) * table.cpus
        self.longest_s = min(_LONGEST_S, limit_s) * table.cpus

    @property
    def at_once(self) -> int:
        """Tasks at a time: the limit, or a guess."""
        return self._table.tasks or _AT_ONCE

    def begin(self, tasks: Sequence[Task]) -> None:
        """Waits for runs that were submitted before, and submits the others.

        Raises InputError in Slurm's own words; a second attempt that Slurm refuses ends as the first has.
        """
        left = list(self._without_submitted(tasks))
        for asked, alike in groupby(sorted(left, key=self._asked), self._asked):
            of_one = list(alike)
            for start in range(0, len(of_one), _MOST_OF_ARRAY):
                part = of_one[start : start + _MOST_OF_ARRAY]
                try:
                    self._submit(part, asked)
                except InputError as error:
                    lack = part[0].lacked
                    if lack is None:
                        raise
                    lost = Lost(lack, f"had too little {lack}, and Slurm gives no more: {error.problem}")
                    self._refused += ((task, lost) for task in part)
        self._poll_s = _POLL_S

    def _asked(self, task: Task) -> _Asked:
        expected_s = _SLOWER * task.seconds / min(self._table.cpus, len(task.runs))
        minutes = self._table.time or min(_LEAST_MINUTES + math.ceil(expected_s / 60), self._most_minutes)
        memory = self._table.memory or ""
        if task.lacked is Lack.TIME:
            minutes = max(minutes, min(2 * minutes, self._most_minutes))
        if task.lacked is Lack.MEMORY:
            memory = _doubled(memory) if memory else "0"  # all of a node
        return _Asked(minutes, memory)

    def _submit(self, tasks: Sequence[Task], asked: _Asked) -> None:
        table = self._table
        given = {
            key: getattr(table, key) for key in ("partition", "account", "qos", "constraint") if getattr(table, key)
        }
        others = dict(table.options) | ({"mem": asked.memory} if asked.memory else {})
        self._executor.update_parameters(
            job_name=_NAME,
            time=asked.minutes,
            cpus_per_task=table.cpus,
            array_parallelism=table.tasks or len(tasks),
            signal_delay_s=_SIGNAL_BEFORE_END_S,
            setup=[*table.setup] or None,
            additional_parameters=others or None,
            **given,
        )
        stated = [(task, self.kept, self._sight, table.cpus) for task in tasks]
        try:
            with redirect_stderr(io.StringIO()):  # to which submitit copies what sbatch says
                jobs = self._executor.map_array(_work, *zip(*stated, strict=True))
        except Exception as error:
            raise InputError(None, "--on slurm", _words(error), "expected what sbatch takes here") from None
        for job, task in zip(jobs, tasks, strict=True):
            self._under_way[job.job_id] = _Submitted(job, task, asked, is_own=True)
            names = [self.kept.place(run).name for run in task.runs]
            record = {"runs": names, "minutes": asked.minutes, "folder": self._folder.name}
            self._record(job.job_id).write_text(json.dumps(record), encoding="utf-8")

    def _record(self, job_id: str) -> Path:
        return self._records / f"{job_id}.json"

    def _without_submitted(self, tasks: Sequence[Task]) -> Iterator[Task]:
        """Takes on the runs that are under way since before this process, and yields tasks of all others."""
        submitted = self._submitted_before() if any(self._records.glob("*.json")) else {}
        taken: dict[str, list[Scenario]] = {}
        for task in tasks:
            left: list[Scenario] = []
            for run in task.runs:
                job_id = None if task.lacked else submitted.get(self.kept.place(run).name)
                (left if job_id is None else taken.setdefault(job_id, [])).append(run)
            if left:
                yield task if len(left) == len(task.runs) else Task(tuple(left), sum(map(seconds_of, left)))
        for job_id, runs in taken.items():
            from submitit import SlurmJob

            record = json.loads(self._record(job_id).read_text(encoding="utf-8"))
            job = SlurmJob(self._records / record["folder"], job_id)
            task = Task(tuple(runs), sum(map(seconds_of, runs)))
            self._under_way[job_id] = _Submitted(job, task, _Asked(record["minutes"], ""), is_own=False)

    def _submitted_before(self) -> dict[str, str]:
        """Returns the job that each run is in, by the name of its folder; removes records of jobs that have ended."""
        alive = _alive()
        found: dict[str, str] = {}
        for record in self._records.glob("*.json"):
            if record.stem in self._under_way:
                continue
            if record.stem not in alive:
                record.unlink(missing_ok=True)
                continue
            with suppress(ValueError, KeyError, OSError):
                runs = json.loads(record.read_text(encoding="utf-8"))["runs"]
                found |= dict.fromkeys(map(str, runs), record.stem)
        self._remove_unrecorded()
        return found

    def _remove_unrecorded(self) -> None:
        """Removes the folders of processes that have gone whose tasks have all ended."""
        with suppress(ValueError, KeyError, OSError):
            records = [json.loads(record.read_text(encoding="utf-8")) for record in self._records.glob("*.json")]
            recorded = {record["folder"] for record in records}
            for folder in leftovers.abandoned(self._records, "[0-9a-f]{32}"):
                if folder.name not in recorded and not (folder / _FAILED).exists():
                    shutil.rmtree(folder, ignore_errors=True)

    def _ended(self) -> Iterator[tuple[Task, Sequence[Outcome] | Lost]]:
        if self._refused:
            refused, self._refused = self._refused, []
            yield from refused
            return
        time.sleep(self._poll_s)
        self._poll_s = min(self._poll_s * 1.1, _MOST_POLL_S)
        alive = self._still_alive()
        if alive is None:
            return
        self._tell_of_waits({reason: job_id for job_id, reason in alive.items() if job_id in self._under_way})
        for job_id, submitted in list(self._under_way.items()):
            if job_id in alive:
                continue
            found = self._found(submitted)
            if found is None:
                continue
            del self._under_way[job_id]
            self._poll_s = _POLL_S
            self._record(job_id).unlink(missing_ok=True)
            yield submitted.task, found

    def _still_alive(self) -> dict[str, str] | None:
        """Returns what the queue has; None if Slurm does not answer. Raises InputError if it has not for 10 minutes."""
        now = time.monotonic()
        try:
            alive = _alive()
        except InputError as error:
            if self._silent_since is None:
                self._silent_since = now
                told = f"--on slurm: {error.problem}; asked again for {_SILENT_S // 60} min, while tasks go on"
                warnings.warn(told, MachinesWarning, stacklevel=2)
            if now - self._silent_since > _SILENT_S:
                raise
            return None
        self._silent_since = None
        return alive

    def _tell_of_waits(self, jobs: dict[str, str]) -> None:
        """Warns once of each reason, but for the usual ones, for which a job waits. Raises InputError for some."""
        for reason, job_id in jobs.items():
            if _FOR_EVER.fullmatch(reason):
                expected = f"expected what the partition and its account may have (scontrol show job {job_id})"
                raise InputError(None, "--on slurm", f"job {job_id} would wait for ever: {reason}", expected)
            if reason and reason not in _USUAL and reason not in self._told:
                self._told.add(reason)
                warnings.warn(f"--on slurm: job {job_id} waits: {reason}", MachinesWarning, stacklevel=2)

    def _found(self, submitted: _Submitted) -> Sequence[Outcome] | Lost | None:
        """Returns what became of a job that the queue has no more; None as long as its result may still be seen."""
        from submitit.core.utils import pickle_load

        job = submitted.job
        if not job.paths.result_pickle.exists():
            if not submitted.is_own and all(map(self.kept.has, submitted.task.runs)):
                return [Outcome() for _ in submitted.task.runs]  # who submitted it has removed its result
            now = time.monotonic()
            submitted.missed_since = submitted.missed_since or now
            return None if now - submitted.missed_since < _LATE_S else self._lost_by(submitted)
        ended_well, found = pickle_load(job.paths.result_pickle)
        if ended_well != "success":
            return self._lost_by(submitted, *str(found).strip().splitlines()[-1:])
        if isinstance(found, Exception):
            raise found
        outcomes = dict(found)
        return [outcomes[self.kept.place(run).name] for run in submitted.task.runs]

    def _lost_by(self, submitted: _Submitted, told: str = "") -> Lost:
        job, asked = submitted.job, submitted.asked
        (job.paths.folder / _FAILED).touch()
        state = _state(job.job_id)
        if "timed-out" in told:
            state, told = "TIMEOUT", ""
        lack = _LACKS.get(state, Lack.WORKER)
        had = {Lack.TIME: f" after {asked.minutes} min", Lack.MEMORY: f" with {asked.memory}" if asked.memory else ""}
        reason = f"job {job.job_id}: {told or state.lower().replace('_', ' ')}{had.get(lack, '')}"
        return Lost(lack, f"{reason} (log: {job.paths.stderr})", is_final=state == "CANCELLED")

    def cancel(self) -> None:
        """Cancels all tasks, those that run as well."""
        if self._under_way:
            own = {job_id.partition("_")[0] for job_id, one in self._under_way.items() if one.is_own}
            others = {job_id for job_id, one in self._under_way.items() if not one.is_own}
            subprocess.run(["scancel", *sorted(own | others)], check=False, capture_output=True)
        for job_id in self._under_way:
            self._record(job_id).unlink(missing_ok=True)

    def leave(self) -> None:
        """Goes; what is submitted stays in the queue, and its tasks need what is in the folder."""
        self._is_left = True

    def close(self) -> None:
        """Removes what submitit wrote, unless tasks go on or a log tells of a failure."""
        if not self._is_left and not (self._folder / _FAILED).exists():
            shutil.rmtree(self._folder, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
        self._remove_unrecorded()


def _executor(folder: Path) -> SlurmExecutor:
    try:
        from submitit import SlurmExecutor
    except ImportError as error:
        expected = "expected it beside xoff: pip install 'xoff[slurm]'"
        raise InputError(None, "--on slurm", f"needs submitit, which is not here ({error})", expected) from None
    if "%" in str(folder):
        problem = "has a % in its path, for which Slurm puts in something of its own"
        raise InputError(None, f"--on slurm: {folder.parent.parent}", problem, "expected to run in another folder")
    if SlurmExecutor.affinity() <= 0:
        expected = "expected a machine from which sbatch submits, such as a login node"
        raise InputError(None, "--on slurm", "there is no Slurm here", expected)
    return SlurmExecutor(folder)


def _work(task: Task, kept: KeptRuns, sight: Sight, cpus: int) -> list[tuple[str, Outcome]] | Exception:
    """Does a task on a node, some runs at a time, and returns what became of each by the name of its folder."""
    try:
        with _end_passes_runs():
            return _done(task, kept, sight, cpus)
    except _Ending as ending:
        raise TimeoutError(str(ending)) from None


class _Ending(BaseException):
    """The end of a job's time, which no run takes for an error of its own."""


@contextmanager
def _end_passes_runs() -> Iterator[None]:
    """Raises what submitit raises at Slurm's signal that the end of a job is near as an `_Ending`."""
    from submitit.core.job_environment import JobEnvironment

    number = signal.Signals[f"SIG{JobEnvironment.USR_SIG}"]
    before = signal.getsignal(number)

    def end(*of_signal: Any) -> None:  # noqa: ANN401 as Python calls it
        try:
            if callable(before):
                before(*of_signal)
        except Exception as error:
            raise _Ending(str(error)) from None

    signal.signal(number, end)
    try:
        yield
    finally:
        signal.signal(number, before)


def _done(task: Task, kept: KeptRuns, sight: Sight, cpus: int) -> list[tuple[str, Outcome]] | Exception:
    if cpus == 1 or len(task.runs) == 1:
        found = work_elsewhere(task, kept, sight)
        if isinstance(found, Exception):
            return found
        return [(kept.place(run).name, outcome) for run, outcome in zip(task.runs, found, strict=True)]
    first = work_elsewhere(Task((), 0), kept, sight)  # checks what a worker sees
    return first if isinstance(first, Exception) else list(_in_processes(task, kept, cpus))


def _in_processes(task: Task, kept: KeptRuns, cpus: int) -> Iterator[tuple[str, Outcome]]:
    from xoff.runs.machines.processes import Processes

    with Processes(kept, cpus) as machines, machines.cancelled_by_errors():
        machines.begin(cut(task.runs, cpus, machines.shortest_s, machines.longest_s))
        left = len(task.runs)
        while left:
            for run, outcome in machines.finished():
                left -= 1
                yield kept.place(run).name, outcome


def _most_minutes(partition: str | None) -> int:
    """Returns the time limit of a partition, or of the default one; a task that asks for more waits for ever."""
    rows = (line.split() for line in _output("sinfo", "--noheader", "--format=%P %l").splitlines())
    limits = {row[0]: row[-1] for row in rows if row}
    wanted = next((limit for name, limit in limits.items() if name.rstrip("*") == partition), None)
    default = next((limit for name, limit in limits.items() if name.endswith("*")), None)
    return _minutes(wanted or default or "infinite")


def _minutes(limit: str) -> int:
    """Returns the minutes of a time as Slurm tells it: `30:00`, `1:00:00`, `2-00:00:00`, `infinite`."""
    days, _, rest = limit.rpartition("-")
    parts = [*map(int, rest.split(":"))] if rest.replace(":", "").isdecimal() else []
    if not parts:
        return _A_YEAR
    seconds = int(days or 0) * 86_400
    for place, part in enumerate(reversed(parts)):
        seconds += part * (1, 60, 3600)[place]
    return max(1, seconds // 60)


def _alive() -> dict[str, str]:
    """Returns the jobs of this user that the queue has, each task of an array by itself, and why each waits.

    Raises InputError if Slurm does not answer.
    """
    command = ["squeue", "--me", "--noheader", "--array", f"--name={_NAME}", "--format=%i %T %r"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(None, "--on slurm", _words(error), "expected a cluster whose squeue answers") from None
    rows = (line.split(maxsplit=2) for line in done.stdout.splitlines())
    return {
        job_id: reason if state == "PENDING" else ""
        for job_id, state, reason in (row for row in rows if len(row) == 3)
        if state not in _ENDED
    }


def _state(job_id: str) -> str:
    """Returns the state in which a job has ended, of the controller or of the accounting; UNKNOWN if neither knows."""
    told = _output("scontrol", "show", "job", job_id, "--oneliner").split()
    states = [word.partition("=")[2] for word in told if word.startswith("JobState=")]
    states += _output("sacct", "--noheader", "--allocations", "--format=State", f"--jobs={job_id}").split()[:1]
    return next(iter(states), "UNKNOWN").rstrip("+")


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, check=False, capture_output=True, text=True).stdout
    except OSError:
        return ""


def _words(error: Exception) -> str:
    """Returns what Slurm said in one line."""
    told = getattr(error, "stderr", None) or str(error)
    return " ".join(str(told).replace("sbatch: error: ", "").split()) or type(error).__name__


def _doubled(memory: str) -> str:
    digits = memory.rstrip("KMGTBkmgtb")
    return f"{int(digits) * 2}{memory[len(digits) :]}" if digits.isdecimal() else memory
