"""`xoff run`: one scenario, its summary, its result folder."""

from __future__ import annotations

import shlex
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.options import FILE, refuse
from xoff.cli.progress import shown_progress
from xoff.cli.terminal import say
from xoff.errors import InputError, OutputError, interrupts_held
from xoff.results.whole_file import written_whole
from xoff.runs.cost import give_back_freed_memory
from xoff.scenario.scenario import Scenario
from xoff.text import json_text

if TYPE_CHECKING:
    from xoff._xoff import Progress
    from xoff.results.result import Result
    from xoff.results.staging import Staging
    from xoff.studies.bounds import Bound


@click.command
@click.argument("scenario", type=FILE, help="The scenario file (TOML), or - for standard input.")
@options.changes_of_scenario
@click.option("--seed", type=click.IntRange(min=0), help="Instead of the scenario's seed.")
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    default=1,
    help="Run with so many seeds; print means with 95 % confidence intervals.",
)
@click.option(
    "--threads",
    type=click.IntRange(min=1),
    default=1,
    help="Threads that share the work (with --seeds, runs at a time).",
)
@options.on
@options.watch
@options.dataset
@click.option("--out", type=FILE, metavar="DIR", help="The result folder; left out, a new numbered one in results/.")
@options.force_result
@click.option("--json", "as_json", is_flag=True, help="Print summary.json and nothing else.")
@click.option("--report", is_flag=True, help="Draw report.html at once, as xoff report does later.")
@options.at_most
@options.at_least
def run(
    scenario: Path,
    changes: list[str] | None,
    seed: int | None,
    seeds: int,
    threads: int,
    on: str | None,
    watch: bool,
    dataset: Path | None,
    out: Path | None,
    force: bool,
    as_json: bool,
    report: bool,
    at_most: list[str] | None,
    at_least: list[str] | None,
) -> None:
    """Run a scenario, print its summary and write a result folder.

    Exit status: 0 done, 1 the result is beyond what --at-most and --at-least allow, 2 wrong input, no report or not the
    folder that was asked for, 130 interrupted.
    """
    bounds = _bounds(at_most, at_least, seeds)
    chosen = _loaded(scenario, tuple(changes or ()))
    if seed is not None:
        chosen = chosen.with_value("seed", seed)

    _check_several(seeds, threads, {"--on": on, "--watch": watch, "--dataset": dataset})
    if seeds > 1:
        from xoff.cli.many import run_comparison
        from xoff.studies.comparison import WantedComparison

        wanted = WantedComparison.of([chosen], seeds)
        run_comparison(
            wanted, chosen.name, on=on or threads, dataset=dataset, watch=watch, out=out, force=force, as_json=as_json
        )
        return

    from xoff.results import folder, notes  # brings Arrow

    give_back_freed_memory()
    with folder.prepare(out, chosen.name, force=force) as staging, interrupts_held() as came:
        result, interrupted = simulate(chosen, threads)
        path, is_elsewhere = _write(result, staging)
    all_notes = (*chosen.left_out(), *notes.of_result(result))
    is_reported = False
    try:
        is_reported = report and _write_report(result, path)
    except KeyboardInterrupt:
        interrupted = True
    if as_json:
        click.echo(json_text.document(result.summary))
        for note in all_notes:
            say(f"Note: {note}", err=True)
    else:
        from xoff.cli.table import print_summary

        print_summary(result.summary, path, report=is_reported, notes=all_notes)
    if interrupted or came:
        say(f"interrupted: {result.flow_rows.num_rows:,} finished flows are kept in {path}", err=True)
        raise click.exceptions.Exit(130)
    broken = [line for bound in bounds if (line := _broken(bound, result))]
    if broken:
        say("\n".join(broken), err=True)
        raise click.exceptions.Exit(1)
    if is_elsewhere or (report and not is_reported):
        raise click.exceptions.Exit(2)


