"""`xoff lint`: a switch's tables held against physics."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Annotated

import typer

from xoff import json_text
from xoff.cli.options import DataOnly
from xoff.cli.terminal import Console, printable

if TYPE_CHECKING:
    from xoff.catalogue import Entry
    from xoff.lint import Finding


def lint(
    files: Annotated[
        list[Path] | None, typer.Argument(help="SONiC's config_db.json or pg_profile_lookup.ini, any number.")
    ] = None,
    chip: Annotated[str | None, typer.Option(help="What the pools must fit: a name of `xoff list chips`.")] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CHECK", help="Leave a check out; may be repeated.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Notes count as findings, too.")] = False,
    as_json: DataOnly = False,
    checks: Annotated[bool, typer.Option("--checks", help="Print what is looked for, and look for nothing.")] = False,
) -> None:
    """Hold a switch's buffer, ECN and PFC tables against physics, and against one another.

    Exit status: 0 nothing worse than a note, 1 findings, 2 a file that cannot be read.
    """
    from xoff.errors import InputError
    from xoff.inputs import read
    from xoff.lint import CHECKS, Severity, Tables
    from xoff.lint import lint as find
    from xoff.lint.switches import by_switch, parse, without_config
    from xoff.lint.tables import several

    if checks:
        _print_checks()
        return
    if not files:
        raise InputError(None, "FILE", "no file is named", "expected config_db.json or pg_profile_lookup.ini of SONiC")
    ignored = [_known("--ignore", name, [check.__name__ for check in CHECKS]) for name in ignore or ()]
    entry = _chip(chip)
    expected = "expected config_db.json or pg_profile_lookup.ini of SONiC"
    read_files = [parse(str(path), read(path, str(path), remedy=expected)) for path in dict.fromkeys(files)]
    switches = by_switch(read_files)
    findings = find((Tables.of(its, entry) for its in switches), ignored)
    if alone := without_config(switches):
        typer.echo(f"{several(alone)}: {_ALONE}", err=True)
    if as_json:
        typer.echo(json_text.document([finding.as_data() for finding in findings]))
    else:
        _print(findings, _told(len(read_files), len(switches)))
    bearable = Severity.NOTE if not strict else Severity.NOTE + 1
    if any(finding.severity < bearable for finding in findings):
        raise typer.Exit(1)


def _chip(name: str | None) -> Entry | None:
    from xoff import catalogue

    if name is None:
        return None
    chips = {entry["name"]: entry for entry in catalogue.chips()}
    return chips[_known("--chip", name, list(chips))]


def _known(option: str, name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    from xoff.errors import InputError

    if name in names:
        return name
    nearest = get_close_matches(name, names)
    expected = f"did you mean {' or '.join(nearest)}?" if nearest else f"expected one of {', '.join(names)}"
    raise InputError(None, f"{option} {name}", "there is none of this name", expected)


def _print_checks() -> None:
    from xoff.lint import CHECKS

    width = max(len(check.__name__) for check in CHECKS)
    for check in CHECKS:
        typer.echo(f"{check.__name__:{width}}  {(check.__doc__ or '').splitlines()[0]}")


_ALONE = "held against no config_db.json; those of one switch belong together, in a folder of its own"
_COLOURS = ("red", "yellow", "cyan")


def _told(files: int, switches: int) -> str:
    """What was judged, and what of it together."""
    if files == 1:
        return "1 file"
    return f"{files} files of {'one switch' if switches == 1 else f'{switches} switches'}"


def _print(findings: list[Finding], judged: str) -> None:
    from rich.text import Text

    from xoff.lint import Severity

    console = Console(120)
    for finding in findings:
        place = finding.place
        head = Text(printable(f"{place.file}:{place.line}: "))
        head.append(str(finding.severity), style=f"bold {_COLOURS[finding.severity]}")
        head.append(printable(f": {place.key}{f' = {place.value}' if place.value else ''} [{finding.check}]"))
        console.print(head, soft_wrap=True)
        for text in (finding.physics, f"Remedy: {finding.remedy}"):
            console.print(fill(text, console.text_width, initial_indent="    ", subsequent_indent="    "))
    counts = Counter(finding.severity for finding in findings)
    told = [
        f"{counts[severity]} {severity}{'s' * (counts[severity] != 1)}" for severity in Severity if counts[severity]
    ]
    console.print(f"{', '.join(told) or 'Nothing found'} in {judged}")
