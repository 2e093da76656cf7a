"""Search of `xoff tune`, once it is known which keys are varied."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from xoff.cli.grid import print_grid
from xoff.cli.many import RUNS
from xoff.cli.progress import shown_count
from xoff.cli.terminal import say
from xoff.errors import interrupts_held
from xoff.runs.store import KeptRuns
from xoff.studies import grids
from xoff.text import json_text

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.plot.figure_format import FigureFormat
    from xoff.results.staging import Staging
    from xoff.runs.machines.opening import On
    from xoff.studies.tuning.search import Tuning
    from xoff.studies.tuning.tuned import Tuned


def search_and_print(wanted: Tuning, staging: Staging, on: On, figures: FigureFormat, *, as_json: bool) -> None:
    """Searches, writes and prints what is found; exits with 130 if Ctrl-C cut it short."""
    found: Tuned | None = None
    interrupted = False
    try:
        with shown_count("tune", wanted.runs) as on_finished:
            for so_far in wanted.search(KeptRuns(RUNS), on=on, on_finished=on_finished):
                found = so_far
    except KeyboardInterrupt:
        interrupted = True
    with interrupts_held() as came:
        path = found.commit(staging, figures=figures) if found else None
    if found and path:
        if as_json:
            click.echo(json_text.document(found.as_dict()))
        else:
            _print(found, path)
    if interrupted or came:
        trials = f"{len(found.trials) if found else 0} of {wanted.trials} trials"
        then = "the same command goes on" if interrupted or path is None else f"the folder {path} has them all"
        say(f"interrupted: {trials} are finished; {then}", err=True)
        raise click.exceptions.Exit(130)


def _print(found: Tuned, path: Path) -> None:
    print_grid(grids.of_tuning(found))
    if found.confirmed:
        print_grid(grids.of_comparison(found.confirmed), notes=found.doubts)
    if found.best:
        settings = " ".join(f"--set {shlex.quote(setting)}" for setting in found.settings)
        say(f"Best:    {settings}{' (not confirmed)' if found.doubts else ''}")
    elif found.is_whole and not found.base.is_allowed:
        say("Best:    none: no trial keeps to the bounds, and neither does the scenario as it stands")
    elif found.is_whole:
        why = "is better than it" if found.ranked else "keeps to the bounds"
        say(f"Best:    the scenario as it stands; no trial {why}")
    say(f"Results: {path} (scenario.toml has the best values)")
