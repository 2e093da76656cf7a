"""`xoff export`: a plan as configuration of switches or hosts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xoff.cli.files import check_free, written_whole
from xoff.cli.options import ChangesOfPlan
from xoff.cli.terminal import say
from xoff.export import Format

if TYPE_CHECKING:
    from xoff.export.export import Export
    from xoff.plan.settings import Settings


def export(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan file (TOML), as for `xoff plan`.")],
    target: Annotated[Format, typer.Option("--format", help="SONiC, Arista EOS, Cisco NX-OS, NVIDIA NVUE, hosts.")],
    changes: ChangesOfPlan = None,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write it there; left out, print it.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file that --out names.")] = False,
) -> None:
    """Write a plan's settings as configuration.

    What a format cannot express is told in words: in comments, or on standard error if it has none. Checks of the plan
    that fail are named there, and nothing is held back for them; only a plan that leaves lossless classes nothing to
    share is no configuration, and refused. SONiC's tables are linted (`xoff lint`), and what is found is told there,
    too; the status is 1 if something is an error.
    """
    from xoff.errors import OutputError
    from xoff.plan.outcome import compute

    if out is not None:
        check_free(out, "--out", force=force)
    found = compute(plan, changes or ())
    written = target.write_plan(found, str(plan))
    if found.failed:
        failed = ", ".join(f"{row.key} ({row.quantity}, {row.shown})" for row in found.failed)
        say(f"warning: {plan} fails, and is written all the same: {failed}; see `xoff plan {plan}`", err=True)
    text = _with_notes(written)
    if out is None:
        typer.echo(text, nl=False)
    else:
        try:
            with written_whole(out) as beside:
                beside.write_text(text, encoding="utf-8")
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            message = f"{out}: --out: cannot write here: {reason}; choose another file with --out"
            raise OutputError(message) from None
    if target is Format.SONIC and _lint(written, found.settings):
        raise typer.Exit(1)


def _with_notes(found: Export) -> str:
    if found.comment is None:
        for note in found.notes:
            say(f"note: {note}", err=True)
        return found.text
    notes = "".join(f"{found.comment} {note}\n" for note in found.notes)
    first, end, rest = found.text.partition("\n")
    return f"{first}{end}{notes}{rest}" if first.startswith("#!") else notes + found.text


def _lint(found: Export, settings: Settings) -> bool:
    """Tells what is wrong with tables; whether some of it is an error."""
    from xoff import catalogue
    from xoff.lint import Severity, Tables, lint

    chip = next(chip for chip in catalogue.chips() if chip["name"] == settings.chip)
    findings = lint([Tables.parse("config_db.json", found.text, chip)])
    for finding in findings:
        say(f"{finding.severity}: {finding.place.key}: {finding.physics} [{finding.check}]", err=True)
    return any(finding.severity is Severity.ERROR for finding in findings)
