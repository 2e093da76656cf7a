"""Options and messages of commands that make many runs, which are kept as they finish."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import click

from xoff.cli.grid import print_grid
from xoff.cli.progress import shown_count, spelled_wait
from xoff.cli.results import list_runs
from xoff.cli.terminal import say
from xoff.cli.watch import Watch
from xoff.errors import RunsFailedError, interrupts_held
from xoff.plot.figure_format import FigureFormat
from xoff.runs import batch
from xoff.runs.dataset import Dataset
from xoff.runs.store import KeptRuns
from xoff.runs.tasks import seconds_of
from xoff.scenario.offered_load import Offered
from xoff.studies import grids
from xoff.studies.comparison import Comparison, prepare
from xoff.text import json_text
from xoff.text.units import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from xoff.plot.workloads import Workloads
    from xoff.results.staging import Staging
    from xoff.runs.batch import Wanted
    from xoff.runs.machines.opening import On
    from xoff.scenario.scenario import Scenario
    from xoff.studies.comparison import WantedComparison
    from xoff.text.grid import Grid

_WORTH_TELLING_S = 60
_NUMBER = re.compile(r"(?<![\w.\[])\d[\d.,]*(?: ?[A-Za-z%]+)?")
"""A number with its unit, but none that is part of a name such as `switch0` or `workload[1]`."""
RUNS = Path("results/runs")
"""Folder in which finished runs are kept."""


class Ending(NamedTuple):
    """End of many runs."""

    interrupted: bool = False
    """Whether Ctrl-C cut them short."""
    failed: RunsFailedError | None = None
    """The error of runs that failed; all others have finished."""


class Found(Protocol):
    """Answer that a command prints of the runs that have finished."""

    def as_dict(self) -> dict[str, Any]:
        """Returns the data that `--json` prints."""


FoundT = TypeVar("FoundT", bound=Found)


def run_missing(
    title: str,
    runs: Sequence[Scenario],
    kept: KeptRuns,
    on: On,
    on_finished: Callable[[Scenario], None] = lambda _: None,
    watch: Watch[Any] | None = None,
) -> Ending:
    """Runs what is not kept yet, and says how many are.

    Calls `on_finished` for each run that is kept or ends, and has them watched.
    """
    missing = [run for run in runs if not kept.has(run)]
    finished, seconds = len(runs) - len(missing), {kept.place(run): seconds_of(run) for run in missing}
    if finished:
        click.echo(f"{finished} of {len(runs)} runs are kept from before", err=True)
    if missing:
        _tell_cost(title, missing, min(on, len(missing)) if isinstance(on, int) else None)
    try:
        with shown_count(
            title, len(runs), before=finished, weight=sum(seconds.values()), above=watch.above if watch else ()
        ) as count:
            if watch:
                watch.begin(run for run in runs if kept.place(run) not in seconds)

            def tell(run: Scenario) -> None:
                on_finished(run)
                if watch:
                    watch.add(run)
                if (place := kept.place(run)) in seconds:
                    count(seconds[place])

            batch.run(runs, kept, on=on, on_finished=tell)
    except KeyboardInterrupt:
        return Ending(interrupted=True)
    except RunsFailedError as error:
        return Ending(failed=error)
    return Ending()


def _tell_cost(title: str, missing: Sequence[Scenario], workers: int | None) -> None:
    """Says how long runs will take, if that may be more than a minute.

    Args:
        title: Name of the command.
        missing: Runs to do.
        workers: Number of runs at a time; None if other machines decide it, whose time is then told for one core.
    """
    least_s, most_s = Offered.together(run.offered() for run in missing).cpu_seconds
    cores = workers or 1
    if most_s > _WORTH_TELLING_S * cores:
        times = f"{spelled_wait(least_s / cores)} to {spelled_wait(most_s / cores)}"
        how = f"{workers} at a time, about {times}" if workers else f"about {times} on one core, all together"
        say(f"{title}: {counted(len(missing), 'run')} to do, {how}", err=True)


def run_and_print(
    title: str,
    wanted: Wanted[FoundT],
    staging: Staging,
    commit: Callable[[FoundT, Staging], Path],
    grid: Callable[[FoundT], Grid],
    *,
    on: On,
    dataset: Path | None = None,
    watch: bool = False,
    as_json: bool,
) -> None:
    """Runs what is wanted, writes and prints what can be said of it; exits with 130 if Ctrl-C cut it short."""
    with staging:
        kept, runs = KeptRuns(RUNS), wanted.all_runs
        add = Dataset.of(dataset, wanted.varied, runs, kept).add if dataset else lambda _: None
        watched = Watch(title, wanted, kept, grid) if watch else None
        ending = run_missing(title, runs, kept, on, add, watched)
        with interrupts_held() as came:
            for run in runs:  # an interrupt leaves runs that are kept and were not told of
                add(run)
            found = wanted.finished(kept)
            if found is not None:
                list_runs(staging, kept, wanted)
                path = commit(found, staging)
    if found is not None:
        _print(found, path, grid(found), _notes(wanted.all_runs), as_json=as_json)
    if ending.interrupted or came:
        then = "the same command goes on" if ending.interrupted or found is None else f"the folder {path} has them all"
        say(f"interrupted: {wanted.progress(found)} are finished; {then}", err=True)
        raise click.exceptions.Exit(130)
    if ending.failed:
        raise ending.failed


def print_comparison(
    found: Comparison,
    *,
    out: Path | None,
    force: bool,
    figures: FigureFormat,
    workloads: Workloads = None,
    as_json: bool,
) -> None:
    """Writes and prints a comparison of results that are there."""
    with prepare(out, "compare", force=force) as staging:
        path = found.commit(staging, figures=figures, workloads=workloads)
        _print(found, path, grids.of_comparison(found), as_json=as_json)


def _print(found: Found, path: Path, grid: Grid, notes: Iterable[str] = (), *, as_json: bool) -> None:
    if as_json:
        click.echo(json_text.document(found.as_dict()))
    else:
        print_grid(grid, path, notes)


def _notes(runs: Sequence[Scenario]) -> Iterator[str]:
    """Yields notes on the scenarios, each with the number of scenarios it is about; seeds make no difference.

    Of notes that differ in their numbers only, the first stands for all.
    """
    scenarios = [run for run in runs if run.seed == runs[0].seed]
    alike: dict[str, dict[str, set[int]]] = {}
    for position, scenario in enumerate(scenarios):
        for note in scenario.check():
            alike.setdefault(_NUMBER.sub("#", note), {}).setdefault(note, set()).add(position)
    for notes in alike.values():
        count = len(set.union(*notes.values()))
        others = ", with other numbers" if len(notes) > 1 else ""
        some = f" ({count} of {len(scenarios)} scenarios{others})" if others or count < len(scenarios) else ""
        yield f"{next(iter(notes))}{some}"


def run_comparison(
    wanted: WantedComparison,
    name: str,
    *,
    on: On,
    out: Path | None,
    force: bool,
    dataset: Path | None = None,
    watch: bool = False,
    figures: FigureFormat = FigureFormat.SVG,
    workloads: Workloads = None,
    as_json: bool,
) -> None:
    """Prints the notes on scenarios that are compared, or on one scenario with several seeds."""
    staging = prepare(out, name, force=force)
    commit = partial(Comparison.commit, figures=figures, workloads=workloads)
    run_and_print(
        name, wanted, staging, commit, grids.of_comparison, on=on, dataset=dataset, watch=watch, as_json=as_json
    )
