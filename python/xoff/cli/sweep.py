"""`xoff sweep`: a scenario for every combination of what is varied."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.options import FILE

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.plot.figure_format import FigureFormat


@click.command
@click.argument("file", type=FILE, metavar="FILE", help="A scenario file, or a sweep file that names one (TOML).")
@options.sweeps
@options.changes_of_all
@options.measures
@click.option(
    "--seeds",
    type=click.IntRange(min=1),
    help="Run each with so many seeds; print means with 95 % confidence intervals.",
)
@options.workers
@options.on
@options.watch
@options.dataset
@options.out
@options.force
@click.option("--ratios", is_flag=True, help="Print and draw how many times the first value of the first --sweep.")
@options.figures
@click.option("--json", "as_json", is_flag=True, help="Print sweep.json and nothing else.")
def sweep(
    file: Path,
    sweeps: list[str] | None,
    changes: list[str] | None,
    measures: list[str] | None,
    seeds: int | None,
    workers: int | None,
    on: str | None,
    watch: bool,
    dataset: Path | None,
    out: Path | None,
    force: bool,
    ratios: bool,
    figures: FigureFormat,
    as_json: bool,
) -> None:
    """Run a scenario for every combination of some values of its keys, and print what was measured at each.

    Finished runs are kept in results/runs and never run again, so that after Ctrl-C the same command goes on, and one
    more value costs one more run.
    """
    from xoff.cli.many import run_and_print
    from xoff.studies import grids
    from xoff.studies.axes import Axis, spelled
    from xoff.studies.sweep import Swept, prepare
    from xoff.studies.sweep_file import load

    axes = {key: Axis.spelled(key, values) for key, values in spelled(sweeps or ()).items()}
    wanted = load(file, axes, changes=changes or (), measures=measures or (), seeds=seeds)
    run_and_print(
        "sweep",
        wanted,
        prepare(out, force=force),
        partial(Swept.commit, ratios=ratios, figures=figures),
        partial(grids.of_sweep, ratios=ratios),
        on=options.where(workers, on),
        dataset=dataset,
        watch=watch,
        as_json=as_json,
    )
