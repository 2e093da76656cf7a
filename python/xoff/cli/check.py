"""`xoff check`: scenarios and sweeps validated without running."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from xoff.cli import options
from xoff.cli.options import FILE, as_list
from xoff.cli.terminal import say
from xoff.errors import ScenarioError
from xoff.scenario.offered_load import Offered
from xoff.scenario.scenario import Scenario
from xoff.text import json_text, toml_text

if TYPE_CHECKING:
    from pathlib import Path


class Checked(NamedTuple):
    """Facts about a scenario that are known before it runs."""

    file: str
    error: str | None
    """One line, if it cannot run."""
    notes: tuple[str, ...]
    offered: Offered | None
    """If it can run; of all runs together."""
    runs: int = 1
    """Number of runs, of which a sweep has several."""

    def as_data(self) -> dict[str, Any]:
        """Returns its fields, for JSON."""
        return {**self._asdict(), "offered": self.offered and self.offered._asdict()}


@click.command
@click.argument(
    "scenarios",
    type=FILE,
    nargs=-1,
    required=True,
    metavar="FILE",
    help="Files of scenarios and sweeps (TOML).",
    callback=as_list,
)
@options.changes_of_all
@options.data_only
@click.option("--strict", is_flag=True, help="Fail if there is anything to note.")
def check(scenarios: list[Path], changes: list[str] | None, as_json: bool, strict: bool) -> None:
    """Validate scenarios, sweeps and the files they name, without running them, and say how much each is to simulate.

    Exit status: 0 all can run, 1 with --strict there is something to note, 2 one cannot run.
    """
    all_checked = []
    for path in dict.fromkeys(scenarios):
        checked = _checked(path, tuple(changes or ()))
        all_checked.append(checked)
        if as_json:
            continue
        if checked.offered:
            runs = f"{checked.runs} runs, " if checked.runs > 1 else ""
            say("\n".join([f"{path}: ok, {runs}{checked.offered.told()}", *checked.notes]))
        else:
            say(str(checked.error), err=True)
    if as_json:
        click.echo(json_text.document([checked.as_data() for checked in all_checked]))
    if any(checked.error for checked in all_checked):
        raise click.exceptions.Exit(2)
    if strict and any(checked.notes for checked in all_checked):
        raise click.exceptions.Exit(1)


def _checked(path: Path, changes: tuple[str, ...]) -> Checked:
    try:
        if _is_sweep(path):
            return _checked_sweep(path, changes)
        scenario = Scenario.load(path, changes)
        return Checked(str(path), None, scenario.check(), scenario.offered())
    except ScenarioError as error:
        return Checked(str(path), str(error), (), None)


def _is_sweep(path: Path) -> bool:
    """Whether a file names a scenario and what to vary in it; one that cannot be read is left to its reader."""
    try:
        return not {"scenario", "axes"}.isdisjoint(toml_text.parse(path.read_text(encoding="utf-8-sig")))
    except (OSError, ValueError):
        return False


def _checked_sweep(path: Path, changes: tuple[str, ...]) -> Checked:
    """Checks all runs of a sweep. Raises ScenarioError for the first that cannot run."""
    from xoff.studies import sweep_file  # brings Arrow

    runs = sweep_file.load(path, {}, changes=changes).all_runs
    notes = Counter(note for run in runs for note in run.check())
    of_some = {note: f" ({count} of {len(runs)} runs)" for note, count in notes.items() if count < len(runs)}
    told = tuple(f"{note}{of_some.get(note, '')}" for note in notes)
    return Checked(str(path), None, told, Offered.together(run.offered() for run in runs), len(runs))
