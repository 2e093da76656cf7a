"""`xoff export`: a plan as configuration of switches or hosts, or a scenario's switch put onto a real one's tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from xoff.cli.files import check_free, written_whole
from xoff.cli.onto import put_onto, show_onto
from xoff.cli.options import ChangesOfPlan
from xoff.cli.terminal import say
from xoff.errors import InputError
from xoff.export import Format

if TYPE_CHECKING:
    from xoff.export.export import Export
    from xoff.plan.settings import Settings

_ONLY_SONIC = "expected sonic, or no --format: SONiC's tables are all that xoff reads"


def export(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The plan (TOML), as for `xoff plan`; with --onto, a scenario."),
    ],
    target: Annotated[
        Format | None, typer.Option("--format", help="SONiC, Arista EOS, Cisco NX-OS, NVIDIA NVUE, hosts.")
    ] = None,
    onto: Annotated[
        list[Path] | None,
        typer.Option(
            "--onto", metavar="FILE", help="SONiC's tables of a switch, which a scenario changes; may be repeated."
        ),
    ] = None,
    port: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --onto: the port whose rows change, as for `xoff import`.")
    ] = None,
    chip: Annotated[str | None, typer.Option(help="With --onto: a name of `xoff list chips`.")] = None,
    switch: Annotated[
        str | None, typer.Option(metavar="NAME", help="With --onto: the scenario's switch, where they differ.")
    ] = None,
    changes: ChangesOfPlan = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write it there, with --onto into this folder; left out, print it."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    data_only: Annotated[
        bool, typer.Option("--json", help="With --onto: print a JSON patch, as SONiC's `config apply-patch` takes it.")
    ] = False,
) -> None:
    """Write a plan's settings as configuration, or a scenario's onto the tables of a switch.

    What a format cannot express is told in words: in comments, or on standard error if it has none. Checks of the plan
    that fail are named there, and nothing is held back for them; only a plan that leaves lossless classes nothing to
    share is no configuration, and refused. SONiC's tables are linted (`xoff lint`), and what is found is told there,
    too; the status is 1 if something is an error.

    With --onto, thresholds, alphas, headroom, pools, weights and watchdog of a scenario's switch go where `xoff import`
    has found them. What changes is printed as a diff. The rows of one port change, and those of others as far as they
    say the same. What the tables cannot say is told, and the status is 1.
    """
    if onto:
        if target not in (None, Format.SONIC):
            raise InputError(None, f"--format {target}", "is not read, and nothing can be put onto it", _ONLY_SONIC)
        written = put_onto(Path(file), tuple(changes or ()), onto, switch=switch, port=port, chip=chip)
        if not show_onto(written, out, force=force, as_patch=data_only):
            raise typer.Exit(1)
        return
    for option, given in (("--port", port), ("--chip", chip), ("--switch", switch), ("--json", data_only)):
        if given:
            raise InputError(None, option, "is about tables of a switch", "expected --onto FILE, too")
    if target is None:
        expected = f"expected --format with one of {', '.join(Format)}, or --onto FILE for a scenario"
        raise InputError(None, "--format", "nothing says what is to be written", expected)
    _export_plan(file, target, changes, out, force=force)


def _export_plan(plan: Path, target: Format, changes: list[str] | None, out: Path | None, *, force: bool) -> None:
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
