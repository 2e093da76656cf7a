"""`xoff tune`: the values of some keys with which a measure is best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from xoff.cli.options import AtLeast, AtMost, ChangesOfAll, Figures, Force, Out, Workers
from xoff.errors import InputError
from xoff.plot.figure_format import FigureFormat
from xoff.scenario.scenario import Scenario
from xoff.studies.tuning import CONFIRMED, TRIALS


def tune(
    file: Annotated[Path, typer.Argument(metavar="SCENARIO", help="The scenario file (TOML).")],
    space: Annotated[
        list[str] | None,
        typer.Option(
            "--tune",
            metavar="KEY=START:END",
            help="A key and its range, or KEY=START:END:STEP, or KEY=A,B,C; may be repeated.",
        ),
    ] = None,
    minimize: Annotated[
        str | None, typer.Option(metavar="KEY", help="What is to be least, a number of summary.json.")
    ] = None,
    maximize: Annotated[str | None, typer.Option(metavar="KEY", help="Or what is to be greatest.")] = None,
    at_most: AtMost = None,
    at_least: AtLeast = None,
    trials: Annotated[int, typer.Option(min=1, help="How many choices are tried.")] = TRIALS,
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds each trial runs with.")] = 1,
    confirm: Annotated[
        int, typer.Option(min=1, help="With how many further seeds the best is held against what there was.")
    ] = CONFIRMED,
    changes: ChangesOfAll = None,
    workers: Workers = None,
    out: Out = None,
    force: Force = False,
    figures: Figures = FigureFormat.SVG,
    as_json: Annotated[bool, typer.Option("--json", help="Print tune.json and nothing else.")] = False,
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
        search_and_print(wanted, staging, workers, figures, as_json=as_json)


def _objective(minimize: str | None, maximize: str | None) -> str:
    if minimize and maximize:
        raise InputError(None, "--maximize", "stands beside --minimize", "expected one of them")
    if not (minimize or maximize):
        expected = "expected --minimize or --maximize with a number of summary.json, such as flows.small.fct_p99_us"
        raise InputError(None, "--minimize", "nothing says what is best", expected)
    return minimize or maximize or ""
