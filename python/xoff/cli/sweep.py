"""`xoff sweep`: a scenario for every combination of what is varied."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xoff.cli.terminal import Console, say

if TYPE_CHECKING:
    from xoff.intervals import Estimate
    from xoff.sweeping import Swept


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
    from xoff.axes import Axis, spelled
    from xoff.cli.many import RUNS, run_missing
    from xoff.kept import KeptRuns
    from xoff.sweeping import load, prepare

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
                _print(swept, path, ratios=ratios)
    if interrupted:
        done = f"{len(swept.rows)} of {len(wanted.combinations)} combinations are finished"
        say(f"interrupted: {done}; the same command goes on", err=True)
        raise typer.Exit(130)


def _print(swept: Swept, path: Path, *, ratios: bool) -> None:
    from rich.table import Table

    from xoff.cli.comparison_table import told_ratio
    from xoff.table import measure_name

    console = Console(140)
    table = Table()
    for axis in swept.sweep.axes:
        table.add_column(swept.sweep.heading(axis), justify="right")
    for measure in swept.told:
        table.add_column(measure_name(measure), justify="right")
    for row in swept.rows:
        at = [swept.sweep.spelled(axis, value) for axis, value in row.at.items()]
        if ratios:
            table.add_row(
                *at, *(told_ratio(found) if (found := row.ratios.get(measure)) else "-" for measure in swept.told)
            )
        else:
            table.add_row(*at, *(_told(measure, row.measured.get(measure)) for measure in swept.told))
    console.print(table)
    console.print(_explanation(swept, ratios=ratios))
    console.print(f"Results: {path}", soft_wrap=True)


def _told(measure: str, found: Estimate | None) -> str:
    from xoff.table import measured
    from xoff.units import percent

    if found is None:
        return "-"
    value = measured(measure, found.value)
    if found.high is None or not found.value:
        return value
    return f"{value} ±{percent((found.high - found.value) / found.value)}"


def _explanation(swept: Swept, *, ratios: bool) -> str:
    seeds, title = swept.sweep.seeds, swept.sweep.title
    what = f"{title}, seed {seeds[0]}" if len(seeds) == 1 else f"{title}, means over seeds {', '.join(map(str, seeds))}"
    if ratios:
        intervals = "; in brackets 95 % confidence" if len(seeds) > 1 else ""
        return f"{what}; x: how many times {swept.sweep.base}{intervals}."
    return f"{what}; ±: half of the 95 % confidence interval." if len(seeds) > 1 else f"{what}."
