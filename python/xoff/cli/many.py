"""What `xoff compare` and `xoff run --seeds` have in common: many runs, one table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from xoff import batch
from xoff.cli.comparison_table import print_comparison
from xoff.cli.progress import shown_count
from xoff.comparison import prepare
from xoff.kept import KeptRuns

if TYPE_CHECKING:
    from xoff.comparison import Plan

RUNS = Path("results/runs")
"""Where finished runs are kept."""


def run_and_print(plan: Plan, name: str, *, workers: int | None, out: Path | None, force: bool, as_json: bool) -> None:
    """Carries out a plan and prints what can be said of it; exits with 130 if Ctrl-C cut it short."""
    kept, interrupted = KeptRuns(RUNS), False
    with prepare(out, name, force=force) as staging:
        try:
            with shown_count(name, len(plan.all_runs)) as on_finished:
                batch.run(plan.all_runs, kept, workers=workers or batch.cores(), on_finished=on_finished)
        except KeyboardInterrupt:
            interrupted = True
        comparison = plan.finished(kept)
        if comparison is not None:
            path = comparison.commit(staging)
            if as_json:
                typer.echo(json.dumps(comparison.as_dict(), indent=2, ensure_ascii=False))
            else:
                print_comparison(comparison, path)
    if interrupted:
        finished = len(comparison.seeds) if comparison else 0
        typer.echo(
            f"interrupted: {finished} of {len(plan.seeds)} seeds are finished; the same command goes on", err=True
        )
        raise typer.Exit(130)
