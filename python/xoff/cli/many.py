"""What `xoff compare`, `xoff run --seeds` and `xoff reproduce` have in common: many runs, kept as they finish."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from xoff import batch, grids
from xoff.cli.grid import print_grid
from xoff.cli.progress import shown_count
from xoff.comparison import prepare
from xoff.kept import KeptRuns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xoff.comparison import Plan
    from xoff.scenario import Scenario

RUNS = Path("results/runs")
"""Where finished runs are kept."""


def run_missing(title: str, runs: Sequence[Scenario], kept: KeptRuns, workers: int | None) -> bool:
    """Runs what is not kept yet, and says how many are; False if Ctrl-C cut it short."""
    finished = sum(kept.has(run) for run in runs)
    if finished:
        typer.echo(f"{finished} of {len(runs)} runs are kept from before", err=True)
    try:
        with shown_count(title, len(runs)) as on_finished:
            batch.run(runs, kept, workers=workers or batch.cores(), on_finished=on_finished)
    except KeyboardInterrupt:
        return False
    return True


def run_and_print(plan: Plan, name: str, *, workers: int | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Carries out a plan and prints what can be said of it; exits with 130 if Ctrl-C cut it short."""
    kept = KeptRuns(RUNS)
    with prepare(out, name, force=force) as staging:
        interrupted = not run_missing(name, plan.all_runs, kept, workers)
        comparison = plan.finished(kept)
        if comparison is not None:
            path = comparison.commit(staging)
            if as_json:
                typer.echo(json.dumps(comparison.as_dict(), indent=2, ensure_ascii=False))
            else:
                print_grid(grids.of_comparison(comparison), path)
    if interrupted:
        finished = len(comparison.seeds) if comparison else 0
        typer.echo(
            f"interrupted: {finished} of {len(plan.seeds)} seeds are finished; the same command goes on", err=True
        )
        raise typer.Exit(130)
