"""`xoff export --onto`: what a scenario says of a switch, in the tables of a real one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import typer

from xoff.cli.files import check_free, written_whole
from xoff.cli.terminal import say
from xoff.errors import OutputError

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.onto import Onto


def put_onto(
    scenario: Path,
    changes: tuple[str, ...],
    tables: list[Path],
    *,
    switch: str | None,
    port: str | None,
    chip: str | None,
) -> Onto:
    """The tables with what the scenario says. Raises InputError or ScenarioError."""
    from xoff.scenario import Scenario
    from xoff.switch_tables import SwitchTables  # brings pydantic, which other commands do not need

    return SwitchTables.load(*tables, chip=chip).with_switch_of(Scenario.load(scenario, changes), switch, port)


def show_onto(found: Onto, out: Path | None, *, force: bool, as_patch: bool) -> bool:
    """Prints what changes, or writes the files into a folder; whether the tables now say all, and soundly."""
    from xoff.lint import Severity

    if out is not None:
        _write(found.texts, out, force=force)
    if as_patch:
        typer.echo(json.dumps(found.json_patch(), indent=2))
    elif out is None:
        typer.echo(found.diff, nl=False)
    for undone in found.undone:
        say(f"error: {undone.told}", err=True)
    for note in found.notes:
        say(f"note: {note}", err=True)
    for finding in found.findings:
        say(f"{finding.severity}: {finding.place.key}: {finding.physics} [{finding.check}]", err=True)
    if not found.puts:
        say("nothing changes: the tables say what the scenario says", err=True)
    return not found.undone and all(finding.severity is not Severity.ERROR for finding in found.findings)


def _write(texts: dict[str, str], folder: Path, *, force: bool) -> None:
    for name in texts:
        check_free(folder / name, "--out", force=force)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            with written_whole(folder / name) as beside:
                beside.write_text(text, encoding="utf-8")
    except OSError as error:
        message = f"{folder}: --out: cannot write here: {(error.strerror or str(error)).lower()}; choose another folder"
        raise OutputError(message) from None
