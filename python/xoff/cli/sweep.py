"""`xoff sweep`: a scenario for every combination of what is varied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from xoff.cli.terminal import say


def sweep(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A scenario file, or a sweep file that names one (TOML).")
    ],
    sweeps: Annotated[
        list[str] | None,
        typer.Option("--sweep", metavar="KEY=A,B,C", help="Try each value; repeated, every combination."),
    ] = None,
    changes: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change one key of all; may be repeated.")
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option("--measure", metavar="KEY", help="A number of summary.json to print and draw; may be repeated."),
    ] = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Run each with so many seeds; print means with 95 % confidence intervals.")
    ] = None,
    workers: Annotated[int | None, typer.Option(min=1, help="Runs at a time; left out, one per core.")] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="The folder for numbers and plot; left out, a new numbered one in results/."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the folder that --out names.")] = False,
    ratios: Annotated[
        bool, typer.Option("--ratios", help="Print and draw how many times the first value of the first --sweep.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print sweep.json and nothing else.")] = False,
) -> None:
    """Run a scenario for every combination of some values of its keys, and print what was measured at each.

    Finished runs are kept in results/runs and never run again, so that after Ctrl-C the same command goes on, and one
    more value costs one more run.
    """
    from xoff import grids
    from xoff.axes import Axis, spelled
    from xoff.cli.grid import print_grid
    from xoff.cli.many import RUNS, run_missing
    from xoff.kept import KeptRuns
    from xoff.sweep_file import load
    from xoff.sweeping import prepare

    varied = {key: Axis.spelled(key, values) for key, values in spelled(sweeps or ()).items()}
    wanted = load(file, varied, changes=changes or (), measures=measures or (), seeds=seeds)
    kept = KeptRuns(RUNS)
    with prepare(out, force=force) as staging:
        interrupted = not run_missing("sweep", wanted.all_runs, kept, workers)
        swept = wanted.finished(kept)
        if swept.rows:
            path = swept.commit(staging, ratios=ratios)
            if as_json:
                typer.echo(json.dumps(swept.as_dict(), indent=2, ensure_ascii=False))
            else:
                print_grid(grids.of_sweep(swept, ratios=ratios), path)
    if interrupted:
        done = f"{len(swept.rows)} of {len(wanted.combinations)} combinations are finished"
        say(f"interrupted: {done}; the same command goes on", err=True)
        raise typer.Exit(130)
