"""`xoff tune`: the values of some keys with which a measure is best."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from xoff.cli import completion, options
from xoff.cli.options import FILE, repeated
from xoff.errors import InputError
from xoff.scenario.scenario import Scenario
from xoff.studies.tuning import CONFIRMED, TRIALS

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.plot.figure_format import FigureFormat


@click.command
@click.argument("file", type=FILE, metavar="SCENARIO", help="The scenario file (TOML).")
@repeated(
    "--tune",
    "space",
    metavar="KEY=START:END",
    shell_complete=completion.keys_of_scenario,
    help="A key and its range, or KEY=START:END:STEP, or KEY=A,B,C; may be repeated.",
)
@click.option(
    "--minimize",
    metavar="KEY",
    help="What is to be least, a number of summary.json.",
    shell_complete=completion.measures,
)
@click.option("--maximize", metavar="KEY", help="Or what is to be greatest.", shell_complete=completion.measures)
@options.at_most
@options.at_least
@click.option("--trials", type=click.IntRange(min=1), default=TRIALS, help="How many choices are tried.")
@click.option("--seeds", type=click.IntRange(min=1), default=1, help="How many seeds each trial runs with.")
@click.option(
    "--confirm",
    type=click.IntRange(min=1),
    default=CONFIRMED,
    help="With how many further seeds the best is held against what there was.",
)
@options.changes_of_all
@options.workers
@options.on
@options.out
@options.force
@options.figures
@click.option("--json", "as_json", is_flag=True, help="Print tune.json and nothing else.")
def tune(
    file: Path,
    space: list[str] | None,
    minimize: str | None,
    maximize: str | None,
    at_most: list[str] | None,
    at_least: list[str] | None,
    trials: int,
    seeds: int,
    confirm: int,
    changes: list[str] | None,
    workers: int | None,
    on: str | None,
    out: Path | None,
    force: bool,
    figures: FigureFormat,
    as_json: bool,
) -> None:
    """Search the values of some keys with which a measure is best, and write the scenario that has them.

    Each trial is chosen by what those before it gave. The best one then runs with seeds that the search has not seen,
    beside the scenario as it stands: what it gained there is what it gained. Finished runs are kept in results/runs and
    never run again, so that after Ctrl-C the same command goes on. A LIMIT is a number, or x1.05 for so many times that
    of the scenario as it stands.
    """
    from xoff.cli.search import search_and_print
    from xoff.studies import bounds
    from xoff.studies.tuning import space as spaces
    from xoff.studies.tuning.search import Tuning
    from xoff.studies.tuning.tuned import prepare

    wanted = Tuning.of(
        Scenario.load(file, tuple(changes or ())),
        spaces.spelled(space or ()),
        _objective(minimize, maximize),
        is_maximized=maximize is not None,
        bounds=bounds.spelled(at_most, at_least),
        trials=trials,
        seeds=seeds,
        confirm=confirm,
    )
    with prepare(out, force=force) as staging:
        search_and_print(wanted, staging, options.where(workers, on), figures, as_json=as_json)


def _objective(minimize: str | None, maximize: str | None) -> str:
    if minimize and maximize:
        raise InputError(None, "--maximize", "stands beside --minimize", "expected one of them")
    if not (minimize or maximize):
        expected = "expected --minimize or --maximize with a number of summary.json, such as flows.small.fct_p99_us"
        raise InputError(None, "--minimize", "nothing says what is best", expected)
    return minimize or maximize or ""
