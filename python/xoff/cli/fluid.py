"""`xoff fluid`: a fluid model, and what becomes of it for many values of its parameters."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import click

from xoff.cli import options
from xoff.cli.options import OneOf
from xoff.cli.terminal import say
from xoff.text import json_text

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.fluid.sweep import Row, Swept


class Model(StrEnum):
    """Fluid models that `xoff fluid` knows."""

    DCQCN = "dcqcn"
    DCTCP = "dctcp"


@click.command
@click.argument("model", type=OneOf(Model), help="`xoff explain MODEL` has its parameters.")
@options.changes_of_model
@options.sweeps
@click.option("--workers", type=click.IntRange(min=1), help="Threads; left out, one per core.")
@options.on
@options.out
@options.force
@click.option("--json", "as_json", is_flag=True, help="Print fluid.json and nothing else.")
def fluid(
    model: Model,
    changes: list[str] | None,
    sweeps: list[str] | None,
    workers: int | None,
    on: str | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Integrate a fluid model, for one set of parameters or for many.

    Rates, windows and the queue follow delay differential equations: no packets, and an answer in milliseconds. The
    table has what rates and queue come to, beside the fixed point of equal flows where the model has one.
    """
    from xoff.cli.progress import shown_count
    from xoff.fluid.model import Fluid
    from xoff.fluid.sweep import Sweep, prepare
    from xoff.runs.machines.opening import functions_on
    from xoff.studies.axes import Axis, check_unvaried, spelled

    varied = spelled(sweeps or ())
    check_unvaried({key: Axis.spelled(key, values) for key, values in varied.items()}, changes or ())
    sweep = Sweep.of(Fluid(model.value, tuple(changes or ())), varied)
    where = options.where(workers, on)
    count = shown_count(f"fluid {model.value}", len(sweep.models), "combinations")
    with prepare(out, force=force) as staging:
        with functions_on(where) as (threads, executor), count as on_finished:
            swept = sweep.run(workers=threads, on=executor, on_finished=on_finished)
        if swept.points:
            path = swept.commit(staging)
            if as_json:
                click.echo(json_text.document(swept.as_dict()))
            else:
                _print(swept, path)
    if not swept.is_whole:
        done = f"{len(swept.points)} of {len(sweep.models)} combinations are finished"
        say(f"interrupted: {done}" + (f" and kept in {path}" if swept.points else ""), err=True)
        raise click.exceptions.Exit(130)


def _print(swept: Swept, path: Path) -> None:
    from xoff.cli.grid import print_grid
    from xoff.text.grid import Grid

    told = [dict(row.at) | _told(row) for row in swept.rows]
    headings = tuple(dict.fromkeys(heading for row in told for heading in row))
    rows = [[row.get(heading, "none") for heading in headings] for row in told]
    note = "Queue: second half of the time."
    if swept.rows[0].difference_bps is not None:
        note = f"Rates: greatest less least, mean of the last tenth of the time. {note}"
    print_grid(Grid((), headings, [rows], note, names=len(swept.rows[0].at)), path)


def _told(row: Row) -> dict[str, str]:
    from xoff.plot.style import RATE_UNITS, SIZE_UNITS
    from xoff.text.units import quantity

    def size(count: float) -> str:
        return quantity(count, SIZE_UNITS)

    told = {}
    if row.difference_bps is not None:
        told["difference of rates"] = quantity(row.difference_bps, RATE_UNITS)
    told["queue: mean"] = size(row.queue_mean_bytes)
    told["least to greatest"] = f"{size(row.queue_low_bytes)} to {size(row.queue_high_bytes)}"
    if row.fixed_point:
        told["fixed point: queue"] = size(row.fixed_point.queue_bytes)
        told["marking probability"] = f"{row.fixed_point.probability:.3g}"
    if row.sawtooth_bytes:
        told["closed form"] = " to ".join(map(size, row.sawtooth_bytes))
    return told
