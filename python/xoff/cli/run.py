"""`xoff run`: one scenario, its summary, its result folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xoff import json_text, notes
from xoff.cli.options import ChangesOfScenario, ForceResult
from xoff.cli.progress import shown_progress
from xoff.cli.terminal import say
from xoff.errors import RunInterrupted
from xoff.measured import give_back_freed_memory
from xoff.scenario import Scenario

if TYPE_CHECKING:
    from xoff.result import Result


def run(
    scenario: Annotated[Path, typer.Argument(help="The scenario file (TOML).")],
    changes: ChangesOfScenario = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Instead of the scenario's seed.")] = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Run with so many seeds; print means with 95 % confidence intervals.")
    ] = 1,
    threads: Annotated[
        int, typer.Option(min=1, help="Threads that share the work (with --seeds, runs at a time).")
    ] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The result folder; left out, a new numbered one in results/."),
    ] = None,
    force: ForceResult = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print summary.json and nothing else.")] = False,
    report: Annotated[bool, typer.Option("--report/--no-report", help="Write report.html.")] = True,
) -> None:
    """Run a scenario, print its summary and write a result folder."""
    chosen = Scenario.load(scenario, tuple(changes or ()))
    if seed is not None:
        chosen = chosen.with_value("seed", seed)

    if seeds > 1:
        from xoff.cli.many import run_comparison
        from xoff.comparison import WantedComparison

        wanted = WantedComparison.of([chosen], seeds)
        run_comparison(wanted, chosen.name, workers=threads, out=out, force=force, as_json=as_json)
        return

    from xoff import folder  # brings Arrow

    give_back_freed_memory()
    with folder.prepare(out, chosen.name, force=force) as staging:
        result, interrupted = simulate(chosen, threads)
        path = folder.commit(result, staging, report=report)
    if as_json:
        typer.echo(json_text.document(result.summary))
    else:
        from xoff.cli.table import print_summary

        print_summary(result.summary, path, report=report, notes=notes.of_result(result))
    if interrupted:
        say(f"interrupted: {result.flow_rows.num_rows:,} finished flows are kept in {path}", err=True)
        raise typer.Exit(130)


def simulate(scenario: Scenario, threads: int) -> tuple[Result, bool]:
    """Runs it with progress shown; whatever had finished at Ctrl-C, and whether it was pressed."""
    try:
        with shown_progress(scenario) as progress:
            return scenario.run(threads=threads, progress=progress), False
    except RunInterrupted as error:
        return error.result, True