def _check_several(seeds: int, threads: int, options: dict[str, object]) -> None:
    """Raises InputError for options of several runs where there is one, and for `--on` beside `--threads`."""
    if seeds == 1:
        refuse(options, "is for several runs", "expected --seeds, too")
    if options["--on"] and threads > 1:
        raise InputError(None, "--on", "stands beside --threads", "expected one")


def _loaded(path: Path, changes: tuple[str, ...]) -> Scenario:
    """Loads a scenario; one from standard input names files relative to the working directory."""
    if str(path) != "-":
        return Scenario.load(path, changes)
    return replace(Scenario.load("/dev/stdin", changes), file="stdin")


def _bounds(at_most: list[str] | None, at_least: list[str] | None, seeds: int) -> list[Bound]:
    """Raises InputError for bounds of what is no measure, and where there is nothing to hold."""
    if not (at_most or at_least):
        return []
    from xoff.studies import bounds  # brings NumPy

    found = bounds.spelled(at_most, at_least)
    for bound in found:
        if bound.is_ratio:
            where, problem = f"{bound.measure} {bound}", "there is nothing that it is so many times of"
            raise InputError(None, where, problem, "expected a number; xoff tune takes such limits")
    if seeds > 1:
        raise InputError(None, "--seeds", "bounds are of one run", "expected --at-most and --at-least without it")
    return found


def _broken(bound: Bound, result: Result) -> str:
    """In a line what a measure is where it is not kept to; empty if it is."""
    from xoff.results.measures import why_nothing
    from xoff.results.summary import value_at

    value = value_at(result.summary, bound.measure)
    if value is None:
        return f"{why_nothing(bound.measure)}; expected {bound}"
    return f"{bound.measure}: is {value:g}; expected {bound}" if bound.excess(value) > 0 else ""


def simulate(scenario: Scenario, threads: int) -> tuple[Result, bool]:
    """Runs it with progress shown; whatever had finished at Ctrl-C, and whether it was pressed."""
    with interrupts_held() as came, shown_progress(scenario) as progress:

        def goes_on(state: Progress) -> bool:
            progress(state)
            return not came

        result = scenario.run(threads=threads, progress=goes_on)
    return result, bool(came)


def _write(result: Result, staging: Staging) -> tuple[Path, bool]:
    """Writes a result, if its folder has become unwritable into one for temporary files, and says so.

    Returns the folder, and whether it is not the one that was asked for. Raises OutputError if neither can be written.
    """
    from xoff.results import folder

    try:
        return folder.commit(result, staging, report=False), False
    except OutputError as error:
        if not error.reason:  # the system refuses nothing, and the result has a name beside
            raise
        path = _written_elsewhere(result)
        if path is None:
            raise
        say(f"{error.on_command_line}; this result is in {path}", err=True)
        return path, True


def _written_elsewhere(result: Result) -> Path | None:
    """Writes a result into a new folder for temporary files; None if that fails."""
    try:
        parent = Path(tempfile.mkdtemp(prefix="xoff-"))
    except OSError:
        return None
    try:
        return result.save(parent / "result", report=False)
    except OutputError:
        parent.rmdir()
        return None


def _write_report(result: Result, path: Path) -> bool:
    """Writes report.html into a result folder; false if it cannot, which is said in a line."""
    from xoff.results.folder import REPORT

    try:
        from xoff.report import render  # brings Matplotlib and Jinja

        with written_whole(path / REPORT) as beside:
            beside.write_text(render(result), encoding="utf-8")
    except Exception as error:  # of which none is worth the run
        strerror = error.strerror if isinstance(error, OSError) else None
        reason = strerror.lower() if strerror else (str(error) or type(error).__name__).splitlines()[0]
        remedy = f"the numbers are kept, and `xoff report {shlex.quote(str(path))}` makes it of them"
        say(f"{path / REPORT}: cannot be made: {reason}; {remedy}", err=True)
        return False
    return True
