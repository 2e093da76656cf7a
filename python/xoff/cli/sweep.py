"""`xoff sweep`: a scenario for every combination of what is varied."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from xoff.cli.options import ChangesOfAll, Figures, Force, Measures, Out, Sweeps, Workers
from xoff.plot.figure_format import FigureFormat


def sweep(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A scenario file, or a sweep file that names one (TOML).")
    ],
    sweeps: Sweeps = None,
    changes: ChangesOfAll = None,
    measures: Measures = None,
    seeds: Annotated[
        int | None, typer.Option(min=1, help="Run each with so many seeds; print means with 95 % confidence intervals.")
    ] = None,
    workers: Workers = None,
    out: Out = None,
    force: Force = False,
    ratios: Annotated[
        bool, typer.Option("--ratios", help="Print and draw how many times the first value of the first --sweep.")
    ] = False,
    figures: Figures = FigureFormat.SVG,
    as_json: Annotated[bool, typer.Option("--json", help="Print sweep.json and nothing else.")] = False,
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
        workers=workers,
        as_json=as_json,
    )
