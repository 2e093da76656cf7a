"""`xoff export --onto`: what a scenario says of a switch, in the tables of a real one."""

from __future__ import annotations

import json
from codecs import BOM_UTF8
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from xoff.cli.files import check_free
from xoff.cli.terminal import say
from xoff.errors import OutputError
from xoff.results.whole_file import written_whole

if TYPE_CHECKING:
    from xoff.switches.onto import Onto


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
    from xoff.scenario.scenario import Scenario
    from xoff.switches.switch_tables import SwitchTables  # brings pydantic, which other commands do not need

    return SwitchTables.load(*tables, chip=chip).with_switch_of(Scenario.load(scenario, changes), switch, port)


def show_onto(found: Onto, out: Path | None, *, force: bool, as_patch: bool) -> bool:
    """Prints what changes, or writes the files into a folder; whether the tables now say all, and soundly."""
    from xoff.switches.lint import Severity

    if out is not None:
        _write(found, out, force=force)
    if as_patch:
        click.echo(json.dumps(found.json_patch(), indent=2))
        for name in found.beside_config:
            say(f"note: {name} changes, too, and no patch of ConfigDB can say it: --out writes it", err=True)
    elif out is None:
        click.echo(found.diff, nl=False)
    for undone in found.undone:
        say(f"error: {undone.told}", err=True)
    for note in found.notes:
        say(f"note: {note}", err=True)
    for finding in found.findings:
        say(f"{finding.severity}: {finding.place.key}: {finding.physics} [{finding.check}]", err=True)
    if not found.puts:
        say(f"nothing changes{'' if found.undone else ': the tables say what the scenario says'}", err=True)
    return not found.undone and all(finding.severity is not Severity.ERROR for finding in found.findings)


def _write(found: Onto, folder: Path, *, force: bool) -> None:
    for name, count in Counter(Path(new.name).name for _, new in found.files).items():
        check_free(folder / name, "--out", force=force)
        if count > 1:
            message = f"--out {folder}: {count} files are called {name}; give them names of their own"
            raise OutputError(message)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old, new in found.files:
            with written_whole(folder / Path(new.name).name) as beside:
                marked = Path(old.name).read_bytes().startswith(BOM_UTF8)
                beside.write_bytes((BOM_UTF8 if marked else b"") + new.text.encode())
    except OSError as error:
        message = f"{folder}: --out: cannot write here: {(error.strerror or str(error)).lower()}; choose another folder"
        raise OutputError(message) from None
