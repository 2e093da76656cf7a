"""`xoff lint`: a switch's tables held against physics."""

from __future__ import annotations

from collections import Counter
from textwrap import fill
from typing import TYPE_CHECKING

import click

from xoff.cli import completion, options
from xoff.cli.console import Console
from xoff.cli.options import FILE, as_list, repeated
from xoff.cli.terminal import printable
from xoff.text import json_text

if TYPE_CHECKING:
    from pathlib import Path

    from xoff.switches.lint import Finding
    from xoff.switches.lint.tables import Tables


@click.command
@click.argument(
    "files", type=FILE, nargs=-1, help="SONiC's config_db.json or pg_profile_lookup.ini, any number.", callback=as_list
)
@click.option(
    "--chip",
    shell_complete=completion.chips,
    help="What the pools must fit, and whose MMUs share them: a name of `xoff list chips`.",
)
@repeated("--ignore", metavar="CHECK", shell_complete=completion.checks, help="Leave a check out; may be repeated.")
@click.option("--strict", is_flag=True, help="Notes count as findings, too.")
@options.data_only
@click.option("--checks", is_flag=True, help="Print what is looked for, and look for nothing.")
def lint(
    files: list[Path] | None, chip: str | None, ignore: list[str] | None, strict: bool, as_json: bool, checks: bool
) -> None:
    """Hold a switch's buffer, ECN and PFC tables against physics, and against one another.

    Exit status: 0 nothing worse than a note; 1 errors or warnings, which hurt traffic; 2 a file that cannot be read,
    or nothing to check in any.
    """
    from xoff.switches.lint import Severity
    from xoff.switches.lint.switches import nothing_to_check, without_config
    from xoff.switches.lint.tables import Tables, several
    from xoff.switches.switch_tables import SwitchTables

    if checks:
        _print_checks()
        return
    tables, refused = SwitchTables.load_readable(*files or (), chip=chip)
    findings = tables.lint(ignore or ())
    judged = [Tables.of(files, tables.chip) for files in tables.switches]
    for error in refused:
        click.echo(printable(str(error)), err=True)
    if alone := without_config(tables.switches):
        click.echo(f"{several(alone)}: {_ALONE}", err=True)
    empty = [files for files in tables.switches if nothing_to_check(files) and not findings]
    for file in (file for files in empty for file in files):
        click.echo(printable(f"{file.name}: {_EMPTY}"), err=True)
    is_empty = len(empty) == len(tables.switches) and not findings
    if as_json:
        click.echo(json_text.document([finding.as_data() for finding in findings]))
    elif tables.switches:
        told = _told(sum(map(len, tables.switches)), len(tables.switches))
        _print(findings, told + _memory(judged), "Nothing to check" if is_empty else "Nothing found")
    if refused or is_empty:
        raise click.exceptions.Exit(2)
    bearable = Severity.NOTE if not strict else Severity.NOTE + 1
    if any(finding.severity < bearable for finding in findings):
        raise click.exceptions.Exit(1)


def _print_checks() -> None:
    from xoff.switches.lint import CHECKS

    width = max(len(check.__name__) for check in CHECKS)
    for check in CHECKS:
        click.echo(f"{check.__name__:{width}}  {(check.__doc__ or '').splitlines()[0]}")


_ALONE = "held against no config_db.json; those of one switch belong together, in a folder of its own"
_EMPTY = "nothing to check: no row is about buffers, marks or pauses"
_COLOURS = ("red", "yellow", "cyan")


def _told(files: int, switches: int) -> str:
    """Says how many files were checked, and as how many switches."""
    if files == 1:
        return "1 file"
    return f"{files} files of {'one switch' if switches == 1 else f'{switches} switches'}"


def _memory(switches: list[Tables]) -> str:
    """Whether sizes of pools were held against a chip's memory."""
    sized = [tables for tables in switches if any(pool.size for pool in tables.config.buffer_pool.values())]
    if all(tables.chip_of_memory for tables in sized):
        return ""
    return "; pools are held against no chip's memory (--chip names one)"


def _print(findings: list[Finding], judged: str, nothing: str) -> None:
    from rich.text import Text

    from xoff.switches.lint import Severity

    console = Console(120)
    for finding in findings:
        place = finding.place
        head = Text(printable(f"{place.file}:{place.line}: "))
        head.append(str(finding.severity), style=f"bold {_COLOURS[finding.severity]}")
        head.append(printable(f": {place.key}{f' = {place.value}' if place.value else ''} [{finding.check}]"))
        console.print(head, soft_wrap=True)
        for text in (finding.physics, f"Remedy: {finding.remedy}"):
            console.print(fill(text, console.width, initial_indent="    ", subsequent_indent="    "))
    counts = Counter(finding.severity for finding in findings)
    told = [
        f"{counts[severity]} {severity}{'s' * (counts[severity] != 1)}" for severity in Severity if counts[severity]
    ]
    console.print(f"{', '.join(told) or nothing} in {judged}")
