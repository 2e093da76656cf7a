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
from xoff.text import json_text, text_file, toml_text

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.studies.scheme_laws import Verdict


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
    help="Files of scenarios and sweeps (TOML), and of schemes (Python).",
    callback=as_list,
)
@options.changes_of_all
@options.data_only
@click.option("--strict", is_flag=True, help="Fail if there is anything to note.")
def check(scenarios: list[Path], changes: list[str] | None, as_json: bool, strict: bool) -> None:
    """Validate scenarios, sweeps and the files they name, without running them, and say how much each is to simulate.

    Schemes in Python are held to the laws of their kind, for which they run in a small network.

    Exit status: 0 all can run, 1 a scheme breaks a law, or with --strict there is something to note, 2 one cannot run.
    """
    all_checked = []
    schemes = dict.fromkeys(path for path in scenarios if path.suffix == ".py")
    verdicts = {path: _verdicts(path, as_json=as_json) for path in schemes}
    for path in dict.fromkeys(path for path in scenarios if path not in schemes):
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
        laws = [{"file": str(path), **one._asdict()} for path, found in verdicts.items() for one in found]
        click.echo(json_text.document([*(checked.as_data() for checked in all_checked), *laws]))
    if any(checked.error for checked in all_checked):
        raise click.exceptions.Exit(2)
    if any(verdict.broken_by for found in verdicts.values() for verdict in found):
        raise click.exceptions.Exit(1)
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


def _verdicts(path: Path, *, as_json: bool) -> list[Verdict]:
    """Returns a verdict on each law for the schemes of a file, and prints them. Raises InputError."""
    from xoff.studies import scheme_laws  # brings what runs need

    found = list(scheme_laws.check(text_file.read(path, str(path)), path.name))
    if as_json:
        return found
    for scheme in dict.fromkeys(verdict.scheme for verdict in found):
        of_scheme = [verdict for verdict in found if verdict.scheme == scheme]
        broken = [verdict for verdict in of_scheme if verdict.broken_by]
        said = f"breaks {len(broken)} of {len(of_scheme)} laws" if broken else f"ok, {len(of_scheme)} laws"
        say("\n".join([f"{path}: {scheme}: {said}", *(f"{law}: no: {by}" for _, law, by in broken)]))
    return found


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
