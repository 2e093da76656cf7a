"""`xoff check`: scenarios validated without running."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, NamedTuple

import typer

from xoff import json_text
from xoff.cli.options import ChangesOfAll, DataOnly
from xoff.cli.terminal import say
from xoff.errors import ScenarioError
from xoff.scenario import Scenario


class Checked(NamedTuple):
    """What is known of a scenario before it runs."""

    file: str
    error: str | None
    """One line, if it cannot run."""
    notes: tuple[str, ...]


def check(
    scenarios: Annotated[list[Path], typer.Argument(help="Scenario files (TOML).", metavar="SCENARIO")],
    changes: ChangesOfAll = None,
    as_json: DataOnly = False,
) -> None:
    """Validate scenarios and the files they name, without running them.

    Exit status: 0 all can run, 2 one cannot.
    """
    all_checked = []
    for path in dict.fromkeys(scenarios):
        checked = _checked(path, tuple(changes or ()))
        all_checked.append(checked)
        if as_json:
            continue
        if checked.error is None:
            say("\n".join([f"{path}: ok", *checked.notes]))
        else:
            say(checked.error, err=True)
    if as_json:
        typer.echo(json_text.document([checked._asdict() for checked in all_checked]))
    if any(checked.error for checked in all_checked):
        raise typer.Exit(2)


def _checked(path: Path, changes: tuple[str, ...]) -> Checked:
    try:
        return Checked(str(path), None, Scenario.load(path, changes).check())
    except ScenarioError as error:
        return Checked(str(path), str(error), ())
